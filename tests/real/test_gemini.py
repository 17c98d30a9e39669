"""Peculiarities of the Gemini CLI, in the whole program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.dialects.answer import Use
from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, CTRL_Q, DOWN, F6, SHIFT_TAB, Run, running, wait_for

F12 = "\x1b[24~"

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    agent, programs = installed("gemini")
    with running(agent, programs, tmp_path) as run:
        yield run


def test_a_new_file_is_written_once_it_is_allowed(run: Run) -> None:
    poem = run.workspace / "poem.txt"
    run.say("Write a poem", write(poem), Say("It is written."))

    asked = run.terminal.until(ARMED)
    assert not poem.exists()
    assert "1 + roses are red" in asked
    run.answer("y")

    assert "✓ edit" in run.settled("It is written.")
    assert poem.read_text() == "roses are red\n"


def test_another_mode_is_shown_and_in_force(run: Run) -> None:
    run.terminal.type(SHIFT_TAB)
    run.terminal.until("Auto Edit: the agent does not ask for edits ▾")

    poem = run.workspace / "poem.txt"
    run.say("Write a poem", write(poem), Say("It is written."))

    run.settled("It is written.")
    assert poem.read_text() == "roses are red\n"


def test_a_mode_is_chosen_from_a_menu(run: Run) -> None:
    run.terminal.type(F6)
    run.terminal.until("YOLO")
    run.terminal.type(DOWN * 3 + "\r")

    run.terminal.until("Plan ▾")


def test_what_nobody_said_is_not_shown_also_when_the_session_is_told_again(run: Run) -> None:
    """Gemini sends "[MODE_UPDATE] …" with each mode, and "[Function Call: …]" in a replay."""
    notes = run.workspace / "notes.txt"
    notes.write_text("one\n")
    run.terminal.type(SHIFT_TAB)
    run.terminal.until("Auto Edit: the agent does not ask for edits ▾")
    run.say("Look at it", run.agent.use("read", path=str(notes)), Say("It is there."))
    run.settled("It is there.")
    assert "[MODE_UPDATE]" in run.journal()

    run.terminal.type(F12)
    # Gemini finds a session again from the next minute on.
    screen = run.terminal.until(lambda screen: "session resumed" in screen or "New session:" in screen)

    assert "✓ read" in screen
    assert "It is there." in screen
    assert "[MODE_UPDATE]" not in screen
    assert "[Function" not in screen


def test_the_program_leaves_nothing_behind_but_its_record(run: Run) -> None:
    command = "echo begun > begun.txt; sleep 300"
    run.say("Wait for long", run.agent.use("run", command=command), Say("Waited."))
    run.answer("y")
    run.terminal.until(lambda _: (run.workspace / "begun.txt").exists())
    assert any("sleep 300" in line for line in run.processes())

    run.terminal.type(CTRL_Q)
    run.terminal.until("Quit with 1 running turn")
    run.terminal.type("1")

    assert run.terminal.exit_code() == 0
    wait_for(lambda: not run.processes())
    journal = run.journal()
    assert "Wait for long" in journal
    assert "session/request_permission" in journal


def write(path: Path) -> Use:
    """Return the wish to write a poem."""
    return Use("write_file", {"file_path": str(path), "content": "roses are red\n"})
