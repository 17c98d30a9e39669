"""Control sequences of colours become styles."""

import pytest
from rich.color import Color

from acp_tui.ui.widgets.terminal_style import PLAIN, Pen, pen_after, style_of
from tests.ui.widgets.test_terminal_log import log_of


def test_r33_colours_become_styles() -> None:
    (row,) = log_of("plain \x1b[1;31mred \x1b[38;5;200mpink \x1b[48;2;1;2;3mrgb\x1b[m end").rows()

    styles = [segment.style for segment in row if segment.style]
    assert [segment.text for segment in row] == ["plain ", "red ", "pink ", "rgb", " end"]
    assert styles[0].bold
    assert styles[0].color == Color.from_ansi(1)
    assert styles[1].color == Color.from_ansi(200)
    assert styles[2].bgcolor == Color.from_rgb(1, 2, 3)


@pytest.mark.parametrize(
    ("parameters", "pen"),
    [
        ("", PLAIN),
        ("1;3;4;7;9", Pen(bold=True, italic=True, underline=True, reverse=True, strike=True)),
        ("1;2;22", PLAIN),
        ("91;104", Pen(9, 12)),
        ("31;39;44;49", PLAIN),
        ("38:2::9:8:7", Pen((9, 8, 7))),
        ("38;5", PLAIN),
        ("4:3", Pen(underline=True)),
        ("4;4:0", PLAIN),
        ("38;2;999;0;0;1", Pen((255, 0, 0), bold=True)),
        ("999;x", PLAIN),
    ],
)
def test_sgr_parameters(parameters: str, pen: Pen) -> None:
    found = pen_after(PLAIN, parameters)

    assert found == pen
    assert (str(style_of(found)) == "none") is (pen == PLAIN)


def test_a_key_mode_sequence_is_no_colour() -> None:
    assert log_of("\x1b[>4;2mtext").rows()[0][0].style in (None, style_of(PLAIN))
