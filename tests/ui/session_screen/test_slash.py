"""Commands of ours behind `/`."""

import json
from pathlib import Path

from acp_tui.ui.session_screen.doors import DOORS
from acp_tui.ui.session_screen.slash import OWN
from tests.ui.seats import seat


def test_every_name_is_there_once_and_every_door_is_one() -> None:
    names = [own.name for own in OWN]
    doors = [own.action.split("'")[1] for own in OWN if own.action.startswith("screen.open(")]

    assert len(set(names)) == len(names)
    assert set(doors) <= set(DOORS)


async def test_a_command_with_words_that_it_does_not_take_is_said_to_the_agent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        assert not await here.session.rooms.slash.run("/keys of the house")
        assert not await here.session.rooms.slash.run("keys")
        assert not await here.session.rooms.slash.run("/unheard-of")


async def test_an_agents_command_of_the_same_name_comes_first(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        slash = here.session.rooms.slash
        ours = {command.name for command in slash.commands()}
        assert {"new", "rename", "quit"} <= ours

        session = here.conversation.session
        assert session is not None
        session.commands = [command for command in slash.commands() if command.name == "new"]

        assert {command.name for command in slash.commands()} == ours - {"new"}
        assert not await slash.run("/new")


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
        await here.until(lambda: [one for one in here.app._notifications if "and 2 more" in one.message])

        assert [command.name for command in here.session.rooms.slash.of_agent()] == ["plain"]
        here.app.clear_notifications()
        here.session.rooms.slash.tell_unprintable()
        assert not here.app._notifications
