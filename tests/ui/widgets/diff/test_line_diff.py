"""Differences of texts: right, small, quick, and plain about what no line shows."""

from __future__ import annotations

import random
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.ui.widgets.diff import line_diff as module
from acp_tui.ui.widgets.diff.line_diff import (
    Difference,
    DiffLine,
    changed_words,
    compare,
    compute,
    counts,
    glance,
    patch_of,
)
from tests.tables import each

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d e", "\r", "ü"]), max_size=40)


def applied(difference: Difference) -> list[str]:
    """Return the text that a difference makes: equal lines of the old text and added ones of the new."""
    lines: list[str] = []
    for block in difference.blocks:
        if block.equal:
            lines.extend(difference.old[block.old_start : block.old_stop])
        else:
            lines.extend(difference.new[block.new_start : block.new_stop])
    return lines


@pytest.mark.slow
@settings(max_examples=150)
@given(LINES, LINES)
def test_old_lines_and_the_difference_give_the_new_lines(old: list[str], new: list[str]) -> None:
    blocks, coarse = compare(old, new)

    assert not coarse
    assert [line for b in blocks for line in old[b.old_start : b.old_stop]] == old
    assert [line for b in blocks for line in new[b.new_start : b.new_stop]] == new
    for block in blocks:
        if block.equal:
            assert old[block.old_start : block.old_stop] == new[block.new_start : block.new_stop]
    assert all(one.equal != other.equal for one, other in pairwise(blocks))


@pytest.mark.slow
@settings(max_examples=100)
@given(LINES, LINES)
def test_a_small_difference_is_the_smallest(old: list[str], new: list[str]) -> None:
    blocks, _ = compare(old, new)

    kept = sum(block.old_stop - block.old_start for block in blocks if block.equal)
    assert kept == longest_common(old, new)


def longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for line in old:
        above = row
        row = [0]
        for at, other in enumerate(new):
            row.append(above[at] + 1 if line == other else max(above[at + 1], row[at]))
    return row[-1]


def test_hunks_have_numbers_and_context() -> None:
    old = "".join(f"line {number}\n" for number in range(1, 31))
    new = old.replace("line 10\n", "line ten\n").replace("line 25\n", "")

    hunks = compute(old, new).hunks(context=1)

    assert hunks == [
        [
            DiffLine("equal", 9, 9, "line 9"),
            DiffLine("removed", 10, None, "line 10"),
            DiffLine("added", None, 10, "line ten"),
            DiffLine("equal", 11, 11, "line 11"),
        ],
        [
            DiffLine("equal", 24, 24, "line 24"),
            DiffLine("removed", 25, None, "line 25"),
            DiffLine("equal", 26, 25, "line 26"),
        ],
    ]


def test_changes_near_each_other_are_one_hunk() -> None:
    old = "a\nb\nc\nd\ne\n"
    assert len(compute(old, "A\nb\nc\nd\nE\n").hunks(context=2)) == 1


def test_a_snippet_is_numbered_from_the_line_it_starts_at() -> None:
    hunk = compute("x\n", "y\n", first_line=41).hunks()[0]

    assert [(line.old, line.new) for line in hunk] == [(41, None), (None, 41)]


def test_what_has_a_nul_is_shown_with_it() -> None:
    difference = compute(None, "#!/bin/sh\nrun\0\n")

    assert (difference.status, difference.new) == ("new", ["#!/bin/sh", "run\0"])


@each(
    ("old", "new", "status", "fact"),
    [
        (None, "a\n", "new", "new file"),
        (None, "", "new", "new file, empty"),
        ("a\n", None, "deleted", "file deleted"),
        ("a\n", "", "changed", "file emptied"),
        ("a\n", "a\n", "unchanged", "same text"),
        ("\0", "\0\0", "binary", "binary content, not shown"),
        (None, "\x7f\1\2\3", "binary", "binary content, not shown: 4 bytes that begin with 7f 01 02 03"),
        ("\1\2\3", "text\n", "binary", "binary content, not shown: 5 bytes that begin with 74 65 78 74 0a"),
        ("a\r\nb\r\n", "a\nb\n", "changed", "line ends changed: CRLF → LF"),
        ("a\nb\n", "a\r\nb\n", "changed", "line ends changed: LF → mixed"),
        ("a\n", "a", "changed", "newline at end removed"),
        ("a", "a\n", "changed", "newline at end added"),
        ("a\n", "\ufeffa\n", "changed", "byte order mark added"),
    ],
)
def test_r28_what_no_line_shows_is_said(old: str | None, new: str | None, status: str, fact: str) -> None:
    difference = compute(old, new)

    assert difference.status == status
    assert fact in difference.facts()


def test_a_snippet_without_a_newline_says_nothing_about_the_end_of_the_file() -> None:
    assert compute("a", "b").facts() == []


def test_new_line_ends_alone_change_no_line() -> None:
    difference = compute("a\r\nb\r\n", "a\nB\n")

    assert (difference.added, difference.removed) == (1, 1)


def test_in_a_mix_of_line_ends_the_lines_that_got_another_end_are_changed() -> None:
    difference = compute("a\nb\nc\n", "a\nb\r\nc\n")

    assert [line for line in difference.hunks()[0] if line.kind != "equal"] == [
        DiffLine("removed", 2, None, "b"),
        DiffLine("added", None, 2, "b\r"),
    ]


def test_an_ordinary_change_has_no_facts() -> None:
    assert compute("a\nb\n", "a\nc\n").facts() == []


