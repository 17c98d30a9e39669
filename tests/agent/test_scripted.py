"""Recordings of real agents, live: our client in the place of the one that was recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.replay import replay
from acp_tui.protocol.schema import PromptRequest
from acp_tui.protocol.validation import read
from acp_tui.session.entries import AgentMessage, ToolCall, UserMessage, text_of
from acp_tui.store.agents import quirks_of
from acp_tui.workspace.terminals import Terminals
from tests import recordings
from tests.journals import Line, MemoryJournal, told
from tests.scripted import Scripted
from tests.sent import Frame
from tests.waiting import until

pytestmark = pytest.mark.slow


class Person:
    """Does what the recorded person did, when the script waits for it."""

    def __init__(self, rows: list[Line], workspace: Path) -> None:
        self.workspace = str(workspace)
        self.script = Scripted(rows, self.workspace, self.act)
        self.journal = MemoryJournal()
        access = AgentAccess(terminals=Terminals(), missing_file_reads_empty=True)
        quirks = quirks_of(rows[0].msg["start"])
        self.journal.note({"start": rows[0].msg["start"]})
        self.agent = Agent(
            self.script,
            access,
            self.journal,
            lambda *_: None,
            title_is_command=quirks.title_is_command,
            unsaid=quirks.unsaid,
            protocol="newest" if begins_in_version_2(rows) else 1,
        )
        self.tasks: list[asyncio.Task[Any]] = []

    def act(self, row: Frame) -> None:
        """Do what makes the client send this; what it sends by itself needs nobody."""
        params = json.loads(json.dumps(row.get("params") or {}).replace("/workspace", self.workspace))
        match row.get("method"):
            case None:
                self.answer(row)
            case "initialize":
                self.start(self.agent.initialize())
            case "session/new":
                self.start(self.agent.setup.new_session(self.workspace))
            case "session/prompt":
                self.start(self.agent.prompt(params["sessionId"], read(PromptRequest, params).prompt))
            case "session/cancel":
                self.agent.cancel(params["sessionId"])
            case "session/set_mode" | "session/set_config_option":
                self.start(self.agent.connection.call(row["method"], params))
            case "terminal/cancel":
                self.start(self.agent.cancel_terminal(params["sessionId"], params["terminalId"]))
            case other:
                raise AssertionError(f"nobody here knows how to do {other}")

    def answer(self, row: Frame) -> None:
        key = json.dumps(row["id"])
        for session in self.agent.sessions.values():
            if key in session.questions:
                self.agent.answer(session.id, key, row["result"]["outcome"].get("optionId"))

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        self.tasks.append(asyncio.create_task(work))


@pytest.mark.parametrize(
    "name",
    [
        "agentao-basic",
        "claude-basic",
        "claude-cancel",
        "claude-v2",
        "claude-v2tasks",
        "codex-basic",
        "codex-cancel",
        "codex-v2",
        "codex-v2tasks",
        "copilot-basic",
        "crow-basic",
        "fastagent-full",
        "gemini-always",
        "gemini-basic",
        "gemini-cancel",
        "gemini-reject",
        "kimi-cancel",
        "kimi-full",
        "kimi-reject",
        "opencode-basic",
        "openhands-basic",
        "pi-basic",
    ],
)
async def test_our_client_plays_its_part(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    rows = first_talk(recordings.rows(name))
    person = Person(rows, tmp_path)
    agent = person.agent
    running = asyncio.create_task(agent.run())
    try:
        await until(lambda: person.script.ended or any(crashed(task) for task in person.tasks), name)
        results = await asyncio.gather(*person.tasks, return_exceptions=True)
    finally:
        await agent.stop()
        await running

    assert [result for result in results if isinstance(result, Exception)] == [
        result for result in results if isinstance(result, AgentError)
    ]
    assert person.script.ended, person.script.waits_for
    there, again = replay(rows).sessions, replay(person.journal.rows).sessions
    for session_id, session in agent.sessions.items():
        assert told(again[session_id]) == told(session)
        for kind in (UserMessage, AgentMessage):
            words = [text_of(entry) for entry in session.entries if isinstance(entry, kind)]
            recorded = [text_of(entry) for entry in there[session_id].entries if isinstance(entry, kind)]
            assert words == [text.replace("/workspace", str(tmp_path)) for text in recorded]
        calls = [entry.tool_call_id for entry in session.entries if isinstance(entry, ToolCall)]
        known = there[session_id].entries
        assert calls == [entry.tool_call_id for entry in known if isinstance(entry, ToolCall)]
        assert [turn.stop_reason for turn in session.turns] == [
            turn.stop_reason for turn in there[session_id].turns
        ]
        assert (session.turn_state, session.questions) == ("idle", {})


def begins_in_version_2(rows: list[Line]) -> bool:
    first = next(row.msg for row in rows if row.direction == "out")
    return bool(first["params"]["protocolVersion"] == 2)


def first_talk(rows: list[Line]) -> list[Line]:
    """Return the rows of one start of the agent, without the upkeep of sessions at its end."""
    end = [
        place
        for place, row in enumerate(rows)
        if isinstance(row.msg, dict) and begins_in_version_2(rows)
        if row.msg.get("method") in ("session/list", "session/close") or "exit" in row.msg
    ]
    return rows[: end[0]] if end else rows


def crashed(task: asyncio.Task[Any]) -> bool:
    error = task.exception() if task.done() and not task.cancelled() else None
    return error is not None and not isinstance(error, AgentError)
