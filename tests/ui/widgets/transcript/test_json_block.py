"""JSON values as rows, and cut JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from acp_tui.ui.widgets.transcript.json_block import (
    CHARACTERS,
    CUT,
    JSON_LINES,
    STRING,
    JsonBlock,
    beginning,
    json_lines,
)

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
