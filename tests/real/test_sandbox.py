"""Real agents in the sandbox: what they can do outside, they can do inside, and no more."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.real.agents import cache
from tests.real.checks import CHECKS
from tests.real.installed import installed
from tests.real.matrix import put_through
from tests.real.model import Say
from tests.real.run import running
from tests.sandbox.fences import needs_bubblewrap

pytestmark = [pytest.mark.real, pytest.mark.slow, needs_bubblewrap]

NAMES = ["gemini", "claude", "codex", "opencode", "pi", "qwen"]


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_does_inside_all_that_it_can_do(name: str) -> None:
    agent, _ = installed(name)

    cells = put_through(agent, lambda check, cell: None, ["--sandbox"])

    # The sandbox that codex puts around a command cannot be nested for root, whose /proc is covered in part.
    known = {"read"} if name == "codex" and os.geteuid() == 0 else set()
    failed = {check: cell for check, cell in cells.items() if cell.result == "fails" and check not in known}
    assert failed == {}
    assert len(cells) == len(CHECKS)


@pytest.mark.parametrize("name", NAMES)
def test_a_command_of_a_real_agent_reaches_nothing_outside(name: str) -> None:
    agent, programs = installed(name)
    # Not in the system's folder for temporary files, which is another one inside.
    with TemporaryDirectory(prefix="run-", dir=cache(), ignore_cleanup_errors=True) as folder:
        home = Path(folder, "home")
        agent.files[".ssh/id"] = "the key"
        with running(agent, programs, Path(folder), options=["--sandbox"]) as run:
            run.terminal.until("sandboxed")
            line = "cat ~/.ssh/id > found.txt; echo x > ~/new.txt; echo done > done.txt"
            run.say("Look around", run.agent.use("run", command=line), Say("It is done."))
            run.finish("It is done.")

            assert (run.workspace / "done.txt").exists()
            assert "the key" not in (run.workspace / "found.txt").read_text()
            assert not (home / "new.txt").exists()
