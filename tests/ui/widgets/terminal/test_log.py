"""The terminal's log, also when a program that draws the whole screen has ended."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color

from acp_tui.ui.widgets.terminal.log import (
    PLAIN,
    MainScreenLog,
    Pen,
    TerminalLog,
    newest,
    pen_after,
    style_of,
)
from tests.tables import each

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


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        (b"", ["old"]),
        (b"\x1b[?1049h\x1b[2Ja menu", []),
        (b"\x1b[?1049h\x1b[2Ja menu\x1b[?1049l", ["old"]),
    ],
    ids=["lines", "aside", "back"],
)
def test_of_far_too_much_output_the_newest_lines_are_read_on_the_same_screen(
    before: bytes, shown: list[str]
) -> None:
    log = MainScreenLog()
    log.feed(newest(before + b"old\r\n" * 9_000 + b"\x1b[32m" + b"old\r\n" * 100, 300))

    assert set(log.text().split()) == set(shown)
    assert log.line_count <= 61
    if shown:
        assert log.rows(0, 1)[0][0].style == style_of(Pen(foreground=2))


def test_little_output_is_read_as_a_whole() -> None:
    assert newest(DATA, len(DATA)) == DATA
    assert newest(b"no end", 3) == b"end"


def test_an_escape_at_the_end_waits_for_what_it_becomes() -> None:
    log = MainScreenLog()
    log.feed(b"one\x1b")
    log.feed(b"[31mtwo\x1b[?")
    log.feed(b"25lthree")
    assert log.text() == "onetwothree"


PIECES = [
    *(b"plain ", b"two\nlines\n", b"\r\n", b"\r", b"\b", b"\t", "日本語 ü 🇩🇪".encode(), b"\xff", b"\xe6\x97"),
    *(b"\x1b[31m", b"\x1b[0m", b"\x1b[38;2;1;2;3m", b"\x1b[K", b"\x1b[2K", b"\x1b[J", b"\x1b[3P", b"\x1b[2@"),
    *(b"\x1b[1A", b"\x1b[2B", b"\x1b[5G", b"\x1b(B", b"\x1b]0;title\x07", b"\x1bPq#0;2;0\x1b\\"),
    b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    *(
        b"\x1b[1m",
        b"\x1b[39m",
        b"\x1b[44m",
        b"\x1b[m\x1b[K",
        b"one\ttwo\n",
        b"\x1b[32mok\x1b[m\tgreen\n",
        b"\n",
    ),
]


def log_of(*pieces: bytes | str) -> TerminalLog:
    log = TerminalLog()
    for piece in pieces:
        log.feed(piece.encode() if isinstance(piece, str) else piece)
    return log


@each(
    ("written", "shown"),
    [
        ("one\ntwo", "one\ntwo"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10 %\r20 %\r100 %", "100 %"),
        ("long text\rshort", "shorttext"),
        ("long text\r\x1b[Kshort", "short"),
        ("abc\b\bX", "aXc"),
        ("a\tb", "a       b"),
        ("abcdef\x1b[3D\x1b[K", "abc"),
        ("abcdef\x1b[3D\x1b[1K", "    ef"),
        ("abc\x1b[2K", ""),
        ("one\ntwo\x1b[1A\rONE", "ONE\ntwo"),
        ("a 0%\nb 0%\n\x1b[2Aa 9%\r\nb 9%\r\n", "a 9%\nb 9%\n"),
        ("a\nb\nc\x1b[2A\r\x1b[Jx", "x\n\n"),
        ("abcdef\x1b[4G!", "abc!ef"),
        ("abcdef\x1b[3G\x1b[2P", "abef"),
        ("abcdef\x1b[3G\x1b[2X", "ab  ef"),
        ("abcdef\x1b[3G\x1b[2@", "ab  cdef"),
        ("x\x1b[4b", "xxxxx"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;AAAA\x1b\\text", "text"),
        ("\x1b]8;;http://x/\x07link\x1b]8;;\x07", "link"),
        ("\x1bPq#0;2;0;0;0\n~~@@\x1b\\text", "text"),
        ("\x1b]unterminated\nnext line", "\nnext line"),
        ("\x1b[?25lhidden\x1b[?25h", "hidden"),
        ("\x9b31mred\x9bm", "red"),
        ("\x1b(Btext\x1b=\x1b>", "text"),
        ("a\x07b\x0ec", "abc"),
        ("日本語\rX", "X 本語"),
        ("broken \x1b[12\x01m", "broken m"),
    ],
)
def test_r33_lines_are_what_a_terminal_would_show(written: str, shown: str) -> None:
    assert log_of(written).text() == shown


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.data())
def test_r33_it_does_not_matter_where_the_bytes_are_cut(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces) + b"."
    cut = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    parts = [whole[start:stop] for start, stop in zip([0, *cut], [*cut, len(whole)], strict=True)]

    assert log_of(*parts).text() == log_of(whole).text()
    assert log_of(*parts).cursor == log_of(whole).cursor
    assert cells_of(log_of(*parts)) == cells_of(log_of(whole))


def cells_of(log: TerminalLog) -> list[list[tuple[str, str]]]:
    """Return each row as characters and their styles."""
    return [[(one, str(style or "none")) for text, style, _ in row for one in text] for row in log.rows()]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mone\ntwo\x1b[m\nthree", [[("one", "1")], [("two", "1")], [("three", "")]]),
        ("\x1b[31mone\x1b[39m two\nthree", [[("one", "1"), (" two", "")], [("three", "")]]),
        ("\x1b[31m\x1b[Kone\x1b[m\x1b[K:", [[("one", "1"), (":", "")]]),
        ("a\x1b[32m\x1b(Bone", [[("a", ""), ("one", "2")]]),
        ("日\x1b[32m\ttwo\x1b[m\t\nx", [[("日", ""), ("      two", "2")], [("x", "")]]),
        ("\x1b[35mone\rtwo\nthree", [[("two", "5")], [("three", "5")]]),
        ("\x1b[35mone\ntwo\x1b[1A\x1b[mthree", [[("one", "5"), ("three", "")], [("two", "5")]]),
    ],
)
def test_colours_go_on_from_line_to_line(written: str, shown: list[list[tuple[str, str]]]) -> None:
    rows = [
        [(text, str(style.color.number) if style and style.color else "") for text, style, _ in row]
        for row in log_of(written).rows()
    ]
    assert rows == shown


def test_a_tab_waits_for_what_is_written_behind_it() -> None:
    for one, other in (
        ("a\t", "b"),
        ("a", "\tb"),
        ("\x1b[32ma\x1b[m\t", "b"),
        ("a\t\r\t", "b"),
        ("xy\ba\t", "b"),
    ):
        log = log_of(one, other)
        assert log.text().rstrip("b") == log.text()[:-1] == "a       " if "y" not in one else "xa      "
        assert log.cursor == (0, 9)


def test_colours_cost_little_beside_the_text() -> None:
    plain = b"ok tests/test_one.py the first of the tests of this file\r\n" * 300
    coloured = (
        b"\x1b[1;32mok\x1b[0m tests/test_one.py \x1b[36mthe first\x1b[39m of the tests of this file\r\n" * 300
    )

    def cost(data: bytes) -> float:
        log = TerminalLog()
        start = time.process_time()
        for _ in range(30):
            log.feed(data)
        return time.process_time() - start

    assert min(cost(coloured) for _ in range(3)) < 25 * min(
        cost(plain) for _ in range(3)
    )  # 60 when read at once


@pytest.mark.slow
@settings(max_examples=100)
@given(st.binary(max_size=300))
def test_no_bytes_break_it_and_no_control_reaches_a_row(data: bytes) -> None:
    log = TerminalLog()
    log.feed(data)

    text = "".join(segment.text for row in log.rows() for segment in row)
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in text)


@pytest.mark.parametrize("written", ["\x1b[5;3H", "\x1b[?1049h", "\x1b[2J", "\x1b[3;20r"])
def test_free_cursor_movement_asks_for_a_screen(written: str) -> None:
    assert log_of(written).needs_screen
    assert not log_of("\x1b[2Aone\r\n\x1b[K\x1b[?25l").needs_screen


def test_only_the_newest_lines_are_kept() -> None:
    log = TerminalLog(max_lines=10)
    for number in range(100):
        log.feed(f"line {number}\n".encode())
    assert log.line_count == 10
    assert log.dropped == 91
    assert log.text() == "\n".join(f"line {number}" for number in range(91, 100)) + "\n"


def test_one_large_piece_keeps_the_same_as_many_small_ones() -> None:
    text = "".join(f"line {number}\n" for number in range(1_000))
    large, small = TerminalLog(max_lines=50), TerminalLog(max_lines=50)

    large.feed(text.encode())
    for line in text.splitlines(keepends=True):
        small.feed(line.encode())

    assert large.text() == small.text()
    assert large.dropped == small.dropped


@pytest.mark.parametrize("line", [b"x" * 1_000 + b"\n", b"x" * 10_000, b"\x1b[32mgreen\x1b[m" * 100])
def test_bytes_are_bounded_whatever_the_lines(line: bytes) -> None:
    log = TerminalLog(max_bytes=50_000)
    for _ in range(200):
        log.feed(line)
    assert 20_000 < len(log.text()) <= 101_000


def test_colours_without_any_text_are_bounded_too() -> None:
    log = TerminalLog(max_bytes=50_000)
    for _ in range(200):
        log.feed(b"\x1b[m" * 1_000 + b"\n")
    assert log.line_count < 20
    log.feed(b"\x1b[m" * 100_000 + b"the end")
    assert log.text().endswith("the end")


def test_changes_are_reported_from_the_first_changed_line() -> None:
    log = log_of("a\nb\nc")
    assert log.take_changed() == 0
    log.feed(b"\nd")
    assert log.take_changed() == 2
    log.feed(b"\x1b[3A\rA")
    assert log.take_changed() == 0


@pytest.mark.slow
def test_ten_megabytes_of_short_lines_are_taken_in_soon() -> None:
    data = b"y\r\n" * 20_000
    log = TerminalLog()
    start = time.process_time()
    for _ in range(170):
        log.feed(data)
    assert time.process_time() - start < 2


def links_in(log: TerminalLog) -> list[tuple[str, str]]:
    return [(text, style.link or "") for row in log.rows() for text, style, _ in row if style is not None]


def test_a_link_of_the_output_is_kept_wherever_its_bytes_are_cut() -> None:
    written = "see \x1b]8;id=1;https://x.example/a\x1b\\the \x1b[31mdocs\x1b[0m now\x1b]8;;\x07 and on"
    for cut in range(len(written)):
        found = links_in(log_of(written[:cut], written[cut:]))
        assert "".join(text for text, link in found if link) == "the docs now"
        assert {link for _, link in found if link} == {"https://x.example/a"}


def test_only_plain_addresses_become_links() -> None:
    for address in ("javascript:x", "https://x/\u202e", "https://x/ y", "https://" + "x" * 5_000, "ssh://x"):
        assert not any(link for _, link in links_in(log_of(f"\x1b]8;;{address}\x07text\x1b]8;;\x07")))
    assert not any(link for _, link in links_in(log_of("\x1b]0;8;https://x\x07text")))


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
