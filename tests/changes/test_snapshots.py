"""Taking and comparing snapshots."""

from __future__ import annotations

import os
import subprocess
import time
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from acp_tui.changes import git_tree
from acp_tui.changes import snapshots as snapshots_module
from acp_tui.changes.git_store import NO_FILE
from acp_tui.changes.git_tree import LeftOut
from acp_tui.changes.line_counts import Counts, LineCounts
from acp_tui.changes.snapshots import changes_in
from acp_tui.changes.undo import restore
from acp_tui.ui.widgets.diff.line_diff import compute
from tests.changes.workspaces import bytes_of, objects_of, repository, told, workspace

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


_LONG = "".join(f"line {number}\n" for number in range(30))


def wide(text: str) -> bytes:
    return text.encode("utf-16")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        (wide(_LONG), wide(_LONG + "more\nand more\n"), Counts(2, 0)),
        (wide(_LONG), wide(_LONG.replace("line 7\n", "")), Counts(0, 1)),
        (wide(_LONG), wide(_LONG.replace("\n", "\r\n")), Counts(0, 0)),
        (None, wide(_LONG), Counts(30, 0)),
        (wide(_LONG), None, Counts(0, 30)),
        (_LONG.encode(), wide(_LONG), Counts(0, 0)),
        (_LONG.encode("utf-32-be"), wide(_LONG), Counts(0, 0)),
        (None, wide("no end"), Counts(1, 0)),
        (b"a\0b", b"a\0c", None),
        (wide(_LONG), b"a\0c", None),
        (b"a\n", b"b\n", Counts(1, 1)),
    ],
)
async def test_lines_of_texts_are_counted(
    tmp_path: Path, old: bytes | None, new: bytes | None, counts: Counts | None
) -> None:
    root, snapshots = workspace(tmp_path)
    for content in (old, new):
        if content is None:
            (root / "a").unlink(missing_ok=True)
        else:
            (root / "a").write_bytes(content)
        if content is old:
            before = await snapshots.take()
    (change,) = await snapshots.changes(before)
    lines = LineCounts(snapshots)

    await lines.learn([change])

    assert lines.of(change) == counts


@pytest.mark.slow
async def test_each_pair_of_texts_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    (root / "a").write_bytes(b"\0\1")
    (root / "b").write_bytes(b"plain\n")
    changes = await snapshots.changes(before)
    lines = LineCounts(snapshots)
    await lines.learn(changes)
    monkeypatch.setattr(snapshots, "texts", None)

    await lines.learn(changes)

    assert [lines.of(each) for each in changes] == [None, Counts(1, 0)]


@pytest.mark.slow
async def test_lines_of_which_only_the_ends_changed_are_not_counted_as_the_difference_does_not_show_them(
    tmp_path: Path,
) -> None:
    root, snapshots = workspace(tmp_path, ends="", both="")
    (root / "ends").write_bytes(b"a\nb\n")
    (root / "both").write_bytes(b"a\r\nb\r\n")
    before = await snapshots.take()

    (root / "ends").write_bytes(b"a\r\nb\r\n")
    (root / "both").write_bytes(b"a\nB\nc\n")

    changes = {change.path: (change.added, change.removed) for change in await snapshots.changes(before)}
    difference = compute("a\r\nb\r\n", "a\nB\nc\n")
    assert changes == {"ends": (0, 0), "both": (difference.added, difference.removed)}


@pytest.mark.slow
async def test_what_is_written_changed_and_deleted_is_found_without_a_repository(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, kept="k\n", edited="a\nb\n", gone="g\n")
    before = await snapshots.take()

    (root / "edited").write_text("a\nB\nc\n")
    (root / "gone").unlink()
    (root / "made").write_text("m\n")

    changes = {change.path: change for change in await snapshots.changes(before)}
    assert told(list(changes.values())) == [("A", "made"), ("D", "gone"), ("M", "edited")]
    assert (changes["edited"].added, changes["edited"].removed) == (2, 1)
    assert await snapshots.texts(changes["edited"]) == (b"a\nb\n", b"a\nB\nc\n")
    assert await snapshots.texts(changes["made"]) == (None, b"m\n")
    assert await snapshots.texts(changes["gone"]) == (b"g\n", None)
    assert not (root / ".git").exists()


