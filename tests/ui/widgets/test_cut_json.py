import json
from typing import Any

import pytest

from acp_tui.ui.widgets.cut_json import CUT, beginning

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
