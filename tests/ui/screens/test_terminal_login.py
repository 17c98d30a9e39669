"""The login screen with a terminal of its own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from acp_tui.conversation.login import STOPPED
from acp_tui.ui.screens.questions.login import TerminalLoginScreen, failure
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import Terminals
from tests.ui.screens.dialogs import NOTHING, STYLES, Desk
from tests.ui.screens.stage import until

ASKS = "read name; echo hello $name"


@asynccontextmanager
async def login(tmp_path: Path, script: str) -> AsyncIterator[tuple[Desk, Pilot[None]]]:
    terminals = Terminals()
    app = Desk()
    try:
        async with app.run_test(size=(90, 20)) as pilot:
            with app._context():  # as in the program, where all that reads the terminal belongs to the app
                terminal = await terminals.create("login", "sh", ["-c", script, "[/x]"], cwd=str(tmp_path))
            screen = TerminalLoginScreen(terminal, title="Log in to [/x]", styles=STYLES)
            await app.push_screen(screen, app.take)
            await until(pilot, lambda: "Log in to [/x]" in app.text or app.result is not NOTHING)
            yield app, pilot
    finally:
        await terminals.close()


@pytest.mark.slow
async def test_the_exact_command_is_shown_and_keys_go_to_it_from_the_start(tmp_path: Path) -> None:
    async with login(tmp_path, f"printf 'name? '; {ASKS}; sleep 300") as (app, pilot):
        assert shlex.join(["sh", "-c", f"printf 'name? '; {ASKS}; sleep 300", "[/x]"]) in app.text

        await until(pilot, lambda: "name?" in app.text)
        await pilot.press("q", "i", "c", "enter")
        await until(pilot, lambda: "hello qic" in app.text)


async def test_c39_a_command_that_ends_well_is_a_login(tmp_path: Path) -> None:
    async with login(tmp_path, ASKS) as (app, pilot):
        await pilot.press("x", "enter")
        await until(pilot, lambda: app.result == "")


async def test_it_runs_on_a_real_terminal(tmp_path: Path) -> None:
    async with login(tmp_path, "test -t 0 && test -t 1 && test -t 2") as (app, pilot):
        await until(pilot, lambda: app.result == "")


@pytest.mark.slow
async def test_ctrl_c_interrupts_the_command_and_is_a_failure(tmp_path: Path) -> None:
    script = f"exec {shlex.quote(sys.executable)} -S -c 'import time; print(40 + 2); time.sleep(300)'"
    async with login(tmp_path, script) as (app, pilot):
        await until(pilot, lambda: "42" in app.text)  # an interpreter that only starts may swallow it
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result.startswith("The login")


async def test_leaving_is_a_failure(tmp_path: Path) -> None:
    async with login(tmp_path, "sleep 300") as (app, pilot):
        await pilot.press("escape", "q")
        assert app.result is NOTHING, "these are the command's keys"

        await pilot.press("ctrl+right_square_bracket")
        await until(pilot, lambda: app.result == STOPPED)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (ExitStatus(0, None), ""),
        (ExitStatus(3, None), "The login ended with exit code 3."),
        (ExitStatus(None, "SIGKILL"), "The login was ended by SIGKILL."),
        (ExitStatus(None, None), "The login ended."),
    ],
)
def test_c39_only_exit_code_0_is_a_login(status: ExitStatus, text: str) -> None:
    assert failure(status) == text
