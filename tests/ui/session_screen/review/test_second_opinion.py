"""A review by another agent, and its remarks."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from acp_tui.session.entries import UserMessage, text_of
from acp_tui.ui.session_screen.review.notes import NotesMenu
from tests.ui.seats import Seat, told
from tests.ui.test_changed_files import demo_in, run

pytestmark = pytest.mark.slow

REVIEWER = shlex.join((sys.executable, "-S", "-E", str(Path(__file__).with_name("review_agent.py"))))


@pytest.fixture(autouse=True)
def each_turn_waits_for_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.changes.tracker.PATIENCE", 10.0)


def sent(here: Seat) -> str:
    """Return the newest prompt of the session in view."""
    session = here.conversation.session
    prompts = [one for one in session.entries if isinstance(one, UserMessage)] if session is not None else []
    return text_of(prompts[-1]) if prompts else ""


async def reviewed(here: Seat, remarks: int = 2) -> None:
    """Let the reviewer look at a change, until it has said what it found."""
    await run(here, "echo four >> old.txt")
    await here.sees("M old.txt")
    await here.say(f"/review {REVIEWER}")
    await here.sees("Reviewer", f"{remarks} remarks on lines")


async def test_a_review_gets_prompt_and_differences_and_can_change_nothing(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        first = here.session
        await reviewed(here)

        assert "> /run echo four >> old.txt" in sent(here)
        assert "\n+four\n" in sent(here)
        assert here.session is not first
        assert here.conversation.choices.policy == "read-only"
        await here.sees("refuses edits, commands")
        assert (tmp_path / "old.txt").read_text() == "one\ntwo\nthree\nfour\n"
        assert not (tmp_path / "made").exists()
        assert not here.conversation.questions


async def test_the_remarks_of_a_review_are_notes_of_the_reviewed_session(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        first = here.session
        await reviewed(here)
        assert len(first.conversation.line_notes) == 0
        await here.say("/remarks")

        await here.is_before(NotesMenu)
        await here.sees("old.txt:2 ", "Reviewer: The second line is not clear.", "old.txt:40 ")
        await here.press("escape")
        assert here.session is first
        await here.sees("2 notes go with the next prompt")
        await here.say("look")
        await here.until(lambda: "old.txt:2\n> two\nReviewer: The second" in sent(here))
        assert "old.txt:40\nReviewer: There is no such line, so it cannot be read." in sent(here)


async def test_a_review_without_remarks_is_reported(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        (tmp_path / "remarks").write_text("All is well.\n")
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.say(f"/review {REVIEWER}")
        await here.sees("All is well.", "The review has no remarks on lines.")


async def test_a_remark_quotes_no_file_outside_the_workspace(tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-secret"
    secret.write_text("key\n")
    async with demo_in(tmp_path) as here:
        first = here.session
        (tmp_path / "link").symlink_to(secret)
        (tmp_path / "remarks").write_text(f"{secret}:1: See.\n../{secret.name}:1: See.\nlink:1: See.\n")
        await reviewed(here, remarks=3)
        await here.say("/remarks")
        await here.is_before(NotesMenu)

        assert [note.quoted for note in first.conversation.line_notes.notes.values()] == [()] * 3


async def test_remarks_become_notes_once(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await reviewed(here)
        await here.say("/remarks")
        await here.is_before(NotesMenu)
        await here.press("escape")
        await here.press("ctrl+pagedown")
        await here.sees("That is all.")
        await here.say("/remarks")

        await here.until(lambda: "all of them are notes already" in told(here))


async def test_without_changes_there_is_nothing_to_review(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.say("/review ")
        await here.until(lambda: told(here) == "No changes to review yet.")

        await here.say("/handoff ")
        await here.until(lambda: told(here) == "Nothing to hand off yet.")


async def test_the_agent_of_the_session_reviews_where_none_is_named(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        first = here.session
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.say("/review ")

        await here.until(lambda: here.session is not first and "Review these changes." in sent(here))
        assert here.conversation.running is first.conversation.running
        assert here.conversation.choices.policy == "read-only"
        assert first.conversation.choices.policy == "ask"


async def test_an_agent_that_is_not_there_is_named(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.say("/review no-such-agent")

        await here.until(lambda: any("no-such-agent" in (one.title + one.message) for one in here.notices))
        assert len(here.tabs.screens) == 1
