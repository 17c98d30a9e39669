"""Whether the person looks at a session, and what waits until they do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.session_screen.withdrawing import Result


class Presence:
    """The person before one session screen, who may be at another one."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._seen = asyncio.Event()
        self.has_news = False
        """Whether a turn has ended here while another session was seen."""
        self._then: Callable[[], None] | None = None

    @property
    def is_seen(self) -> bool:
        """Whether this is the session that the person looks at."""
        return self._screen.tabs.is_current(self._screen)

    async def ask(self, screen: Screen[Result]) -> Result | None:
        """Show a screen over this session, once it is seen, and return what it is dismissed with."""
        from acp_tui.ui.session_screen.withdrawing import answer_of

        await self._seen.wait()
        return await answer_of(self._screen.app, screen)

    def when_seen(self, do: Callable[[], None]) -> None:
        """Call this now, or when the person comes to this session; only the newest call waits."""
        if self.is_seen:
            do()
        else:
            self._then = do

    def begin(self) -> None:
        """The person looks at this session from now on."""
        self._seen.set()
        self.has_news = False
        self._screen.tabs.show()
        self._screen.asking.show_next()
        if self._then is not None:
            then, self._then = self._then, None
            then()

    def end(self) -> None:
        """Another session is seen, or a dialog lies over this one."""
        if not self.is_seen:
            self._seen.clear()
