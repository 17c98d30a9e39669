"""The whole program, as a person uses it, with an agent that nobody here wrote."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.real import gemini
from tests.real.dialects.answer import Use
from tests.real.model import Model, Say, Script, Step
from tests.terminal import Terminal

pytestmark = pytest.mark.real

ESCAPE, SHIFT_TAB, F6, DOWN, CTRL_Q = "\x1b", "\x1b[Z", "\x1b[17~", "\x1b[B", "\x11"

MARK: Final = "ACP_TUI_TEST_RUN"
"""Environment variable by which all that a run has started is found."""

AT_REST: Final = "F1 help"
"""What the status line shows while no turn is running."""

ARMED: Final = "r reject with a reason"
"""What a permission dialog shows once its keys count."""


class Run:
    """acp-tui with the Gemini CLI in a workspace of its own."""

    def __init__(self, folder: Path, terminal: Terminal, model: Model, mark: str) -> None:
        self.home = folder / "home"
        self.workspace = folder / "workspace"
        self.terminal = terminal
        self.model = model
        self._mark = mark

    def say(self, prompt: str, *steps: Step) -> None:
        """Write the model's answers into its script, then type the prompt and send it."""
        self.model.script[prompt] = list(steps)
        self.terminal.type(prompt)
        self.terminal.until(f"› {prompt}")
        self.terminal.type("\r")

    def asked(self, *texts: str) -> None:
        """Return once a permission dialog takes keys and shows these texts."""
        self.terminal.until(lambda screen: all(text in screen for text in (ARMED, *texts)))

    def answer(self, key: str) -> None:
        """Answer the permission dialog, once it takes keys."""
        self.asked()
        self.terminal.type(key)
        self.terminal.until(lambda screen: ARMED not in screen)

    def settled(self, *texts: str) -> str:
        """Return the screen once the turn is over and it shows these texts."""
        return self.terminal.until(lambda screen: all(text in screen for text in (AT_REST, *texts)))

    def processes(self) -> list[str]:
        """Return the command lines of all that this run has started and that still lives."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if self._mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_text(errors="replace").replace("\0", " "))
            except OSError:  # no process, or gone
                continue
        return found

    def journal(self) -> str:
        """Return what is recorded of the only session."""
        (file,) = self.home.glob(".local/share/acp-tui/journals/*.ndjson")
        return file.read_text("utf-8")


@pytest.fixture(scope="module")
def programs() -> Path:
    return gemini.installed()


@pytest.fixture
def run(programs: Path, tmp_path: Path) -> Iterator[Run]:
    mark, script = uuid.uuid4().hex, Script()
    (tmp_path / "workspace").mkdir()
    with Model(script) as model:
        env = {**gemini.environment(programs, tmp_path / "home", model.url), MARK: mark}
        argv = [str(Path(sys.executable).with_name("acp-tui")), "--agent", "gemini", "--experimental-acp"]
        with Terminal(argv, cwd=tmp_path / "workspace", env=env) as terminal:
            terminal.until(lambda screen: "Default ▾" in screen and AT_REST in screen)
            yield Run(tmp_path, terminal, model, mark)


def test_an_answer_is_shown_as_it_streams(run: Run) -> None:
    words = [f"word{number}" for number in range(40)]

    run.say("Count for me", Say(" ".join(words), pause=0.05))

    run.terminal.until(lambda screen: "word3 " in screen and words[-1] not in screen)
    run.settled(words[-1])


def test_a_file_is_read_without_a_question(run: Run) -> None:
    (run.workspace / "poem.txt").write_text("roses are red\n")

    path = str(run.workspace / "poem.txt")
    run.say("Read the poem", Use("read_file", {"file_path": path}), Say("A fine poem."))

    run.settled("✓ read   poem.txt", "A fine poem.")


def test_a_new_file_is_written_once_it_is_allowed(run: Run) -> None:
    poem = run.workspace / "poem.txt"
    arguments = {"file_path": str(poem), "content": "roses are red\n"}
    run.say("Write a poem", Use("write_file", arguments), Say("It is written."))

    run.asked("1 + roses are red")
    assert not poem.exists()
    run.answer("y")

    run.settled("✓ edit", "It is written.")
    assert poem.read_text() == "roses are red\n"


def test_an_edit_is_shown_as_a_difference_and_made_once_it_is_allowed(run: Run) -> None:
    poem = run.workspace / "poem.txt"
    poem.write_text("roses are red\nviolets are blue\n")
    run.say("Make them white", edit(poem, "roses are red", "roses are white"), Say("All white now."))

    run.asked("− roses are red", "+ roses are white")
    assert poem.read_text() == "roses are red\nviolets are blue\n"
    run.answer("y")

    run.settled("✓ edit", "All white now.")
    assert poem.read_text() == "roses are white\nviolets are blue\n"


def test_a_rejected_edit_is_settled_though_the_agent_says_no_more_about_it(run: Run) -> None:
    poem = run.workspace / "poem.txt"
    poem.write_text("roses are red\n")
    run.say("Make them white", edit(poem, "roses are red", "roses are white"), Say("Red they stay."))

    run.answer("n")

    run.settled("rejected")
    assert poem.read_text() == "roses are red\n"


def test_a_command_runs_once_it_is_allowed(run: Run) -> None:
    run.say(
        "Leave a trace", Use("run_shell_command", {"command": "echo trace > trace.txt"}), Say("It is left.")
    )

    run.asked("echo trace > trace.txt")
    assert not (run.workspace / "trace.txt").exists()
    run.answer("y")

    run.settled("✓ run", "It is left.")
    assert (run.workspace / "trace.txt").read_text() == "trace\n"


def test_another_mode_is_shown_and_in_force(run: Run) -> None:
    run.terminal.type(SHIFT_TAB)
    run.terminal.until("Auto Edit ▾")

    poem = run.workspace / "poem.txt"
    arguments = {"file_path": str(poem), "content": "roses are red\n"}
    run.say("Write a poem", Use("write_file", arguments), Say("It is written."))

    run.settled("It is written.")
    assert poem.read_text() == "roses are red\n"


def test_a_mode_is_chosen_from_a_menu(run: Run) -> None:
    run.terminal.type(F6)
    run.terminal.until("YOLO")
    run.terminal.type(DOWN * 3 + "\r")

    run.terminal.until("Plan ▾")


def test_a_turn_is_stopped(run: Run) -> None:
    run.say("Talk on", Say(" ".join(f"word{number}" for number in range(300)), pause=0.2))
    run.terminal.until("word5 ")

    run.terminal.type(ESCAPE)

    run.settled("Cancelled")
    run.say("Still there?", Say("Yes, here I am."))
    assert "word290" not in run.settled("Yes, here I am.")


def test_the_program_leaves_nothing_behind_but_its_record(run: Run) -> None:
    command = "echo begun > begun.txt; sleep 300"
    run.say("Wait for long", Use("run_shell_command", {"command": command}), Say("Waited."))
    run.answer("y")
    run.terminal.until(lambda _: (run.workspace / "begun.txt").exists())
    assert any("sleep 300" in line for line in run.processes())

    run.terminal.type(CTRL_Q)

    assert run.terminal.exit_code() == 0
    wait_for(lambda: not run.processes())
    journal = run.journal()
    assert "Wait for long" in journal
    assert "session/request_permission" in journal


def edit(path: Path, old: str, new: str) -> Use:
    """Return the wish to put one text in the place of another."""
    arguments = {"file_path": str(path), "instruction": "as asked", "old_string": old, "new_string": new}
    return Use("replace", arguments)


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Return once a condition holds, and fail when it does not come to hold."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.05)
