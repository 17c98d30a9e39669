"""The places of edits in files of the workspace, found in a thread."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from acp_tui.conversation import edit_places
from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.session.entries import Diff
from acp_tui.session.snippets import PlacedEdit
from acp_tui.workspace.files import Files

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def places(folder: Path) -> EditPlaces:
    files = Files([folder])
    return EditPlaces(lambda: files, str(folder))


async def looked(edits: EditPlaces, diff: Diff, *, may_be_done: bool) -> PlacedEdit | None:
    """Return what is known once it was looked for."""
    told = asyncio.Event()
    edits.look(diff, may_be_done=may_be_done, then=told.set)
    await told.wait()
    return edits.known(diff)


async def test_an_edit_is_found_before_and_after_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    diff = Diff(str(tmp_path / "a.txt"), "the tenth", "line 10")

    before = await looked(places(tmp_path), diff, may_be_done=False)
    (tmp_path / "a.txt").write_text(TEXT.replace("line 10", "the tenth"))
    after = await looked(places(tmp_path), diff, may_be_done=True)

    assert before == after
    assert before is not None
    assert before.first_line == 7


async def test_a_new_file_in_place_of_a_pipe_or_a_folder_is_not_told_as_new(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    edits = places(tmp_path)
    pipe, folder, new = (Diff(name, "text", None) for name in ("pipe", "folder", "new"))
    for diff in (pipe, folder, new):
        told = asyncio.Event()
        edits.look(diff, may_be_done=False, then=told.set)
        await told.wait()

    there = edits.look(pipe, may_be_done=True)
    assert there is not None
    assert there.old == ""
    assert "is not a regular file" in there.note
    there = edits.look(folder, may_be_done=True)
    assert there is not None
    assert "is a folder" in there.note
    assert edits.look(new, may_be_done=True) is None


async def test_what_was_found_before_stays_and_nothing_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    diff, edits = Diff("a.txt", "", "line 10\n"), places(tmp_path)
    before = await looked(edits, diff, may_be_done=False)
    (tmp_path / "a.txt").unlink()

    assert edits.look(diff, may_be_done=True) is before
    assert before is not None
    assert before.is_placed


async def test_what_was_not_found_is_looked_for_once_more_when_the_edit_is_made(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("other\n")
    diff, edits = Diff("a.txt", "new", "old"), places(tmp_path)
    assert await looked(edits, diff, may_be_done=False) == PlacedEdit(
        "old", "new", None, "not found in the file"
    )

    (tmp_path / "a.txt").write_text("a new one\n")
    assert await looked(edits, diff, may_be_done=True) == PlacedEdit("a old one\n", "a new one\n", 1)


async def test_many_edits_of_a_file_read_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    read: list[str] = []
    real = edit_places._text  # private: counts how often a file is read

    def text(files: Files, path: str) -> tuple[str | None, str]:
        read.append(path)
        return real(files, path)

    monkeypatch.setattr(edit_places, "_text", text)
    edits = places(tmp_path)
    diffs = [Diff("a.txt", "x", f"line {number}\n") for number in range(1, 21)]

    await edits.find(diffs)

    assert [edit.first_line for diff in diffs if (edit := edits.known(diff))][:6] == [1, 1, 1, 1, 2, 3]
    assert read == [str(tmp_path / "a.txt")]


async def test_files_that_cannot_be_searched_have_no_place_and_say_why_or_nothing(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "outside.txt").write_text("old\n")
    (work / "data.bin").write_bytes(b"old\0\xff\xfe" * 9)
    os.mkfifo(work / "pipe")
    edits = places(work)
    paths = {
        str(tmp_path / "outside.txt"): "",
        "gone.txt": "the file does not exist",
        "data.bin": "",
        "nul\0.txt": "",
        ".": "“.” is a folder",
        "pipe": "is not a regular file",
    }

    for path, note in paths.items():
        found = await looked(edits, Diff(path, "new", "old"), may_be_done=True)
        assert found is not None, path
        assert (found.first_line, found.old, found.new) == (None, "old", "new")
        assert note in found.note.replace(f"{work}/", ""), found.note


async def test_without_a_running_agent_and_for_a_new_file_nothing_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    nowhere = EditPlaces(lambda: None, str(tmp_path))

    assert nowhere.look(Diff("a.txt", "x", "line 10"), may_be_done=False) is None
    await nowhere.find([Diff("a.txt", "x", "line 10")])
    assert nowhere.known(Diff("a.txt", "x", "line 10")) is None
    assert places(tmp_path).look(Diff("new.txt", "x"), may_be_done=False) is None


async def test_only_the_latest_places_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_places, "_KEPT", 3)  # private: a limit, made small
    (tmp_path / "a.txt").write_text(TEXT)
    edits, diffs = places(tmp_path), [Diff("a.txt", "x", f"line 1{number}") for number in range(5)]

    await edits.find(diffs)

    assert [edits.known(diff) is not None for diff in diffs] == [False, False, True, True, True]
