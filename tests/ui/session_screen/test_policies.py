"""The policy of a session, on the status line and in its menu."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.rules.decisions import DecisionsScreen
from acp_tui.ui.session_screen.sessions.inbox import InboxMenu
from tests.conversation.talks import PLAIN
from tests.ui.screens.stage import drawn
from tests.ui.seats import seat


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


@pytest.mark.slow
async def test_a_session_asks_before_everything_until_the_user_chooses_otherwise(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.sees("Plain agent  ready", "asks before everything")
        await here.asked("one")
        await here.press("y")
        await here.sees("Allow (you)")

        await here.press("alt+p")
        await here.is_before(Menu)
        await here.press("down", "down", "down", "enter")
        await here.sees("never asks", "From now on this session allows everything.")
        await here.say("ask two three")
        await here.until(lambda: here.said and here.said[-1].count("yes") == 2)
        await here.sees("Allow (policy: allows everything)")


@pytest.mark.slow
async def test_what_allows_everything_is_marked_as_a_warning(tmp_path: Path) -> None:
    async with seat(tmp_path, PLAIN._replace(policy="allow-everything")) as here:
        await here.sees("never asks")
        warning = here.app.app_theme.styles["warning"].color
        styles = [
            segment.style
            for strip in drawn(here.app.screen)
            for segment in strip
            if "never asks" in segment.text
        ]

        assert [style.color for style in styles if style] == [warning]


@pytest.mark.slow
async def test_the_policy_of_the_settings_counts_in_each_new_session_and_a_choice_in_one(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, PLAIN._replace(policy="ask-edits-and-commands")) as here:
        await here.sees("asks before edits, commands")
        here.conversation.choices.set_policy("allow-everything")
        await here.conversation.restart()
        await here.until(lambda: here.conversation.phase == "ready")

        assert here.conversation.choices.policy == "ask-edits-and-commands"


@pytest.mark.slow
async def test_a_click_on_the_policy_brings_its_menu(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.sees("asks before everything")
        await here.pilot.click("#status", offset=(here.text.splitlines()[-1].index("asks before") + 1, 0))

        await here.is_before(Menu)
        await here.sees("When no rule matches", "asks before commands")


@pytest.mark.slow
async def test_what_was_decided_is_a_key_away(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one")
        await here.press("n")
        await here.until(lambda: not here.conversation.questions)
        await here.press("alt+d")
        await here.is_before(DecisionsScreen)
        await here.sees("1 decisions", "Do one", "you: key n")
        await here.press("escape")


@pytest.mark.slow
async def test_decisions_that_cannot_be_written_are_said_once_and_nothing_else_is_lost(
    tmp_path: Path,
) -> None:
    data = tmp_path / "home" / "data"
    data.mkdir(parents=True)
    (data / "decisions.ndjson").mkdir()
    async with seat(tmp_path, PLAIN._replace(policy="allow-everything")) as here:
        await here.say("ask one two")
        await here.until(lambda: here.said and here.said[-1].count("yes") == 2)
        await here.sees("the decision log cannot be written")

        assert here.text.count("the decision log cannot be written") == 1


@pytest.mark.slow
async def test_who_asks_is_one_word_on_the_line_in_both_menus_and_in_the_inbox(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "yolo"]) as here:
        await here.sees("mode Ask ▾", "asks before everything ▾")
        await here.press("f6")
        await here.is_before(Menu)
        await here.sees("Ask   asks before everything", "Yolo  the agent does not ask")
        await here.press("down", "enter")

        await here.sees("Yolo: the agent does not ask ▾")
        warning = here.app.app_theme.styles["warning"].color
        styles = [
            segment.style
            for strip in drawn(here.app.screen)
            for segment in strip
            if "Yolo: the agent" in segment.text
        ]
        assert [style.color for style in styles if style] == [warning, warning], "in the card, too"
        assert "before everything" not in here.text

        await here.press("alt+p")
        await here.is_before(Menu)
        await here.sees("When no rule matches. Now Yolo: the agent does not ask")
        await here.press("escape")
        here.session.has_news = True
        await here.press("alt+a")
        await here.is_before(InboxMenu)
        await here.sees("is done, this session  (Yolo: the agent does not ask)")
