"""Questions that we ask about what an agent would have us do; no permission of the agent's waits for them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from acp_tui.agent.given import PERSON, Given
from acp_tui.session import events
from acp_tui.session.events import Event


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
