"""Modes and options from menus, and an agent that does not obey a stop."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import pytest

from acp_tui.protocol.schema import (
    ConfigOptionUpdate,
    CurrentModeUpdate,
    OptionValue,
    SelectOption,
)
from acp_tui.session.options import Consent, Option
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.rules.decisions import DecisionsScreen
from acp_tui.ui.session_screen.agent.agent_menus import IGNORED
from acp_tui.ui.session_screen.sessions.inbox import InboxMenu
from tests.conversation.talks import PLAIN
from tests.ui.screens.stage import drawn
from tests.ui.seats import Seat, seat


@pytest.mark.slow
async def test_modes_are_cycled_and_chosen(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan", "code"]) as here:
        await here.sees("Ask ▾")
        await here.press("shift+tab")
        await here.sees("Plan ▾")

        await here.press("f6")
        await here.is_before(Menu)
        await here.press("c", "o", "enter")

        await here.sees("Code ▾")


@pytest.mark.slow
async def test_a_mode_shows_as_pending_until_the_agent_agrees(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan"], ignores="session/set_mode") as here:
        await here.press("shift+tab")

        await here.sees("Plan … ▾")


@pytest.mark.slow
async def test_an_open_menu_follows_what_the_agent_offers_and_keeps_what_was_moved_to(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan", "code"]) as here:
        await here.sees("Ask ▾")
        await here.press("f6")
        menu = await here.is_before(Menu)
        await here.press("down")
        assert menu.highlighted_key() == "plan"
        session = here.conversation.session
        assert session is not None
        change = session.apply(CurrentModeUpdate(current_mode_id="code"))
        assert change is not None
        here.session.view.session_changed(change)
        mark = here.session.theme_styles.symbol("current")

        await here.until(lambda: any(mark in row and "Code" in row for row in here.text.splitlines()))
        assert menu.highlighted_key() == "plan"


@pytest.mark.slow
@pytest.mark.parametrize(("before", "consent"), [("Yolo", "everything"), ("Plan", "")])
async def test_a_name_that_comes_while_the_menu_is_open_is_no_consent(
    before: str, consent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str | None] = []

    async def set_option(option: Option, value: str | bool, *, consent: Consent | None = None) -> None:
        given.append(consent)

    async with seat(tmp_path, modes=["ask", "plan"]) as here:
        monkeypatch.setattr(here.conversation.choices, "set_option", set_option)
        await here.sees("Ask ▾")
        _name_mode(here, "plan", before)
        await here.press("f6")
        await here.is_before(Menu)
        await here.sees(before)
        _name_mode(here, "plan", "Yolo")
        await here.sees("Yolo  the agent does not ask")

        await here.press("down", "enter")

        await here.until(lambda: given)
        assert given == [consent]


def _name_mode(here: Seat, mode: str, name: str) -> None:
    """Have the agent name one of its modes anew."""
    values = [OptionValue(value="ask", name="Ask"), OptionValue(value=mode, name=name)]
    config = SelectOption(id="mode", name="Mode", category="mode", current_value="ask", options=[*values])
    session = here.conversation.session
    assert session is not None
    change = session.apply(ConfigOptionUpdate(config_options=[config]))
    assert change is not None
    here.session.view.session_changed(change)


@pytest.mark.slow
async def test_c64_an_ignored_stop_is_reported_once_and_the_agent_can_be_killed(tmp_path: Path) -> None:
    async with seat(tmp_path, ignores="session/prompt") as here:
        await here.say("hello")
        await here.until(lambda: here.conversation.is_busy)
        await here.press("alt+x")
        await here.is_before(Menu)
        await here.sees("Stop the turn")
        await here.press(*"stop", "enter")
        assert here.conversation.session is not None
        assert here.conversation.session.turn_state == "cancelling"

        now = monotonic()
        for seconds in (0.0, IGNORED / 2):
            here.session.parts.unresponsive_agent.tick(now + seconds)
        await here.pilot.pause(0)
        assert len(here.notices) == 0
        for seconds in (IGNORED, IGNORED + 5):
            here.session.parts.unresponsive_agent.tick(now + seconds)
        await here.until(lambda: here.notices)
        await here.pilot.pause(0)
        assert [notice.title for notice in here.notices] == ["Not stopped yet"]

        await here.press("alt+x")
        await here.is_before(Menu)
        assert "Stop the turn" not in here.text
        await here.press(*"kill", "enter")

        await here.until(lambda: here.conversation.phase == "ended")


@pytest.mark.slow
async def test_r16_silence_in_a_turn_is_shown_with_the_pending_work(tmp_path: Path) -> None:
    async with seat(tmp_path, ignores="session/prompt") as here:
        await here.say("hello")
        await here.until(lambda: here.conversation.is_busy)
        assert here.conversation.agent is not None
        here.conversation.agent.connection.last_heard -= (
            60  # the user thought for a while: that is no silence
        )
        here.session.show_status()
        assert "silent" not in here.text
        here.conversation.agent.connection.last_said -= 25
        here.session.show_status()

        await here.until(lambda: re.search(r"silent 0:(2[5-9]|[345]\d), session/prompt.*Alt\+X", here.text))


@pytest.mark.slow
async def test_the_notice_of_a_stop_that_is_not_obeyed_goes_when_the_turn_ends(tmp_path: Path) -> None:
    async with seat(tmp_path, ignores="session/prompt") as here:
        await here.say("hello")
        await here.until(lambda: here.conversation.is_busy)
        here.conversation.stop()
        unresponsive, now = here.session.parts.unresponsive_agent, monotonic()
        unresponsive.tick(now)
        unresponsive.tick(now + IGNORED)
        await here.until(lambda: here.notices)
        here.session.notify("of something else", timeout=60)
        await here.until(lambda: len(here.notices) == 2)

        assert here.conversation.running is not None
        await here.conversation.running.agent.stop()
        await here.until(lambda: here.conversation.phase == "ended")
        unresponsive.tick(now + IGNORED + 1)

        await here.until(lambda: len(here.notices) == 1)
        assert [notice.message for notice in here.notices] == ["of something else"]


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
    tmp_path: Path, home: Path
) -> None:
    data = home / "data"
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
            if "does not ask" in segment.text or segment.text.strip() == "never"
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
