"""The functions of the commands."""

from __future__ import annotations

from acp_tui.ui.application.command_table import COMMANDS
from acp_tui.ui.session_screen.command_functions import RUN, WHEN


def test_every_command_of_the_table_does_something_and_its_key_and_words_are_its_own() -> None:
    names = [command.name for command in COMMANDS]
    words = [word for command in COMMANDS for word in command.slash]
    keys = [command.keys for command in COMMANDS if command.keys]

    assert sorted(names) == sorted(RUN)
    assert RUN.keys() >= WHEN.keys()
    assert len(set(words)) == len(words)
    assert len(set(keys)) == len(keys)
    assert all(command.summary for command in COMMANDS if command.slash)
    assert all(command.keys or command.slash for command in COMMANDS)


WORDS = """clear new resume sessions continue exit quit help keys diff changes undo restore rewind permissions
rules policy model mode mcp cost usage status compact rename fork export theme doctor"""


def test_the_words_of_other_agents_are_known() -> None:
    ours = {word for command in COMMANDS for word in command.slash}

    assert set(WORDS.split()) - ours == set()
