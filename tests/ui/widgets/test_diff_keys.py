"""Searching, copying and editing in the diff view, and what cannot be seen otherwise in it."""

from __future__ import annotations

from textual.widgets import Input

from acp_tui.ui.widgets.diff_view import DiffView, FileDiff
from acp_tui.ui.widgets.find_bar import FindBar
from tests.ui.widgets.test_diff_view import NEW, OLD, Viewer, screen, until


class Hearing(Viewer):
    """A viewer that remembers what the person wants to edit."""

    wanted: tuple[str, int] | None = None

    def on_diff_view_edit_wanted(self, event: DiffView.EditWanted) -> None:
        self.wanted = (event.path, event.line)


async def test_both_sides_and_folded_lines_are_found_and_unfolded() -> None:
    app = Hearing(
        FileDiff("a.py", OLD, NEW), FileDiff("b.py", OLD, OLD.replace("100 = 100", "100 = hundred"))
    )
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
    from acp_tui.ui.widgets.lines import Lines

    return "".join(segment.text for segment in bar.query_one(Lines).render_line(0))


async def test_a_hit_far_to_the_right_is_panned_to() -> None:
    app = Hearing(FileDiff("a.py", "x" * 300 + "\n", "x" * 300 + " needle\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("slash", *"needle")

        await until(pilot, lambda: any("needle" in row for row in screen(app.view)))


async def test_a_change_a_file_and_all_are_copied_as_patches() -> None:
    app = Hearing(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("c")
        assert "value_20 = twenty" in app.clipboard
        assert "-value_70 = 70" in app.clipboard

        await pilot.press("n", "c")
        assert "value_20 = twenty" in app.clipboard
        assert "value_70" not in app.clipboard
        await pilot.press("C")
        assert "+++ b/a.py" in app.clipboard
        assert "+++ b/b.py" in app.clipboard


async def test_the_editor_is_wanted_at_the_marked_change_or_at_the_top() -> None:
    app = Hearing(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("e")
        await until(pilot, lambda: app.wanted is not None)
        assert app.wanted == ("a.py", 17)  # the first line in view, below the fold

        await pilot.press("n", "n", "e")
        await until(pilot, lambda: app.wanted == ("a.py", 70))


async def test_blanks_at_the_end_of_changed_lines_and_changed_blanks_are_seen() -> None:
    app = Hearing(FileDiff("a.txt", "alpha beta\nsame  \n", "alpha  beta \t\nsame  \n"))
    async with app.run_test(size=(80, 10)):
        rows = screen(app.view)

        assert any("+ alpha··beta·→" in row for row in rows), rows
        assert any(row.rstrip().endswith("same") for row in rows)


async def test_a_marked_change_stays_marked_while_it_is_the_same_and_no_other_is_marked_for_it() -> None:
    app = Hearing(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("n")
        marked = app.view.current_change
        assert marked is not None

        app.view.show_again([FileDiff("a.py", OLD, NEW + "more\n", "by now")])
        await until(pilot, lambda: "by now" in screen(app.view)[0])
        assert app.view.current_change == marked

        app.view.show_again([FileDiff("a.py", OLD, NEW.replace("= twenty", "= XX"))])
        assert app.view.current_change is None
