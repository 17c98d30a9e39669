"""What a terminal would obey, in any text from outside."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets.text import cells, safe, safe_line, shortened, start_of


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b]0;title\x1b\\", "␛]0;title␛\\"),
        ("\x1b]8;;http://a/\x07here\x1b]8;;\x07", "␛]8;;http://a/␇here␛]8;;␇"),
        ("\x1b[2Jgone", "␛[2Jgone"),
        ("\x1bPq~~\x1b\\", "␛Pq~~␛\\"),
        ("\x9b2J\x9d0;x\x9c\x90q", "\ufffd2J\ufffd0;x\ufffd\ufffdq"),
        ("\x1b]52;c;without end", "␛]52;c;without end"),
        ("a\rb\x00\b\x0e\x7f", "a␍b␀␈␎␡"),
        ("\u202eback\u2066\u200f", "\ufffdback\ufffd\ufffd"),
        ("half \ud83d", "half \ufffd"),
    ],
)
def test_r34_what_a_terminal_would_obey_is_shown_instead(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown
    assert safe_line(hostile) == shown


@pytest.mark.parametrize("text", ["", "two\n\tlines", "日本語 👨‍👩‍👧 ☁️ 🇩🇪 e\u0301", "[/x] [bold] ␛"])
def test_what_harms_nothing_stays_as_it_is(text: str) -> None:
    assert safe(text) == text


def test_a_line_has_no_line_ends() -> None:
    assert safe_line("one\n\ttwo\r\n") == "one  two␍ "


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("", ""),
        ("abcd", "abcd"),
        ("abcde", "abc…"),
        ("漢字", "漢字"),
        ("漢字漢", "漢 …"),
        ("e\u0301" * 4, "e\u0301" * 4),
        ("x" + "\u0301" * 1_000_000, "x" + "\u0301" * 31 + "…"),
        ("x" * 1_000_000, "xxx…"),
    ],
)
def test_a_text_is_shortened_by_cells(text: str, short: str) -> None:
    assert shortened(text, 4) == short


def test_of_a_megabyte_no_more_is_read_than_a_line_can_show() -> None:
    long = "wörd " * 200_000
    assert len(start_of(long, 20)) < 200
    assert shortened(start_of(long, 20), 20) == shortened(long, 20)
    assert start_of("short", 20) == "short"


@pytest.mark.parametrize(("text", "width"), [("", 0), ("word", 4), ("wörd", 4), ("日本", 4), ("e\u0301", 1)])
def test_a_text_takes_as_many_cells_as_a_terminal_gives_it(text: str, width: int) -> None:
    assert cells(text) == width
