"""Questions of the agent on their way to the person: rules answer some, stopping answers the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from acp_tui.acp.tools import Diff
from acp_tui.agent.history import question_key
from acp_tui.agent.sessions import Sessions
from acp_tui.host import rules
from acp_tui.host.host import Host
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.wire.messages import Request

CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}
Reply = Callable[[Request, Any, str], None]
"""Sends a result as the answer to a request, with who gave it."""


@dataclass(slots=True)
class _Open:
    request: Request
    session: Session


class Questions:
    """The open questions of one connection."""

    def __init__(self, reply: Reply, host: Host) -> None:
        self._reply = reply
        self._host = host
        self._open: dict[tuple[str, str], _Open] = {}

    def asked(self, request: Request, session: Session | None, agent: str) -> None:
        """Take in a question that the session shows already; answer it at once where no person is needed."""
        if session is None:
            self._reply(request, _nothing(request), "nobody: unknown session")
            return
        key = question_key(request.id)
        doubled = (session.id, key) in self._open
        if doubled:  # two questions under one id cannot be told apart: neither is put to the person
            self._close(session.id, key, _nothing(request), "nobody: an id used twice")
        self._open[session.id, key] = _Open(request, session)
        if doubled or session.turn_state == "cancelling":
            self._close(session.id, key, _nothing(request), "stop")
            return
        question = session.questions.get(key)
        if isinstance(question, Permission):
            self._by_rule(question, session, agent)

    def answer(self, session_id: str, key: str, option_id: str | None, by: str) -> None:
        """Answer a permission with an offered option, or None: cancelled. A closed one is left alone.

        Raises:
            ValueError: the agent did not offer this option.
        """
        if option_id is None:
            self._close(session_id, key, CANCELLED, by)
        elif (session_id, key) in self._open:
            question = self._open[session_id, key].session.questions.get(key)
            if not isinstance(question, Permission) or question.option(option_id) is None:
                raise ValueError(f"not offered: {option_id!r}")
            self._close(session_id, key, {"outcome": {"outcome": "selected", "optionId": option_id}}, by)

    def answer_form(self, session_id: str, key: str, action: str, content: dict[str, Any] | None) -> None:
        """Answer an elicitation: accept (a form with its content), decline or cancel."""
        result: dict[str, Any] = {"action": action}
        open_one = self._open.get((session_id, key))
        is_form = open_one is not None and open_one.request.params.get("mode") == "form"
        if action == "accept" and is_form:
            result["content"] = content or {}
        self._close(session_id, key, result, "you")

    def cancel(self, session_id: str, by: str) -> None:
        """Answer all open questions of a session with nothing: its turn is being stopped, or is over."""
        for session, key in list(self._open):
            if session == session_id:
                self._close(session, key, _nothing(self._open[session, key].request), by)

    def cancel_lost(self, sessions: Sessions) -> None:
        """Answer the questions of sessions that did not come about."""
        for session_id, key in list(self._open):
            if sessions.find(session_id) is not self._open[session_id, key].session:
                self._close(session_id, key, _nothing(self._open[session_id, key].request), "nobody")

    def forget(self) -> None:
        """The agent is gone: nobody waits for an answer."""
        self._open.clear()

    def take_back(self, request: Request) -> None:
        """The agent no longer wants an answer, and gets its one answer all the same."""
        for (session_id, key), question in list(self._open.items()):
            if question.request is request:
                self._close(session_id, key, _nothing(request), "the agent")

    def _by_rule(self, question: Permission, session: Session, agent: str) -> None:
        if not question.options:
            self._close(session.id, question.key, CANCELLED, "nobody: no options")
            return
        call = session.tool_call(question.tool_call_id)
        if call is None:
            return
        verdict = rules.decide(self._host.rules, _ask(call, session, agent))
        if verdict.decision == "ask":
            return
        choices = [(option.option_id, option.kind) for option in question.options]
        option_id = rules.choose(choices, verdict.decision)
        note = f"rule: {verdict.rule.note}" if verdict.rule is not None and verdict.rule.note else "rule"
        if option_id is not None or verdict.decision == "deny":
            self.answer(session.id, question.key, option_id, note)

    def _close(self, session_id: str, key: str, result: dict[str, Any], by: str) -> None:
        question = self._open.pop((session_id, key), None)
        if question is not None:
            self._reply(question.request, result, by)


def _nothing(request: Request) -> dict[str, Any]:
    """Return the answer that says nothing was chosen."""
    return CANCELLED if request.method == "session/request_permission" else {"action": "cancel"}


def _ask(call: ToolCall, session: Session, agent: str) -> rules.Ask:
    mode = session.option("mode")
    return rules.Ask(
        agent=agent,
        tool_kind=call.kind,
        paths=tuple(_paths(call, session.cwd)),
        command=call.command,
        mode=str(mode.config.current_value) if mode is not None else None,
    )


def _paths(call: ToolCall, cwd: str) -> Iterator[str]:
    """Yield the absolute paths that a tool call names: where it works, and what it changes."""
    named = [location.path for location in call.locations]
    named += [item.path for item in call.content if isinstance(item, Diff)]
    for path in dict.fromkeys(named):
        yield path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"
