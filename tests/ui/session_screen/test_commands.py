"""The functions of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.commands import COMMANDS
from acp_tui.ui.session_screen.commands import RUN, WHEN, offered, run_slash
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
        assert not await run_slash(here.session.parts, "/keys of the house")
        assert not await run_slash(here.session.parts, "keys")
        assert not await run_slash(here.session.parts, "/unheard-of")


@pytest.mark.slow
async def test_an_agents_command_of_the_same_name_comes_first(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        parts, session = here.session.parts, here.conversation.session
        assert session is not None
        ours = {command.name: command for command in offered(parts)[len(session.commands) :]}
        assert {"new", "rename", "quit"} <= ours.keys()

        session.commands = [ours["new"]]

        first, *others = offered(parts)
        assert first is session.commands[0]
        assert {command.name for command in others} == ours.keys() - {"new"}
        assert not await run_slash(parts, "/new")
