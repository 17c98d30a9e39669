"""A whole turn in the interface, with an agent in the words of each document about the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_tui.store.agents import Launch
from acp_tui.ui.screens.questions.permission import PermissionDialog
from tests.agent import dialect_agents
from tests.agent.dialect_agents import AGENTS
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", AGENTS)
async def test_d13_d20_d55_a_whole_turn_is_seen(name: str, tmp_path: Path) -> None:
    agent = AGENTS[name]
    program = (sys.executable, "-S", "-E", dialect_agents.__file__, name)
    launch = Launch(name, f"{name} agent", program)
    async with seat(tmp_path, given=launch) as here:
        await here.say("go")
        await here.is_before(PermissionDialog)
        while not (tmp_path / "song").exists() or here.conversation.is_busy:
            if here.conversation.questions:
                await here.is_before(PermissionDialog)
                await here.press("y")
            await here.pilot.pause(0.01)

        await here.sees("I look around.", agent.title, *agent.plan, "A song")
        assert (tmp_path / "song").read_text() == "la la\n"
        assert "unknown" not in here.text.lower()

        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.press("escape")
        await here.sees("Cancelled.")
