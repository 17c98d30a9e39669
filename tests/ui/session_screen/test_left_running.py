from __future__ import annotations

from pathlib import Path

from acp_tui.ui.screens.menu import Menu
from acp_tui.ui.screens.session_details import SessionDetailsScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.offspring import a_long_time, sleepers
from tests.ui.seats import Seat, seat


async def left_running(here: Seat, moment: str) -> None:
    """Have a command of the user's leave a sleeper running."""
    await here.say(f"!nohup setsid sleep {moment} > /dev/null 2>&1 & sleep 0.1")
    await here.until(lambda: sleepers(moment))
    await here.sees("1 in the background")


async def test_what_a_command_left_running_is_counted_listed_and_stopped(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        await left_running(here, moment)

        await here.press("alt+j")
        await here.is_before(Menu)
        await here.sees("In the background", f"sleep {moment}")
        await here.press("enter")

        await here.until(lambda: not sleepers(moment))
        await here.until(lambda: "in the background" not in here.text)


async def test_what_goes_on_in_the_background_ends_with_the_program(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        await left_running(here, moment)

    assert not sleepers(moment)


async def test_a_server_of_the_agents_outlives_its_terminal_and_stands_in_the_details(tmp_path: Path) -> None:
    moment = a_long_time()
    async with seat(tmp_path) as here:
        host, session = here.conversation.host, here.conversation.session
        assert host is not None
        assert session is not None
        line = f"nohup setsid sleep {moment} > /dev/null 2>&1 & sleep 0.1"
        terminal = await host.terminals.create(session.id, line, cwd="/")
        await terminal.wait()
        await host.terminals.release(session.id, terminal.id)
        await here.sees("1 in the background")

        await here.press("alt+i")
        await here.is_before(SessionDetailsScreen)
        await here.sees("In the background", f"left running by nohup setsid sleep {moment}")
        await here.press("escape")
        await here.is_before(SessionScreen)
        assert len(sleepers(moment)) == 1

    assert not sleepers(moment)
