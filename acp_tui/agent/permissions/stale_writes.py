"""Stale writes: the question about a write to a file that has changed since the agent saw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.authorization import (
    AnsweredBy,
)
from acp_tui.agent.permissions.client_questions import ClientQuestions, merge_of
from acp_tui.agent.permissions.decision_records import ClientAnswer
from acp_tui.changes import merge as merges
from acp_tui.session import events
from acp_tui.session.questions import StaleWrite
from acp_tui.workspace.files import (
    FileError,
    Stale,
)

_OUTCOMES: Final = {
    "write": "The agent overwrote newer changes in {}.",
    "keep": "Kept {}; the agent was told to read it again.",
    "merge": "Merged the agent's version of {} with the newer one; the agent was told to read it again.",
}


class MergeToWrite(NamedTuple):
    """The text to be written in place of the agent's."""

    text: str
    amendment: Amendment | None = None
    """The merge as the user edited it."""


class FileKept(FileError):
    """The file stays as it is; the message tells the agent what to do."""


class StaleWrites:
    """Decides about the stale writes of one connection."""

    def __init__(
        self,
        access: AgentAccess,
        questions: ClientQuestions,
        tell: Callable[[str, str], None],
        record: Callable[[str, str, ClientAnswer], None],
    ) -> None:
        """Decide for one connection.

        Args:
            access: has the user's setting for stale writes.
            questions: asks the user.
            tell: adds a notice to the chat of a session, given its id.
            record: called with the session's id, the path and the answer.
        """
        self._access = access
        self._questions = questions
        self._tell = tell
        self._record = record

    async def decide(self, session_id: str, stale: Stale) -> MergeToWrite | None:
        """Wait until the file may be replaced; return a merge if the user chose that.

        Raises:
            FileKept: it may not.
        """
        always, merge = self._access.stale_writes, None
        if always == "ask":
            choice, merge = await self._asked(session_id, stale)
        else:
            choice = always
            answered_by = AnsweredBy("rule", f'stale_writes = "{choice}" in the settings')
            self._record(session_id, stale.path, ClientAnswer(choice, answered_by))
        if choice is not None:
            self._tell(session_id, _OUTCOMES[choice].format(stale.path))
        if choice == "keep":
            raise FileKept(f"{stale} It was not written: read it again.")
        if choice is None:
            raise FileKept(f"{stale} It was not written: the turn was stopped.")
        return merge

    async def _asked(self, session_id: str, stale: Stale) -> tuple[str | None, MergeToWrite | None]:
        merge = await merge_of(stale)
        answer = await self._questions.ask(
            session_id,
            lambda key: events.Conflicted(_question(key, stale, merge)),
            _OUTCOMES if merge is not None else ("write", "keep"),
            lambda answer: self._record(session_id, stale.path, answer),
        )
        if answer.choice != "merge" or merge is None:
            return answer.choice, None
        amendment = answer.amendment
        text = amendment.edited if amendment is not None else merge.text
        return answer.choice, MergeToWrite(text, amendment)


def _question(key: str, stale: Stale, merge: merges.Merge | None) -> StaleWrite:
    is_there = stale.version is not None
    question = StaleWrite(key, stale.path, stale.wanted, stale.now, stale.before, is_there, stale.encoding)
    if merge is not None:
        question.merged, question.conflicts = merge.text, merge.conflicts
    return question
