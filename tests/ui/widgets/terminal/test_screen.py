"""The screen of a full-screen program, without a widget."""

from __future__ import annotations

import pytest
from avt import Vt  # type: ignore[attr-defined]  # its stubs do not export it
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.ui.widgets.terminal.screen import TerminalScreen

SEQUENCES = [
    *(
        "word",
        "日本",
        "\r\n",
        "\t",
        "x\b",
        "\x1b[2;3H",
        "\x1b[9;9H",
        "\x1b[A",
        "\x1b[2L",
        "\x1b[M",
        "\x1b[3P",
    ),
    *("\x1b[31;1m", "\x1b[m", "\x1b[44m", "\x1b[K", "\x1b[1J", "\x1b[2J", "\x1b[?1049h", "\x1b[?1049l"),
    *(
        "\x1b[2;3r",
        "\x1b[r",
        "\x1bM",
        "\x1b7",
        "\x1b8",
        "\x1b[5b",
        "\x1b[?6h",
        "\x1b[?25l",
        "\x1b[4h",
        "\x1b[7m",
    ),
]


@pytest.mark.slow
def test_what_scrolled_off_a_screen_is_kept_with_its_colours() -> None:
    terminal = TerminalScreen(20, 3)
    terminal.feed(b"\x1b[H\x1b[31mred\x1b[m plain\r\n" + b"".join(b"line %d\r\n" % n for n in range(5)))

    assert terminal.text() == "red plain\nline 0\nline 1\nline 2\nline 3\nline 4"
    red, plain = terminal.row(0)[:2]
    assert red.text == "red"
    assert red.style is not None
    assert red.style.color is not None
    assert plain.text.rstrip() == " plain"


def test_the_smallest_screens_hold_wide_characters() -> None:
    terminal = TerminalScreen(1, 1)
    terminal.feed("日本語\x1b[1;1H日".encode())
    terminal.resize(1, 3)
    terminal.feed("日".encode())
    assert terminal.text()


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(st.sampled_from(SEQUENCES), max_size=30))
def test_rows_of_a_screen_are_those_of_its_emulator(pieces: list[str]) -> None:
    terminal, emulator = TerminalScreen(12, 4), Vt(12, 4, 0)
    terminal.feed("".join(pieces).encode())
    emulator.feed_str("".join(pieces))

    first = terminal.row_count - 4
    rows = ["".join(segment.text for segment in terminal.row(first + y)).rstrip() for y in range(4)]
    assert rows == [line.text.rstrip() for line in emulator.view()]
