"""Tests of `workspace/file_versions.py`."""

from __future__ import annotations

from acp_tui.workspace import file_versions as seen
from acp_tui.workspace.file_versions import FileVersions, Version

ONE, OTHER = Version(1, 3, 100), Version(1, 3, 200)


def test_a_file_that_was_never_seen_is_no_reason_to_ask() -> None:
    assert FileVersions().is_current("/w/a", ONE, "any")


def test_a_file_is_as_it_was_seen_by_its_version_or_by_its_text() -> None:
    known = FileVersions()
    known.record("/w/a", ONE, "abc")

    assert known.is_current("/w/a", ONE, None)
    assert known.is_current("/w/a", OTHER, "abc"), "touched, not changed"
    assert not known.is_current("/w/a", OTHER, "abd")
    assert not known.is_current("/w/a", None, None), "it is gone"


def test_of_a_file_of_which_a_part_was_seen_only_the_version_counts() -> None:
    known = FileVersions()
    known.record("/w/a", ONE, "abc")
    known.record("/w/a", ONE)

    assert known.text("/w/a") is None
    assert not known.is_current("/w/a", OTHER, "abc")


def test_a_file_that_was_not_there_is_current_while_it_is_not() -> None:
    known = FileVersions()
    known.record("/w/new", None)

    assert known.is_current("/w/new", None, None)
    assert not known.is_current("/w/new", ONE, "somebody's")


def test_large_and_old_texts_are_given_back_and_still_recognized() -> None:
    known = FileVersions()
    large = "x" * (seen.MAX_TEXT + 1)
    known.record("/w/large", ONE, large)
    for number in range(seen.MOST_TEXTS + 1):
        known.record(f"/w/{number}", ONE, str(number))

    assert (known.text("/w/large"), known.text("/w/0"), known.text("/w/1")) == (None, None, "1")
    assert known.is_current("/w/large", OTHER, large)
    assert known.is_current("/w/0", OTHER, "0")


def test_files_that_were_seen_long_ago_are_forgotten() -> None:
    known = FileVersions()
    for number in range(seen.MOST_FILES + 1):
        known.record(f"/w/{number}", ONE, "")

    assert known.is_current("/w/0", OTHER, "changed")
    assert not known.is_current("/w/1", OTHER, "changed")
