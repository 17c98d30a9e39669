"""Writes over files that the agent has not seen as they are: a rule decides, or the person does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acp_tui.agent.given import Given
from acp_tui.agent.own_questions import Decided, OwnQuestions
from acp_tui.host.files import FileError, Stale
from acp_tui.host.host import Host
from acp_tui.session import events
from acp_tui.session.questions import StaleWrite

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
