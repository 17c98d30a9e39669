"""Writes over files that the agent has not seen as they are: a rule decides, or the person does."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from acp_tui.agent.given import PERSON, Given
from acp_tui.host.files import FileError, Stale
from acp_tui.host.host import Host
from acp_tui.session import events
from acp_tui.session.events import Event
from acp_tui.session.questions import StaleWrite

Choice = Literal["write", "keep"]
_CHOICES: Final[dict[str, Choice]] = {"write": "write", "keep": "keep"}
_OUTCOMES: Final = {
    "write": "The agent has written over what was newly in {}.",
    "keep": "Kept {}; the agent was told to read it again.",
}


class _Decided(NamedTuple):
    choice: Choice | None
    given: Given


class Kept(FileError):
    """The file stays as it is; the message tells the agent what to do."""


class Overwriting:
    """The open questions about stale writes of one connection."""

    def __init__(
        self,
        host: Host,
        note: Callable[[str, Event], None],
        remark: Callable[[dict[str, Any]], None],
        record: Callable[[str, str, Choice | None, Given, float], None],
    ) -> None:
        """Ask by events.

        Args:
            host: says what becomes of such writes without a question.
            note: takes an event into the session of this id.
            remark: writes into the journal what no frame tells.
            record: told of the session's id, the path, what was decided, by whom, and after how many seconds.
        """
        self._host = host
        self._note = note
        self._remark = remark
        self._record = record
        self._numbers = itertools.count(1)
        self._open: dict[tuple[str, str], asyncio.Future[_Decided]] = {}

    async def decide(self, session_id: str, stale: Stale) -> None:
        """Come back when the file may be written over; the question is gone however this ends.

        Raises:
            Kept: it may not.
        """
        choice: Choice | None
        if self._host.stale_writes == "ask":
            choice = await self._asked(session_id, stale)
        else:
            choice = self._host.stale_writes
            given = Given("rule", f'stale_writes = "{choice}" in the settings')
            self._record(session_id, stale.path, choice, given, 0.0)
        if choice is not None:
            self._tell(session_id, _OUTCOMES[choice].format(stale.path))
        if choice == "keep":
            raise Kept(f"{stale} It was not written: read it again.")
        if choice is None:
            raise Kept(f"{stale} It was not written: the turn was stopped.")

    def answer(self, session_id: str, key: str, choice: str | None, given: Given = PERSON) -> bool:
        """Answer an open question, None: with nothing; return whether there was one of this key.

        Raises:
            ValueError: there is no such choice.
        """
        waiting = self._open.get((session_id, key))
        if waiting is None:
            return False
        if choice is not None and choice not in _CHOICES:
            raise ValueError(f"not offered: {choice!r}")
        if not waiting.done():
            waiting.set_result(_Decided(_CHOICES[choice] if choice is not None else None, given))
        return True

    def cancel(self, session_id: str, why: str) -> None:
        """Answer what is open with nothing: the turn is being stopped, or is over."""
        for (session, _), waiting in self._open.items():
            if session == session_id and not waiting.done():
                waiting.set_result(_Decided(None, Given("cancelled", why)))

    async def _asked(self, session_id: str, stale: Stale) -> Choice | None:
        key = f"stale-{next(self._numbers)}"
        waiting: asyncio.Future[_Decided] = asyncio.get_running_loop().create_future()
        self._open[session_id, key] = waiting
        self._note(session_id, events.Conflicted(_question(key, stale)))
        since = time.monotonic()
        decided = _Decided(None, Given("withdrawn"))
        try:
            decided = await waiting
        finally:
            del self._open[session_id, key]
            waited = time.monotonic() - since
            self._record(session_id, stale.path, decided.choice, decided.given, waited)
            self._note(session_id, events.Answered(key, decided.choice, str(decided.given)))
        return decided.choice

    def _tell(self, session_id: str, text: str) -> None:
        """Say in the chat what became of the write, and in the journal, so that a replay says it, too."""
        self._remark({"noted": text, "session": session_id})
        self._note(session_id, events.Noted(text))


def _question(key: str, stale: Stale) -> StaleWrite:
    is_there = stale.version is not None
    return StaleWrite(key, stale.path, stale.wanted, stale.now, stale.before, is_there)
