"""Undo and redo of turns and rejections."""

from __future__ import annotations

import pytest

from acp_tui.changes.git_store import GitFailed
from acp_tui.changes.tree import Snapshot
from acp_tui.changes.undo import Hunk
from acp_tui.session.events import WorkspaceCompared
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
