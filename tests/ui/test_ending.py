"""The program as it is installed, on a terminal: whichever way it ends, nothing is left behind."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.agent.replay import replay
from acp_tui.session.entries import AgentMessage, UserMessage, text_of
from acp_tui.store.recordings import read
from tests.conversation.talks import AGENT
from tests.offspring import a_long_time, sleepers
from tests.terminal import Terminal
from tests.waiting import until

pytestmark = pytest.mark.slow

BROKEN = """
import sys
from acp_tui.cli import main
from acp_tui.ui.application.app import AcpApp

async def break_down(app, name):
    key = "sk-in-a-" + "variable"
    # and nothing else
    return 1 // 0

AcpApp.action_run = break_down
sys.exit(main(sys.argv[1:]))
"""
F10 = "\x1b[21~"


class Run:
    """A run of the program, with an agent that leaves a child behind."""

    def __init__(self, folder: Path) -> None:
        self.nap = a_long_time()
        self.folder = folder
        agent = shlex.join([sys.executable, "-S", "-E", str(AGENT)])
        script = f"sleep {self.nap} & exec {agent} " + '"$@"'
        self.agent = ["sh", "-c", script, "sh"]

    def on(self, *words: str) -> Terminal:
        argv = [sys.executable, *words, "--agent", *self.agent]
        env = {"ACP_TUI_HOME": str(self.folder / "home"), "PATH": "/usr/bin:/bin"}
        env |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        return Terminal(argv, cwd=self.folder, env=env)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    one = Run(tmp_path)
    yield one
    assert sleepers(one.nap) == []


def test_r17_the_quit_key_ends_all_even_before_the_agent_answers(run: Run) -> None:
    run.agent.append('{"ignores": "initialize"}')
    with run.on("-m", "acp_tui") as terminal:
        terminal.until("starting")
        assert sleepers(run.nap)
        terminal.type("\x11")

        assert terminal.exit_code() == 0, terminal.screen


def test_r17_a_signal_to_end_ends_all(run: Run) -> None:
    with run.on("-m", "acp_tui") as terminal:
        terminal.until("F1 help")
        terminal.process.send_signal(signal.SIGTERM)

        assert terminal.exit_code() == 0, terminal.screen


async def test_r42_killed_in_a_turn_it_leaves_no_child_and_what_was_said_is_in_the_journal(run: Run) -> None:
    with run.on("-m", "acp_tui") as terminal:
        terminal.until("F1 help")
        terminal.type("wait\r")
        terminal.until("waiting")
        assert sleepers(run.nap)
        terminal.process.kill()

        assert terminal.exit_code() == -signal.SIGKILL
        await until(lambda: not sleepers(run.nap))

    (journal,) = (run.folder / "home" / "data" / "journals").iterdir()
    (session,) = replay(read(journal)).sessions.values()
    words = [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage | AgentMessage)]
    assert words == ["wait", "waiting"]


def test_r17_a_mistake_of_ours_ends_all_and_is_in_the_log(run: Run) -> None:
    with run.on("-c", BROKEN) as terminal:
        terminal.until("F1 help")
        terminal.type(F10)

        assert terminal.exit_code() == 1
        log = (run.folder / "home" / "state" / "acp-tui.log").read_text()
        assert "ZeroDivisionError" in log
        assert "Traceback" in log
        assert "ZeroDivisionError" in terminal.screen
        assert "This is a mistake of acp-tui." in terminal.screen
        assert "sk-in-a-variable" not in terminal.screen, "values may be secrets"


def test_r17_a_mistake_that_cannot_even_be_shown_ends_all(run: Run) -> None:
    with run.on(
        "-c", BROKEN.replace("# and nothing else", "import traceback; traceback.format_exception = None")
    ) as terminal:
        terminal.until("F1 help")
        terminal.type(F10)

        assert terminal.exit_code() == 1
