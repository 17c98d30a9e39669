"""Three-way merges of texts."""

from __future__ import annotations

import pytest

from acp_tui.changes.merge import Merge, merge_texts

BASE = "".join(f"line {number}\n" for number in range(9))


async def test_changes_in_different_places_are_both_in_the_merge() -> None:
    now, wanted = BASE.replace("line 1\n", "mine\n"), BASE.replace("line 7\n", "theirs\n")

    merge = await merge_texts(BASE, now, wanted)

    assert merge == Merge(now.replace("line 7\n", "theirs\n"), 0)


async def test_changes_that_meet_are_marked_with_their_sides() -> None:
    now, wanted = BASE.replace("line 4\n", "mine\n"), BASE.replace("line 4\n", "theirs\n")

    merge = await merge_texts(BASE, now, wanted)

    assert merge is not None
    assert merge.conflicts == 1
    assert "<<<<<<< on disk\nmine\n=======\ntheirs\n>>>>>>> the agent\n" in merge.text


async def test_line_ends_and_a_missing_last_one_stay_as_they_are() -> None:
    base = "a\r\nb\r\nc\r\nd\r\ne"
    now, wanted = base.replace("a\r", "A\r"), base.replace("e", "E")

    assert await merge_texts(base, now, wanted) == Merge("A\r\nb\r\nc\r\nd\r\nE", 0)


async def test_without_git_there_is_no_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert await merge_texts("a\n", "b\n", "c\n") is None
