"""Tests of `changes/undo.py`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.changes import git_tree
from acp_tui.changes.git_store import GitFailed
from acp_tui.changes.git_tree import ChangedFile, Snapshot
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.undo import Hunk, Reviewed, restore, reverse, revert_hunk
from tests.changes.workspaces import repository, told, workspace


def test_the_hunk_is_taken_back_and_the_others_stay() -> None:
    old, new = b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\nE\nf\n"

    assert revert_hunk(old, new, Hunk(0, 1, 0, 1)) == b"a\nb\nc\nd\nE\nf\n"
    assert revert_hunk(old, new, Hunk(4, 5, 4, 6)) == b"A\nb\nc\nd\ne\n"


def test_lines_that_were_added_go_and_lines_that_were_removed_come_back() -> None:
    assert revert_hunk(b"a\nc\n", b"a\nb\nc\n", Hunk(1, 1, 1, 2)) == b"a\nc\n"
    assert revert_hunk(b"a\nb\nc\n", b"a\nc\n", Hunk(1, 2, 1, 1)) == b"a\nb\nc\n"


def test_a_missing_newline_at_the_end_comes_back_and_joins_no_lines() -> None:
    assert revert_hunk(b"a\nb", b"a\nB\n", Hunk(1, 2, 1, 2)) == b"a\nb"
    assert revert_hunk(b"a", b"A\nb\n", Hunk(0, 1, 0, 1)) == b"a\nb\n"


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        (b"a\nb\n", b"A\r\nb\r\n", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", b"A\nb\n", b"a\nb\n"),
        (b"a\r\nb\r\n", b"A\r\nb\n", b"a\r\nb\n"),
    ],
)
def test_old_lines_get_the_line_ends_of_the_file_as_it_is_now(old: bytes, new: bytes, result: bytes) -> None:
    assert revert_hunk(old, new, Hunk(0, 1, 0, 1)) == result


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"\xff\n", b"\n"])), st.lists(st.sampled_from([b"a\n", b"c\n"]))
)
def test_taking_everything_back_gives_the_old_text(before: list[bytes], after: list[bytes]) -> None:
    old, new = b"".join(before), b"".join(after)

    assert revert_hunk(old, new, Hunk(0, len(before), 0, len(after))) == old


OLD = b"a\nb\nc\nd\n"
NEW = b"A\nb\nc\nD\n"


def changed(new_id: str, path: str = "f") -> ChangedFile:
    return ChangedFile(path, "M", path, 0o100644, 0o100644, "old", new_id)


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


def test_what_was_kept_is_open_again_step_by_step() -> None:
    reviewed, change = Reviewed(), changed("1")
    for hunk in (Hunk(0, 1, 0, 1), Hunk(3, 4, 3, 4)):
        reviewed.begin_step(0)
        reviewed.keep(change, OLD, NEW, hunk)

    assert reviewed.go_back(0)
    assert (reviewed.is_done(change), reviewed.base(change, OLD)) == (False, b"A\nb\nc\nd\n")
    assert reviewed.go_back(0)
    assert reviewed.base(change, OLD) == OLD
    assert not reviewed.go_back(0)


def test_a_rejection_that_came_later_is_taken_back_before_what_was_kept() -> None:
    reviewed = Reviewed()
    reviewed.begin_step(1)
    reviewed.keep_file(changed("1"), NEW)

    assert not reviewed.go_back(2)
    assert reviewed.go_back(1)
    assert not reviewed.is_done(changed("1"))


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


async def two_changes(folder: Path) -> tuple[Path, Snapshots, Snapshot, list[ChangedFile]]:
    """Return (root, snapshots, the one before, what was seen to change) of two files that read 1, then 2."""
    root, snapshots = workspace(folder, a="1\n", b="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (root / "b").write_text("2\n")
    return root, snapshots, before, await snapshots.changes(before)


def texts_where_b_comes_after(
    event: Callable[[], None], snapshots: Snapshots
) -> Callable[[ChangedFile], Any]:
    """Return `snapshots.texts` as it is when something happens just before the texts of b are read."""
    texts = snapshots.texts

    async def read(change: ChangedFile) -> tuple[bytes | None, bytes | None]:
        if change.path == "b":
            event()
        return await texts(change)

    return read


@pytest.mark.slow
async def test_a_renamed_file_is_one_change_and_goes_back(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(50))
    root, snapshots = workspace(tmp_path, old=text)
    before = await snapshots.take()
    (root / "sub").mkdir()
    (root / "old").rename(root / "sub" / "new\n")
    (root / "sub" / "new\n").write_text(text + "more\n")

    (change,) = await snapshots.changes(before)

    assert (change.status, change.old_path, change.path) == ("R", "old", "sub/new\n")
    assert (change.added, change.removed) == (1, 0)
    await restore(snapshots, before, [change])
    assert [path.name for path in root.iterdir()] == ["old"]
    assert (root / "old").read_text() == text


@pytest.mark.slow
async def test_bytes_line_ends_modes_and_links_come_back_as_they_were(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    (root / ".gitattributes").write_text(
        "* text=auto eol=lf ident filter=none working-tree-encoding=UTF-16\n"
    )
    was = {
        "crlf": b"a\r\nb\r\n$Id$",
        "mixed": b"a\r\nb\n",
        "data": bytes(range(256)),
        "script": b"#!/bin/sh\n",
    }
    for name, content in was.items():
        (root / name).write_bytes(content)
    (root / "script").chmod(0o750)
    (root / "secret").write_text("s")
    (root / "secret").chmod(0o600)
    (root / "link").symlink_to("/nowhere at all")
    before = await snapshots.take()

    for name in was:
        (root / name).write_text("other")
    (root / "secret").write_text("other")
    (root / "script").chmod(0o640)
    (root / "link").unlink()
    (root / "link").write_text("a file")
    changes = {change.path: change for change in await snapshots.changes(before)}
    assert changes["link"].status == "T"
    assert changes["data"].binary
    assert (changes["script"].old_mode, changes["script"].new_mode) == (0o100755, 0o100644)
    restored = await restore(snapshots, before, list(changes.values()))

    assert restored.problems == ()
    assert {name: (root / name).read_bytes() for name in was} == was
    assert (root / "script").stat().st_mode & 0o777 == 0o750
    assert (root / "secret").stat().st_mode & 0o777 == 0o600
    assert str((root / "link").readlink()) == "/nowhere at all"
    assert await snapshots.changes(before) == []


@pytest.mark.slow
async def test_going_back_can_itself_be_undone(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (root / "b").write_text("new\n")

    restored = await restore(snapshots, before, await snapshots.changes(before))
    assert not (root / "b").exists()
    await restore(snapshots, restored.way_back, await snapshots.changes(restored.way_back))

    assert ((root / "a").read_text(), (root / "b").read_text()) == ("2\n", "new\n")


@pytest.mark.slow
async def test_a_file_that_changed_since_the_user_looked_stays(tmp_path: Path) -> None:
    root, snapshots, before, seen = await two_changes(tmp_path)
    (root / "a").write_text("3, in an editor\n")

    restored = await restore(snapshots, before, seen)

    assert restored.problems == ("a: changed meanwhile",)
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("3, in an editor\n", "1\n")


@pytest.mark.slow
async def test_a_file_that_changes_while_others_are_restored_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, snapshots, before, seen = await two_changes(tmp_path)

    def an_editor_saves() -> None:
        (root / "b").write_text("3, in an editor\n")

    monkeypatch.setattr(snapshots, "texts", texts_where_b_comes_after(an_editor_saves, snapshots))
    restored = await restore(snapshots, before, seen)

    assert restored.problems == ("b: changed meanwhile",)
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("1\n", "3, in an editor\n")


@pytest.mark.slow
async def test_a_file_that_is_saved_while_its_old_text_is_written_stays_and_is_not_told_as_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, snapshots, before, seen = await two_changes(tmp_path)
    sync = os.fsync

    def an_editor_saves_first(file: int) -> None:
        sync(file)
        (root / "a").write_text("3, in an editor\n")

    monkeypatch.setattr("acp_tui.workspace.files.os.fsync", an_editor_saves_first)
    restored = await restore(snapshots, before, [change for change in seen if change.path == "a"])

    assert restored.done == ()
    assert restored.problems == ("a: changed meanwhile",)
    assert (root / "a").read_text() == "3, in an editor\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "event"),
    [
        ({".gitignore": ".env\n", ".env": "mine"}, lambda root: (root / ".gitignore").write_text("\n")),
        ({".gitignore": ".env\n", ".env": "mine"}, lambda root: (root / ".gitignore").unlink()),
        (
            {".gitignore": ".env\n", ".env": "mine"},
            lambda root: ((root / ".gitignore").unlink(), (root / ".env").write_text("mine, touched")),
        ),
        ({".gitignore": ".env\n", ".env": "mine"}, lambda root: (root / ".env").rename(root / "env")),
        ({"large": "o" * (9 << 20)}, lambda root: os.truncate(root / "large", 100)),
    ],
)
async def test_a_file_that_no_snapshot_held_and_that_may_have_been_there_is_not_deleted(
    tmp_path: Path, files: dict[str, str], event: Callable[[Path], object]
) -> None:
    root, snapshots = workspace(tmp_path, **files)
    for name in files:
        os.utime(root / name, (1_000_000_000, 1_000_000_000))
    before = await snapshots.take()
    event(root)
    (root / "new").write_text("the agent's\n")

    restored = await restore(snapshots, before, await snapshots.changes(before))

    mine = [path for path in root.rglob("*") if path.name in (".env", "env", "large")]
    assert len(mine) == 1, "it is still there"
    assert not (root / "new").exists()
    assert [problem.partition(": ")[2] for problem in restored.problems] == [OLDER]


@pytest.mark.slow
async def test_files_of_a_repository_within_stay_when_it_is_none_any_more(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    (root / "m").mkdir()
    (root / "m" / "untouched").write_text("mine\n")
    os.utime(root / "m" / "untouched", (1_000_000_000, 1_000_000_000))
    repository(root)
    repository(root / "m")
    before = await snapshots.take()
    shutil.rmtree(root / "m" / ".git")

    await restore(snapshots, before, await snapshots.changes(before))

    assert (root / "m" / "untouched").read_text() == "mine\n"


@pytest.mark.slow
async def test_a_file_whose_content_cannot_be_read_keeps_no_other_from_being_told_as_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, snapshots, before, seen = await two_changes(tmp_path)

    def the_disk_fails() -> None:
        raise GitFailed("cannot read")

    monkeypatch.setattr(snapshots, "texts", texts_where_b_comes_after(the_disk_fails, snapshots))
    restored = await restore(snapshots, before, seen)

    assert [change.path for change in restored.done] == ["a"]
    assert restored.problems == ("b: cannot read",)


@pytest.mark.slow
async def test_a_folder_in_the_place_of_a_file_gives_way_only_with_all_that_is_in_it(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a" / "inner").write_text("2\n")
    changes = await snapshots.changes(before)

    alone = await restore(snapshots, before, [change for change in changes if change.path == "a"])
    assert alone.problems == ("a: it is now a folder, so it is kept",)
    assert (root / "a" / "inner").read_text() == "2\n"

    assert (await restore(snapshots, before, changes)).problems == ()
    assert (root / "a").read_text() == "1\n"


@pytest.mark.slow
async def test_a_folder_that_became_a_link_leads_nothing_outside(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    (root / "sub").mkdir()
    (root / "sub" / "a").write_text("1\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    before = await snapshots.take()
    (root / "sub" / "a").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)

    changes = await snapshots.changes(before)
    deleted = [change for change in changes if change.status == "D"]
    restored = await restore(snapshots, before, deleted)

    assert told(changes) == [("A", "sub"), ("D", "sub/a")]
    assert len(restored.problems) == 1
    assert list(outside.iterdir()) == []


@pytest.mark.slow
async def test_a_file_becomes_a_folder_and_back(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a" / "inner").write_text("2\n")
    middle = await snapshots.take()
    (root / "a" / "inner").unlink()
    (root / "a").rmdir()
    (root / "a").write_text("1\n")

    assert told(await snapshots.changes(before, middle)) == [("A", "a/inner"), ("D", "a")]
    assert await snapshots.changes(before) == []


@pytest.mark.slow
async def test_what_no_snapshot_holds_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, grown="1\n", ignored="2\n", gone="3\n")
    before = await snapshots.take()
    (root / "grown").write_text("9" * 20)
    for name in ("ignored", "gone"):
        (root / name).unlink()
    await snapshots.take()
    (root / ".gitignore").write_text("ignored\n")
    (root / "ignored").write_text("new\n")

    changes = [change for change in await snapshots.changes(before) if change.path != ".gitignore"]
    assert told(changes) == [("D", "gone"), ("D", "ignored"), ("M", "grown")]
    restored = await restore(snapshots, before, changes)

    assert told(list(restored.done)) == [("D", "gone")]
    assert len(restored.problems) == 2
    assert (root / "grown").read_text() == "9" * 20
    assert (root / "ignored").read_text() == "new\n"
    assert (root / "gone").read_text() == "3\n"


@pytest.mark.slow
async def test_a_hunk_is_not_taken_out_of_a_file_that_became_too_large_for_a_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, f="a\nb\n")
    before = await snapshots.take()
    (root / "f").write_text("A\nb\n")
    (change,) = await snapshots.changes(before)
    (root / "f").write_text("A\nb\n" + "c\n" * 10)

    restored = await reverse(snapshots, change, Hunk(0, 1, 0, 1))

    assert not restored.done
    assert restored.problems
    assert (root / "f").read_text() == "A\nb\n" + "c\n" * 10


OLDER = "it may have been there before, ignored or left out, so it is kept"
FIRST = Hunk(0, 1, 0, 1)
"""The first line, changed."""


@pytest.mark.slow
async def test_one_hunk_is_rejected_and_the_mode_stays(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n3\n4\nfive\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n3\n4\nFIVE\n")
    (root / "a").chmod(0o711)
    (change,) = await snapshots.changes(before)

    rejected = await reverse(snapshots, change, FIRST)

    assert rejected.done == (change,)
    assert (root / "a").read_text() == "one\n2\n3\n4\nFIVE\n"
    assert (root / "a").stat().st_mode & 0o777 == 0o711


@pytest.mark.slow
async def test_a_hunk_is_rejected_in_a_file_that_changed_elsewhere_since(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n3\n4\nfive\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n3\n4\nfive\n")
    (change,) = await snapshots.changes(before)
    (root / "a").write_text("ONE\n2\n3\n4\nfive\nin an editor\n")

    await reverse(snapshots, change, FIRST)

    assert (root / "a").read_text() == "one\n2\n3\n4\nfive\nin an editor\n"


@pytest.mark.slow
async def test_a_hunk_whose_place_changed_again_is_a_conflict_and_stays(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n")
    (change,) = await snapshots.changes(before)
    (root / "a").write_text("something else\n2\n")

    rejected = await reverse(snapshots, change, FIRST)

    assert rejected.problems == ("a: changed again in the same place",)
    assert (root / "a").read_text() == "something else\n2\n"
    assert snapshots.damaged is None


@pytest.mark.slow
async def test_a_file_that_is_saved_while_a_hunk_is_rejected_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n")
    (change,) = await snapshots.changes(before)
    take = snapshots.take

    async def take_while_an_editor_saves() -> Snapshot:
        taken = await take()
        (root / "a").write_text("ONE\n2\n3, in an editor\n")
        return taken

    monkeypatch.setattr(snapshots, "take", take_while_an_editor_saves)
    rejected = await reverse(snapshots, change, FIRST)

    assert rejected.problems == ("a: changed meanwhile",)
    assert (root / "a").read_text() == "ONE\n2\n3, in an editor\n"


@pytest.mark.slow
async def test_two_names_of_one_file_go_back_without_a_problem(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n")
    (root / "b").hardlink_to(root / "a")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n")

    done = await restore(snapshots, before, await snapshots.changes(before))

    assert (told([*done.done]), done.problems) == ([("M", "a"), ("M", "b")], ())
    assert (root / "a").read_text() == (root / "b").read_text() == "one\n"


@pytest.mark.slow
async def test_a_hunk_of_a_file_that_is_gone_or_a_link_now_is_a_problem(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n", other="ONE\n2\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n")
    (change,) = await snapshots.changes(before)
    (root / "a").unlink()

    assert len((await reverse(snapshots, change, FIRST)).problems) == 1
    (root / "a").symlink_to("other")
    assert len((await reverse(snapshots, change, FIRST)).problems) == 1
    assert (root / "other").read_text() == "ONE\n2\n"


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("is_changed_since", [False, True])
async def test_a_hunk_of_a_wide_text_is_rejected(
    tmp_path: Path, codec: str, end: str, is_changed_since: bool
) -> None:
    def text(*lines: str) -> bytes:
        return "".join(line + end for line in lines).encode(codec)

    middle = [f"line {number}: größer, 日本" for number in range(9)]
    root, snapshots = workspace(tmp_path)
    (root / "a").write_bytes(text("first", *middle, "last"))
    before = await snapshots.take()
    (root / "a").write_bytes(text("FIRST ĊĊ", *middle, "LAST"))
    (change,) = await snapshots.changes(before)
    if is_changed_since:
        (root / "a").write_bytes(text("FIRST ĊĊ", *middle, "LAST", "more"))

    restored = await reverse(snapshots, change, Hunk(0, 1, 0, 1))

    assert not restored.problems
    more = ["more"] if is_changed_since else []
    assert (root / "a").read_bytes() == text("first", *middle, "LAST", *more)


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [("a", "a/a"), ("a/a", "a"), ("a/b/c", "a/b")])
async def test_a_file_that_was_moved_into_the_place_of_its_folder_or_the_other_way_comes_back(
    tmp_path: Path, old: str, new: str
) -> None:
    root, snapshots = workspace(tmp_path)
    (root / old).parent.mkdir(parents=True, exist_ok=True)
    (root / old).write_text("one\ntwo\nthree\n")
    before = await snapshots.take()
    (root / old).rename(root / "between")
    if new.startswith(old):
        (root / old).mkdir()
    else:
        (root / old).parent.rmdir()
    (root / "between").rename(root / new)

    restored = await restore(snapshots, before, await snapshots.changes(before))

    assert restored.problems == ()
    assert (root / old).read_text() == "one\ntwo\nthree\n"
    assert await snapshots.changes(before) == []
    await restore(snapshots, restored.way_back, await snapshots.changes(restored.way_back))
    assert (root / new).read_text() == "one\ntwo\nthree\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("above", "ignored", "folder", "name"),
    [
        (b"", b"\xef\xbb\xbfsecret\n", "sub", "secret"),
        (b"*.log\n!data\n", b"data\n", "(app)", "data"),
        (b"", b"name\\ \n", "sub", "name "),
        (b"", b"name\t\n", "sub", "name\t"),
        (b"", b"secret   \r\n", "[id]", "secret"),
        (b"", b"secret\n", "a\nb", "secret"),
    ],
)
async def test_a_file_that_an_ignore_file_of_a_folder_hid_stays(
    tmp_path: Path, above: bytes, ignored: bytes, folder: str, name: str
) -> None:
    root, snapshots = workspace(tmp_path)
    (root / folder).mkdir()
    (root / ".gitignore").write_bytes(above)
    (root / folder / ".gitignore").write_bytes(ignored)
    (root / folder / name).write_text("mine\n")
    before = await snapshots.take()
    (root / folder / ".gitignore").write_text("")
    (root / folder / name).write_text("of the agent\n")

    restored = await restore(snapshots, before, await snapshots.changes(before))

    assert restored.problems == (f"{folder}/{name}: {OLDER}",)
    assert (root / folder / name).read_text() == "of the agent\n"
