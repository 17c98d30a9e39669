"""Text from outside, without anything that a terminal would obey."""

from __future__ import annotations

import random
import unicodedata

import pytest
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.text import (
    cells,
    exact,
    exact_line,
    joined,
    open_end,
    row_cells,
    row_text,
    safe,
    safe_line,
    seen,
    shortened,
    start_of,
    wrap,
)
from tests.tables import each


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


INVISIBLE = (
    *"\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u034f\u061c\u180e\u17b4\u17b5",
    *"\u115f\u1160\u3164\uffa0\ufe00\ufe0e\ufe0f\u180b\u206a\u206f\ufff9\ufffb\u2028\u2029",
    *"\U000e0001\U000e0041\U000e007f\U000e0100\U0001d173",
)
"""Characters that nobody sees between Latin letters."""


@each("one", INVISIBLE)
def test_what_nobody_sees_is_a_mark(one: str) -> None:
    assert safe(f"rm{one}-rf") == "rm\ufffd-rf"
    assert safe(one) == "\ufffd"
    assert safe_line(f"a {one} b") == "a \ufffd b"
    assert exact(f"rm{one}-rf") == "rm\ufffd-rf"


def test_no_format_character_is_unseen_in_commands_and_paths() -> None:
    unseen = [one for one in map(chr, range(0x110000)) if unicodedata.category(one) == "Cf"]

    assert [one for one in unseen if exact(f"rm{one}-rf") != "rm\ufffd-rf"] == []


READABLE = (
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
    "\U0001f469\U0001f3fd\u200d\U0001f680",  # with the colour of a skin
    "\u2764\ufe0f\u200d\U0001f525",
    "\u26a0\ufe0f \u2714\ufe0e \u2194\ufe0f \u203c\ufe0f \u2139\ufe0f \u00a9\ufe0f",
    "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "\U0001f1e9\U0001f1ea",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # England
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0995\u09cd\u200d\u09b7 \u0915\u094d\u200d",  # Bengali, Devanagari
    "\u1780\u17b6\u200b\u179a",  # Khmer
    "\u845b\U000e0100",
)
"""Texts that need characters that nobody sees."""


@pytest.mark.parametrize("text", READABLE)
def test_emoji_and_scripts_stay_readable_in_prose(text: str) -> None:
    assert safe(text) == text
    assert safe_line(f"a {text} b") == f"a {text} b"


@pytest.mark.parametrize(
    "one", "\u00a0\u1680\u2003\u202f\u205f\u2800\u3000", ids=lambda one: f"{ord(one):04X}"
)
def test_a_blank_that_is_no_space_is_a_mark_in_commands_and_paths(one: str) -> None:
    assert exact(f"rm{one}-rf") == "rm\ufffd-rf"
    assert safe(f"12{one}345") == f"12{one}345"


@pytest.mark.parametrize("text", [text for text in READABLE if "\U0001f1e9" not in text])
def test_in_commands_and_paths_nothing_is_unseen(text: str) -> None:
    assert "\ufffd" in exact(f"rm {text}.py")


@pytest.mark.parametrize(
    "text",
    [
        "a\u200db",
        "\U0001f468\u200d",
        "\U0001f468\u200drm",
        "\u0645\u200crm",
        "\u0645\u200d\u200d",
        "x\ufe0f",
        "1\ufe0fx",
        "\u26a0\ufe0f\ufe0f",
        "\U0001f3f4\U000e0067x",
        "\U000e0067\U000e0062\U000e007f",
    ],
)
def test_what_joins_nothing_is_a_mark_in_prose_too(text: str) -> None:
    assert "\ufffd" in safe(text)


def test_a_command_is_exact_on_one_line() -> None:
    assert exact_line("rm \\\n\t\u2800x\u200d") == "rm \\  \ufffdx\ufffd"


