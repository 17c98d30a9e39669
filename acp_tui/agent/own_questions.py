"""Questions that we ask about what an agent would have us do; no permission of the agent's waits for them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from acp_tui.agent.host import Host
from acp_tui.agent.verdicts import PERSON, Given
from acp_tui.session import events
from acp_tui.session.events import Event
from acp_tui.session.questions import StaleWrite
from acp_tui.workspace.files import FileError, Stale


class Decided(NamedTuple):
    """What became of a question."""

    choice: str | None
    """None: nothing was chosen."""
    given: Given
    waited: float = 0.0
    """Seconds between question and answer."""


class _Open(NamedTuple):
    answer: asyncio.Future[Decided]
    choices: Collection[str]


class OwnQuestions:
    """The open questions of this kind of one connection."""

    def __init__(self, note: Callable[[str, Event], None]) -> None:
        """Take what takes an event into the session of an id."""
        self._note = note
        self._numbers = itertools.count(1)
        self._open: dict[tuple[str, str], _Open] = {}

    async def ask(
        self,
        session_id: str,
        asked: Callable[[str], Event],
        choices: Collection[str],
        record: Callable[[Decided], None],
    ) -> Decided:
        """Ask by an event and return the answer; the question is gone however this ends.

        Args:
            session_id: where it is asked.
            asked: makes the event, given the key of the question.
            choices: what can be answered.
            record: told of the answer, also when the agent takes its request back.
        """
        key = f"own-{next(self._numbers)}"
        answer: asyncio.Future[Decided] = asyncio.get_running_loop().create_future()
        self._open[session_id, key] = _Open(answer, choices)
        self._note(session_id, asked(key))
        since, decided = time.monotonic(), Decided(None, Given("withdrawn"))
        try:
            decided = await answer
        finally:
            del self._open[session_id, key]
            decided = decided._replace(waited=time.monotonic() - since)
            record(decided)
            self._note(session_id, events.Answered(key, decided.choice, str(decided.given)))
        return decided

    def answer(self, session_id: str, key: str, choice: str | None, given: Given = PERSON) -> bool:
        """Answer an open question, None: with nothing; return whether there was one of this key.

        Raises:
            ValueError: there is no such choice.
        """
        waiting = self._open.get((session_id, key))
        if waiting is None:
            return False
        if choice is not None and choice not in waiting.choices:
            raise ValueError(f"not offered: {choice!r}")
        if not waiting.answer.done():
            waiting.answer.set_result(Decided(choice, given))
        return True

    def cancel(self, session_id: str, why: str) -> None:
        """Answer what is open with nothing: the turn is being stopped, or is over."""
        for (session, _), waiting in self._open.items():
            if session == session_id and not waiting.answer.done():
                waiting.answer.set_result(Decided(None, Given("cancelled", why)))


_OUTCOMES: Final = {
    "write": "The agent has written over what was newly in {}.",
    "keep": "Kept {}; the agent was told to read it again.",
}


class Kept(FileError):
    """The file stays as it is; the message tells the agent what to do."""


class Overwriting:
    """Decides about the stale writes of one connection."""

    def __init__(
        self,
        host: Host,
        questions: OwnQuestions,
        tell: Callable[[str, str], None],
        record: Callable[[str, str, Decided], None],
    ) -> None:
        """Ask by events.

        Args:
            host: says what becomes of such writes without a question.
            questions: puts them to the person.
            tell: says in the session of an id what became of the write.
            record: told of the session's id, the path and what was decided.
        """
        self._host = host
        self._questions = questions
        self._tell = tell
        self._record = record

    async def decide(self, session_id: str, stale: Stale) -> None:
        """Come back when the file may be written over; the question is gone however this ends.

        Raises:
            Kept: it may not.
        """
        always = self._host.stale_writes
        if always == "ask":
            choice = await self._asked(session_id, stale)
        else:
            choice = always
            given = Given("rule", f'stale_writes = "{choice}" in the settings')
            self._record(session_id, stale.path, Decided(choice, given))
        if choice is not None:
            self._tell(session_id, _OUTCOMES[choice].format(stale.path))
        if choice == "keep":
            raise Kept(f"{stale} It was not written: read it again.")
        if choice is None:
            raise Kept(f"{stale} It was not written: the turn was stopped.")

    async def _asked(self, session_id: str, stale: Stale) -> str | None:
        decided = await self._questions.ask(
            session_id,
            lambda key: events.Conflicted(_question(key, stale)),
            _OUTCOMES,
            lambda decided: self._record(session_id, stale.path, decided),
        )
        return decided.choice


def _question(key: str, stale: Stale) -> StaleWrite:
    is_there = stale.version is not None
    return StaleWrite(key, stale.path, stale.wanted, stale.now, stale.before, is_there, stale.encoding)
