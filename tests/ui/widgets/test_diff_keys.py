"""Editing from the diff view, and what cannot be seen otherwise in it."""

from __future__ import annotations

from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from tests.ui.widgets.differing import NEW, OLD, Viewer, screen, until


class Hearing(Viewer):
    """A viewer that remembers what the person wants to edit."""

    wanted: tuple[str, int] | None = None

    def on_diff_view_edit_wanted(self, event: DiffView.EditWanted) -> None:
        self.wanted = (event.path, event.line)


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