def test_r28_one_edit_in_a_crlf_file_is_one_changed_line() -> None:
    assert counts("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n") == (1, 1)


def test_counts_are_those_of_the_difference() -> None:
    assert counts(None, "a\nb\n") == (2, 0)
    assert counts("a\nb\n", None) == (0, 2)
    assert counts("a\nb\n", "b\nc\nd\n") == (2, 1)


def test_counts_are_kept() -> None:
    old, new = texts(3_000, every=7)
    counts(old, new)

    start = time.process_time()
    for _ in range(1_000):
        counts(old, new)
    assert time.process_time() - start < 0.5


@pytest.mark.slow
def test_large_texts_cost_about_as_much_per_line_as_small_ones() -> None:
    costs = {}
    for lines in (5_000, 50_000):
        old, new = texts(lines, every=10)
        times = []
        for _ in range(3):
            start = time.process_time()
            difference = compute(old, new)
            times.append(time.process_time() - start)
        assert difference.added == lines // 10
        costs[lines] = min(times) / lines
    assert costs[50_000] < 4 * costs[5_000]
    assert costs[50_000] * 50_000 < 2


def test_shuffled_lines_end_soon() -> None:
    lines = [f"line {number}" for number in range(20_000)]
    shuffled = lines.copy()
    random.Random(7).shuffle(shuffled)

    start = time.process_time()
    difference = compute("\n".join(lines), "\n".join(shuffled))

    assert time.process_time() - start < 2
    assert applied(difference) == shuffled


def test_when_the_time_is_over_the_difference_is_coarse_and_still_right() -> None:
    old, new = texts(5_000, every=3)

    difference = compute("first\n" + old, "first\n" + new, deadline=time.monotonic() - 1)

    assert difference.coarse
    assert applied(difference) == ("first\n" + new).splitlines()
    assert any("roughly" in fact for fact in difference.facts())


def texts(lines: int, every: int) -> tuple[str, str]:
    old = [f"    value_{number} = call({number % 50})\n" for number in range(lines)]
    new = [f"{line[:-1]}  # changed\n" if number % every == 0 else line for number, line in enumerate(old)]
    return "".join(old), "".join(new)


def test_changed_words_are_marked_on_both_lines() -> None:
    old, new = "return the old value", "return the new value here"

    removed, added = changed_words(old, new)

    assert [old[start:stop] for start, stop in removed] == ["old"]
    assert [new[start:stop] for start, stop in added] == ["new", " here"]


def test_lines_with_little_in_common_get_no_marks() -> None:
    assert changed_words("import os", "class Reader(Protocol):") == ((), ())


def test_a_very_long_line_gets_no_marks() -> None:
    assert changed_words("a " * 5_000, "b " * 5_000) == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("a", None, ["file deleted"]),
        ("a", "", ["file emptied"]),
        ("a", "a\n", ["newline at end added"]),
        ("a\n", "a", ["newline at end removed"]),
        (None, "a", ["new file", "no newline at end"]),
    ],
)
def test_a_newline_at_the_end_is_added_only_to_a_text_that_is_there(
    old: str | None, new: str | None, facts: list[str]
) -> None:
    assert compute(old, new).facts() == facts


def test_a_difference_that_was_just_counted_is_not_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def noted(*arguments: Any) -> Any:
        compared.append(1)
        return compare(*arguments)

    monkeypatch.setattr(module, "compare", noted)
    old, new = "a\nb\nonly here\n", "a\nc\nonly here\n"

    assert counts(old, new) == (1, 1)
    assert glance(old, new).added == 1
    assert len(compared) == 1
    assert glance(old, new).added == 1  # nothing is kept after the first glance
    assert len(compared) == 2


SIXTY = "".join(f"line {number}\n" for number in range(60))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SIXTY, SIXTY.replace("line 5\n", "fifth\n").replace("line 40\n", "")),
        (SIXTY, "first\n" + SIXTY + "last\n"),
        ("a\nb\n", "a\nb"),
        ("a\nb", "a\nc\nb"),
        ("a", "a\nb\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\nb\n", "a\r\nb\r\n"),
        ("a\r\nb\n", "a\nb\r\nc\n"),
        ("\ufeffa\nb\n", "\ufeffa\nc\n"),
        ("\ufeffa\nb\n", "a\nb\n"),
        ("a\n", ""),
        ("", "a\n"),
        (None, "a\nb\n"),
        (None, "no end"),
        ("a\nb\n", None),
    ],
)
def test_git_applies_the_patch(tmp_path: Path, old: str | None, new: str | None) -> None:
    file = tmp_path / "some folder" / "a.txt"
    file.parent.mkdir()
    if old is not None:
        file.write_bytes(old.encode())

    patch = patch_of(compute(old, new), "some folder/a.txt")

    git = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(git, input=patch.encode(), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + patch
    assert (file.read_bytes().decode() if file.exists() else None) == new


def test_one_change_of_several_is_a_patch_of_its_own(tmp_path: Path) -> None:
    difference = compute(SIXTY, SIXTY.replace("line 5\n", "fifth\n").replace("line 40\n", "fortieth\n"))

    patch = patch_of(difference, "a", (40, 41))

    assert "fortieth" in patch
    assert "fifth" not in patch
    (tmp_path / "a").write_text(SIXTY)
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_text() == SIXTY.replace("line 40\n", "fortieth\n")


def test_what_is_no_text_makes_no_patch() -> None:
    assert patch_of(compute("a\0", "b\0"), "a") == ""
    assert patch_of(compute("a\n", "a\n"), "a") == ""
