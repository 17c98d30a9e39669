"""What git tells of two trees, read: from its words, without git."""

from __future__ import annotations

from acp_tui.host.diff_tree import changes_in
from acp_tui.host.snapshot import LeftOut
from acp_tui.host.snapshot_store import NO_FILE

ONE, TWO = "1" * 40, "2" * 40


def answer(*words: str | bytes) -> bytes:
    return b"".join((word if isinstance(word, bytes) else word.encode()) + b"\0" for word in words)


def test_modes_contents_and_counts_of_a_file_come_together() -> None:
    (change,) = changes_in(answer(f":100644 100755 {ONE} {TWO} M", "a b.py", "3\t1\ta b.py"), ())

    assert (change.path, change.status, change.old_path) == ("a b.py", "M", "a b.py")
    assert (change.old_mode, change.new_mode) == (0o100644, 0o100755)
    assert (change.old_id, change.new_id) == (ONE, TWO)
    assert (change.added, change.removed, change.binary) == (3, 1, False)


def test_a_new_and_a_deleted_file_have_content_on_one_side() -> None:
    new, gone = changes_in(
        answer(
            f":000000 100644 {NO_FILE} {ONE} A", "new", f":100644 000000 {TWO} {NO_FILE} D", "gone",
            "1\t0\tnew", "0\t1\tgone",
        ),
        (),
    )  # fmt: skip

    assert (new.status, new.old_id, new.new_id) == ("A", "", ONE)
    assert (gone.status, gone.old_id, gone.new_id) == ("D", TWO, "")


def test_a_rename_has_two_names_in_both_parts_of_the_answer() -> None:
    (change,) = changes_in(
        answer(f":100644 100644 {ONE} {TWO} R087", "old", "new", "2\t2\t", "old", "new"), ()
    )

    assert (change.status, change.old_path, change.path) == ("R", "old", "new")
    assert (change.added, change.removed) == (2, 2)


def test_a_file_without_lines_has_no_counts_and_any_bytes_are_a_name() -> None:
    (change,) = changes_in(answer(f":100644 100644 {ONE} {TWO} M", b"caf\xe9", b"-\t-\tcaf\xe9"), ())

    assert change.binary
    assert (change.added, change.removed) == (0, 0)
    assert change.path.encode("utf-8", "surrogateescape") == b"caf\xe9"


def test_a_file_that_grew_too_large_is_not_called_deleted() -> None:
    words = answer(f":100644 000000 {ONE} {NO_FILE} D", "big", "0\t9\tbig")

    (change,) = changes_in(words, [LeftOut("big", "large")])
    assert (change.status, change.new_mode, change.new_id, change.binary) == ("M", 0o100644, "", True)
    (change,) = changes_in(words, [LeftOut("big", "unreadable")])
    assert change.status == "D"
