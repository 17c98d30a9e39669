"""The chat of a subagent: its transcript as a full screen, for reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.session.entries import Subagent
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.entries.entry import BlockContext
from acp_tui.ui.entries.subagent import subagent_pieces
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.transcript import Transcript

_PACE: Final = 0.05
"""Seconds between two frames."""


class SubagentScreen(FullScreen[None]):
    """Shows a subagent's growing chat, for reading only."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="subagent.close"),
        Binding("X", "cancel", "Stop it", id="subagent.cancel"),
    ]

    def __init__(
        self,
        session: Session,
        one: Subagent,
        context: BlockContext,
        styles: Styles,
        choose: Callable[[Block, str], None],
        cancel: Callable[[str], bool],
    ) -> None:
        """Show a subagent.

        Args:
            session: its session.
            one: its entry in the session of its parent.
            context: the context of the blocks; this screen sets their view.
            styles: the theme's styles.
            choose: opens the object of a block, or a link.
            cancel: stops a subagent by its id.
        """
        super().__init__(styles)
        self.session = session
        self._one = one
        self._chat_context = context
        self._open = choose
        self._cancel = cancel
        self._changed: set[int] = set()
        self._is_due = False

    @override
    def compose_content(self) -> ComposeResult:
        yield ChatPane()

    def on_mount(self) -> None:
        """Show the chat so far, at its end."""
        chat = self.query_one(ChatPane)
        chat.set_theme_styles(self.theme_styles)
        self._chat_context.redraw = chat.changed
        chat.context = self._chat_context
        chat.show(self.session, SessionChange(tuple(range(len(self.session.entries)))))
        chat.focus()
        self.show_head()

    def show(self, change: SessionChange) -> None:
        """Draw a change with the next frame."""
        self._changed.update(change.entries)
        if not self._is_due and self.is_mounted:
            self._is_due = True
            after(self, _PACE, self._flush)

    def _flush(self) -> None:
        self._is_due = False
        changed, self._changed = tuple(sorted(self._changed)), set()
        for chat in self.query(ChatPane):
            chat.show(self.session, SessionChange(changed))
        self.show_head()

    def tick(self, now: float) -> None:
        """Update running times; `now` is on the clock of the session events."""
        for chat in self.query(ChatPane):
            chat.tick(now)
        self.show_head(now)

    def show_head(self, now: float | None = None) -> None:
        """Show name and state."""
        if self.query("#title"):
            left, right = subagent_pieces(self._one, self.theme_styles.symbol, now)
            self.show_title(([("text", " "), *left], [*right, ("text", " ")]))
            self.refresh_bindings()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "cancel" or (self._one.can_cancel and self._one.is_working)

    def action_cancel(self) -> None:
        """Stop the subagent; its parent goes on."""
        if self._cancel(self._one.session_id):
            self.notify("It was asked to stop.", title=self._one.name)

    def on_transcript_chosen(self, event: Transcript.Chosen) -> None:
        """Open what was chosen."""
        event.stop()
        if not self.query_one(ChatPane).open_fold(event.block):
            self._open(event.block, event.link)
