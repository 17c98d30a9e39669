"""What was kept of a change, and what is still open."""

from __future__ import annotations

from acp_tui.host.merging import Hunk
from acp_tui.host.reviewing import Reviewed
from acp_tui.host.snapshot import Changed

OLD = b"a\nb\nc\nd\n"
NEW = b"A\nb\nc\nD\n"


def changed(new_id: str, path: str = "f") -> Changed:
    return Changed(path, "M", path, 0o100644, 0o100644, "old", new_id)


def test_a_kept_hunk_is_open_no_more_and_the_others_are() -> None:
    reviewed, change = Reviewed(), changed("1")

    reviewed.keep(change, OLD, NEW, Hunk(0, 1, 0, 1))

    assert reviewed.base(change, OLD) == b"A\nb\nc\nd\n"
    assert not reviewed.is_done(change)
    reviewed.keep(change, OLD, NEW, Hunk(3, 4, 3, 4))
    assert reviewed.is_done(change)


def test_a_kept_file_is_open_again_when_it_changes_again() -> None:
    reviewed = Reviewed()

    reviewed.keep_file(changed("1"), NEW)

    assert reviewed.is_done(changed("1"))
    assert not reviewed.is_done(changed("2"))
    assert reviewed.base(changed("2"), OLD) == NEW
    assert not reviewed.is_done(changed("1", "other"))


def test_a_file_that_becomes_what_was_kept_has_nothing_open() -> None:
    reviewed = Reviewed()
    reviewed.keep(changed("1"), OLD, NEW, Hunk(0, 1, 0, 1))

    reviewed.settle(changed("2"), OLD, b"A\nb\nc\nd\n")

    assert reviewed.is_done(changed("2"))


def test_nothing_is_settled_where_nothing_was_kept() -> None:
    reviewed = Reviewed()

    reviewed.settle(changed("1"), OLD, OLD)

    assert not reviewed.is_done(changed("1"))
    assert not reviewed.has_kept(changed("1"))


def test_a_kept_deletion_is_kept() -> None:
    reviewed = Reviewed()

    reviewed.keep_file(changed(""), None)

    assert reviewed.is_done(changed(""))


def test_a_file_kept_without_its_text_is_open_from_the_beginning_once_it_changes_again() -> None:
    reviewed = Reviewed()

    reviewed.keep_file(changed("1"), None)

    assert reviewed.is_done(changed("1"))
    assert not reviewed.is_done(changed("2"))
    assert reviewed.base(changed("2"), OLD) == OLD
    assert not reviewed.has_kept(changed("2"))