def test_what_the_user_writes_keeps_its_length() -> None:
    text = "".join(INVISIBLE) + "\x1b\x00\x85\u202e" + READABLE[0] + READABLE[7]

    assert len(seen(text)) == len(text)
    assert seen(READABLE[0]) == READABLE[0]
    assert seen("\x1b\u200b\u3164") == "␛\ufffd\ufffd"


@each("text", [*READABLE, "a\r\nb", "x\U0001f3f4"])
def test_a_text_that_comes_in_parts_is_as_safe_as_the_whole(text: str) -> None:
    for cut in range(len(text) + 1):
        end = open_end(text[:cut])
        first, rest = text[:end], text[end:]
        assert safe(first) + safe(rest, first[-1:]) == safe(text)


PLAIN = Style()
BOLD = Style(bold=True)


def wrapped(text: str, width: int, words: bool = True) -> list[str]:
    return [row_text(row) for row in wrap([(text, PLAIN)], width, words=words)]


@each(
    ("text", "width", "rows"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two   three", 8, ["one two", "three"]),
        ("exactly", 7, ["exactly"]),
        ("abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]),
        ("a\n\nb", 9, ["a", "", "b"]),
        ("    indented word", 12, ["    indented", "word"]),
        ("        longword", 6, ["      ", "  long", "word"]),
        ("a\tb", 9, ["a    b"]),
        ("", 9, [""]),
        ("漢字漢字 ab", 5, ["漢字", "漢字", "ab"]),
        ("ab 漢字漢字", 6, ["ab 漢", "字漢字"]),
        ("é" * 5, 3, ["é" * 3, "é" * 2]),
        ("👩‍👩‍👧👩‍👩‍👧x", 4, ["👩‍👩‍👧👩‍👩‍👧", "x"]),
        ("naïve words go on", 11, ["naïve words", "go on"]),
    ],
)
def test_text_is_wrapped_by_cells(text: str, width: int, rows: list[str]) -> None:
    assert wrapped(text, width) == rows


def test_code_is_cut_at_the_edge() -> None:
    assert wrapped("ab cd ef", 4, words=False) == ["ab c", "d ef"]
    assert wrapped("漢 字x", 4, words=False) == ["漢 ", "字x"]


def test_styles_go_with_their_characters() -> None:
    rows = wrap([("one t", PLAIN), ("wo th", BOLD), ("ree", PLAIN)], 7)

    assert rows == [
        [Segment("one t", PLAIN), Segment("wo", BOLD)],
        [Segment("th", BOLD), Segment("ree", PLAIN)],
    ]


def test_prefixes_stand_before_the_first_and_the_other_rows() -> None:
    rows = wrap([("one two\nthree", PLAIN)], 5, [Segment("> ")], [Segment(". ")])

    assert [row_text(row) for row in rows] == ["> one", ". two", ". thr", ". ee"]


def test_wrapped_rows_join_to_the_text_they_came_from() -> None:
    text = "one two three\nfour fivesixseven 漢字漢字漢字\nend"
    rows = wrap([(text, PLAIN)], 7, [Segment("> ")], [Segment(". ")])

    assert joined(rows, start=2) == text.replace("\n", "\n. ")


@pytest.mark.parametrize("words", [True, False])
def test_nothing_is_lost_and_no_row_too_wide(words: bool) -> None:
    dice = random.Random(1)
    pieces = ("a", "word", " ", "  ", "漢字", "é", "👍🏽", "❤️", "🇩🇪", "longlonglongword", "\n", "-")
    for _ in range(300):
        spans = [(dice.choice(pieces), dice.choice((PLAIN, BOLD))) for _ in range(dice.randint(1, 40))]
        width = dice.randint(2, 20)
        rows = wrap(spans, width, words=words)
        text = "".join(text for text, _ in spans)
        assert max(map(row_cells, rows)) <= width
        assert "".join(map(row_text, rows)).replace(" ", "") == text.replace(" ", "").replace("\n", "")
