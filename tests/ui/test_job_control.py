"""Job control: the program stops only where a shell would bring it back."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.ui.application import app
from tests.terminal import Terminal
from tests.ui.seats import seat, told

_ASKS = "from acp_tui.ui.application.terminal import has_shell; print(has_shell())"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("started", "has_shell"),
    [
        ({"process_group": 0}, "True"),  # as shells start what they can stop
        ({"start_new_session": True}, "False"),  # as terminals and containers start programs
        ({}, "False"),  # as scripts do
    ],
)
def test_only_a_shell_that_starts_jobs_notices_a_stop(started: dict[str, Any], has_shell: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", _ASKS], capture_output=True, text=True, check=True, **started
    )

    assert said.stdout.strip() == has_shell


@pytest.mark.slow
async def test_without_a_shell_the_program_stays_and_in_the_prompt_the_key_takes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def has_shell() -> bool:
        asked.append("asked")
        return False

    monkeypatch.setattr(app, "has_shell", has_shell)
    async with seat(tmp_path) as here:
        await here.press(*"abc", "ctrl+z")
        await here.until(lambda: here.draft == "")
        assert not asked

        await here.press("f2", "ctrl+z")
        await here.until(lambda: told(here).startswith("acp-tui was not started by a shell"))
        assert asked == ["asked"]


def is_stopped(terminal: Terminal) -> bool:
    """Return True if the program is stopped; a shell continues no other."""
    return Path(f"/proc/{terminal.process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.slow
def test_a_program_that_is_brought_back_draws_its_whole_screen(tmp_path: Path) -> None:
    env = {"ACP_TUI_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    with Terminal([sys.executable, "-m", "acp_tui", "--demo"], cwd=tmp_path, env=env) as terminal:
        terminal.until(lambda screen: "command palette" in screen and "Stride" in screen)
        terminal.process.send_signal(signal.SIGTSTP)
        terminal.until(lambda screen: "commands" not in screen and is_stopped(terminal))

        terminal.process.send_signal(signal.SIGCONT)

        terminal.until(lambda screen: "command palette" in screen and "Ask anything" in screen)
        terminal.type("\x11")
        assert terminal.exit_code() == 0