@pytest.mark.slow
async def test_two_snapshots_are_compared_whatever_came_after(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    first = await snapshots.take()
    (root / "a").write_text("2\n")
    second = await snapshots.take()
    (root / "b").write_text("later\n")

    assert told(await snapshots.changes(first, second)) == [("M", "a")]
    assert told(await snapshots.changes(second)) == [("A", "b")]


@pytest.mark.slow
async def test_the_users_repository_is_byte_for_byte_untouched(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n", b="1\n")
    (root / ".gitattributes").write_text("* text=auto eol=crlf\n")
    repository(root)
    (root / "a").write_text("2\n")
    subprocess.run(["git", "-C", str(root), "add", "a"], check=True)
    (root / "a").write_text("3\n")
    (root / "hooked").unlink()
    time.sleep(0.01)  # so that a rewritten file would have another time
    untouched = bytes_of(root / ".git")

    before = await snapshots.take()
    (root / "b").unlink()
    await restore(snapshots, before, await snapshots.changes(before))
    await snapshots.prune(time.time() + 1, 0)

    assert bytes_of(root / ".git") == untouched
    assert (root / "b").read_text() == "1\n"
    assert not (root / "hooked").exists()


@pytest.mark.slow
async def test_settings_of_the_user_and_variables_of_git_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/all\n[diff]\n\tnoprefix\n[broken\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "not-ours"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nor-this"))
    root, snapshots = workspace(tmp_path)

    before = await snapshots.take()
    (root / "a").write_text("1\n")

    assert told(await snapshots.changes(before)) == [("A", "a")]
    assert not (tmp_path / "not-ours").exists()


@pytest.mark.slow
async def test_any_name_is_a_name(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    names = [b"new\nline", b'quo"te', b"tab\t", b"b\xff\xfe", b"*", b":(top)x", "ü€😀".encode(), b"-f", b" "]
    for name in names:
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x\n")

    changes = await snapshots.changes(before)

    assert sorted(os.fsencode(change.path) for change in changes) == sorted(names)
    assert [change.added for change in changes] == [1] * len(names)
    restored = await restore(snapshots, before, changes)
    assert restored.problems == ()
    assert list(root.iterdir()) == []


@pytest.mark.slow
async def test_old_snapshots_are_forgotten_and_younger_ones_are_not(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    await snapshots.take()
    (root / "a").write_text("2\n")
    young = await snapshots.take()

    await snapshots.prune(0, 10**9)
    assert len(await snapshots.store.git("for-each-ref")) > 0
    await snapshots.prune(time.time() + 5, 10**9)

    assert await snapshots.store.git("for-each-ref") == b""
    assert await snapshots.changes(young) == [], "what may be shown just now is there for two days"


@pytest.mark.slow
async def test_many_files_take_few_in_the_store_and_are_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "BATCH", 250)
    root, snapshots = workspace(tmp_path)
    (root / ".gitattributes").write_text("* text=auto eol=crlf\n")
    for number in range(600):
        (root / f"{number}.txt").write_bytes(b"%d\r\n\xff\n" % number * 20)
    (root / "empty").touch()
    (root / "link").symlink_to("0.txt")

    before = await snapshots.take()

    room = await objects_of(snapshots)
    assert room["count"] < 10
    assert room["in-pack"] >= 600
    for number in range(600):
        (root / f"{number}.txt").write_text("other\n")
    (root / "link").unlink()
    assert len(await snapshots.changes(before)) == 601
    await restore(snapshots, before, await snapshots.changes(before))
    assert all(
        (root / f"{number}.txt").read_bytes() == b"%d\r\n\xff\n" % number * 20 for number in range(600)
    )
    assert (root / "link").readlink() == Path("0.txt")


@pytest.mark.slow
async def test_what_lies_about_is_packed_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots_module, "MOST_LOOSE", 5)
    monkeypatch.setattr(snapshots_module, "MOST_PACKS", 2)
    root, snapshots = workspace(tmp_path, a="1\n")
    taken = []
    for number in range(5):
        for name in "bcd":
            (root / name).write_text(f"{name}{number}\n")
        taken.append(await snapshots.take())
        shown = await snapshots.changes(taken[0])  # of a commit that nothing names
        await snapshots.prune(0, 1 << 30)
        room = await objects_of(snapshots)
        assert room["count"] <= 8
        assert room["packs"] <= 3

    assert len(shown) == 3
    (root / "b").unlink()
    assert len(await snapshots.changes(taken[1], taken[2])) == 3
    assert await snapshots.texts((await snapshots.changes(taken[0]))[0]) == (b"b0\n", None)


@pytest.mark.slow
async def test_a_store_that_is_too_large_forgets_the_older_half(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    for number in range(4):
        (root / "a").write_text(f"{number}\n" * 10_000)
        await snapshots.take()

    await snapshots.prune(0, 0)

    assert (await snapshots.store.git("for-each-ref")).count(b"\n") == 2


@pytest.mark.slow
async def test_snapshots_in_use_are_kept_and_missing_ones_are_reported(
    tmp_path: Path,
) -> None:
    root, snapshots = workspace(tmp_path)
    (root / "a").write_text("1\n")
    wanted = await snapshots.take()
    (root / "a").write_text("2\n")
    other = await snapshots.take()
    later = snapshots_module.Snapshots(snapshots.store.path.parent, root)

    assert await later.keep({wanted.id, "0" * 40}) == {wanted.id}
    await later.prune(time.time() + 5, 0)

    refs = (await later.store.git("for-each-ref", "--format=%(objectname)")).decode().split()
    assert refs == [wanted.id]
    assert other.id != wanted.id
    await later.store.git(
        "update-ref",
        "--stdin",
        given=b"".join(
            b"delete " + ref + b"\n"
            for ref in (await later.store.git("for-each-ref", "--format=%(refname)")).split()
        ),
    )
    assert await later.keep({wanted.id}) == {wanted.id}, "it is there, and named again"
    assert (await later.store.git("for-each-ref", "--format=%(objectname)")).decode().split() == [wanted.id]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("is_told", [True, False])
async def test_names_with_accents_are_listed_as_the_system_lists_them_on_both_ways(
    tmp_path: Path, form: Literal["NFC", "NFD"], is_told: bool
) -> None:
    name, new = (unicodedata.normalize(form, each) for each in ("Übung.txt", "é/ä.txt"))
    root, snapshots = workspace(tmp_path, **{name: "one\r\ntwo\r\n"})
    before = await snapshots.take()
    if is_told:
        assert await snapshots.watch()
        before = await snapshots.take()

    (root / name).write_bytes(b"one\r\n2\r\n")
    (root / new).parent.mkdir()
    (root / new).write_text("x\n")

    changes = await snapshots.changes(before)
    assert told(changes) == sorted([("M", name), ("A", new)])
    (edited,) = (change for change in changes if change.status == "M")
    assert (edited.added, edited.removed) == (1, 1)
    await restore(snapshots, before, changes)
    assert (root / name).read_bytes() == b"one\r\ntwo\r\n"
    assert not (root / new).exists()
    snapshots.close()
