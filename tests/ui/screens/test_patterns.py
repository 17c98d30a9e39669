"""Patterns of an agent are bounded in time."""

import time

from acp_tui.ui.screens.patterns import matches


def test_patterns_are_found_or_not() -> None:
    assert matches([("^a+$", "aaa"), ("^a+$", "b"), (r"\d", "no"), ("", "")], 20) == [
        True,
        False,
        False,
        True,
    ]


def test_a_pattern_that_is_none_cannot_be_told_and_spares_the_others() -> None:
    assert matches([("(", "x"), (r"\p{L}", "x"), ("x", "x")], 20) == [None, None, True]


def test_c105_a_catastrophic_pattern_ends_in_time() -> None:
    began = time.monotonic()

    found = matches([("x", "x"), ("^(a+)+$", "a" * 60 + "b"), ("x", "x")], 2)

    assert found[1:] == [None, None]
    assert time.monotonic() - began < 30
