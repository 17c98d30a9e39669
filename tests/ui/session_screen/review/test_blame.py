"""Blame over a session, and the way to the places in the chat."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from acp_tui.session.entries import ToolCall, UserMessage, text_of
from acp_tui.store.agents import demo_launch
from acp_tui.store.settings import Settings
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.review.blame import BlameList, BlameScreen
from acp_tui.ui.screens.review.changes import ChangesScreen
from tests.recorded_talks import answered, call, call_update, changed, prompt, start, write
from tests.ui.seats import Seat, seat, told

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    path = tmp_path / "a.py"
    path.write_text("one\ntwo\nthree \x1b[31m\n")
    write(
        tmp_path / "home" / "data" / "journals" / "a.ndjson",
        [
            start("claude", str(tmp_path)),
            ("out", {"jsonrpc": "2.0", "id": 90, "method": "session/new", "params": {"cwd": str(tmp_path)}}),
            ("in", {"jsonrpc": "2.0", "id": 90, "result": {"sessionId": "s1"}}),
            prompt("Write the second line"),
            call("c1", "Edit a.py", kind="edit"),
            call_update("c1", status="completed"),
            changed(path, "one\n", "one\ntwo\n", [[1, 1, 1, 2]], 1, "c1"),
            answered(),
            prompt("Write the third line", number=2),
            changed(path, "one\ntwo\n", path.read_text(), [[2, 2, 2, 3]], 2),
            answered(2),
        ],
    )
    return path


def at_cursor(here: Seat) -> str:
    """Return the title or the text of the entry that the cursor is on."""
    block = here.session.query_one(ChatPane).cursor
    entry = block.entry if isinstance(block, EntryBlock) else None
    if isinstance(entry, ToolCall):
        return entry.title
    return text_of(entry) if isinstance(entry, UserMessage) else ""


def is_at(rows: BlameList, number: int) -> bool:
    return rows.current is not None and rows.current.number == number


async def blamed(here: Seat, words: str) -> BlameList:
    await here.write(words)
    await here.press("enter")
    screen = await here.is_before(BlameScreen)
    rows: BlameList = screen.query_one(BlameList)
    await here.until(lambda: rows.current is not None)
    return rows


async def test_lines_have_their_turns_and_enter_leads_to_the_call(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await blamed(here, "/blame a.py:2")
        await here.sees("2 of 3 lines", "turn 1: Edit by c1", "turn 2: Write the third line", "three ␛[31m")
        assert "\x1b" not in here.text

        await here.press("enter")
        await here.until(lambda: here.conversation.phase == "recorded" and at_cursor(here) == "Edit a.py")


async def test_a_line_without_a_call_leads_to_its_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await blamed(here, "/blame a.py:3")
        await here.press("enter")
        await here.until(
            lambda: here.conversation.phase == "recorded" and at_cursor(here) == "Write the third line"
        )


async def test_a_line_of_no_turn_leads_nowhere_and_keys_go_from_origin_to_origin(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        rows = await blamed(here, "/blame a.py:1")
        await here.press("enter")
        await here.until(lambda: "No turn of a recorded session" in told(here))

        for key, number in (("n", 2), ("n", 3), ("n", 3), ("p", 2), ("p", 1)):
            await here.press(key)
            await here.until(partial(is_at, rows, number))
        await here.press("q")
        await here.until(lambda: here.app.screen is here.session)


async def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("/blame missing.py")
        await here.press("enter")
        await here.is_before(BlameScreen)
        await here.sees("missing.py cannot be read")


async def test_without_a_file_and_without_changes_a_file_is_asked_for(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("/blame")
        await here.press("enter")
        await here.until(lambda: "Name a file" in told(here))


async def test_the_changes_screen_shows_who_wrote_a_file_and_closes_for_the_place(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("one\ntwo\n")
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(tmp_path, Settings(), given=given) as here:
        tracking = here.conversation.tracker
        assert tracking is not None
        await here.until(lambda: tracking.first)
        await here.say("/run echo three >> old.txt")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.sees("M old.txt")
        await here.until(lambda: here.app.screen is here.session and not here.conversation.is_busy)
        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("three")
        await here.press("b")
        screen = await here.is_before(BlameScreen)
        rows: BlameList = screen.query_one(BlameList)
        await here.until(lambda: rows.current is not None)
        await here.sees("turn 1: ", "before the recorded sessions")
        await here.press("end", "enter")
        await here.until(lambda: here.app.screen is here.session and "echo three" in at_cursor(here))
        assert len(here.tabs.screens) == 1
