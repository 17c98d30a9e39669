"""The agent's commands that are not offered: names that cannot be printed, and too many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.seats import seat


@pytest.mark.slow
async def test_a_command_whose_name_cannot_be_printed_is_not_offered_and_that_is_said_once(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        names = ["plain", "x\x1b]52;c;eA==\x07", "y\x9b", "z\u202e", "re\u200bview", "two\nlines"]
        names += ["handoff ./run", "review\u00a0x", "lint@/home/you/key"]
        update = {
            "kind": "available_commands_update",
            "availableCommands": [{"name": name} for name in names],
        }
        await here.say(f"updates {json.dumps([update])}")
        await here.until(lambda: [one for one in here.notices if "and 5 more" in one.message])

        assert [command.name for command in here.session.parts.agent_commands.printable] == ["plain"]
        here.app.clear_notifications()
        here.session.parts.agent_commands.tell_not_offered()
        assert not here.notices


@pytest.mark.slow
async def test_of_very_many_commands_the_first_are_offered_and_that_is_said_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        update = {
            "kind": "available_commands_update",
            "availableCommands": [{"name": f"command-{n}"} for n in range(2_500)],
        }
        await here.say(f"updates {json.dumps([update])}")
        await here.until(lambda: [one for one in here.notices if "of 2,500 commands" in one.message])

        assert len(here.session.parts.agent_commands.printable) == 2_000
        here.app.clear_notifications()
        here.session.parts.agent_commands.tell_not_offered()
        assert not here.notices
