"""Tests of `ui/screens/review/changes.py`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from acp_tui.changes.git_tree import ChangedFile
from acp_tui.changes.tracker import ChangeTracker
from acp_tui.changes.undo import Hunk, Reviewed
from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.rejections import Rejections
from acp_tui.session.file_changes import DiskState, Edit, FileChange, Origin
from acp_tui.ui.screens.review.changes import (
    ChangeReview,
    ChangesScreen,
    SeenChange,
    differences,
    on_disk,
    origin_words,
)
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.workspace.encodings import BROKEN
from acp_tui.workspace.files import Files
from tests.ui.screens.stage import Stage, screen_text, styles, until


def written(path: str, old: str | None, new: str) -> FileChange:
    return FileChange(path, written=Edit(old, new))


async def test_the_files_keep_the_order_of_the_session_and_the_view_begins_at_the_chosen_one() -> None:
    files = [written(f"/w/{name}", "", "a line\n" * 30) for name in "cab"]
    screen = ChangesScreen(lambda: files, "/w/a", "/w", styles())
    async with Stage(screen).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "2/3 files  a" in screen_text(pilot.app))
        assert "1/3 files" not in screen_text(pilot.app)
        await pilot.press("end")
        await until(pilot, lambda: "3/3 files  b" in screen_text(pilot.app))


def test_what_went_through_our_hands_wins_over_reports() -> None:
    file = FileChange("/w/a", {(0, 0): Edit("o", "n")}, Edit("old\n", "new\n"))

    assert list(differences([file], "/w")) == [FileDiff("a", "old\n", "new\n")]


def test_snippets_of_one_file_are_counted_and_have_no_line_numbers() -> None:
    file = FileChange("/w/a", {(1, 0): Edit("a", "b"), (2, 0): Edit("c", "d")})

    shown = list(differences([file], "/w"))

    assert [diff.note for diff in shown] == [
        "edit 1 of 2, as the agent reported",
        "edit 2 of 2, as the agent reported",
    ]
    assert [diff.first_line for diff in shown] == [None, None]


def test_a_new_file_is_whole_also_when_only_the_agent_reported_it() -> None:
    file = FileChange("/w/a", {(1, 0): Edit(None, "b\n")})

    assert list(differences([file], "/w")) == [FileDiff("a", None, "b\n", "as the agent reported", 1)]


async def test_a_snippet_that_only_the_agent_reported_is_shown_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("".join(f"line {number}\n" for number in range(1, 9)) + "new\nthe end\n")
    file = FileChange(str(path), {(1, 0): Edit("old", "new"), (2, 0): Edit("gone", "nowhere")})
    edits = EditPlaces(lambda: Files([tmp_path]), str(tmp_path))
    screen = ChangesScreen(lambda: [file], "", str(tmp_path), styles(), edits=edits)
    app = Stage(screen)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "the end" in screen_text(app))

        rows = [" ".join(row.split()) for row in screen_text(app).splitlines()]
        assert "9 − old" in rows
        assert "9 + new" in rows
        assert any("as the agent reported, not found" in row for row in rows), rows


@pytest.mark.slow
async def test_a_file_that_only_a_snapshot_told_of_is_named_without_its_text() -> None:
    screen = ChangesScreen(lambda: [FileChange("/w/a")], "/w/a", "/w", styles())
    async with Stage(screen).run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: "its text is not in the recording" in screen_text(pilot.app))


async def test_all_files_are_shown_with_their_counts() -> None:
    files = [written("/w/[/a].py", "one\n", "one\ntwo\n"), written("/w/b.py", "x\ny\n", "x\n")]
    app = Stage(ChangesScreen(lambda: files, "/w/b.py", "/w", styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "+1 −1" in screen_text(app).splitlines()[0])

        shown = screen_text(app)
        assert "2 changed files" in shown
        assert shown.index("[/a].py") < shown.index("b.py")


async def test_a_session_without_changes_says_so() -> None:
    app = Stage(ChangesScreen(list, "", "/w", styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "No changes in this session" in screen_text(app))
        await pilot.press("escape")

        assert app.results == [None]


def _seen(old: bytes, new: bytes) -> tuple[FileChange, SeenChange]:
    disk = DiskState("/w/a", "M", "/w/a")
    change = ChangedFile("a", "M", "a", 0o100644, 0o100644, "1", "2", b"\0" in old + new)
    return FileChange("/w/a", seen=disk), SeenChange(change, old, old, new)


@pytest.mark.parametrize(
    ("old", "new", "texts", "note", "has_lines"),
    [
        (b"caf\xe9\n", b"caf\xeb\n", ("café\n", "cafë\n"), "Windows-1252", True),
        (b"caf\xe9\n", "café\n".encode(), ("café\n", "café\n"), "Windows-1252 → UTF-8", True),
        (b"plain\n", b"caf\xe9\n", ("plain\n", "café\n"), "Windows-1252", True),
        ("日本語のテキスト\n".encode("cp932"), "日本語のテスト\n".encode("cp932"), None, "Shift-JIS", True),
        ("\ufeffa\n".encode("utf-16-le"), "\ufeffb\n".encode("utf-16-le"), None, "UTF-16 LE", True),
        (b"\0a", b"\0b", ("\0a", "\0b"), "", False),
        (b"a\n", b"\xef\xbb\xbfa\n", ("a\n", "\ufeffa\n"), "", True),
        ("üö".encode() + b"\xe9", "üö\\xe9".encode(), ("üö\\xe9",) * 2, f"{BROKEN} → UTF-8", True),
        (b"a\r\nb\n", b"a\nb\n", ("a\r\nb\n", "a\nb\n"), "", True),
    ],
)  # fmt: skip
def test_texts_are_shown_in_their_encoding_which_is_named(
    old: bytes, new: bytes, texts: tuple[str, str] | None, note: str, has_lines: bool
) -> None:
    file, seen = _seen(old, new)

    shown = on_disk(file, seen, "/w")

    assert shown.old != shown.new or "→" in shown.note
    assert texts is None or (shown.old, shown.new) == texts
    assert shown.note == ", ".join(filter(None, ["on disk", note]))
    assert seen.has_lines is has_lines


def words(*origins: Origin) -> str:
    file = FileChange("/w/a")
    for origin in origins:
        file.add_origin(origin)
    return origin_words(file, lambda turn: f"prompt {turn} {'long ' * 20}" if turn == 3 else f"prompt {turn}")


def test_the_newest_change_is_described_whole_and_earlier_ones_by_their_turns() -> None:
    first, second = Origin(1, "t1", "Edit a", "add the flag"), Origin(2, "t2", "Edit a again")

    assert words(first) == "turn 1, Edit a, plan: add the flag, “prompt 1”"
    assert words(first, second) == "turn 2, Edit a again, “prompt 2”; before in turn 1"
    assert words(first, second, Origin(1)) == "turn 1, “prompt 1”; before in turn 2"


def test_what_came_from_no_turn_is_not_told_and_long_prompts_are_cut() -> None:
    assert words() == ""
    assert words(Origin(0)) == ""
    assert words(Origin(1, "t", "Edit"), Origin(0)) == "turn 1, Edit, “prompt 1”"
    _, _, prompt = words(Origin(3)).partition("“")
    assert len(prompt) == 61
    assert prompt.endswith("…”")


OLD = b"a\nb\nc\n"
NEW = b"a\nX\nY\nZ\nC\n"


class Looked:
    """Stands for what looks at the disk."""

    def __init__(self) -> None:
        self.reviewed = Reviewed()
        self.undo_stack = SimpleNamespace(depth=0)


def test_a_hunk_that_is_kept_twice_before_the_screen_follows_is_kept_once() -> None:
    looked = Looked()
    review = ChangeReview(cast(ChangeTracker, looked), Rejections(lambda: None))
    change = ChangedFile("f", "M", "f", 0o100644, 0o100644, "old", "new")
    seen, hunk = SeenChange(change, OLD, OLD, NEW), Hunk(1, 2, 1, 4)

    assert review.keep(seen, hunk)
    assert not review.keep(seen, hunk)

    assert looked.reviewed.base(change, OLD) == b"a\nX\nY\nZ\nc\n"
    assert review.keep(SeenChange(change, OLD, b"a\nX\nY\nZ\nc\n", NEW), Hunk(4, 5, 4, 5))
    assert review.is_done(change)
