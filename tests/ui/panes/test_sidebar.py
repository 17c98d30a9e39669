"""The side: the session card, and panes as high as what they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.ui.panes.pane import Pane, PaneFrame
from acp_tui.ui.panes.sidebar import Side, SideRows, share
from acp_tui.ui.screens.base.menu import Menu
from tests.ui.seats import Seat, seat


@pytest.mark.parametrize(
    ("room", "wanted", "shared"),
    [
        (30, (4, 10, 2), SideRows(4, 2)),  # all fits
        (30, (40, 10, 2), SideRows(18, 2)),  # a long plan takes what the changes leave
        (30, (4, 100, 90), SideRows(4, 16)),  # so do many changes
        (30, (40, 100, 90), SideRows(10, 10)),  # a third for each
        (9, (4, 1, 9), SideRows(4, 4)),
        (0, (4, 4, 4), SideRows(0, 0)),
        (30, (4, 0, 2), SideRows(4, 2)),
    ],
)
def test_the_plan_and_the_changes_take_what_they_need_and_a_third_stays_for_the_tool_calls(
    room: int, wanted: tuple[int, int, int], shared: SideRows
) -> None:
    assert share(room, *wanted) == shared


def side_of(here: Seat) -> list[str]:
    """Return the rows right of the chat."""
    return [row.partition("│")[2].strip() for row in here.text.splitlines() if "│" in row]


async def tell(here: Seat, *updates: dict[str, Any]) -> None:
    await here.say(f"updates {json.dumps(updates)}")
    await here.until(lambda: not here.conversation.is_busy)


def call(number: int) -> dict[str, Any]:
    title = f"Search for something with a rather long title {number}"
    return {
        "kind": "tool_call",
        "toolCallId": f"t{number}",
        "title": title,
        "status": "completed",
        "content": [{"type": "content", "content": {"type": "text", "text": "1\n2\n3"}}],
    }


def plan(steps: int) -> dict[str, Any]:
    entries = [
        {"content": f"step {number}", "priority": "low", "status": "pending"} for number in range(steps)
    ]
    return {"kind": "plan", "entries": entries}


@pytest.mark.slow
async def test_the_card_says_who_in_which_mode_what_is_asked_and_where(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "yolo"]) as here:
        await here.until(lambda: len(side_of(here)) > 8)
        rows = [" ".join(row.split()) for row in side_of(here)]

        assert rows[0].startswith("─ session ──")
        assert rows[1:4] == ["agent Plain agent", "mode Ask F6", "asks before everything Alt+P"]
        assert rows[4].startswith("folder /")
        await here.press("shift+tab")
        await here.until(lambda: "asks never F6" in " ".join(here.text.split()))


@pytest.mark.slow
async def test_the_card_names_the_branch_and_follows_it_after_each_turn(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (head := tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    async with seat(tmp_path) as here:
        await here.sees("branch  main")

        head.write_text("ref: refs/heads/a\x1b[2Jb\n")
        await here.say("hello")
        await here.until(lambda: "branch  main" not in here.text and "branch  a" in here.text)
        assert not here.obeyed


@pytest.mark.slow
async def test_a_click_on_a_row_of_the_card_opens_what_changes_it(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan"]) as here:
        await here.until(lambda: "mode    Ask" in here.text)

        await here.pilot.click("#session-card", offset=(4, 2))

        await here.is_before(Menu)
        await here.sees("Plan", "asks before everything")


@pytest.mark.slow
async def test_empty_panes_are_one_line_and_a_pane_is_as_high_as_what_it_shows(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.until(lambda: side_of(here)[4:7] != [] and "changes" in side_of(here)[6])
        assert [row.strip("─ ") for row in side_of(here)[4:8]] == [
            "plan ───────────────────── none yet",
            "tool calls ─────────────── none yet",
            "changes ────────────────── none yet",
            "",
        ]

        await tell(here, plan(3), call(1))

        await here.until(lambda: "changes" in side_of(here)[-1])
        rows = side_of(here)
        assert rows[5:8] == ["· step 0", "· step 1", "· step 2"]
        assert rows[8].startswith("─ tool calls ─"), "the plan takes no more than it needs"
        assert "none yet" in rows[-1], "the tool calls take the rest"


@pytest.mark.slow
async def test_an_empty_pane_that_has_the_keys_says_what_will_be_there(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.until(lambda: "none yet" in here.text)
        empty = here.session.query_one("#changes", Pane).EMPTY
        assert empty not in here.text

        await here.press("f5")
        await here.sees(empty)
        await here.press("f5")
        await here.until(lambda: empty not in here.text)


@pytest.mark.slow
async def test_the_card_folds_to_a_line_once_the_panes_need_its_room_and_stays_so(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan"]) as here:
        await here.until(lambda: "folder  " in here.text)

        await tell(here, plan(30))

        await here.until(lambda: side_of(here)[1].split() == ["Plain", "agent", "·", "Ask"])
        assert side_of(here)[2].startswith("─ plan ─")
        await tell(here, plan(2))
        await here.until(lambda: not any("step 29" in row for row in side_of(here)))
        assert side_of(here)[1].split() == ["Plain", "agent", "·", "Ask"]


@pytest.mark.slow
async def test_in_a_narrow_pane_a_title_is_whole_and_counts_are_left_to_the_chat(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(120, 40)) as here:
        await tell(here, call(1))
        await here.until(lambda: any("tool   Search for" in row for row in side_of(here)))
        row = next(row for row in side_of(here) if "Search for" in row)
        assert row.startswith("✓ tool   Search for something with")
        assert "lines" not in row
        assert "3 lines" in here.text, "the chat has them"

        await here.pilot.resize_terminal(240, 40)
        await here.until(lambda: any("3 lines" in row for row in side_of(here)))


@pytest.mark.slow
async def test_on_a_narrow_screen_a_pane_has_all_of_it(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(80, 24)) as here:
        await tell(here, plan(30))
        await here.press("f3")

        await here.sees("step 0", "step 17")
        await here.press("end")
        await here.sees("step 12", "step 29")
        frame = here.session.query_one("#plan-frame", PaneFrame)
        assert frame.size.height >= 18
        assert "session ──" not in here.text


async def test_a_sidebar_that_has_gone_is_not_fitted(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        side = here.session.query_one(Side)

    side.fit()

    assert not side.is_attached
