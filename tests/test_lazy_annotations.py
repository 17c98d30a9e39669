"""Annotations that are compiled when they are evaluated."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any, NamedTuple, TypedDict, get_type_hints

import pytest

from acp_tui import lazy_annotations


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    lazy_annotations.install()
    yield
    vars(typing).pop("compile", None)


class Outer:
    """A type that annotations name."""


def pair() -> Any:
    class Pair(NamedTuple):
        first: Outer
        second: list[Outer] | None = None

    return Pair


def test_the_annotations_of_a_named_tuple_are_not_compiled_where_it_is_made() -> None:
    reference = pair().__annotations__["second"]

    assert reference.__forward_code__ == "list[Outer] | None"


def test_they_are_what_they_name_once_they_are_evaluated() -> None:
    assert get_type_hints(pair()) == {"first": Outer, "second": list[Outer] | None}


def test_they_are_evaluated_for_a_typed_dictionary_too() -> None:
    class Place(TypedDict, total=False):
        at: Outer

    assert get_type_hints(Place) == {"at": Outer}


def test_an_annotation_that_is_no_expression_fails_where_it_is_evaluated() -> None:
    class Wrong(NamedTuple):
        part: "not an expression"  # type: ignore[valid-type]  # noqa: F722

    with pytest.raises(SyntaxError):
        get_type_hints(Wrong)
