from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path

import pytest

from acp_tui.host import snapshots as limits
from acp_tui.host import successor
from acp_tui.host.merging import Hunk
from acp_tui.host.snapshot_store import GitFailed, Unavailable
from acp_tui.host.snapshots import Changed, LeftOut, Snapshots


def workspace(tmp_path: Path, **files: str) -> tuple[Path, Snapshots]:
    root = tmp_path / "work"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text)
    return root, Snapshots(tmp_path / "stores", root)


def repository(root: Path, *, add: tuple[str, ...] = (".",)) -> None:
    """Make the folder a true repository with one commit, a hook and something staged."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-f", *add], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)


def bytes_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return mode, time and hash of each file."""
    return {
        str(path): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def told(changes: list[Changed]) -> list[tuple[str, str]]:
    return sorted((change.status, change.path) for change in changes)


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


async def test_two_snapshots_are_compared_whatever_came_after(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    first = await snapshots.take()
    (root / "a").write_text("2\n")
    second = await snapshots.take()
    (root / "b").write_text("later\n")

    assert told(await snapshots.changes(first, second)) == [("M", "a")]
    assert told(await snapshots.changes(second)) == [("A", "b")]


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
    await snapshots.restore(before, await snapshots.changes(before))
    await snapshots.prune(time.time() + 1, 0)

    assert bytes_of(root / ".git") == untouched
    assert (root / "b").read_text() == "1\n"
    assert not (root / "hooked").exists()


async def test_settings_of_the_person_and_variables_of_git_change_nothing(
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


async def test_any_name_is_a_name(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    names = [b"new\nline", b'quo"te', b"tab\t", b"b\xff\xfe", b"*", b":(top)x", "ü€😀".encode(), b"-f", b" "]
    for name in names:
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x\n")

    changes = await snapshots.changes(before)

    assert sorted(os.fsencode(change.path) for change in changes) == sorted(names)
    assert [change.added for change in changes] == [1] * len(names)
    restored = await snapshots.restore(before, changes)
    assert restored.problems == ()
    assert list(root.iterdir()) == []


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
    await snapshots.restore(before, [change])
    assert [path.name for path in root.iterdir()] == ["old"]
    assert (root / "old").read_text() == text


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
    restored = await snapshots.restore(before, list(changes.values()))

    assert restored.problems == ()
    assert {name: (root / name).read_bytes() for name in was} == was
    assert (root / "script").stat().st_mode & 0o777 == 0o750
    assert (root / "secret").stat().st_mode & 0o777 == 0o600
    assert str((root / "link").readlink()) == "/nowhere at all"
    assert await snapshots.changes(before) == []


async def test_going_back_can_itself_be_undone(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (root / "b").write_text("new\n")

    restored = await snapshots.restore(before, await snapshots.changes(before))
    assert not (root / "b").exists()
    await snapshots.restore(restored.way_back, await snapshots.changes(restored.way_back))

    assert ((root / "a").read_text(), (root / "b").read_text()) == ("2\n", "new\n")


async def test_a_file_that_changed_since_the_person_looked_stays(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n", b="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (root / "b").write_text("2\n")
    seen = await snapshots.changes(before)
    (root / "a").write_text("3, in an editor\n")

    restored = await snapshots.restore(before, seen)

    assert restored.problems == ("a: changed in the meantime",)
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("3, in an editor\n", "1\n")


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
    restored = await snapshots.restore(before, deleted)

    assert told(changes) == [("A", "sub"), ("D", "sub/a")]
    assert len(restored.problems) == 1
    assert list(outside.iterdir()) == []


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


async def test_ignored_files_are_left_out_also_those_that_only_the_repository_names(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    (root / ".gitignore").write_text("*.log\n")
    repository(root)
    (root / ".git" / "info" / "exclude").write_text("private\n")
    before = await snapshots.take()

    for name in ("x.log", "private", "seen"):
        (root / name).write_text("x")

    assert told(await snapshots.changes(before)) == [("A", "seen")]


async def test_a_folder_of_a_repository_obeys_what_is_ignored_above_it(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "work").mkdir(parents=True)
    (top / ".gitignore").write_text("node_modules/\n/seen\n")
    (top / "first").write_text("x")
    repository(top)
    snapshots = Snapshots(tmp_path / "stores", top / "work")
    before = await snapshots.take()

    (top / "work" / "node_modules").mkdir()
    (top / "work" / "node_modules" / "x").write_text("x")
    (top / "work" / "seen").write_text("x")

    assert told(await snapshots.changes(before)) == [("A", "seen")]


async def test_other_repositories_inside_are_not_entered_and_said(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    for name in ("empty", "full"):
        (root / name).mkdir()
        (root / name / "x").write_text("x")
    subprocess.run(["git", "init", "-q", str(root / "empty")], check=True)
    repository(root / "full")

    taken = await snapshots.take()

    assert sorted(taken.left_out, key=str) == [LeftOut("empty", "repository"), LeftOut("full", "repository")]
    (root / "full" / "x").write_text("y")
    assert await snapshots.changes(taken) == []


async def test_large_files_are_left_out_and_said_and_one_that_grew_is_not_called_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(successor, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, small="1\n", large="1" * 11)
    before = await snapshots.take()
    assert before.left_out == (LeftOut("large", "large"),)

    (root / "small").write_text("2" * 20)
    (change,) = await snapshots.changes(before)

    assert (change.status, change.path, change.binary) == ("M", "small", True)
    assert await snapshots.texts(change) == (b"1\n", None)


async def test_what_no_snapshot_holds_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(successor, "LARGEST", 10)
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
    restored = await snapshots.restore(before, changes)

    assert told(list(restored.done)) == [("D", "gone")]
    assert len(restored.problems) == 2
    assert (root / "grown").read_text() == "9" * 20
    assert (root / "ignored").read_text() == "new\n"
    assert (root / "gone").read_text() == "3\n"


async def test_a_hunk_is_not_taken_out_of_a_file_that_became_too_large_for_a_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(successor, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, f="a\nb\n")
    before = await snapshots.take()
    (root / "f").write_text("A\nb\n")
    (change,) = await snapshots.changes(before)
    (root / "f").write_text("A\nb\n" + "c\n" * 10)

    restored = await snapshots.reverse(change, Hunk(0, 1, 0, 1))

    assert not restored.done
    assert restored.problems
    assert (root / "f").read_text() == "A\nb\n" + "c\n" * 10


async def test_more_files_than_are_kept_are_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_FILES", 2)
    _, snapshots = workspace(tmp_path, a="1", b="2", c="3")

    taken = await snapshots.take()

    assert [each.reason for each in taken.left_out] == ["too many"]


async def test_pipes_and_files_that_vanish_harm_nothing(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1")
    os.mkfifo(root / "pipe")
    before = await snapshots.take()
    (root / "a").unlink()
    os.mkfifo(root / "a")

    assert told(await snapshots.changes(before)) == [("D", "a")]


@pytest.mark.parametrize("damage", ["index", "HEAD"])
async def test_a_damaged_store_is_put_aside_and_begun_anew(tmp_path: Path, damage: str) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    await snapshots.take()
    (snapshots.store.path / damage).write_bytes(b"damaged")

    (root / "b").write_text("1\n")
    again = Snapshots(tmp_path / "stores", root)
    taken = await again.take()
    (root / "a").write_text("2\n")

    assert again.damaged is not None
    assert again.damaged.is_dir()
    assert told(await again.changes(taken)) == [("M", "a")]


async def test_a_store_whose_making_was_stopped_is_made_to_its_end_and_not_called_damaged(
    tmp_path: Path,
) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    snapshots.store.path.mkdir(parents=True)
    (snapshots.store.path / "HEAD").write_text("ref: refs/heads/main\n")

    taken = await snapshots.take()
    (root / "a").write_text("2\n")

    assert snapshots.damaged is None
    assert told(await snapshots.changes(taken)) == [("M", "a")]


async def test_damaged_content_is_found_when_it_is_asked_for(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (change,) = await snapshots.changes(before)
    damaged = snapshots.store.path / "objects" / change.old_id[:2] / change.old_id[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"damaged")

    with pytest.raises(GitFailed):
        await snapshots.texts(change)

    assert snapshots.damaged is not None
    assert await snapshots.changes(await snapshots.take()) == []


async def test_a_lock_that_a_killed_git_has_left_is_no_obstacle(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    await snapshots.take()
    (snapshots.store.path / "index.lock").write_text("")
    (root / "a").write_text("2\n")

    again = Snapshots(tmp_path / "stores", root)
    await again.take()

    assert again.damaged is None


async def test_without_git_there_is_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unavailable, match="Install git"):
        await snapshots.take()


async def test_a_place_for_the_store_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    snapshots.store.path.mkdir(parents=True)
    (snapshots.store.path / "info").write_text("a file where a folder has to be")
    (tmp_path / "full").write_text("")

    with pytest.raises(Unavailable, match="cannot be used"):
        await snapshots.take()
    with pytest.raises(Unavailable, match="cannot be used"):
        await Snapshots(tmp_path / "full", snapshots.root).take()


async def test_a_workspace_that_went_away_is_said(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    root.rmdir()

    with pytest.raises(GitFailed, match="not there any more"):
        await snapshots.changes(before)


async def test_the_store_is_for_its_owner_only(tmp_path: Path) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")

    await snapshots.take()

    assert snapshots.store.path.stat().st_mode & 0o777 == 0o700


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


async def test_a_store_that_is_too_large_forgets_the_older_half(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    for number in range(4):
        (root / "a").write_text(f"{number}\n" * 10_000)
        await snapshots.take()

    await snapshots.prune(0, 0)

    assert (await snapshots.store.git("for-each-ref")).count(b"\n") == 2


async def test_stores_that_nobody_opens_any_more_are_deleted_and_nothing_else_is(tmp_path: Path) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    stores = tmp_path / "stores"
    old, young = (Snapshots(stores, tmp_path / name) for name in ("old", "young"))
    for each in (old, young):
        each.root.mkdir()
        await each.take()
    os.utime(old.store.path / "acp-tui.lock", (0, 0))
    (stores / "other").mkdir()

    await snapshots.take()
    await snapshots.prune(time.time() - 1000, 10**9)

    kept = {"other", young.store.path.name, snapshots.store.path.name}
    assert {path.name for path in stores.iterdir()} == kept


FIRST = Hunk(0, 1, 0, 1)
"""The first line, changed."""


async def test_one_hunk_is_rejected_and_the_mode_stays(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n3\n4\nfive\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n3\n4\nFIVE\n")
    (root / "a").chmod(0o711)
    (change,) = await snapshots.changes(before)

    rejected = await snapshots.reverse(change, FIRST)

    assert rejected.done == (change,)
    assert (root / "a").read_text() == "one\n2\n3\n4\nFIVE\n"
    assert (root / "a").stat().st_mode & 0o777 == 0o711


async def test_a_hunk_is_rejected_in_a_file_that_changed_elsewhere_since(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n3\n4\nfive\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n3\n4\nfive\n")
    (change,) = await snapshots.changes(before)
    (root / "a").write_text("ONE\n2\n3\n4\nfive\nin an editor\n")

    await snapshots.reverse(change, FIRST)

    assert (root / "a").read_text() == "one\n2\n3\n4\nfive\nin an editor\n"


async def test_a_hunk_whose_place_changed_again_is_a_conflict_and_stays(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n")
    (change,) = await snapshots.changes(before)
    (root / "a").write_text("something else\n2\n")

    rejected = await snapshots.reverse(change, FIRST)

    assert rejected.problems == ("a: changed again in the same place",)
    assert (root / "a").read_text() == "something else\n2\n"
    assert snapshots.damaged is None


async def test_a_hunk_of_a_file_that_is_gone_or_a_link_now_is_a_problem(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="one\n2\n", other="ONE\n2\n")
    before = await snapshots.take()
    (root / "a").write_text("ONE\n2\n")
    (change,) = await snapshots.changes(before)
    (root / "a").unlink()

    assert len((await snapshots.reverse(change, FIRST)).problems) == 1
    (root / "a").symlink_to("other")
    assert len((await snapshots.reverse(change, FIRST)).problems) == 1
    assert (root / "other").read_text() == "ONE\n2\n"
