"""The layout of panes: side by side, one at a time on narrow screens, zoomed or hidden."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from acp_tui.store.preferences import Layout, load_layout, save_layout
from acp_tui.ui.panes.pane import Pane, PaneFrame
from acp_tui.ui.panes.sidebar import Side
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import StatusRows

NARROW: Final = 110
"""Width below which one pane is shown at a time."""

_KEYS: Final = ("session.chat", "session.plan-pane", "session.tool-calls", "session.changes")
"""Ids of the keys of the panes, in their order."""


class PaneLayout:
    """Shows and hides panes, and remembers the layout for the next run."""

    def __init__(self, screen: ConversationScreen, path: Path, default: Sequence[str]) -> None:
        self._screen = screen
        self._path = path
        self._default = default
        self._tab = "chat"

    def begin(self) -> None:
        """Restore the layout of the last run."""
        layout, problem = load_layout(self._path, self._default)
        for frame in self._screen.query(PaneFrame):
            frame.set_class(frame.pane.NAME not in layout.panes, "-hidden")
        self._show_side(layout.side)
        self.show_tab("chat")
        self._fit()
        if problem is not None:
            self._screen.notify(str(problem), title="Layout", severity="warning")

    def show_panes(self, names: Sequence[str]) -> None:
        """Show exactly these panes, and save that."""
        for frame in self._screen.query(PaneFrame):
            frame.set_class(frame.pane.NAME not in names, "-hidden")
        self._show_side(bool(names))
        if isinstance(self._screen.focused, Pane) and self._screen.focused.NAME not in ("chat", *names):
            self._screen.focus_prompt()
        self._keep()

    def resized(self, width: int) -> None:
        """Show one pane at a time if the screen is narrow."""
        self._screen.set_class(width < NARROW, "-narrow")
        self._fit()
        if self._is_narrow and isinstance(self._screen.focused, Pane):
            self.show_tab(self._screen.focused.NAME)

    def go_to(self, name: str) -> None:
        """Show and focus a pane; if it already has the focus, go back to the prompt."""
        pane = self._screen.query_one(f"#{name}", Pane)
        if self._screen.maximized not in (None, pane):
            self._screen.minimize()
        if pane.has_focus or (name != "chat" and self._is_narrow and self._tab == name):
            self.leave()
            return
        if self._is_narrow:
            self.show_tab(name)
        elif name != "chat":
            self._show(pane)
        self._screen.set_focus(pane)  # at once: `focus` would be handled after a key that is already pending

    def show_chat(self) -> None:
        """Show the chat without moving the focus."""
        if self._screen.maximized not in (None, self._screen.query_one("#chat")):
            self._screen.minimize()
        if self._is_narrow:
            self.show_tab("chat")

    def leave(self) -> None:
        """Go back to the chat, with the focus in the prompt."""
        self._screen.minimize()
        if self._is_narrow:
            self.show_tab("chat")
        self._screen.focus_prompt()

    @property
    def can_hide(self) -> bool:
        """True if the focused pane can be hidden: not the chat, and not the only pane."""
        return self._focused_frame is not None and not self._is_narrow

    @property
    def _focused_frame(self) -> PaneFrame | None:
        return next((frame for frame in self._screen.query(PaneFrame) if frame.pane.has_focus), None)

    def hide(self) -> None:
        """Hide the focused pane, unless it is the chat."""
        frame = self._focused_frame
        if frame is not None and self.can_hide:
            self._screen.minimize()
            frame.add_class("-hidden")
            self._show_side(bool(self._shown))
            self._screen.focus_prompt()
            self._keep()

    def toggle_side(self) -> None:
        """Hide or show the sidebar; if all of its panes are hidden, show all."""
        if self._is_narrow:
            return  # one pane at a time: there is no sidebar
        shows = self._screen.query_one("#side").has_class("-hidden")
        if shows and not self._shown:
            for frame in self._screen.query(PaneFrame):
                frame.remove_class("-hidden")
        if not shows and any(frame.pane.has_focus for frame in self._screen.query(PaneFrame)):
            self._screen.focus_prompt()
        self._show_side(shows)
        self._keep()

    def toggle_zoom(self) -> None:
        """Zoom the focused pane, else the chat; or end the zoom."""
        screen = self._screen
        if screen.maximized is not None:
            self.leave()
        else:
            pane = screen.focused if isinstance(screen.focused, Pane) else screen.query_one("#chat", Pane)
            screen.maximize(pane)
            screen.set_focus(pane)

    def show_tab(self, name: str) -> None:
        """Choose the pane that a narrow screen shows."""
        for frame in self._screen.query(PaneFrame):
            frame.set_class(name == frame.pane.NAME, "-tab")
        self._screen.query_one("#chat-box").set_class(name == "chat", "-tab")
        self._screen.query_one("#side").set_class(name != "chat", "-tab")
        self._tab = name
        self.show_tabs()

    def tab_clicked(self, piece: int) -> None:
        """Show the pane of a clicked tab; each tab has two pieces, name and key."""
        panes = list(self._screen.query(Pane))
        if 0 <= piece < 2 * len(panes):
            self.show_tab(panes[piece // 2].NAME)

    def show_tabs(self) -> None:
        """Draw the tabs: names, facts and keys of the panes."""
        pieces: list[tuple[str, str]] = []
        for key, pane in zip(_KEYS, self._screen.query(Pane), strict=True):
            role = "accent" if self._tab == pane.NAME else "muted"
            pieces.append((role, f"{pane.NAME.replace('-', ' ')} {pane.fact}".rstrip()))
            pieces.append(("muted", f" {key_of(self._screen, key)}   "))
        self._screen.query_one("#tabs", StatusRows).set_rows([(pieces, ())])

    @property
    def shows_side(self) -> bool:
        """True if the sidebar is beside the chat."""
        return not (self._is_narrow or self._screen.query_one("#side").has_class("-hidden"))

    @property
    def _is_narrow(self) -> bool:
        return self._screen.has_class("-narrow")

    @property
    def _shown(self) -> list[str]:
        """Names of the panes that are not hidden."""
        return [frame.pane.NAME for frame in self._screen.query(PaneFrame) if not frame.has_class("-hidden")]

    def _show(self, pane: Pane) -> None:
        before = self._layout
        for hidden in pane.ancestors_with_self:
            hidden.remove_class("-hidden")
        if self._layout != before:
            self._keep()

    def _show_side(self, shows: bool) -> None:
        self._screen.query_one("#side").set_class(not shows, "-hidden")
        self._screen.call_after_refresh(self._screen.show_status)  # it shows the model if there is no sidebar

    @property
    def _layout(self) -> Layout:
        return Layout(tuple(self._shown), not self._screen.query_one("#side").has_class("-hidden"))

    def _fit(self) -> None:
        """Share the rows of the sidebar among the visible panes."""
        self._screen.call_after_refresh(self._screen.query_one(Side).fit)

    def _keep(self) -> None:
        self._fit()
        problem = save_layout(self._path, self._layout)
        if problem is not None:
            self._screen.notify(str(problem), title="Layout", severity="warning")
