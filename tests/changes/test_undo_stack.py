"""Undo and redo of turns and rejections."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.changes import undo
from acp_tui.changes.git_store import GitFailed
from acp_tui.changes.git_tree import ChangedFile, Snapshot
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.undo import Hunk
from acp_tui.protocol.schema import TextContent
from acp_tui.session.events import Prompted, TurnEnded, WorkspaceCompared
from tests.changes.watched import Watched
from tests.waiting import until


@pytest.mark.slow
async def test_a_turn_is_undone_but_not_what_was_before_it(watched: Watched) -> None:
    await watched.begin()
    (watched.root / "a").write_text("earlier\n")
    await watched.tracking.before_turn()
    await until(lambda: watched.tracking.before)
    (watched.root / "a").write_text("in the turn\n")
    (watched.root / "new").write_text("x\n")
    watched.tracking.after_turn()

    changes = await watched.tracking.since_turn()
    assert watched.tracking.before is not None
    await watched.tracking.undo_stack.restore(watched.tracking.before, changes)

    assert (watched.root / "a").read_text() == "earlier\n"
    assert not (watched.root / "new").exists()
    assert [name for _, name, _ in watched.files] == ["a"]


@pytest.mark.slow
async def test_undoing_a_rejection_keeps_what_was_written_since(watched: Watched) -> None:
    await watched.begin()
    (watched.root / "a").write_text("the agent's\n")
    (watched.root / "b").write_text("new\n")
    await watched.tracking.look()
    assert watched.tracking.first is not None
    changes = await watched.snapshots.changes(watched.tracking.first)
    await watched.tracking.undo_stack.restore(watched.tracking.first, changes)
    (watched.root / "a").write_text("mine\n")

    undone = await watched.tracking.undo_stack.undo()

    assert undone is not None
    assert [change.path for change in undone.restored.done] == ["b"]
    assert undone.restored.problems == ("a: changed since then, so it is kept",)
    assert (watched.root / "a").read_text() == "mine\n"
    assert (watched.root / "b").read_text() == "new\n"


@pytest.mark.slow
async def test_an_undoing_that_can_do_nothing_now_can_be_done_later(watched: Watched) -> None:
    await watched.begin()
    (watched.root / "a").write_text("the agent's\n")
    await watched.tracking.look()
    change = watched.tracking.change(f"{watched.root}/a")
    assert change is not None
    await watched.tracking.reject(change)
    (watched.root / "a").write_text("mine\n")

    undone = await watched.tracking.undo_stack.undo()
    assert undone is not None
    assert not undone.restored.done
    assert not undone.is_over
    assert (watched.root / "a").read_text() == "mine\n"
    (watched.root / "a").write_text("1\n")
    await watched.tracking.undo_stack.undo()

    assert (watched.root / "a").read_text() == "the agent's\n"
    assert not watched.tracking.undo_stack.can_undo


@pytest.mark.slow
async def test_a_rejection_whose_file_changed_since_does_not_keep_older_ones_from_being_undone(
    watched: Watched,
) -> None:
    await watched.begin()
    for name in ("a", "b", "c"):
        (watched.root / name).write_text(f"the agent's {name}\n")
    await watched.tracking.look()
    for name in ("c", "b", "a"):
        change = watched.tracking.change(f"{watched.root}/{name}")
        assert change is not None
        await watched.tracking.reject(change)
    (watched.root / "a").write_text("mine\n")
    ways = watched.tracking.undo_stack

    blocked, second, third = await ways.undo(), await ways.undo(), await ways.undo()

    assert blocked is not None
    assert not blocked.is_over
    assert blocked.restored.problems == (
        "a: changed since then, so it is kept",
        "press again to undo the one before it",
    )
    assert second is not None
    assert third is not None
    assert [(one.is_over, one.newer) for one in (second, third)] == [(True, 1), (True, 1)]
    assert (watched.root / "a").read_text() == "mine\n"
    assert (watched.root / "b").read_text() == "the agent's b\n"
    assert (watched.root / "c").read_text() == "the agent's c\n"
    again = await ways.undo()  # there is only the first one left
    assert again is not None
    assert again.restored.problems == ("a: changed since then, so it is kept",)
    assert ways.can_undo


@pytest.mark.slow
async def test_what_is_done_is_told_as_done_also_when_it_cannot_be_undone(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watched.begin()
    (watched.root / "a").write_text("the agent's\n")
    await watched.tracking.look()
    change = watched.tracking.change(f"{watched.root}/a")
    assert change is not None
    taken = iter([await watched.snapshots.take()])

    async def take_until_the_disk_is_full() -> Snapshot:
        for snapshot in taken:
            return snapshot
        raise GitFailed("No space left on device")

    monkeypatch.setattr(watched.snapshots, "take", take_until_the_disk_is_full)
    restored = await watched.tracking.reject(change)

    assert restored.done == (change,)
    assert restored.problems == ("This cannot be undone: No space left on device",)
    assert (watched.root / "a").read_text() == "1\n"


@pytest.mark.slow
async def test_what_is_left_after_a_hunk_was_rejected_is_the_agents_and_so_is_what_an_undoing_brings_back(
    watched: Watched,
) -> None:
    (watched.root / "a").write_text("1\n2\n3\n4\n5\n")
    await watched.begin()
    await watched.tracking.before_turn(1)
    (watched.root / "a").write_text("one\n2\n3\n4\nfive\n")
    await until(lambda: watched.files == [("M", "a", False)])
    watched.tracking.after_turn()
    await watched.tracking.look()
    change = watched.tracking.change(f"{watched.root}/a")
    assert change is not None

    await watched.tracking.undo_stack.reverse(change, Hunk(0, 1, 0, 1))
    after_rejecting = watched.files
    undone = _newest(watched).undone
    await watched.tracking.undo_stack.undo()
    after_undoing = watched.files
    await watched.tracking.before_turn(2)
    await watched.tracking.look()

    assert after_rejecting == after_undoing == watched.files == [("M", "a", False)]
    assert list(undone) == [f"{watched.root}/a"]
    watched.tracking.after_turn()
    await watched.tracking.look()
    (watched.root / "a").write_text("mine\n")
    await watched.tracking.look()
    assert watched.files == [("M", "a", True)]


def _newest(watched: Watched) -> WorkspaceCompared:
    return [event for event in watched.told if isinstance(event, WorkspaceCompared)][-1]


@pytest.mark.slow
async def test_a_restore_that_was_killed_half_way_can_be_undone_in_the_next_run(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(snapshots: Snapshots, change: ChangedFile, *rest: Any) -> str:
        if change.path == "b":
            watched.session.apply = lambda event, at=0.0: None  # type: ignore[method-assign]
            raise Killed
        return put_back(snapshots, change, *rest)

    await watched.begin()
    watched.session.apply(Prompted([TextContent(text="go")]))
    (watched.root / "b").write_text("1\n")
    await watched.tracking.before_turn()
    await until(lambda: watched.tracking.before)
    for name in ("a", "b"):
        (watched.root / name).write_text("the agent's\n")
    watched.tracking.after_turn()
    watched.session.apply(TurnEnded("end_turn"))
    await watched.tracking.settle()
    assert watched.tracking.before is not None
    put_back = undo._put_back_now  # private: where a kill leaves a restore half done
    monkeypatch.setattr(undo, "_put_back_now", killed)
    apply = watched.session.apply
    changes = await watched.tracking.since_turn()
    with pytest.raises(Killed):
        await watched.tracking.undo_stack.restore(watched.tracking.before, changes)
    texts = [(watched.root / name).read_text() for name in ("a", "b")]
    assert texts == ["1\n", "the agent's\n"]
    monkeypatch.setattr(undo, "_put_back_now", put_back)
    watched.session.apply = apply  # type: ignore[method-assign]

    await watched.goes_on()
    undone = await watched.tracking.undo_stack.undo()

    assert undone is not None
    assert [change.path for change in undone.restored.done] == ["a"]
    assert (watched.root / "a").read_text() == "the agent's\n"
    assert not watched.tracking.undo_stack.can_undo
    assert watched.session.undo_steps == []


@pytest.mark.slow
async def test_of_a_restore_that_went_through_one_step_is_kept(watched: Watched) -> None:
    await watched.begin()
    (watched.root / "a").write_text("the agent's\n")
    await watched.tracking.look()
    change = watched.tracking.change(f"{watched.root}/a")
    assert change is not None

    await watched.tracking.reject(change)

    assert [step.paths for step in watched.session.undo_steps] == [("a",)]
    assert watched.tracking.undo_stack.depth == 1


async def test_a_deleted_file_and_its_folder_come_back_with_the_permissions_that_kept_others_out(
    watched: Watched,
) -> None:
    private = watched.root / "keys"
    private.mkdir(0o700)
    (private / "token").write_text("t\n")
    (private / "token").chmod(0o600)
    await watched.begin()
    await until(lambda: watched.tracking._untracked.modes._known)  # private: a look has no other sign
    await watched.tracking.before_turn(1)
    before = watched.tracking.before_of(1)
    assert before is not None
    (private / "token").unlink()
    private.rmdir()

    changes = await watched.tracking.since_turn(1)
    restored = await watched.tracking.undo_stack.restore(before, changes)

    assert restored.problems == ()
    assert (private / "token").read_text() == "t\n"
    assert (private / "token").stat().st_mode & 0o777 == 0o600
    assert private.stat().st_mode & 0o777 == 0o700


async def test_a_folder_that_was_empty_at_first_stays(watched: Watched) -> None:
    (watched.root / "empty" / "deep").mkdir(parents=True)
    await watched.begin()
    await until(lambda: watched.tracking._untracked.modes.first("empty") is not None)  # private
    await watched.tracking.before_turn(1)
    before = watched.tracking.before_of(1)
    assert before is not None
    (watched.root / "empty" / "new").write_text("x\n")
    (watched.root / "made").mkdir()
    (watched.root / "made" / "new").write_text("x\n")

    restored = await watched.tracking.undo_stack.restore(before, await watched.tracking.since_turn(1))

    assert restored.problems == ()
    assert sorted(path.name for path in watched.root.iterdir()) == ["a", "empty"]
    assert [path.name for path in (watched.root / "empty").iterdir()] == ["deep"]
