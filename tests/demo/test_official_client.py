"""Every scene driven by the official SDK's client and checked against the schema."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import acp
import pytest
from acp import schema
from acp.connection import StreamDirection, StreamEvent

from acp_tui.demo.scenes.table import SCENES
from tests.schema.official import faults_of_params, faults_of_result

pytestmark = pytest.mark.slow

WELL_BEHAVED = [scene.name for scene in SCENES if scene.name not in ("die", "hang", "noise", "error")]
REASONS = {"refuse": "refusal", "limit": "max_tokens"}


class Person:
    """A client that allows everything, lends a real folder and runs commands."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._outputs: dict[str, bytes] = {}

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        option = next(each for each in options if each.kind == "allow_once")
        chosen = schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
        return schema.RequestPermissionResponse(outcome=chosen)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.kinds.add(update.session_update)

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> Any:
        if not Path(path).exists():
            raise acp.RequestError.resource_not_found(path)
        return schema.ReadTextFileResponse(content=Path(path).read_text())

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        Path(path).write_text(content)
        return schema.WriteTextFileResponse()

    async def create_terminal(
        self, session_id: str, command: str, args: list[str] | None = None, cwd: str | None = None, **_: Any
    ) -> Any:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(command, *(args or []), cwd=cwd, stdout=pipe)
        name = f"terminal-{process.pid}"
        self._running[name] = process
        return schema.CreateTerminalResponse(terminal_id=name)

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        self._outputs[terminal_id], _nothing = await self._running[terminal_id].communicate()
        return schema.WaitForTerminalExitResponse(exit_code=self._running[terminal_id].returncode)

    async def terminal_output(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        output = self._outputs[terminal_id].decode()
        return schema.TerminalOutputResponse(output=output, truncated=False)

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        del self._running[terminal_id]
        return schema.ReleaseTerminalResponse()

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        return schema.AcceptElicitationResponse(action="accept", content={"name": "tally"})

    async def complete_elicitation(self, elicitation_id: str, **_: Any) -> None:
        pass


CAPABILITIES = schema.ClientCapabilities.model_validate(
    {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "session": {"configOptions": {"boolean": {}}},
        "elicitation": {"form": {}, "url": {}},
    }
)


@pytest.mark.parametrize("name", WELL_BEHAVED)
async def test_a_client_written_by_others_understands_every_scene(tmp_path: Path, name: str) -> None:
    (tmp_path / "README.md").write_text("# tally\n")
    person, faults = Person(), Faults()
    async with acp.spawn_agent_process(
        person,  # type: ignore[arg-type]
        sys.executable,
        *("-m", "acp_tui.demo", "--speed", "0"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        observers=[faults],
        use_unstable_protocol=True,
    ) as (connection, _):
        await connection.initialize(acp.PROTOCOL_VERSION, client_capabilities=CAPABILITIES)
        session = await connection.new_session(cwd=str(tmp_path), mcp_servers=[])
        answer = await connection.prompt(session_id=session.session_id, prompt=[acp.text_block(f"/{name}")])
        await connection.list_sessions()
        await connection.load_session(session_id=session.session_id, cwd=str(tmp_path), mcp_servers=[])

    assert answer.stop_reason == REASONS.get(name, "end_turn")
    assert faults.found == []
    assert faults.checked > 10
    assert {"agent_message_chunk", "usage_update", "available_commands_update"} <= person.kinds


class Faults:
    """Collects violations of the schema on a connection."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.checked = 0
        self._asked: dict[Any, str] = {}

    def __call__(self, event: StreamEvent) -> None:
        message = event.message
        if event.direction is StreamDirection.OUTGOING:
            if "method" in message and "id" in message:
                self._asked[message["id"]] = message["method"]
            return
        self.checked += 1
        if "method" in message:
            self.found += faults_of_params(message["method"], message["params"])
        elif "result" in message:
            self.found += faults_of_result(self._asked[message["id"]], message["result"])
        else:
            self.found.append(str(message))
