"""The interface with an agent that speaks version 2 of the protocol: it looks as in version 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.questions.permission import PermissionDialog
from tests.conversation.test_version2 import launch
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


async def test_v4_v9_prompts_stand_once_and_replaced_words_are_gone(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say("hello")
        await here.sees("Heard hello.", "ready")
        assert here.text.count("› hello") == 1
        assert "heard hello" not in here.text

        await here.say("wake")
        await here.sees("works on its own")
        await here.say("hold")
        await here.sees("Heard hold.", "first my own work")
        assert here.text.count("› hold") == 1
        assert here.text.index("first my own work") < here.text.index("› hold")
        assert "waited for the agent" in here.text


async def test_v4_a_prompt_in_other_words_than_were_sent_is_marked(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say("twist")
        await here.sees("› something else (in the agent's words; you sent “twist”)", "Heard twist.")


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("dreaming", "state “dreaming”"),
        ("unknown", "state not known"),
        ("requires_action", "waiting for you"),
    ],
)
async def test_v7_the_state_that_the_agent_reports_is_shown(tmp_path: Path, word: str, shown: str) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say(f"dream {word}")
        await here.sees(shown)
        await here.press("escape")
        await here.sees("Cancelled.", "ready")


async def test_v12_changes_are_drawn_with_a_patch_and_without(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say("edit")
        await here.sees("BETA", "old.txt deleted", "Heard edit.")


async def test_v13_a_question_about_no_call_says_what_it_is_about(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say("ask")
        dialog = await here.is_before(PermissionDialog)
        assert "May the agent go on?" in here.text
        assert "There is a reason." in here.text
        await here.until(lambda: dialog.armed)
        await here.press("y")
        await here.sees("Heard ask.", "Allow (you)")


async def test_v11_v14_a_terminal_of_the_agent_is_shown_and_stopped(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch()) as here:
        await here.say("run")
        await here.sees("grün", "works in the background (1)")
        await here.say("/tasks")
        await here.is_before(Menu)
        await here.sees("make all", "run by the agent")
        await here.press("enter")
        await here.until(lambda: "works in the background" not in here.text)
        assert "ready" in here.text
