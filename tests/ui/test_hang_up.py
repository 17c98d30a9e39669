"""When the terminal goes away, with or without a signal, the program and its agent end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.waiting import until


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


def _read(terminal: int, drawn: threading.Event) -> None:
    seen = b""
    try:
        while data := os.read(terminal, 65536):
            seen += data
            if b"Say something" in seen:
                drawn.set()
    except OSError:
        pass  # closed


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
