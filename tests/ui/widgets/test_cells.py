"""Rows of an exact width, whatever is in them."""

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.look import Look


def fitted(text: str, pan: int, width: int) -> str:
    return "".join(segment.text for segment in fit([Segment(text)], pan, width, Style(), Look(ascii=True)))


@pytest.mark.parametrize(
    ("pan", "row"),
    [(0, "abcde>"), (2, ">defgh"), (4, ">fgh  ")],
)
def test_a_row_says_on_which_side_it_goes_on(pan: int, row: str) -> None:
    mark = Look(ascii=True).glyph("cut")
    text = "abcdefgh"

    assert fitted(text, pan, 6) == row.replace(">", mark)


def test_a_short_row_is_filled_up_and_one_that_fits_is_as_it_was() -> None:
    segments = [Segment("abc")]

    assert fitted("ab", 0, 4) == "ab  "
    assert fit(segments, 0, 3, Style(), Look()) is segments
    assert fitted("abc", 0, 0) == ""


@pytest.mark.parametrize("width", range(1, 9))
@pytest.mark.parametrize("pan", range(5))
def test_r36_wide_characters_are_never_halved(pan: int, width: int) -> None:
    assert cell_len(fitted("日本語a日", pan, width)) == width
