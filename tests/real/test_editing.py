"""Changes of real agents that the user edits before accepting them, and turns that are gone back to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.dialects.answer import Use
from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, ENTER, ESCAPE, Run, running, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow]

POEM = "".join(f"verse {number:02} of many\n" for number in range(1, 11))
THEIRS = POEM.replace("verse 03 of many", "verse three")
MINE = POEM.replace("verse 03 of many", "my verse")
EDITOR = """#!/bin/sh
sed -i 's/verse three/my verse/' "$1"
"""


@pytest.mark.parametrize("name", ["gemini", "claude", "codex", "opencode", "qwen"])
def test_what_the_user_saves_is_in_the_file_and_the_agent_is_told(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    editor = tmp_path / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    with running(agent, programs, tmp_path / "run", {"poem.txt": POEM}, env={"VISUAL": str(editor)}) as run:
        poem = run.workspace / "poem.txt"
        edit = agent.use("edit", path=poem, old="verse 03 of many", new="verse three")
        run.say("Change the poem", agent.use("read", path=poem), edit, Say("It is changed."))
        allow_until_an_edit(run)
        run.terminal.type("e")  # once: a second one would open the editor again
        run.terminal.until("You edited poem.txt before it was written.")
        run.settled("It is changed.")

        wait_for(lambda: poem.read_text() != THEIRS)
        assert poem.read_text() == MINE
        run.terminal.until("edited your change of poem.txt before it was written")


@pytest.mark.parametrize("name", ["gemini", "claude", "pi"])
def test_files_and_conversation_go_back_to_a_prompt_in_a_new_tab(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        wait_for(lambda: '"kept": ' in run.journal())
        poem = run.workspace / "poem.txt"
        run.say("Read the poem", agent.use("read", path=poem), Say("It is long."))
        run.finish("It is long.")
        edit = agent.use("edit", path=poem, old="verse 03 of many", new="verse three")
        run.say("Change the poem", edit, Say("It is changed."))
        run.finish("It is changed.")
        assert poem.read_text() == THEIRS
        run.terminal.until("M poem.txt")

        run.press_until(ESCAPE, lambda screen: "Esc again goes back to an earlier prompt" in screen)
        run.terminal.type(ESCAPE)
        run.terminal.until("Go back to which prompt?")
        run.terminal.type(ENTER)
        run.terminal.until("M poem.txt will be reverted")
        run.press_until("b", lambda screen: "Gone back" in screen)

        assert poem.read_text() == POEM
        screen = run.terminal.until(lambda screen: "[earlier conversation, 1 turn #1]" in screen)
        assert "Change the poem" in screen
        assert "Read the poem" in screen, "the first tab is still there"


def test_a_write_over_newer_changes_is_merged_with_them(tmp_path: Path) -> None:
    agent, programs = installed("gemini")  # it reads by itself, and through us only just before it writes
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        poem = run.workspace / "poem.txt"
        whole = Use("write_file", {"file_path": str(poem), "content": THEIRS})
        run.say("Change the poem", agent.use("read", path=poem), whole, Say("It is changed."))
        allow_until_an_edit(run)
        poem.write_text(POEM.replace("verse 09 of many", "verse nine"))
        run.answer("y")
        screen = run.terminal.until("merged with the newer text: without conflicts")
        assert "It has changed on disk since the agent told what it would write." in screen
        assert "The agent did not ask" not in screen
        run.terminal.until(ARMED)
        run.press_until("3", lambda screen: "merged with the newer text: without" not in screen)

        run.settled("It is changed.")
        assert poem.read_text() == THEIRS.replace("verse 09 of many", "verse nine")
        run.terminal.until("merged your change of poem.txt with a newer text")


def allow_until_an_edit(run: Run) -> None:
    """Allow what comes before the edit, such as reading."""
    while "e edit" not in run.terminal.until(ARMED):
        run.answer("y")
