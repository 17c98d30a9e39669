"""Lines of the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.protocol.schema import PlanEntry
from acp_tui.ui.panes.plan import PlanLine, PlanPane
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_cells, row_text
from tests.ui.seats import seat

ODD = "日本語 👨‍👩‍👧 ☁️ 🇩🇪 e\u0301te\u0301"


@pytest.mark.parametrize("width", [7, 12, 40])
def test_r36_wide_and_joined_characters_of_an_entry_keep_to_its_width_and_stay_whole(width: int) -> None:
    entry = PlanEntry(content=f"{ODD} {ODD}", priority="low", status="pending")

    rows = PlanLine(entry, Styles()).rows(width, Styles())

    assert max(map(row_cells, rows)) <= width
    text = "".join(row_text(row)[2:] for row in rows)
    assert text.replace(" ", "") == f"{ODD}{ODD}".replace(" ", "")


def test_of_an_endless_entry_the_beginning_is_shown_and_all_of_it_copied() -> None:
    line = PlanLine(PlanEntry(content="word " * 100_000, priority="low", status="pending"), Styles())

    rows = line.rows(80, Styles())

    assert len(rows) < 20
    assert row_text(rows[-1]).rstrip().endswith(Styles().symbol("cut"))
    assert abs(line.height_hint(80) - len(rows)) < 5
    assert line.source() == "word " * 100_000


@pytest.mark.parametrize(
    ("status", "is_idle", "symbol"),
    [
        ("failed", False, "failed"),
        ("in_progress", False, "current"),
        ("in_progress", True, "waiting"),
        ("completed", True, "completed"),
        ("of tomorrow", False, "waiting"),
    ],
)
def test_the_mark_of_a_step(status: str, is_idle: bool, symbol: str) -> None:
    line = PlanLine(PlanEntry(content="a", priority="low", status=status), Styles(), is_idle=is_idle)

    assert row_text(line.rows(20, Styles())[0]).startswith(Styles().symbol(symbol))


@pytest.mark.slow
async def test_a_step_in_progress_is_drawn_as_left_open_once_the_turn_is_over(tmp_path: Path) -> None:
    step = {"content": "mend it", "priority": "low", "status": "in_progress"}
    async with seat(tmp_path, updates=[{"kind": "plan", "entries": [step]}]) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.sees(f"{Styles().symbol('current')} mend it")

        await here.press("ctrl+c")
        await here.until(lambda: not here.conversation.is_busy)
        await here.sees(f"{Styles().symbol('waiting')} mend it")

        await here.say("wait")
        await here.sees(f"{Styles().symbol('current')} mend it")


@pytest.mark.slow
async def test_of_a_plan_without_end_the_steps_around_the_current_one_are_shown(tmp_path: Path) -> None:
    entries = [
        {"content": f"step {number}", "priority": "low", "status": "pending"} for number in range(1_000)
    ]
    entries[700]["status"] = "in_progress"
    async with seat(tmp_path, updates=[{"kind": "plan", "entries": entries}]) as here:
        await here.sees("step 700", "0/1000")
        plan = here.app.screen.query_one(PlanPane)

        assert len(plan.blocks) == 501
        assert plan.blocks[-1].source() == "500 more steps are not shown"
