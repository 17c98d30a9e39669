"""The changes of real agents, looked through: one hunk is rejected, then the turn is taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, ENTER, ESCAPE, F5, Run, running, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow]

POEM = "".join(f"verse {number:02} of many\n" for number in range(1, 41))
ALT_U = "\x1bu"


@pytest.mark.parametrize("name", ["gemini", "opencode", "pi"])
def test_a_hunk_is_rejected_and_the_turn_is_taken_back(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        wait_for(lambda: is_snapped(run))
        poem = run.workspace / "poem.txt"
        first = agent.use("edit", path=poem, old="verse 03 of many", new="verse three")
        second = agent.use("edit", path=poem, old="verse 30 of many", new="verse thirty")
        read = agent.use("read", path=poem)
        run.say("Change the poem", read, first, second, Say("It is changed."))
        run.finish("It is changed.")
        both = POEM.replace("verse 03 of many", "verse three").replace("verse 30 of many", "verse thirty")
        assert poem.read_text() == both

        run.terminal.until("M poem.txt")
        open_changes(run)
        run.terminal.until("│ 30 + verse thirty")
        run.terminal.type("n")
        run.terminal.until("change 1/2")
        run.terminal.type("n")
        run.terminal.until("change 2/2")
        run.terminal.type("r")
        run.terminal.until("is rejected; u undoes it")
        wait_for(lambda: poem.read_text() == POEM.replace("verse 03 of many", "verse three"))

        run.terminal.type(ESCAPE)
        run.terminal.until("- rejected your change in poem.txt, line 30")
        run.terminal.type(ALT_U)
        run.terminal.until("will be reverted")
        run.press_until("y", lambda screen: "Restored 1 file to the state before the last turn." in screen)
        assert poem.read_text() == POEM
        run.terminal.until("- put these files back to before your last turn: poem.txt")


@pytest.mark.parametrize("name", ["gemini", "claude", "codex"])
def test_a_note_in_the_question_goes_with_the_next_prompt(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        poem = run.workspace / "poem.txt"
        edit = agent.use("edit", path=poem, old="verse 30 of many", new="verse thirty")
        run.say("Change the poem", agent.use("read", path=poem), edit, Say("It is changed."))
        while "wants to change files" not in run.terminal.until(ARMED):
            run.answer("y")
        run.terminal.until("w note")  # once the changes are there
        run.press_until("w", lambda screen: "poem.txt:" in screen and "(proposed)" in screen)
        run.terminal.type("Why not the last one?")
        run.terminal.until("Why not the last one?")
        run.terminal.type(ENTER)
        run.terminal.until("1 note")
        run.finish("It is changed.")

        run.model.script["My notes on lines"] = [Say("I have read it.")]
        run.terminal.until("1 note goes with the next prompt")
        run.terminal.type(f"Look{ENTER}")
        screen = run.finish("I have read it.")
        assert "poem.txt:30" in screen
        assert "> verse thirty" in screen


@pytest.mark.parametrize("name", ["gemini", "claude", "codex"])
def test_the_remarks_of_a_reviewer_are_notes_for_the_first_session(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        poem = run.workspace / "poem.txt"
        edit = agent.use("edit", path=poem, old="verse 30 of many", new="verse thirty")
        run.say("Change the poem", agent.use("read", path=poem), edit, Say("It is changed."))
        run.finish("It is changed.")
        run.terminal.until("M poem.txt")

        lost = agent.use("edit", path=poem, old="verse 01 of many", new="verse one")
        remark = Say("poem.txt:30: write all numbers as words")
        steps = [remark] if name == "codex" else [lost, remark]  # its turn ends with a refusal
        run.model.script = {"Review these changes": [agent.use("read", path=poem), *steps]}
        run.terminal.type("/review")
        run.terminal.until("› /review")
        run.terminal.type(ENTER)
        run.terminal.until("1 remark on lines: /remarks")
        assert "verse 01 of many" in poem.read_text(), "a reviewer changes nothing"

        run.terminal.type("/remarks")
        run.terminal.until("› /remarks")
        run.terminal.type(ENTER)
        run.terminal.until("poem.txt:30")
        run.terminal.type(ESCAPE)
        run.terminal.until("1 note goes with the next prompt")


def open_changes(run: Run) -> None:
    """Go to the changes pane and open it; Enter counts there once the pane has the keys."""
    run.terminal.type(F5)
    run.press_until(ENTER, lambda screen: "1 changed file" in screen)


def is_snapped(run: Run) -> bool:
    """Return True if there is a snapshot of the workspace as it was at the start."""
    return any(run.home.glob(".local/share/acp-tui/snapshots/**/refs/snapshots/*"))
