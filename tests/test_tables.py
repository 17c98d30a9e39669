"""Tests that run once for a whole table."""

from __future__ import annotations

import pytest

from tests.tables import each


def test_every_row_that_fails_is_named() -> None:
    @each("letter", "ab")
    @each(("number", "limit"), [(1, 2), (3, 2), (5, 2)])
    def is_small(letter: str, number: int, limit: int) -> None:
        assert letter == "b" or number < limit

    with pytest.raises(ExceptionGroup, match="1 of 2 rows") as of_letters:
        is_small()

    (of_numbers,) = of_letters.value.exceptions
    assert isinstance(of_numbers, ExceptionGroup)
    assert of_numbers.__notes__ == ["with {'letter': 'a'}"]
    assert [failure.__notes__ for failure in of_numbers.exceptions] == [
        ["with {'number': 3, 'limit': 2}"],
        ["with {'number': 5, 'limit': 2}"],
    ]
