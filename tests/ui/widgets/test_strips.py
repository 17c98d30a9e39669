"""Strips of full width."""

from __future__ import annotations

import gc
import weakref

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome
from textual.strip import Strip

from acp_tui.ui.widgets.strips import full_strip

GROUND = Color(0, 0, 0)


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
