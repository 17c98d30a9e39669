"""No recorded agent is asked about again for what its own question has shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import session_events
from acp_tui.agent.client_methods import implicit_request_of
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.client_questions import ClientQuestions, ImplicitRequests, Refused
from acp_tui.agent.permissions.decision_records import DecisionRecorder
from acp_tui.agent.permissions.grants import Grants, ImplicitRequest
from acp_tui.protocol.jsonrpc import Call, Notification, Request
from acp_tui.protocol.schema import PermissionRequest
from acp_tui.protocol.validation import read
from acp_tui.session import events
from acp_tui.session.questions import Permission, flaw_of, is_understood
from acp_tui.session.session import Session
from acp_tui.workspace.terminals import Terminals
from tests import recordings

ACTS = ("fs/read_text_file", "fs/write_text_file", "terminal/create")
AGENTS = ("fastagent", "gemini", "kimi", "opencode", "qwen")
"""Those that act through us."""
NAMES = [name for name in recordings.NAMES if name.startswith(AGENTS)]


class Gate:
    """The gate before one workspace, and how often the user is asked."""

    def __init__(self, workspace: str, *, title_is_command: bool) -> None:
        self.workspace = workspace
        self.asked: list[str | None] = []
        self.acts = 0
        self.access = AgentAccess(Terminals(), policy="ask")
        self.grants = Grants()
        self._titles = title_is_command
        self._sessions: dict[str, Session] = {}
        self._open: dict[str, Request] = {}
        self._turns: dict[str, str] = {}
        self._own = ClientQuestions(self._note)
        recorder = DecisionRecorder(None, "")
        self._gate = ImplicitRequests(self.access, self._own, self.grants, recorder, lambda *_: None, str)

    def _note(self, session: str, event: events.Event) -> None:
        if isinstance(event, events.ImplicitlyAsked):
            self.asked.append(event.question.call.command or str(event.question.call.named_paths))
            self._own.answer(session, event.question.key, "refuse")

    def session(self, name: str) -> Session:
        if name not in self._sessions:
            self._sessions[name] = Session(name, self.workspace, title_is_command=self._titles)
            self.access.grant(name, [self.workspace])
        return self._sessions[name]

    async def takes(self, direction: str, frame: dict[str, Any], at: float) -> None:
        method, key = str(frame.get("method")), json.dumps(frame.get("id"))
        if direction == "in" and method == "session/update":
            for name, event in session_events.events_of_message(Notification(method, frame["params"])):
                self.session(name).apply(event, at)  # type: ignore[arg-type]
        elif direction == "out" and method == "session/prompt":
            self._turns[key] = session_events.session_of(frame["params"])
            for name, event in session_events.events_of_call(Call(frame["id"], method, frame["params"])):
                self.session(name).apply(event, at)  # type: ignore[arg-type]
        elif direction == "in" and method == "session/request_permission" and "toolCall" in frame["params"]:
            self._open[key] = Request(frame["id"], method, frame["params"])
            for name, event in session_events.events_of_message(self._open[key]):
                self.session(name).apply(event, at)  # type: ignore[arg-type]
        elif direction == "in" and method in ACTS:
            await self._acts(Request(frame["id"], method, frame["params"]))
        elif direction == "out" and key in self._open and "result" in frame:
            self._answered(self._open.pop(key), frame["result"], at)
        elif direction == "in" and key in self._turns and "method" not in frame:
            session = self.session(self._turns.pop(key))
            session.apply(events.TurnEnded("end_turn"), at)
            self.grants.end_turn(session.id)

    def _answered(self, request: Request, result: Any, at: float) -> None:
        session = self.session(session_events.session_of(request.params))
        question = session.questions.get(session_events.question_key(request.id))
        option = (
            question.option(result["outcome"].get("optionId")) if isinstance(question, Permission) else None
        )
        if isinstance(question, Permission) and option is not None:
            self.grants.add(session, question, option)
        for _, event in session_events.events_of_answer(request, result):
            session.apply(event, at)  # type: ignore[arg-type]

    async def _acts(self, request: Request) -> None:
        session = self.session(session_events.session_of(request.params))
        wanted = implicit_request_of(request) or ImplicitRequest("read", request.params["path"])
        self.acts += 1
        try:
            await self._gate.authorize(session, "", wanted)
        except Refused:
            return
        if wanted.content is not None:
            Path(wanted.path).parent.mkdir(parents=True, exist_ok=True)
            Path(wanted.path).write_text(wanted.content)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_what_an_agent_has_shown_is_not_asked_about_again(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    gate = Gate(str(tmp_path), title_is_command=name.startswith("gemini"))
    here: Callable[[Any], Any] = lambda frame: json.loads(  # noqa: E731
        json.dumps(frame).replace("/workspace", str(tmp_path))
    )

    for row in recordings.rows(name):
        if isinstance(row.msg, dict):
            await gate.takes(row.direction, here(row.msg), row.t)

    assert gate.asked == []


@pytest.mark.slow
def test_recorded_agents_do_act_through_us() -> None:
    rows = [row for name in NAMES for row in recordings.rows(name) if isinstance(row.msg, dict)]
    assert sum(row.direction == "in" and row.msg.get("method") in ACTS for row in rows) > 30


@pytest.mark.slow
def test_nothing_is_odd_about_the_options_of_recorded_agents() -> None:
    asked = [
        read(PermissionRequest, row.msg["params"]).options
        for name in recordings.NAMES
        for row in recordings.rows(name)
        if isinstance(row.msg, dict)
        and row.direction == "in"
        and row.msg.get("method") == "session/request_permission"
        and "toolCall" in row.msg["params"]
    ]
    assert len(asked) > 100
    assert {flaw_of(option, options) for options in asked for option in options} == {""}
    assert all(is_understood(option) for options in asked for option in options)
