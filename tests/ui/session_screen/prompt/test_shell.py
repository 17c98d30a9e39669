"""Tests of `ui/session_screen/prompt/shell.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from acp_tui.session.entries import UserCommand
from acp_tui.session.events import Event
from acp_tui.session.session import Session
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.base.text_screens import SessionDetailsScreen, SourceScreen
from acp_tui.ui.session_screen.prompt.shell import CONTEXT, ShellCommands, as_context
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.workspace.guard import Guard
from tests.offspring import a_long_time, sleepers
from tests.ui.seats import Seat, seat
from tests.waiting import until


async def left_running(here: Seat, moment: str) -> None:
    """Have a command of the user's leave a sleeper running."""
    await here.say(f"!nohup setsid sleep {moment} > /dev/null 2>&1 & sleep 0.1")
    await here.until(lambda: sleepers(moment))
    await here.sees("1 in the background")


@pytest.mark.slow
async def test_what_a_command_left_running_is_counted_listed_and_stopped(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        await left_running(here, moment)

        await here.press("alt+j")
        await here.is_before(Menu)
        await here.sees("Running in the background", f"sleep {moment}")
        await here.press("enter")

        await here.until(lambda: not sleepers(moment))
        await here.until(lambda: "in the background" not in here.text)


@pytest.mark.slow
async def test_what_goes_on_in_the_background_ends_with_the_program(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        await left_running(here, moment)

    assert not sleepers(moment)


@pytest.mark.slow
async def test_a_server_of_the_agents_outlives_its_terminal_and_stands_in_the_details(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        access, session = here.conversation.access, here.conversation.session
        assert access is not None
        assert session is not None
        line = f"nohup setsid sleep {moment} > /dev/null 2>&1 & sleep 0.1"
        terminal = await access.terminals.create(session.id, line, cwd="/")
        await terminal.wait()
        await access.terminals.release(session.id, terminal.id)
        await here.sees("1 in the background")

        await here.press("alt+i")
        await here.is_before(SessionDetailsScreen)
        await here.sees("In the background", f"left running by nohup setsid sleep {moment}")
        await here.press("escape")
        await here.is_before(SessionScreen)
        assert len(sleepers(moment)) == 1

    assert not sleepers(moment)


@pytest.mark.slow
async def test_the_doctor_is_for_the_user_and_not_for_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("/doctor")
        await here.sees("! acp-tui doctor", " passed, ")
        await here.until(lambda: not here.session.parts.shell.commands.is_running)
        assert here.draft == ""

        await here.press("shift+up", "enter")

        await here.is_before(SourceScreen)
        await here.sees("watching")


class Place:
    """A session in which commands are noted."""

    def __init__(self, folder: Path, guard: Guard) -> None:
        self.session = Session("s1", str(folder))
        self.commands = ShellCommands(guard)
        self.folder = str(folder)

    async def run(self, command: str) -> tuple[str, str] | None:
        return await self.commands.run(command, self.folder, self.note)

    def note(self, event: Event) -> None:
        self.session.apply(event)

    @property
    def entry(self) -> UserCommand:
        entry = self.session.entries[-1]
        assert isinstance(entry, UserCommand)
        return entry


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    monkeypatch.setenv("SHELL", "/bin/sh")
    guard = Guard()
    place = Place(tmp_path, guard)
    yield place
    await place.commands.end()
    guard.close()


async def test_a_command_runs_in_the_workspace_and_its_output_is_offered(
    place: Place, tmp_path: Path
) -> None:
    offered = await place.run("pwd | sed 's/$/!/'; exit 3")

    assert offered is not None
    name, text = offered
    assert name == "output of pwd | sed 's/$/!/'; exit 3"
    assert text == f"I ran `pwd | sed 's/$/!/'; exit 3` (exit code 3):\n```\n{tmp_path}!\n```\n"
    assert (place.entry.command, place.entry.exit_code) == ("pwd | sed 's/$/!/'; exit 3", 3)
    assert place.entry.ended is not None
    terminal = place.commands.terminal(place.entry.terminal_id)
    assert terminal is not None, "its output can still be looked at"


async def test_a_command_without_output_offers_nothing(place: Place) -> None:
    assert await place.run("true") is None
    assert place.entry.exit_code == 0


async def test_the_newest_command_is_killed_first(place: Place) -> None:
    first = asyncio.create_task(place.run("sleep 100"))
    await until(lambda: len(place.session.entries) == 1)
    second = asyncio.create_task(place.run("sleep 200"))
    await until(lambda: len(place.session.entries) == 2)

    await place.commands.kill()
    await second
    assert not first.done()
    assert place.entry.exit_code is None
    await place.commands.kill()
    await first

    assert not place.commands.is_running


async def test_what_the_agent_runs_is_not_found_here(place: Place) -> None:
    await place.run("true")

    assert place.commands.terminal("term-1") is None
    assert place.commands.terminal("own-term-99") is None


def test_context_is_plain_text_in_a_fence_that_holds() -> None:
    text = as_context("x", b"\x1b[31mred\x1b[0m\r\n```\r\n50%\r100%\r\n", None)

    assert text == "I ran `x` (ended by a signal):\n````\nred\n```\n100%\n````\n"


def test_of_a_long_output_the_newest_whole_lines_are_context() -> None:
    text = as_context("x", b"".join(b"line %d\r\n" % number for number in range(9000)), 0)

    assert len(text) < CONTEXT + 100
    assert "\n[…]\nline " in text
    assert text.endswith("line 8999\n```\n")
