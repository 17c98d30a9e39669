"""Files renamed only in the spelling of their names, where the file system takes both for one."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from acp_tui.changes.exact_names import ExactNames
from acp_tui.changes.git_tree import Snapshot, take_increment
from acp_tui.changes.restore import put_back
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.undo import restore
from tests.changes.lenient import AnySpelling
from tests.changes.workspaces import told, workspace

COMPOSED, APART = (unicodedata.normalize(form, "Ü.md") for form in ("NFC", "NFD"))
SPELLINGS = [("Readme.md", "README.md"), (COMPOSED, APART), ("docs/a.md", "docs/A.md")]
TEXT = "one\ntwo\nthree\n"


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_a_name_is_held_only_as_its_folder_lists_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    AnySpelling(monkeypatch, tmp_path)
    (tmp_path / new).parent.mkdir(exist_ok=True)
    (tmp_path / new).write_text(TEXT)
    names = ExactNames(tmp_path)

    assert names.hold(os.fsencode(new))
    assert not names.hold(os.fsencode(old))
    assert names.are_one(old, new)
    assert names.respelled([os.fsencode(old), b"other"], [os.fsencode(new)]) == [os.fsencode(old)]


def test_a_file_in_a_folder_of_another_spelling_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    AnySpelling(monkeypatch, tmp_path)
    (tmp_path / "Docs").mkdir()
    (tmp_path / "Docs" / "a.md").touch()

    assert not ExactNames(tmp_path).hold(b"docs/a.md")
    assert ExactNames(tmp_path).hold(b"Docs/a.md")


def test_two_links_to_a_file_in_two_spellings_are_two_where_capitals_count(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "A.md").hardlink_to(tmp_path / "a.md")
    names = ExactNames(tmp_path)

    assert names.hold(b"a.md")
    assert names.hold(b"A.md")
    assert not names.are_one("a.md", "A.md")


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_putting_back_a_new_spelling_renames_the_file_and_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    AnySpelling(monkeypatch, tmp_path)
    (tmp_path / new).parent.mkdir(exist_ok=True)
    (tmp_path / new).write_text("changed\n")

    put_back(tmp_path, new, old, TEXT.encode(), 0o100644)

    assert names_in((tmp_path / new).parent) == [Path(old).name]
    assert (tmp_path / old).read_text() == TEXT


def test_a_folder_in_a_new_spelling_is_named_and_its_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    AnySpelling(monkeypatch, tmp_path)
    (tmp_path / "Docs").mkdir()
    (tmp_path / "Docs" / "a.md").write_text(TEXT)

    with pytest.raises(OSError, match="rename it to docs first"):
        put_back(tmp_path, "Docs/a.md", "docs/a.md", TEXT.encode(), 0o100644)
    assert (tmp_path / "Docs" / "a.md").read_text() == TEXT


def fooled(root: Path, fake: AnySpelling, old: str, new: str) -> None:
    """Rename a file so that git finds it by its old name as well, as where capitals do not count."""
    (root / old).rename(root / "between")
    (root / "between").rename(root / new)
    (root / old).hardlink_to(root / new)
    fake.hidden.add(os.fsencode(Path(old).name))


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), SPELLINGS[:2])
async def test_a_file_that_git_finds_by_its_old_name_too_is_a_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    root, snapshots = workspace(tmp_path, **{old: TEXT, "other": "x\n"})
    before = await snapshots.take()
    fake = AnySpelling(monkeypatch, root)
    fooled(root, fake, old, new)

    (change,) = await snapshots.changes(before)

    assert (change.status, change.old_path, change.path) == ("R", old, new)


@pytest.mark.slow
async def test_an_increment_takes_the_exact_name_and_leaves_half_a_rename_to_a_full_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, snapshots = workspace(tmp_path, **{"Readme.md": TEXT})
    before = await snapshots.take()
    fake = AnySpelling(monkeypatch, root)
    fooled(root, fake, "Readme.md", "README.md")

    async with snapshots.store.open():
        whole = await take_increment(snapshots.store, before.id, {b"Readme.md", b"README.md"})
        half = await take_increment(snapshots.store, before.id, {b"README.md"})
        assert half is None
        assert whole is not None
        out = await snapshots.store.git("ls-tree", "-r", "-z", "--name-only", whole.id)
    assert out == b"README.md\0"


async def renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> tuple[Path, Snapshots, Snapshot]:
    """Return a workspace, its snapshots, and the one from before a rename in capitals."""
    root, snapshots = workspace(tmp_path, **{"Readme.md": TEXT})
    before = await snapshots.take()
    AnySpelling(monkeypatch, root)
    (root / "Readme.md").rename(root / "between")
    (root / "between").rename(root / "README.md")
    (root / "README.md").write_text(text)
    return root, snapshots, before


@pytest.mark.slow
@pytest.mark.parametrize("text", [TEXT, TEXT + "four\n", "all new\n"])
async def test_rejecting_a_rename_in_capitals_brings_back_the_old_name_and_can_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    root, snapshots, before = await renamed(tmp_path, monkeypatch, text)
    changes = await snapshots.changes(before)

    rejected = await restore(snapshots, before, changes)

    assert rejected.problems == ()
    assert told([*rejected.done]) == told(changes)
    assert names_in(root) == ["Readme.md"]
    assert (root / "Readme.md").read_text() == TEXT
    back = await snapshots.changes(rejected.way_back)
    assert (await restore(snapshots, rejected.way_back, back)).problems == ()
    assert names_in(root) == ["README.md"]
    assert (root / "README.md").read_text() == text


@pytest.mark.slow
@pytest.mark.parametrize("status", ["A", "D"])
async def test_one_half_of_a_rename_in_capitals_is_not_rejected_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    root, snapshots, before = await renamed(tmp_path, monkeypatch, "all new\n")
    changes = await snapshots.changes(before)
    assert told(changes) == [("A", "README.md"), ("D", "Readme.md")]

    rejected = await restore(snapshots, before, [each for each in changes if each.status == status])

    assert rejected.done == ()
    (problem,) = rejected.problems
    assert "are one name to this file system; reject both changes together" in problem
    assert (root / "README.md").read_text() == "all new\n"
