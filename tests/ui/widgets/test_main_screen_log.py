"""What is left on a terminal when a program that draws the whole screen has ended."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets.main_screen_log import MainScreenLog

DATA = (
    b"$ vi a\r\n\x1b[?1049h\x1b[2J\x1b[5;1Hdrawn\x1b[1;1H\x1b[31mred"
    b"\x1b[?25;1049lback \x1b[32mgreen\x1b[m\r\n$ "
)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_what_was_drawn_aside_is_not_among_the_lines_however_it_is_cut(size: int) -> None:
    log = MainScreenLog()
    asides = set()
    for at in range(0, len(DATA), size):
        log.feed(DATA[at : at + size])
        asides.add(log.is_aside)

    assert log.text() == "$ vi a\nback green\n$ "
    assert not log.needs_screen
    assert not log.is_aside
    assert asides == ({False, True} if size < len(DATA) else {False})


def test_an_escape_at_the_end_waits_for_what_it_becomes() -> None:
    log = MainScreenLog()
    log.feed(b"one\x1b")
    log.feed(b"[31mtwo\x1b[?")
    log.feed(b"25lthree")
    assert log.text() == "onetwothree"
