"""What the commands of the table do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.protocol.schema import AgentMessageChunk, TextContent
from acp_tui.session.events import Prompted, TurnEnded
from acp_tui.session.session import Session
from acp_tui.store.settings import Settings
from acp_tui.ui.commands import COMMANDS
from acp_tui.ui.session_screen.commands import RUN, WHEN
from acp_tui.ui.session_screen.hand_over import MOST, told
from tests.recordings import recording
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


def talk(*turns: tuple[str, str]) -> Session:
    session = Session("s", "/w")
    for prompt, answer in turns:
        session.apply(Prompted([TextContent(text=prompt)]))
        session.apply(AgentMessageChunk(content=TextContent(text=answer)))
        session.apply(TurnEnded("end_turn"))
    return session


def test_what_both_sides_said_is_told() -> None:
    text = told(talk(("What is 2 + 2?", "It is 4."), ("And 3 + 3?", "6.")))

    assert "> What is 2 + 2?\n\nIt is 4.\n\n## Prompt\n\n> And 3 + 3?\n\n6.\n" in text
    assert text.startswith("This was said in an earlier session")


def test_of_a_long_session_the_newest_is_told_from_the_beginning_of_a_line() -> None:
    text = told(talk(("first", "a line\n" * MOST), ("last", "the end")))

    assert text.endswith("> last\n\nthe end\n")
    assert "left out …]\n\na line\n" in text
    assert "first" not in text
    assert len(text) < MOST + 200


@pytest.mark.slow
async def test_a_recorded_session_is_handed_over_where_the_agent_cannot_take_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings()) as here:
        await here.say("hello")
        await here.sees("heard hello")
    (journal,) = (tmp_path / "home" / "data" / "journals").iterdir()
    async with seat(tmp_path) as here:
        assert here.session.check_action("run", ("session.hand-over",)) is False
        await here.app.tabs.open(recorded=recording(journal))
        await here.sees("heard hello", "recorded, F12 goes on with it")

        await here.say("go on")
        await here.sees("heard hello", "does not know what stands above", "› go on")
        await here.press("home", "alt+h")
        assert here.draft.startswith("[what stands above, 1 turn #")
        await here.press("enter")

        await here.sees("heard This was said in an earlier session", "> hello", "go on")


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
