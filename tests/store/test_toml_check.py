"""Partial reading of invalid tables, and the messages about them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.store import toml_check
from acp_tui.store.toml_check import Findings, Kind, Place, ShapeError, line_of


def found(kinds: dict[str, Kind], table: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Any, str]]]:
    """Return (usable values, mistakes by place)."""
    findings = Findings()
    return toml_check.read_table(table, kinds, ("top",), findings), findings.items


def test_what_is_wrong_is_left_out_and_the_rest_is_read() -> None:
    kinds = {"name": toml_check.text, "wait": toml_check.number(0, 10), "fold": toml_check.switch}

    usable, wrong = found(kinds, {"name": "x", "wait": 11, "fold": "yes"})

    assert usable == {"name": "x"}
    assert wrong == [
        (("top", "wait"), "'wait' must be a number from 0 to 10, not 11"),
        (("top", "fold"), "'fold' must be true or false, not 'yes'"),
    ]


def test_an_unknown_name_is_told_with_the_known_one_that_is_close() -> None:
    assert found({"thoughts": toml_check.text}, {"thougths": "x", "zzz": 1})[1] == [
        (("top", "thougths"), "unknown setting 'thougths'; did you mean 'thoughts'?"),
        (("top", "zzz"), "unknown setting 'zzz'"),
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (toml_check.text, 1, "a string"),
        (toml_check.texts, ["a", 1], "a list of strings"),
        (toml_check.words, [], 'a list of strings such as ["program", "--option"]'),
        (toml_check.text_by_name, {"a": 1}, "a table of strings"),
        (toml_check.choice_by_name, {"a": 1}, "a table of strings and true or false"),
        (toml_check.whole(1, 3), True, "a whole number from 1 to 3"),
        (toml_check.whole(1, 3), 2.0, "a whole number from 1 to 3"),
        (toml_check.number(0, 1), float("nan"), "a number from 0 to 1"),
        (toml_check.one_of("a", "b", "c"), "d", '"a", "b" or "c"'),
        (toml_check.some_of("a", "b"), ["a", "d"], 'a list of "a" or "b"'),
        (toml_check.record(dict, {}), [], "a table"),
    ],
)
def test_a_value_of_another_kind_is_told_what_belongs_there(kind: Kind, value: Any, expected: str) -> None:
    with pytest.raises(ShapeError) as wrong:
        kind(value, (), Findings())

    assert str(wrong.value) == expected


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (toml_check.texts, ["a"], ("a",)),
        (toml_check.words, ["run", "-x"], ("run", "-x")),
        (toml_check.text_by_name, {"a": "b"}, {"a": "b"}),
        (toml_check.choice_by_name, {"a": "b", "c": True}, {"a": "b", "c": True}),
        (toml_check.whole(1, 3), 3, 3),
        (toml_check.number(0, 1), 1, 1.0),
        (toml_check.some_of("a", "b"), ["b"], ("b",)),
        (toml_check.record(dict, {"a": toml_check.text}, ("a",)), {"a": "x"}, {"a": "x"}),
        (toml_check.by_name(toml_check.switch), {"any": True}, {"any": True}),
    ],
)
def test_a_value_of_its_kind_is_read(kind: Kind, value: Any, read: Any) -> None:
    assert kind(value, (), Findings()) == read


def test_a_table_that_lacks_something_or_must_be_whole_is_not_read_in_part() -> None:
    kinds: dict[str, Kind] = {"command": toml_check.text, "mode": toml_check.text}

    with pytest.raises(ShapeError, match='a table with a valid "command"'):
        toml_check.record(dict, kinds, ("command",))({"command": 1}, (), Findings())
    with pytest.raises(ShapeError, match="a valid table"):
        toml_check.record(dict, kinds, all_or_nothing=True)({"mode": 1}, (), Findings())


def test_a_long_value_is_told_by_its_beginning() -> None:
    (wrong,) = found({"n": toml_check.switch}, {"n": "x" * 500})[1]

    assert wrong[1] == f"'n' must be true or false, not '{'x' * 58}…"


TEXT = """\
# settings
theme = "acp-dark"

[keys]
"session.stop" = "f9"

[[rules]]
decision = "allow"

[[rules]]  # the second
decision = "deny"
path.inner = "x"
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("theme",), 2),
        (("keys", "session.stop"), 5),
        (("keys", "not there"), 4),
        (("rules", 0, "decision"), 8),
        (("rules", 1), 10),
        (("rules", 1, "path", "inner"), 12),
        (("nowhere", "at all"), None),
    ],
)
def test_a_place_is_found_or_else_what_is_around_it(place: Place, line: int | None) -> None:
    assert line_of(TEXT, place) == line


def test_a_text_is_searched_once_for_all_its_places() -> None:
    class Counted(str):
        __slots__ = ()
        searches = 0

        def splitlines(self, keepends: bool = False) -> list[str]:
            Counted.searches += 1
            return super().splitlines(keepends)

    text = Counted("[[rules]]\n" * 100)

    assert [line_of(text, ("rules", number)) for number in range(100)] == [*range(1, 101)]
    assert Counted.searches == 1
