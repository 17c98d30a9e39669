from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.merging import Hunk, without


def test_the_hunk_is_taken_back_and_the_others_stay() -> None:
    old, new = b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\nE\nf\n"

    assert without(old, new, Hunk(0, 1, 0, 1)) == b"a\nb\nc\nd\nE\nf\n"
    assert without(old, new, Hunk(4, 5, 4, 6)) == b"A\nb\nc\nd\ne\n"


def test_lines_that_were_added_go_and_lines_that_were_removed_come_back() -> None:
    assert without(b"a\nc\n", b"a\nb\nc\n", Hunk(1, 1, 1, 2)) == b"a\nc\n"
    assert without(b"a\nb\nc\n", b"a\nc\n", Hunk(1, 2, 1, 1)) == b"a\nb\nc\n"


def test_a_missing_newline_at_the_end_comes_back_and_joins_no_lines() -> None:
    assert without(b"a\nb", b"a\nB\n", Hunk(1, 2, 1, 2)) == b"a\nb"
    assert without(b"a", b"A\nb\n", Hunk(0, 1, 0, 1)) == b"a\nb\n"


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        (b"a\nb\n", b"A\r\nb\r\n", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", b"A\nb\n", b"a\nb\n"),
        (b"a\r\nb\r\n", b"A\r\nb\n", b"a\r\nb\n"),
    ],
)
def test_old_lines_get_the_line_ends_of_the_file_as_it_is_now(old: bytes, new: bytes, result: bytes) -> None:
    assert without(old, new, Hunk(0, 1, 0, 1)) == result


@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"\xff\n", b"\n"])), st.lists(st.sampled_from([b"a\n", b"c\n"]))
)
def test_taking_everything_back_gives_the_old_text(before: list[bytes], after: list[bytes]) -> None:
    old, new = b"".join(before), b"".join(after)

    assert without(old, new, Hunk(0, len(before), 0, len(after))) == old
