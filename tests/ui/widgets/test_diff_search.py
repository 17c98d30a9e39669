"""Searching in the diff view."""

from __future__ import annotations

from textual.widgets import Input

from acp_tui.ui.widgets.diff_page import FileDiff
from acp_tui.ui.widgets.find_bar import FindBar
from acp_tui.ui.widgets.lines import Lines
from tests.ui.widgets.differing import NEW, OLD, Viewer, screen, until


async def test_both_sides_and_folded_lines_are_found_and_unfolded() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW), FileDiff("b.py", OLD, OLD.replace("100 = 100", "100 = hundred")))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("slash", *"value_50")
        await until(pilot, lambda: any("value_50 = 50" in row for row in screen(app.view)))

        await pilot.press(*" = 50", "enter")
        bar = app.query_one(FindBar)
        await until(pilot, lambda: "2/2" in _count(bar))
        bar.query_one(Input).value = "70 = 70"  # of the old side alone, and of the unchanged lines of b.py
        await until(pilot, lambda: "/2" in _count(bar))
        bar.query_one(Input).value = "nowhere"
        await until(pilot, lambda: "nothing found" in _count(bar))

        await pilot.press("escape")
        await until(pilot, lambda: not app.query(FindBar))
        assert app.focused is app.view


def _count(bar: FindBar) -> str:
    return "".join(segment.text for segment in bar.query_one(Lines).render_line(0))


async def test_a_hit_far_to_the_right_is_panned_to() -> None:
    app = Viewer(FileDiff("a.py", "x" * 300 + "\n", "x" * 300 + " needle\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("slash", *"needle")

        await until(pilot, lambda: any("needle" in row for row in screen(app.view)))
