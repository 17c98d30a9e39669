"""Tests of `ui/application/terminal.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tests.waiting import until


@pytest.mark.slow
@pytest.mark.parametrize("told", [True, False], ids=["told by a signal", "not told at all"])
async def test_nothing_is_left_when_the_terminal_has_gone(told: bool, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    drawn = threading.Event()
    program = [sys.executable, "-c", "from acp_tui.cli import main; raise SystemExit(main(['--demo']))"]
    environment = {**os.environ, "ACP_TUI_HOME": str(tmp_path), "TERM": "xterm-256color"}
    running = subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    threading.Thread(target=_read, args=(ours, drawn), daemon=True).start()
    assert drawn.wait(60)
    agents = _children(running.pid)
    assert agents

    if told:
        running.send_signal(signal.SIGHUP)
    os.close(ours)

    running.wait(60)
    await until(lambda: not any(Path(f"/proc/{agent}").exists() for agent in agents))


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["/markdown\r", "/long 900\r"])
def test_a_terminal_that_takes_nothing_does_not_hold_the_end(typed: str, tmp_path: Path) -> None:
    env = {"ACP_TUI_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with Terminal([sys.executable, "-m", "acp_tui", "--demo"], cwd=tmp_path, env=env) as terminal:
        terminal.until("F1 help")
        terminal.until("Ask anything")
        terminal.type(typed)
        terminal.until("Demo agent")
        terminal.process.send_signal(signal.SIGTERM)  # and from here on nobody reads

        assert terminal.process.wait(30) == 0


def _read(terminal: int, drawn: threading.Event) -> None:
    seen = b""
    try:
        while data := os.read(terminal, 65536):
            seen += data
            if b"Ask anything" in seen:
                drawn.set()
    except OSError:
        pass  # closed


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
