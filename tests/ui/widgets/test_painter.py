"""Strips of full width."""

from __future__ import annotations

import gc
import weakref

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome
from textual.strip import Strip

from acp_tui.ui.widgets.painter import NO_BAR, Painter, fit, full_strip, marked
from acp_tui.ui.widgets.styles import Styles
from tests.tables import each


def fitted(text: str, pan: int, width: int) -> str:
    return "".join(segment.text for segment in fit([Segment(text)], pan, width, Style(), Styles(ascii=True)))


@pytest.mark.parametrize(
    ("pan", "row"),
    [(0, "abcde>"), (2, ">defgh"), (4, ">fgh  ")],
)
def test_a_row_says_on_which_side_it_goes_on(pan: int, row: str) -> None:
    mark = Styles(ascii=True).symbol("cut")
    text = "abcdefgh"

    assert fitted(text, pan, 6) == row.replace(">", mark)


def test_a_short_row_is_filled_up_and_one_that_fits_is_as_it_was() -> None:
    segments = [Segment("abc")]

    assert fitted("ab", 0, 4) == "ab  "
    assert fit(segments, 0, 3, Style(), Styles()) is segments
    assert fitted("abc", 0, 0) == ""


@each("width", range(1, 9))
@each("pan", range(5))
def test_r36_wide_characters_are_never_halved(pan: int, width: int) -> None:
    assert cell_len(fitted("日本語a日", pan, width)) == width


PLAIN, RED, HIT = Style(), Style(color="red"), Style(reverse=True)


def hits(*row: Segment, needle: str) -> list[str]:
    """Return what is marked, piece by piece."""
    made = marked(row, needle, HIT)
    assert "".join(segment.text for segment in made) == "".join(segment.text for segment in row)
    return [segment.text for segment in made if segment.style is not None and segment.style.reverse]


def test_a_text_is_marked_in_any_case_wherever_it_is() -> None:
    assert hits(Segment("Read, then read on.", PLAIN), needle="read") == ["Read", "read"]


def test_a_text_over_several_segments_is_marked_in_each_and_keeps_their_colours() -> None:
    row = (Segment("a re", PLAIN), Segment("ad b", RED))

    assert hits(*row, needle="read") == ["re", "ad"]
    assert marked(row, "read", HIT)[2].style == RED + HIT


def test_letters_that_fold_to_several_move_no_mark() -> None:
    assert hits(Segment("Straße read", PLAIN), needle="read") == ["read"]


def test_without_a_hit_the_row_is_as_it_was() -> None:
    row = [Segment("text", RED)]

    assert marked(row, "nothing", HIT) == row
    assert marked(row, "", HIT) == row


GROUND = Color(0, 0, 0)


@pytest.mark.slow
def test_a_strip_that_was_drawn_is_gone_when_nobody_keeps_it() -> None:
    strip = full_strip([Segment("words")], 5, (), GROUND)
    assert strip.divide([5]) == [strip]
    seen = weakref.ref(strip)

    gc.disable()
    try:
        del strip
        assert seen() is None
    finally:
        gc.enable()


def test_a_strip_is_cut_where_something_lies_over_it() -> None:
    strip = full_strip([Segment("words")], 5, (), GROUND)
    assert [part.text for part in strip.divide([2, 5])] == ["wo", "rds"]


def test_a_strip_can_do_what_those_of_textual_can() -> None:
    bold, segments = Style(bold=True), [Segment("words", Style.parse("red on blue"))]
    strip, known = full_strip(segments, 5, (), GROUND), Strip(segments, 5)
    assert strip.crop(1, 3) == known.crop(1, 3)
    assert strip.apply_style(bold) == known.apply_style(bold)
    assert strip.apply_filter(Monochrome(), GROUND) == known.apply_filter(Monochrome(), GROUND)
    assert strip.adjust_cell_length(8) == known.adjust_cell_length(8)
    assert strip.crop_extend(1, 8, None) == known.crop_extend(1, 8, None)
    assert strip.apply_offsets(0, 3) == known.apply_offsets(0, 3)
    assert strip.crop(1, 3) is strip.crop(1, 3)
    with pytest.raises(AttributeError):
        strip.unknown  # noqa: B018


def test_line_filters_change_the_colours() -> None:
    red = Style.parse("red on blue")
    assert full_strip([Segment("words", red)], 5, [Monochrome()], GROUND)._segments[0].style != red


@pytest.mark.parametrize("rows", [(1, 2, 3, 4), (4, 1, 3, 2), (1, 4_000, 3)])
def test_forgotten_rows_are_painted_again_and_those_above_them_are_kept(rows: tuple[int, ...]) -> None:
    painter = Painter()
    painter.configure(Styles(), Style.null(), 10, (), Color(0, 0, 0))
    owner = "a text"
    strips = {row: painter.paint(owner, row, NO_BAR, [Segment(str(row))]) for row in rows}

    painter.forget(owner, 3)
    assert {row for row in rows if painter.kept(owner, row, NO_BAR) is not None} == {
        row for row in rows if row < 3
    }
    assert painter.kept(owner, 1, NO_BAR) is strips[1]

    anew = painter.paint(owner, 5, NO_BAR, [Segment("5")])
    assert painter.kept(owner, 5, NO_BAR) is anew
    painter.forget(owner)
    assert painter.kept(owner, 1, NO_BAR) is None
