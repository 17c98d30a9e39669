"""Remarks on lines, as reviewers write them."""

from __future__ import annotations

import pytest

from acp_tui.session.remarks import Remark, remarks_in


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py:12: Close the file.",
        "- src/a.py:12: Close the file.",
        "  * `src/a.py:12`: Close the file.",
        "1. **src/a.py:12** - Close the file.",
        "2) [src/a.py:12] — Close the file.",
        "### src/a.py:12 Close the file.",
        "- [ ] src/a.py:L12: Close the file.",
        "/work/src/a.py:12: Close the file.",
        "./src/a.py:12:5: Close the file.",
        "**`src/a.py:12`:** Close the file.",
    ],
)
def test_a_remark_is_found_however_it_is_set(line: str) -> None:
    assert remarks_in(f"I looked.\n\n{line}\n\nThat is all.", "/work") == [
        Remark("src/a.py", 12, 12, "Close the file.")
    ]


@pytest.mark.parametrize("place", ["a.py:12-14", "a.py:12–14", "a.py:12..14", "a.py:L12-L14"])
def test_a_remark_on_several_lines_has_both_ends(place: str) -> None:
    assert remarks_in(f"{place}: Why?", "/work") == [Remark("a.py", 12, 14, "Why?")]


def test_a_remark_goes_on_until_an_empty_line_or_the_next_one() -> None:
    answer = "a.py:1: One\n  and more.\nb.py:2: Two\n\nNo part of it.\n\n**c.py:3**\nThree."

    assert remarks_in(answer, "/work") == [
        Remark("a.py", 1, 1, "One and more."),
        Remark("b.py", 2, 2, "Two"),
        Remark("c.py", 3, 3, "Three."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "At 12:30 nothing happened.",
        "12:30: nothing happened.",
        "See https://example.com:8080 for more.",
        "In src/a.py:12 nothing is wrong, I think.",
        "```\nsrc/a.py:12: in code\n```",
        "Nothing is wrong.",
        "",
    ],
)
def test_what_is_no_remark_on_a_line_is_none(text: str) -> None:
    assert remarks_in(text, "/work") == []


def test_the_same_remark_counts_once() -> None:
    assert len(remarks_in("a.py:1: One\n\na.py:1: One\n", "/work")) == 1


def test_a_range_that_ends_before_it_begins_is_one_line() -> None:
    assert remarks_in("a.py:12-3: Why?", "/work") == [Remark("a.py", 12, 12, "Why?")]
