"""Questions that wait in sessions out of view, and the way to them and back."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.protocol.validation import read_update
from acp_tui.store.agents import Launch
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.start import StartScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.sessions.inbox import InboxMenu, waiting
from tests.ui.seats import Seat, seat, told
from tests.ui.two_sessions import is_over, two_sessions

pytestmark = pytest.mark.slow


async def visit_a_question(here: Seat, other: SessionScreen) -> None:
    """Have another session ask, and go to its question by way of the inbox."""
    other.conversation.say("/ask")
    await here.until(lambda: other.conversation.questions)
    await here.press("alt+a", "enter")
    await here.is_before(PermissionDialog)


async def test_a_question_of_another_session_is_answered_from_over_a_draft(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await here.write("a draft")
        second.prompt.move_cursor((0, 2))
        first.conversation.say("/ask")
        await here.sees("1 pending Alt+A")

        await here.press("alt+a")
        await here.is_before(InboxMenu)
        await here.sees("asks:")
        await here.press("enter")
        dialog = await here.is_before(PermissionDialog)
        assert here.session is first
        assert dialog.query_one("#box").border_subtitle.startswith("session 1 /ask, then back to 2 ")
        await here.press("down", "down", "enter")

        await here.until(lambda: here.session is second and here.app.screen is second)
        assert (here.draft, second.prompt.cursor_location) == ("a draft", (0, 2))
        assert here.app.focused is second.prompt
        session = first.conversation.session
        assert session is not None
        await here.until(lambda: is_over(session))


async def test_a_question_that_is_put_aside_leads_back_too_and_waits_on(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await visit_a_question(here, first)
        await here.press("escape")

        await here.until(lambda: here.session is second)
        await here.sees("1 pending Alt+A")
        await here.press("alt+1")
        await here.until(lambda: here.session is first)
        assert isinstance(here.app.screen, SessionScreen)  # it was put aside
        await here.press("alt+a", "enter")
        await here.is_before(PermissionDialog)


async def test_a_question_that_is_withdrawn_while_it_is_looked_at_leads_back(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await visit_a_question(here, first)

        first.conversation.cancel()

        await here.until(lambda: here.session is second and here.app.screen is second)


async def test_a_turn_that_ended_unseen_waits_until_it_is_looked_at(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await here.press("alt+a")
        assert told(here) == "Nothing pending."
        first.conversation.say("/fill")
        await here.until(lambda: first.has_news)
        assert [(one.screen, one.kind, one.what) for one in waiting((first, second))] == [
            (first, "done", "/fill")
        ]

        await here.press("alt+a")
        await here.sees("is done: /fill")
        await here.press("enter")

        await here.until(lambda: here.session is first)
        assert waiting((first, second)) == []


async def test_c122_a_warning_of_the_agent_in_a_session_out_of_view_marks_its_tab(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        assert first.conversation.agent is not None
        assert first.conversation.session is not None
        for severity, title in (("info", "all is well"), ("warning", "careful")):
            update = {"sessionUpdate": "notice", "severity": severity, "title": title}
            first.conversation.agent.note(first.conversation.session.id, read_update(update))

        await here.until(lambda: first.notice)

        assert [(one.kind, one.what) for one in waiting((first, second))] == [("notice", "careful")]
        await here.sees("⚠ 1 ")
        await here.press("alt+a")
        await here.sees("has a notice: careful")
        await here.press("enter")
        await here.until(lambda: here.session is first)
        assert waiting((first, second)) == []


async def test_a_turn_that_failed_unseen_is_marked_as_failed(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        first.conversation.say("/error")
        await here.until(lambda: first.has_news)

        assert [one.kind for one in waiting((first, second))] == ["failed"]
        await here.sees("✗ 1 ")


async def test_the_list_tells_of_what_comes_while_it_is_open(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, _second):
        first.conversation.say("/fill")
        await here.until(lambda: first.has_news)
        await here.press("alt+a")
        await here.is_before(InboxMenu)

        first.conversation.say("/ask")

        await here.sees("asks:")


async def test_questions_of_two_agents_wait_both_where_these_use_the_same_ids(tmp_path: Path) -> None:
    program = [sys.executable, str(Path(__file__).parents[3] / "fake_agent.py")]
    async with seat(tmp_path, given=Launch("fake", "fake", tuple(program))) as here:
        first = here.session
        await here.press("alt+n")
        asks = await here.is_before(StartScreen)
        asks.query_one(Input).value = shlex.join(program)
        await here.press("enter")
        await here.until(lambda: here.session is not first and here.session.conversation.phase == "ready")
        second = here.session
        for screen in (first, second):
            screen.conversation.say("race")
        await here.until(lambda: first.conversation.questions and second.conversation.questions)

        found = waiting((first, second))
        assert [(one.screen, one.question) for one in found] == [
            (first, ("s1", '"p"')),
            (second, ("s1", '"p"')),
        ]
