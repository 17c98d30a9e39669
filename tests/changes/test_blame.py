"""Tests of `changes/blame.py`."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acp_tui.changes import snapshot_log
from acp_tui.changes.blame import BlamedFile, blame
from acp_tui.changes.git_tree import Snapshot
from acp_tui.changes.line_steps import LineSteps
from acp_tui.changes.snapshots import Snapshots
from acp_tui.session.events import LineStep, WorkspaceCompared
from acp_tui.session.file_changes import DiskState, FileChange, Origin
from tests.recorded_talks import Row, prompt, start, write


class Workshop:
    """A workspace whose changes are written into journals, as a session does it."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "work"
        self.root.mkdir()
        self.file = self.root / "a.py"
        self.journals = tmp_path / "journals"
        self.stores = tmp_path / "stores"
        self.snapshots = Snapshots(self.stores, self.root)
        self.days = 0

    async def session(self, name: str = "s1", *, is_old: bool = False) -> Session:
        """Begin a session, a day after the one before."""
        self.days += 1
        first = await self.snapshots.take()
        return Session(self, name, first, is_old)

    async def lines(self, path: Path | None = None) -> list[str]:
        """Return who wrote each line."""
        found = await blame(path or self.file, self.journals, self.stores)
        return [told(found, line) for line in range(len(found.lines))]


class Session:
    """A session, which looks at its workspace."""

    def __init__(self, shop: Workshop, name: str, first: Snapshot, is_old: bool) -> None:
        self.shop = shop
        self.name = name
        self._first = first
        self._is_old = is_old
        self._steps = LineSteps(shop.snapshots)
        self._before: snapshot_log.DiskStates = {}
        at = datetime(2026, 3, shop.days, 12, tzinfo=UTC)
        self.rows: list[Row] = [start("claude", str(shop.root), at.isoformat())]
        kept = {"kept": first.id, "turn": 0, "at": first.at, "cwd": str(shop.root), "session": name}
        self.rows.append(("note", kept))

    def says(self, text: str) -> None:
        self.rows.append(prompt(text, self.name))

    async def sees(self, turn: int = 0, call: str = "") -> None:
        """Look, and write down what has changed by a call of a turn."""
        changes = await self.shop.snapshots.changes(self._first)
        steps = {
            str(self.shop.root / path): step for path, step in (await self._steps.learn(changes)).items()
        }
        steps = {
            path: step._replace(moved_from=str(self.shop.root / step.moved_from)) if step.moved_from else step
            for path, step in steps.items()
        }
        files: dict[str, FileChange] = {}
        for change in changes:
            path = str(self.shop.root / change.path)
            files[path] = FileChange(path)
            old_path = str(self.shop.root / change.old_path)
            files[path].seen = DiskState(path, change.status, old_path, outside=not turn, id=change.new_id)
            files[path].add_origin(Origin(turn, call, f"Edit by {call}" if call else ""))
        row = snapshot_log.files_row(self.name, self._before, files, {} if self._is_old else steps)
        self._before = snapshot_log.on_disk(files)
        if row is not None:
            self.rows.append(("note", row))
        write(self.shop.journals / f"{self.shop.days:03}-{self.name}.ndjson", self.rows)


def told(found: BlamedFile, line: int) -> str:
    author = found.author(line)
    assert author is not None
    step = author.step
    if author.kind == "step" and step is not None:
        return f"{step.session} {step.turn} {step.call}".strip()
    return author.kind


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def test_each_line_has_its_turn_and_its_call(shop: Workshop) -> None:
    shop.file.write_text("one\ntwo\nthree\n")
    session = await shop.session()
    session.says("Make it better")
    shop.file.write_text("one\nTWO\nthree\n")
    await session.sees(1, "c1")
    shop.file.write_text("zero\none\nTWO\nthree\n")
    await session.sees(1, "c2")
    session.says("And longer")
    shop.file.write_text("zero\none\nTWO\nthree\nfour")
    await session.sees(2)

    assert await shop.lines() == ["s1 1 c2", "earlier", "s1 1 c1", "earlier", "s1 2"]
    found = await blame(shop.file, shop.journals, shop.stores)
    author = found.author(2)
    assert author is not None
    assert author.step is not None
    assert (author.step.prompt, author.step.title) == ("Make it better", "Edit by c1")
    assert (author.step.agent, author.step.t) == ("claude", 3.0)


