"""The real program with an agent of a few lines, on a terminal in an empty workspace."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.terminal import Terminal, acp_tui

EMPTY: Final = "Ask anything"
"""The text of an empty prompt."""


@contextmanager
def program(agent: str, patience: float = 60) -> Iterator[tuple[Terminal, Path]]:
    """Start the program with the source of an agent; yield its terminal and the workspace."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = folder / "workspace"
        workspace.mkdir()
        (folder / "agent.py").write_text(agent)
        env = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}
        argv = acp_tui(f"{sys.executable} {folder / 'agent.py'}")
        with Terminal(argv, cwd=workspace, env=env, patience=patience) as terminal:
            terminal.until(EMPTY)
            yield terminal, workspace
