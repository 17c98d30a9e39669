"""The functions of the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.ui.commands import COMMANDS
from acp_tui.ui.session_screen.commands import RUN, WHEN
from tests.ui.seats import seat


def test_every_command_of_the_table_does_something_and_has_one_key_and_one_word() -> None:
    names = [command.name for command in COMMANDS]
    words = [command.slash for command in COMMANDS if command.slash]
    keys = [command.keys for command in COMMANDS]

    assert sorted(names) == sorted(RUN)
    assert RUN.keys() >= WHEN.keys()
    assert len(set(words)) == len(words)
    assert len(set(keys)) == len(keys)
    assert all(command.summary for command in COMMANDS if command.slash)


@pytest.mark.slow
async def test_a_command_with_words_that_it_does_not_take_is_said_to_the_agent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        assert not await here.session.parts.slash.run("/keys of the house")
        assert not await here.session.parts.slash.run("keys")
        assert not await here.session.parts.slash.run("/unheard-of")


@pytest.mark.slow
async def test_an_agents_command_of_the_same_name_comes_first(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        slash = here.session.parts.slash
        ours = {command.name for command in slash.commands()}
        assert {"new", "rename", "quit"} <= ours

        session = here.conversation.session
        assert session is not None
        session.commands = [command for command in slash.commands() if command.name == "new"]

        assert {command.name for command in slash.commands()} == ours - {"new"}
        assert not await slash.run("/new")


@pytest.mark.slow
async def test_a_command_whose_name_cannot_be_printed_is_not_offered_and_that_is_said_once(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        names = ["plain", "x\x1b]52;c;eA==\x07", "y\x9b", "z\u202e", "re\u200bview", "two\nlines"]
        update = {
            "kind": "available_commands_update",
            "availableCommands": [{"name": name} for name in names],
        }
        await here.say(f"updates {json.dumps([update])}")
        await here.until(lambda: [one for one in here.notices if "and 2 more" in one.message])

        assert [command.name for command in here.session.parts.slash.of_agent()] == ["plain"]
        here.app.clear_notifications()
        here.session.parts.slash.tell_unprintable()
        assert not here.notices