async def test_it_outlives_the_snapshots(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    shop.file.write_text("one\ntwo\n")
    await session.sees(1, "c1")
    shutil.rmtree(shop.stores)

    assert await shop.lines() == ["earlier", "s1 1 c1"]


async def test_lines_that_moved_keep_their_origin_as_far_as_a_comparison_can_know(shop: Workshop) -> None:
    shop.file.write_text("".join(f"{number}\n" for number in range(20)))
    session = await shop.session()
    shop.file.write_text("".join(f"{number}\n" for number in range(10)) + "new\n" + "10\n11\n")
    await session.sees(1, "c1")
    shop.file.write_text("a\nb\n" + shop.file.read_text())
    await session.sees(2, "c2")

    assert await shop.lines() == ["s1 2 c2", "s1 2 c2", *["earlier"] * 10, "s1 1 c1", "earlier", "earlier"]


async def test_what_was_changed_while_no_session_was_open_is_outside(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    shop.file.write_text("one\ntwo\n")
    await session.sees(1, "c1")
    shop.file.write_text("mine\none\ntwo\n")
    later = await shop.session("s2")
    shop.file.write_text("mine\none\ntwo\nthree\n")
    await later.sees(1, "c9")
    shop.file.write_text("mine\none\ntwo\nthree\nand now\n")

    assert await shop.lines() == ["outside", "earlier", "s1 1 c1", "s2 1 c9", "outside"]


async def test_a_gap_whose_content_is_lost_is_said_to_be_unknown(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    shop.file.write_text("one\ntwo\n")
    await session.sees(1, "c1")
    shop.file.write_text("one\ntwo\nmine\n")
    shutil.rmtree(shop.stores)

    assert await shop.lines() == ["unknown"] * 3


async def test_a_change_outside_a_turn_has_no_turn(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    shop.file.write_text("one\ntwo\n")
    await session.sees(0)

    assert await shop.lines() == ["earlier", "s1 0"]


async def test_a_session_of_an_older_version_is_read_from_the_snapshots(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session(is_old=True)
    shop.file.write_text("one\ntwo\n")
    await session.sees(1, "c1")
    shop.file.write_text("zero\none\ntwo\n")
    await session.sees(2, "c2")

    assert await shop.lines() == ["s1 2 c2", "earlier", "s1 1 c1"]
    shutil.rmtree(shop.stores)
    assert await shop.lines() == ["unknown"] * 3


async def test_of_two_sessions_that_saw_a_change_the_one_that_made_it_counts(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    mine, other = await shop.session("s1"), await shop.session("s2")
    shop.file.write_text("one\ntwo\n")
    await other.sees(0)
    await mine.sees(1, "c1")

    assert await shop.lines() == ["earlier", "s1 1 c1"]


async def test_a_content_that_comes_back_has_its_first_origin(shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    for number, text in enumerate(("one\ntwo\n", "one\n2\n", "one\ntwo\n"), 1):
        shop.file.write_text(text)
        await session.sees(number, f"c{number}")

    assert await shop.lines() == ["earlier", "s1 1 c1"]


async def test_a_renamed_file_is_followed(shop: Workshop) -> None:
    shop.file.write_text("".join(f"{number}\n" for number in range(30)))
    session = await shop.session()
    shop.file.write_text(shop.file.read_text() + "more\n")
    await session.sees(1, "c1")
    later = shop.root / "b.py"
    later.write_text(shop.file.read_text() + "last\n")
    shop.file.unlink()
    await session.sees(2, "c2")

    assert await shop.lines(later) == [*["earlier"] * 30, "s1 1 c1", "s1 2 c2"]


async def test_a_new_file_and_one_that_nobody_changed(shop: Workshop) -> None:
    session = await shop.session()
    shop.file.write_text("one\n")
    await session.sees(1, "c1")
    (shop.root / "other").write_text("x\n")

    assert await shop.lines() == ["s1 1 c1"]
    assert await shop.lines(shop.root / "other") == ["earlier"]
    shop.file.write_text("")
    assert await shop.lines() == []


async def test_a_folder_is_known_by_all_its_names(shop: Workshop, tmp_path: Path) -> None:
    session = await shop.session()
    shop.file.write_text("one\n")
    await session.sees(1, "c1")
    (tmp_path / "link").symlink_to(shop.root)

    assert await shop.lines(tmp_path / "link" / "a.py") == ["s1 1 c1"]


@pytest.mark.parametrize(
    "odd",
    [
        {"was": 7},
        {"hunks": [[0, 1]]},
        {"hunks": [[3, 1, 0, 0]]},
        {"hunks": [["a", 1, 1, 1]]},
        {"hunks": "none"},
        {"hunks": [[0, 9, 0, 900], [5, 6, 900, 901]]},
        {"origin": 3},
        {"origin": {"turn": "x"}},
        {"moved_from": []},
        {"id": None},
    ],
)
async def test_a_damaged_row_loses_no_more_than_its_lines(odd: dict[str, Any], shop: Workshop) -> None:
    shop.file.write_text("one\n")
    session = await shop.session()
    shop.file.write_text("one\ntwo\n")
    await session.sees(1, "c1")
    (path,) = shop.journals.iterdir()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[-1]["msg"]["snapped"][0].update(odd)
    path.write_text("\n".join([*map(json.dumps, rows), "{torn", '{"snapped": 1}', "[]", ""]))

    lines = await shop.lines()

    assert len(lines) == 2


async def test_a_session_writes_the_lines_that_changed_into_its_row() -> None:
    file = FileChange("/w/a")
    file.seen = DiskState("/w/a", "M", "/w/a", id="2" * 40)
    step = LineStep("1" * 40, "2" * 40, ((0, 1, 0, 2),), "/w/old")

    row = snapshot_log.files_row("s", {}, {"/w/a": file}, {"/w/a": step})

    assert row is not None
    (item,) = row["snapped"]
    assert snapshot_log.line_step(json.loads(json.dumps(item))) == step
    event = snapshot_log.files_event(row, {})
    assert event == WorkspaceCompared((file.seen,))
