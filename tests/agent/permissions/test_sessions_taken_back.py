"""Requests for a session whose folders are taken back while they are looked at."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.capabilities import CallFailed
from acp_tui.agent.permissions.access import AgentAccess, NotGranted
from acp_tui.workspace.files import Files
from acp_tui.workspace.terminals import Terminals
from tests.agent.puppet import conversation

ACTS = {
    "fs/write_text_file": {"path": "made", "content": "text"},
    "terminal/create": {"command": "touch made"},
}


@pytest.mark.parametrize("method", ACTS)
async def test_nothing_is_done_for_a_session_that_the_agent_refuses_to_load(
    tmp_path: Path, method: str
) -> None:
    wanted: dict[str, Any] = {"sessionId": "old", **ACTS[method]}
    if "path" in wanted:
        wanted["path"] = str(tmp_path / wanted["path"])
    else:
        wanted["cwd"] = str(tmp_path)
    async with conversation() as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", str(tmp_path)))
        asked = await talk.puppet.hears("session/load")
        refusal = {"id": asked["id"], "error": {"code": -32603, "message": "no"}}
        talk.puppet.says({"id": "act", "method": method, "params": wanted}, refusal)
        with pytest.raises(CallFailed):
            await loading
        answer = await talk.puppet.answer_to("act")
        await talk.access.terminals.close()
        assert "error" in answer
        assert not list(tmp_path.iterdir())


async def test_nothing_is_done_in_folders_that_were_taken_back_while_it_was_decided(tmp_path: Path) -> None:
    files = Files([tmp_path])
    access = AgentAccess(Terminals())
    access.grant("s", [str(tmp_path)])
    access.check_granted("s", access.files("s"))
    with pytest.raises(NotGranted):
        access.check_granted("s", files)
    await access.take_back("s")
    with pytest.raises(NotGranted):
        access.check_granted("s", files)
