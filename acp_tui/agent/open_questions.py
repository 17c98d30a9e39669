"""Open questions: unanswered permission requests, forms and addresses of an agent.

Rules and the policy answer some at once; the user answers the others; the end of the turn cancels the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Any, Final

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.authorization import USER, AnsweredBy, answer_without_user
from acp_tui.agent.permissions.decision_records import DecisionRecorder
from acp_tui.agent.permissions.grants import Grants, destinations_of
from acp_tui.agent.session_events import OUTSIDE, question_key, session_of
from acp_tui.agent.sessions import Sessions
from acp_tui.protocol.jsonrpc import Request
from acp_tui.session.questions import MOST_OPEN, MOST_OPTIONS, Permission
from acp_tui.session.session import Session

CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}
UNKNOWN_SESSION: Final = "nobody: unknown session"
"""The answerer of a question for an unknown session, in the words of the journal."""
SendAnswer = Callable[[Request, Any, str], None]
"""Sends the result of a request; the text says who answered."""


@dataclass(slots=True)
class _OpenQuestion:
    request: Request
    session: Session
    since: float
    permission: Permission | None
    """None for a form or an address."""
    is_early: bool = False
    """True if the session has no folder yet, which rules need to decide."""


class OpenQuestions:
    """The open questions of one connection."""

    def __init__(self, reply: SendAnswer, access: AgentAccess, recorder: DecisionRecorder) -> None:
        self._reply = reply
        self._access = access
        self._recorder = recorder
        self._open: dict[tuple[str, str], _OpenQuestion] = {}
        self.others: Sized = ()
        """The client's own open questions, which count as well."""
        self.grants = Grants()
        """The grants of the answers so far."""

    def asked(self, request: Request, session: Session | None, agent: str) -> None:
        """Register a question that the session shows, and answer it at once if no user is needed."""
        if session is None:
            self._reply(request, _nothing(request), UNKNOWN_SESSION)
            return
        key = question_key(request.id)
        # Two questions with one id cannot be told apart, whatever their sessions: the user is asked neither.
        doubled = [name for name, other in self._open if other == key]
        for name in doubled:
            self._close(
                name, key, _nothing(self._open[name, key].request), AnsweredBy("nobody", "an id used twice")
            )
        question = session.questions.get(key)
        permission = question if isinstance(question, Permission) else None
        self._open[session.id, key] = _OpenQuestion(request, session, time.monotonic(), permission)
        if doubled or session.turn_state == "cancelling":
            self._close(session.id, key, _nothing(request), AnsweredBy("cancelled", "stop"))
            return
        if len(self._open) + len(self.others) > MOST_OPEN:
            self._close(session.id, key, _nothing(request), AnsweredBy("nobody", "too many open questions"))
            return
        if permission is not None and session.id != OUTSIDE and not session.cwd:
            self._open[session.id, key].is_early = True
        elif permission is not None:
            self._answer_without_user(permission, session, agent)

    def __len__(self) -> int:
        """Return the number of open questions."""
        return len(self._open)

    def set_up(self, session: Session, agent: str) -> None:
        """Decide about the questions that came before the session had a folder."""
        for question in list(self._open.values()):
            if question.session is session and question.permission is not None and question.is_early:
                question.is_early = False
                self._answer_without_user(question.permission, session, agent)

    def answer(self, session_id: str, key: str, option_id: str | None, answered_by: AnsweredBy) -> None:
        """Answer a permission with an offered option, or with None: cancelled. A closed one is left alone.

        Raises:
            ValueError: the agent did not offer this option.
        """
        if option_id is None:
            self._close(session_id, key, CANCELLED, answered_by)
        elif (session_id, key) in self._open:
            waiting = self._open[session_id, key]
            option = waiting.permission.option(option_id) if waiting.permission is not None else None
            if waiting.permission is None or option is None:
                raise ValueError(f"not offered: {option_id!r}")
            self.grants.add(waiting.session, waiting.permission, option, by_user=answered_by.who == "person")
            result = {"outcome": {"outcome": "selected", "optionId": option_id}}
            self._close(session_id, key, result, answered_by)

    def answer_form(self, session_id: str, key: str, action: str, content: dict[str, Any] | None) -> None:
        """Answer an elicitation: accept (a form with its content), decline or cancel."""
        result: dict[str, Any] = {"action": action}
        open_one = self._open.get((session_id, key))
        is_form = open_one is not None and open_one.request.params.get("mode") == "form"
        if action == "accept" and is_form:
            result["content"] = content or {}
        self._close(session_id, key, result, USER)

    def cancel(self, session_id: str, why: str) -> None:
        """Close the open questions of a session without a choice."""
        for (session, key), question in list(self._open.items()):
            if session == session_id:
                self._close(session, key, _nothing(question.request), AnsweredBy("cancelled", why))

    def cancel_lost(self, sessions: Sessions) -> None:
        """Cancel the questions of sessions that were never created."""
        for (session_id, key), question in list(self._open.items()):
            if sessions.find(session_id) is not question.session:
                self._close(session_id, key, _nothing(question.request), AnsweredBy("nobody"))

    def forget(self) -> None:
        """Drop all questions: the agent has ended."""
        for question in self._open.values():
            self._keep(question, CANCELLED, AnsweredBy("agent ended"))
        self._open.clear()

    def take_back(self, request: Request) -> None:
        """Close a question whose request the agent cancelled; the request still gets its answer."""
        session_id, key = session_of(request.params), question_key(request.id)
        question = self._open.get((session_id, key))
        if question is not None and question.request is request:
            self._close(session_id, key, _nothing(request), AnsweredBy("withdrawn"))

    def _answer_without_user(self, question: Permission, session: Session, agent: str) -> None:
        """Give the answer of a rule or the policy, if there is one."""
        question.places = destinations_of(question.call, session.cwd)
        if not 0 < len(question.options) <= MOST_OPTIONS:
            why = "too many options" if question.options else "no options"
            self._close(session.id, question.key, CANCELLED, AnsweredBy("nobody", why))
            return
        answer = answer_without_user(self._access, question, session, agent)
        if answer is not None:
            self.answer(session.id, question.key, answer.option_id, answer.answered_by)

    def _close(self, session_id: str, key: str, result: dict[str, Any], answered_by: AnsweredBy) -> None:
        question = self._open.pop((session_id, key), None)
        if question is not None:
            self._keep(question, result, answered_by)  # before the answer, which may change the call
            self._reply(question.request, result, str(answered_by))

    def _keep(self, question: _OpenQuestion, result: dict[str, Any], answered_by: AnsweredBy) -> None:
        """Record the answer to a permission."""
        if question.permission is not None:
            waited = time.monotonic() - question.since
            self._recorder.permission(question.permission, question.session, result, answered_by, waited)


def _nothing(request: Request) -> dict[str, Any]:
    """Return the result that says that no option was chosen."""
    return CANCELLED if request.method == "session/request_permission" else {"action": "cancel"}
