"""Peculiarities of the Gemini CLI, in the whole program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.dialects.answer import Use
from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, CTRL_Q, DOWN, F6, SHIFT_TAB, Run, running, wait_for

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
