"""Questions of the agent on their way to the person: rules answer some, stopping answers the rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from acp_tui.agent.decisions import Record
from acp_tui.agent.events import Sessions, question_key, session_of
from acp_tui.agent.grants import Allowed
from acp_tui.agent.host import Host
from acp_tui.agent.verdicts import PERSON, Given, verdict
from acp_tui.protocol.jsonrpc import Request
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session

CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}
UNKNOWN_SESSION: Final = "nobody: unknown session"
"""Said in the journal of who has answered a question of a session that is not open."""
Reply = Callable[[Request, Any, str], None]
"""Sends a result as the answer to a request, with who gave it."""


@dataclass(slots=True)
class _Open:
    request: Request
    session: Session
    since: float
    permission: Permission | None
    """None for a form or an address."""


class Questions:
    """The open questions of one connection."""

    def __init__(self, reply: Reply, host: Host, record: Record) -> None:
        self._reply = reply
        self._host = host
        self._record = record
        self._open: dict[tuple[str, str], _Open] = {}
        self.allowed = Allowed()
        """What the answers have allowed."""

    def asked(self, request: Request, session: Session | None, agent: str) -> None:
        """Take in a question that the session shows already; answer it at once where no person is needed."""
        if session is None:
            self._reply(request, _nothing(request), UNKNOWN_SESSION)
            return
        key = question_key(request.id)
        doubled = (session.id, key) in self._open
        if doubled:  # two questions under one id cannot be told apart: neither is put to the person
            self._close(session.id, key, _nothing(request), Given("nobody", "an id used twice"))
        question = session.questions.get(key)
        permission = question if isinstance(question, Permission) else None
        self._open[session.id, key] = _Open(request, session, time.monotonic(), permission)
        if doubled or session.turn_state == "cancelling":
            self._close(session.id, key, _nothing(request), Given("cancelled", "stop"))
            return
        if permission is not None:
            self._beforehand(permission, session, agent)

    def answer(self, session_id: str, key: str, option_id: str | None, given: Given) -> None:
        """Answer a permission with an offered option, or None: cancelled. A closed one is left alone.

        Raises:
            ValueError: the agent did not offer this option.
        """
        if option_id is None:
            self._close(session_id, key, CANCELLED, given)
        elif (session_id, key) in self._open:
            waiting = self._open[session_id, key]
            option = waiting.permission.option(option_id) if waiting.permission is not None else None
            if waiting.permission is None or option is None:
                raise ValueError(f"not offered: {option_id!r}")
            self.allowed.add(waiting.session, waiting.permission, option, by_user=given.by == "person")
            self._close(session_id, key, {"outcome": {"outcome": "selected", "optionId": option_id}}, given)

    def answer_form(self, session_id: str, key: str, action: str, content: dict[str, Any] | None) -> None:
        """Answer an elicitation: accept (a form with its content), decline or cancel."""
        result: dict[str, Any] = {"action": action}
        open_one = self._open.get((session_id, key))
        is_form = open_one is not None and open_one.request.params.get("mode") == "form"
        if action == "accept" and is_form:
            result["content"] = content or {}
        self._close(session_id, key, result, PERSON)

    def cancel(self, session_id: str, why: str) -> None:
        """Answer all open questions of a session with nothing: its turn is being stopped, or is over."""
        for session, key in list(self._open):
            if session == session_id:
                self._close(session, key, _nothing(self._open[session, key].request), Given("cancelled", why))

    def cancel_lost(self, sessions: Sessions) -> None:
        """Answer the questions of sessions that did not come about."""
        for session_id, key in list(self._open):
            if sessions.find(session_id) is not self._open[session_id, key].session:
                self._close(session_id, key, _nothing(self._open[session_id, key].request), Given("nobody"))

    def forget(self) -> None:
        """The agent is gone: nobody waits for an answer."""
        for question in self._open.values():
            self._note(question, CANCELLED, Given("agent ended"))
        self._open.clear()

    def take_back(self, request: Request) -> None:
        """The agent no longer wants an answer, and gets its one answer all the same."""
        session_id, key = session_of(request.params), question_key(request.id)
        question = self._open.get((session_id, key))
        if question is not None and question.request is request:
            self._close(session_id, key, _nothing(request), Given("withdrawn"))

    def _beforehand(self, question: Permission, session: Session, agent: str) -> None:
        """Give the answer that the person has decided beforehand, if there is one."""
        if not question.options:
            self._close(session.id, question.key, CANCELLED, Given("nobody", "no options"))
            return
        answer = verdict(self._host, question, session, agent)
        if answer is not None:
            self.answer(session.id, question.key, answer.option_id, answer.given)

    def _close(self, session_id: str, key: str, result: dict[str, Any], given: Given) -> None:
        question = self._open.pop((session_id, key), None)
        if question is not None:
            self._note(question, result, given)  # before the answer: it may change what is known of the call
            self._reply(question.request, result, str(given))

    def _note(self, question: _Open, result: dict[str, Any], given: Given) -> None:
        """Have a permission written down."""
        if question.permission is not None:
            waited = time.monotonic() - question.since
            self._record.permission(question.permission, question.session, result, given, waited)


def _nothing(request: Request) -> dict[str, Any]:
    """Return the answer that says nothing was chosen."""
    return CANCELLED if request.method == "session/request_permission" else {"action": "cancel"}
