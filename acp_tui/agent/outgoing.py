"""What was said to an agent and waits until it reads it: in order, and bounded."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Final

MOST: Final = 32 << 20
"""Bytes that an agent may leave unread before nothing more is done for it."""


class Outgoing:
    """The bytes for one pipe. Needs no event loop before somebody waits."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes that wait."""
        self._parts: deque[memoryview] = deque()
        self._room = asyncio.Event()
        self._room.set()

    def add(self, data: bytes) -> None:
        """Let this go out after all that waits already."""
        self._parts.append(memoryview(data))
        self._resized(len(data))

    def write_to(self, descriptor: int) -> None:
        """Write until nothing is left.

        Raises:
            BlockingIOError: the pipe takes no more for now.
            OSError: nobody will read it.
        """
        while self._parts:
            first = self._parts[0]
            sent = os.write(descriptor, first)
            if sent < len(first):
                self._parts[0] = first[sent:]
            else:
                self._parts.popleft()
            self._resized(-sent)

    def clear(self) -> None:
        """Drop what waits."""
        self._parts.clear()
        self._resized(-self.size)

    @property
    def is_full(self) -> bool:
        """Whether so much waits that whoever adds to it should wait, too."""
        return not self._room.is_set()

    async def room(self) -> None:
        """Wait until no more than `MOST` waits."""
        await self._room.wait()

    def _resized(self, by: int) -> None:
        self.size += by
        if self.size > MOST:
            self._room.clear()
        else:
            self._room.set()
