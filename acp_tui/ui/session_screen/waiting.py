"""What waits for the person over all sessions: questions, logins, and what has ended unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, overload

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.session.questions import Question
    from acp_tui.session.session import Session
    from acp_tui.ui.session_screen.screen import SessionScreen

Kind = Literal["permission", "stale write", "form", "link", "login", "ended", "failed", "done"]

WORDS: Final[dict[Kind, str]] = {
    "permission": "asks",
    "stale write": "asks",
    "form": "asks",
    "link": "asks",
    "login": "wants a login",
    "ended": "has ended",
    "failed": "failed",
    "done": "is done",
}
"""What is said of a session, by what waits in it."""


class Waiting(NamedTuple):
    """One thing that waits."""

    screen: SessionScreen
    kind: Kind
    what: str
    """What it is about, in a line; may be empty."""
    question: tuple[str, str] | None = None
    """Names the question, for kinds that are one."""


def waiting(screens: Iterable[SessionScreen]) -> list[Waiting]:
    """Return what waits, questions first, then in the order of the tabs."""
    found = [one for screen in screens for one in _of(screen)]
    # A question of the agent itself, as in its login, is open in each of its sessions: once is enough.
    once: dict[object, Waiting] = {}
    for one in found:
        once.setdefault(one.question or (one.screen, one.kind), one)
    return sorted(once.values(), key=lambda one: one.question is None)


def _of(screen: SessionScreen) -> Iterator[Waiting]:
    conversation = screen.conversation
    for key, question in conversation.questions.items():
        yield Waiting(screen, _kind(question), about(question, conversation.session), key)
    if conversation.phase == "logging-in":
        yield Waiting(screen, "login", conversation.agent_name)
    elif conversation.phase in ("failed", "ended"):
        failure = conversation.failure
        yield Waiting(screen, "ended", failure.reason if failure is not None else "")
    elif screen.presence.has_news and not conversation.questions:
        yield _ended_turn(screen, conversation)


def _ended_turn(screen: SessionScreen, conversation: Conversation) -> Waiting:
    """Return what there is to say of a turn that has ended unseen."""
    from acp_tui.ui.session_screen.naming import last_said

    session = conversation.session
    failed = session is not None and bool(session.turns) and session.turns[-1].stop_reason == "failed"
    return Waiting(screen, "failed" if failed else "done", last_said(session))


def _kind(question: Question) -> Kind:
    from acp_tui.session.questions import Permission, StaleWrite

    if isinstance(question, Permission):
        return "permission"
    if isinstance(question, StaleWrite):
        return "stale write"
    return "form" if question.url is None else "link"


class Abouts(Sequence[str]):
    """What questions are about, each in a line that is made when it is read."""

    def __init__(self, questions: Iterable[Question], session: Session | None) -> None:
        self._questions = tuple(questions)
        self._session = session

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        """Return the line of a question, or of some."""
        if isinstance(at, slice):
            return Abouts(self._questions[at], self._session)
        return about(self._questions[at], self._session)

    def __len__(self) -> int:
        """Return how many questions there are."""
        return len(self._questions)


def about(question: Question, session: Session | None) -> str:
    """Return what a question is about, in a line."""
    from acp_tui.readable import inside
    from acp_tui.session.questions import Permission, StaleWrite
    from acp_tui.ui.entries.words import call_sentence

    if isinstance(question, StaleWrite):
        cwd = session.cwd if session is not None else ""
        return f"write over newer changes in {inside(question.path, cwd)}"
    if not isinstance(question, Permission):
        return question.message
    return call_sentence(question.call, session.cwd if session is not None else "")
