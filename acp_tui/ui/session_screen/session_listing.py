"""The agent's sessions while its list is being read: what has come so far, and what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.acp.sessions import SessionInfo
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.conversation import Conversation

_PACE: Final = 0.25
"""Seconds between two times that the person is shown what has come."""


class Listing:
    """Reads the first page when it is wanted, and the others while the person looks at it."""

    def __init__(self, conversation: Conversation) -> None:
        self.found: list[SessionInfo] = []
        """In the agent's order."""
        self.problem = ""
        """Why there may be more than was found."""
        self.is_whole = False
        """Whether the agent has nothing to add."""
        self.has_begun = asyncio.Event()
        """Set once the first page is there, or will not come."""
        self._conversation = conversation
        self._pages: AsyncIterator[list[SessionInfo]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the agent may have more to give."""
        return self._pages is not None and not self.is_whole

    async def read(self, show: Callable[[], None], *, asks: bool = True) -> None:
        """Read all pages; `show` is called after the first, now and then, and at the end.

        `asks`: the agent has a list.
        """
        try:
            if asks:
                await self.begin()
            show()
        finally:
            self.has_begun.set()
        await self.read_on(show)

    async def begin(self) -> None:
        """Read the first page; when the agent wants a login first, let the person log in."""
        from acp_tui.agent.errors import AgentError
        from acp_tui.conversation.login import asked

        try:
            self.found += await asked(self._conversation, self._first)
        except AgentError as error:
            self._failed(error)

    async def read_on(self, show: Callable[[], None]) -> None:
        """Read the pages that are left; `show` is called now and then, and at the end."""
        from acp_tui.agent.errors import AgentError

        shown = monotonic()
        try:
            while self._pages is not None and not self.is_whole:
                page = await anext(self._pages, None)
                self.is_whole = page is None
                self.found += page or ()
                if monotonic() - shown > _PACE and not self.is_whole:
                    shown = monotonic()
                    show()
        except AgentError as error:
            self._failed(error)
        show()

    async def _first(self, agent: Agent) -> list[SessionInfo]:
        self._pages = agent.listing.pages()
        return await anext(self._pages, [])

    def _failed(self, error: Exception) -> None:
        self.problem, self._pages = str(error), None
