"""Output of a command, as rows."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest

from acp_tui.ui.widgets.output_block import (
    CHARACTERS,
    CUT,
    JSON_LINES,
    LINES,
    STRING,
    JsonBlock,
    OutputBlock,
    beginning,
    json_lines,
)
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.log import Pen, TerminalLog, style_of
from acp_tui.ui.widgets.text import Row, row_text

VALUE: Any = {
    "t": 1.5,
    "msg": {"id": 3, "deep": [{"a": [1, 2, {"b": 'é\n"\\x'}]}, None, True], "text": "long " * 20},
    "end": {},
}


def is_beginning(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and is_beginning(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_beginning, part, whole))
    if isinstance(part, str) and part.endswith(CUT):
        return not isinstance(whole, str) or whole.startswith(part[: -len(CUT)])
    return bool(part == whole) or isinstance(part, int | float)  # a number may be cut within


@pytest.mark.parametrize("ascii", [True, False])
def test_any_cut_gives_the_beginning_of_the_value(ascii: bool) -> None:
    text = json.dumps(VALUE, ensure_ascii=ascii)

    for length in range(len(text)):
        assert is_beginning(beginning(text[:length]), VALUE), text[:length]
    assert beginning(text) == VALUE


def test_what_stands_before_a_cut_is_there() -> None:
    assert beginning('{"id": 3, "result": {"content": "abc') == {"id": 3, "result": {"content": f"abc{CUT}"}}


@pytest.mark.parametrize("text", ["", "nonsense", "{]", '{"a" 1}', "[" * 100_000, '{"a":' * 100_000, '"\\'])
def test_nothing_fails(text: str) -> None:
    beginning(text)


def text_of(value: Any) -> str:
    return "\n".join(
        "  " * line.level + "".join(text for _, text in line.pieces) for line in json_lines(value)
    )


@pytest.mark.parametrize(
    "value",
    [None, True, -1.5e300, "é\n\x1b", [], {}, [[]], {"a": {"b": [1, {"c": None}]}, "d": []}, [{}, [1], "x"]],
)
def test_a_small_value_is_valid_json(value: Any) -> None:
    assert json.loads(text_of(value)) == value


def test_it_looks_like_the_usual_pretty_form() -> None:
    value = {"a": [1, 2], "b": {"c": "d"}}

    assert text_of(value) == json.dumps(value, indent=2)


def test_a_long_string_is_cut_and_says_how_much_is_missing() -> None:
    (line,) = json_lines("x" * 570_000)

    assert line.pieces[1] == ("notice", " … 568,000 more characters")


def test_a_long_value_is_cut_and_says_so() -> None:
    lines = list(json_lines(list(range(100_000))))

    assert len(lines) == JSON_LINES + 1
    assert "not shown" in lines[-1].pieces[0][1]
    assert len(text_of(["x" * 1_900] * 900)) < CHARACTERS + 3_000


def test_a_value_of_any_depth_is_shown() -> None:
    value: Any = []
    for _ in range(500):
        value = [value]

    assert "[…]" in text_of(value)


def test_rows_fit_and_show_nothing_a_terminal_obeys() -> None:
    rows = JsonBlock({"a": ["\x1b[2J" + "字" * 200, {"b" * 50: 1}]}).rows(30, Styles())

    assert all(sum(segment.cell_length for segment in row) <= 30 for row in rows)
    assert "\x1b" not in "".join(map(row_text, rows))


def test_of_a_huge_value_only_what_is_shown_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"output": "x" * 10_000_000, "lines": ["y" * 100] * 100_000}
    written: list[str] = []
    dumps = json.dumps

    def noted_dumps(value: Any, **how: Any) -> str:
        written.append(value)
        return dumps(value, **how)

    monkeypatch.setattr(json, "dumps", noted_dumps)
    JsonBlock(value).rows(100, Styles())

    assert JSON_LINES * 0.9 < len(written) <= JSON_LINES + 2
    assert sum(map(len, written)) < CHARACTERS + STRING


def shown(block: OutputBlock, width: int) -> list[str]:
    return [row_text(row).rstrip() for row in block.rows(width, Styles())]


def test_long_lines_are_wrapped_anywhere_and_a_progress_bar_is_its_last_state() -> None:
    assert shown(OutputBlock("abcdefgh\n10%\r99%\n"), 5) == ["abcde", "fgh", "99%"]


@pytest.mark.slow
def test_only_the_newest_lines_are_shown_and_all_are_copied() -> None:
    block = OutputBlock("".join(f"{number}\n" for number in range(LINES + 10)))

    rows = shown(block, 20)
    assert (rows[-1], len(rows) <= LINES, "0" in rows) == (str(LINES + 9), True, False)
    assert block.source().startswith("0\n1\n")
    assert block.height_hint(20) == LINES


def test_rows_are_kept_for_one_width_until_they_are_given_back() -> None:
    block = OutputBlock("abcdefgh\n")
    first = block.rows(5, Styles())
    assert block.stable_rows == 0

    assert block.rows(5, Styles()) is first
    assert block.stable_rows == len(first)
    block.forget_rows()
    assert block.rows(5, Styles()) is not first


def test_the_colours_of_the_program_are_kept_and_an_empty_end_is_not() -> None:
    rows = OutputBlock("\x1b[32mok\x1b[0m\nfailed\n").rows(20, Styles())

    assert [[segment.text for segment in row] for row in rows] == [["ok"], ["failed"]]
    assert rows[0][0].style == style_of(Pen(2))
    assert OutputBlock("").rows(20, Styles()) == []


@pytest.mark.slow
def test_of_very_much_output_only_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fed = 0
    feed = TerminalLog.feed

    def counted(log: TerminalLog, data: bytes) -> None:
        nonlocal fed
        fed += data.count(b"\n")
        feed(log, data)

    monkeypatch.setattr(TerminalLog, "feed", counted)
    block = OutputBlock("".join(f"line {number} \x1b[31mred\x1b[0m\n" for number in range(20 * LINES)))

    assert shown(block, 40)[-1] == f"line {20 * LINES - 1} red"
    assert fed <= 2 * LINES


@pytest.mark.slow
def test_in_slices_it_gives_the_same_rows_and_says_what_stays() -> None:
    text = "".join(f"line {number} \x1b[3{number % 8}mcolour\x1b[0m and more\n" for number in range(2_000))
    whole, sliced = OutputBlock(text), OutputBlock(text)
    expected = list(whole.rows(20, Styles()))
    assert whole.waiting == 0

    slices, rows = 0, list[Row]()
    while not slices or sliced.waiting:
        before = list(rows)
        rows = list(sliced.some_rows(20, Styles(), perf_counter()))
        assert rows[: sliced.stable_rows] == before
        slices += 1

    assert rows == expected
    assert slices > 20
    assert list(sliced.rows(50, Styles())) == list(whole.rows(50, Styles()))
