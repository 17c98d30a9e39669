"""The questions that are open in some sessions, as they are now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.session.questions import Question
    from acp_tui.session.session import Session


class OpenQuestions(Mapping[tuple[str, str], "Question"]):
    """A view by (session id, key): it costs nothing to make, however many questions there are."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions

    def __getitem__(self, key: tuple[str, str]) -> Question:
        """Return a question."""
        for session in self._sessions:
            if session.id == key[0] and key[1] in session.questions:
                return session.questions[key[1]]
        raise KeyError(key)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Go through the keys, in the order of the sessions and the oldest first."""
        for session in self._sessions:
            for key in session.questions:
                yield session.id, key

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(len(session.questions) for session in self._sessions)

    @property
    def visits(self) -> int:
        """How many of them are addresses that the user visits now."""
        everything = chain.from_iterable(session.questions.values() for session in self._sessions)
        return sum(getattr(question, "visiting", False) for question in everything)

    def __repr__(self) -> str:
        """Return what is open, for a test that fails."""
        return repr(dict(self))
