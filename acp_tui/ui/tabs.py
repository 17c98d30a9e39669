"""The sessions that are open, each on a screen of its own; one of them is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from acp_tui.acp.sessions import SessionInfo
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.running import RunningAgent
    from acp_tui.ui.screens.session import SessionScreen
    from acp_tui.ui.widgets.lines import Line
    from acp_tui.ui.widgets.one_line import Piece

FIRST: Final = "session-1"
"""The name of the first tab, which is there from the first frame."""
_TITLE: Final = 24


class Tabs:
    """Opens, shows and closes sessions. Each tab is one of Textual's modes: its dialogs stay over it."""

    def __init__(self, app: AcpApp) -> None:
        self._app = app
        self._screens: dict[str, SessionScreen] = {}
        self._made = 1

    def add(self, screen: SessionScreen, name: str = FIRST) -> None:
        """Take in a screen that was made for a tab."""
        self._screens[name] = screen

    @property
    def screens(self) -> list[SessionScreen]:
        """All session screens, in the order of their tabs."""
        return list(self._screens.values())

    @property
    def current(self) -> SessionScreen:
        """The session screen that is seen."""
        return self._screens[self._app.current_mode]

    def is_current(self, screen: SessionScreen) -> bool:
        """Whether a screen is the one that is seen."""
        return self._screens.get(self._app.current_mode) is screen

    async def open(
        self,
        *,
        running: RunningAgent | None = None,
        attach: SessionInfo | None = None,
        recorded: Path | None = None,
    ) -> None:
        """Open a tab: a new or an earlier session of a running agent, a recorded one, or the start screen."""
        self._made += 1
        name = f"session-{self._made}"
        screen = self._app.session_screen_for(running, attach, recorded)
        self._app.add_mode(name, lambda: screen)
        self.add(screen, name)
        await self._app.switch_mode(name)
        self.show()

    async def close(self, screen: SessionScreen) -> None:
        """End a session and close its tab; with the last one the program ends."""
        name = next(name for name, known in self._screens.items() if known is screen)
        if len(self._screens) == 1:
            self._app.action_leave()
            return
        names = list(self._screens)
        place = names.index(name)
        await self._app.switch_mode(names[place - 1] if place else names[1])
        del self._screens[name]
        await screen.conversation.end()
        await self._app.remove_mode(name)
        self.show()

    async def go(self, step: int) -> None:
        """Show the tab `step` further."""
        names = list(self._screens)
        place = (names.index(self._app.current_mode) + step) % len(names)
        await self.go_to(place)

    async def go_to(self, place: int) -> None:
        """Show a tab by its place, from 0; nothing happens when there is none."""
        names = list(self._screens)
        if place < len(names):
            await self._app.switch_mode(names[place])
            self.show()

    async def end(self) -> None:
        """End all conversations."""
        for screen in self.screens:
            await screen.conversation.end()

    def show(self) -> None:
        """Draw the tabs on the screen that is seen; one alone needs none."""
        lines = [self._line()] if len(self._screens) > 1 else []
        self.current.show_sessions(lines)

    def _line(self) -> Line:
        pieces: list[Piece] = []
        for number, screen in enumerate(self._screens.values(), 1):
            role, mark = self._state(screen)
            here = "accent" if screen is self.current else "text"
            pieces.append((role, f" {mark} "))
            pieces.append((here, f"{number} {_cut(screen.title_of_tab)} "))
            pieces.append(("faint", self._app.look.glyph("column")))
        return pieces, ()

    def _state(self, screen: SessionScreen) -> Piece:
        """Return (role, mark) for what a session does."""
        look, conversation = self._app.look, screen.conversation
        if conversation.questions:
            return "warning", look.glyph("asks")
        if conversation.phase in ("failed", "ended"):
            return "error", look.glyph("failed")
        if conversation.is_busy or conversation.phase == "starting":
            return "tool-running", look.glyph("running")
        if screen.has_news:
            return "success", look.glyph("completed")
        return "muted", look.glyph("waiting")


def _cut(title: str) -> str:
    return title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"
