import json
from typing import Any

import pytest

from acp_tui.ui.widgets import json_block as module
from acp_tui.ui.widgets.json_block import CHARACTERS, LINES, STRING, JsonBlock, json_lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import row_text


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

    assert len(lines) == LINES + 1
    assert "not shown" in lines[-1].pieces[0][1]
    assert len(text_of(["x" * 1_900] * 900)) < CHARACTERS + 3_000


def test_a_value_of_any_depth_is_shown() -> None:
    value: Any = []
    for _ in range(500):
        value = [value]

    assert "[…]" in text_of(value)


def test_rows_fit_and_show_nothing_a_terminal_obeys() -> None:
    rows = JsonBlock({"a": ["\x1b[2J" + "字" * 200, {"b" * 50: 1}]}).rows(30, Look())

    assert all(sum(segment.cell_length for segment in row) <= 30 for row in rows)
    assert "\x1b" not in "".join(map(row_text, rows))


def test_of_a_huge_value_only_what_is_shown_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"output": "x" * 10_000_000, "lines": ["y" * 100] * 100_000}
    written: list[str] = []

    def quoted(text: str) -> str:
        written.append(text)
        return f'"{text}"'

    monkeypatch.setattr(module, "_quoted", quoted)
    JsonBlock(value).rows(100, Look())

    assert LINES * 0.9 < len(written) <= LINES + 2
    assert sum(map(len, written)) < CHARACTERS + STRING
