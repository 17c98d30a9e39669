"""Parts of JSON values of any form."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.json_values import as_list, as_object, member


@pytest.mark.parametrize("value", [None, (), "x", 1, True])
def test_what_is_no_object_or_list_counts_as_an_empty_one(value: object) -> None:
    assert (as_object(value), as_list(value)) == ({}, [])
    assert as_object({"a": 1}) == {"a": 1}
    assert as_list([1]) == [1]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": {"b": 1}}, 1),
        ({"a": {}}, None),
        ({"a": [1]}, None),
        ({"b": 1}, None),
        ("a", None),
        (None, None),
    ],
)
def test_a_member_is_found_by_its_names_or_there_is_none(value: Any, found: object) -> None:
    assert member(value, "a", "b") == found
