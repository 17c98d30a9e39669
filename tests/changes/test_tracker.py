"""The times of looks at a workspace, and the session's events."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acp_tui.changes import changed_files, git_tree, tracker, watcher
from acp_tui.changes.git_store import GitFailed
from acp_tui.changes.git_tree import ChangedFile, Snapshot
from acp_tui.changes.tracker import is_too_wide
from acp_tui.protocol.schema import TextContent
from acp_tui.session.events import Noted, Prompted
from acp_tui.workspace import folder_events
from tests.changes.watched import Watched
from tests.waiting import until

_NO_ROOM = "fatal: unable to write loose object file: No space left on device"


async def _no_room(*arguments: str, **others: Any) -> bytes:
    if arguments[0] in ("ls-files", "fsck"):
        return b""
    raise GitFailed(_NO_ROOM)


def held_snapshots(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Delay snapshots until the event is set."""
    take, may_go_on = watched.snapshots.take, asyncio.Event()

    async def slow() -> Snapshot:
        await may_go_on.wait()
        return await take()

    monkeypatch.setattr(watched.snapshots, "take", slow)
    return may_go_on


@pytest.mark.slow
async def test_files_written_in_a_turn_are_reported_while_it_runs(watched: Watched) -> None:
    await watched.begin()
    await watched.tracking.before_turn()

    (watched.root / "new").write_text("x\n")
    await until(lambda: watched.files == [("A", "new", False)])
    (watched.root / "a").unlink()
    watched.tracking.after_turn()

    await until(lambda: watched.files == [("D", "a", False), ("A", "new", False)])


@pytest.mark.slow
async def test_the_last_writes_of_a_turn_are_its_own_whichever_look_sees_them_first(watched: Watched) -> None:
    await watched.begin()
    await watched.tracking.before_turn()
    (watched.root / "a").unlink()
    sooner = asyncio.ensure_future(watched.tracking.look())
    await asyncio.sleep(0)  # its look is the next thing that happens

    watched.tracking.after_turn()

    await sooner
    await until(lambda: watched.files)
    assert watched.files == [("D", "a", False)]


@pytest.mark.slow
async def test_what_changes_while_no_turn_runs_is_told_as_such_with_the_next_prompt(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_here() -> bool:
        return False

    monkeypatch.setattr(watched.snapshots, "watch", not_here)
    monkeypatch.setattr(tracker, "PATIENCE", 10.0)
    watched.is_told = False
    await watched.begin()
    (watched.root / "a").write_text("in an editor\n")

    await watched.tracking.before_turn()
    await until(lambda: watched.files == [("M", "a", True)])
    (watched.root / "a").write_text("by the agent\n")
    watched.tracking.look_soon()

    await until(lambda: watched.files == [("M", "a", False)])


@pytest.mark.slow
async def test_a_workspace_that_cannot_be_watched_is_looked_at_when_it_is_wanted_which_is_said_once(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder_events, "RustNotify", refuse)
    watched.is_told = False
    await watched.begin()
    for turn in (1, 2):
        await watched.tracking.before_turn()
        (watched.root / f"new{turn}").write_text("x\n")
        watched.tracking.look_soon()
        await until(lambda: len(watched.files) == 2 * turn - 1)  # noqa: B023 - waited for at once
        (watched.root / f"last{turn}").write_text("x\n")
        watched.tracking.after_turn()
        await until(lambda: len(watched.files) == 2 * turn)  # noqa: B023

    notes = [event for event in watched.told if isinstance(event, Noted)]

    assert [note.detail for note in notes] == ["The reason: No space left on device."]


async def test_a_look_that_is_wanted_before_it_is_known_that_nothing_can_be_told_is_made(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "why_unwatchable", lambda root: "nfs does not report what others write")
    watched.is_told = False
    is_late = asyncio.Event()
    watch = watched.snapshots.watch

    async def slow() -> bool:
        await is_late.wait()
        return await watch()

    monkeypatch.setattr(watched.snapshots, "watch", slow)
    await watched.begin()
    (watched.root / "new").write_text("x\n")
    watched.tracking.look_soon()
    is_late.set()

    await until(lambda: [name for _, name, _ in watched.files] == ["new"])


async def test_where_nothing_can_be_told_looks_that_are_wanted_at_once_become_few(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "why_unwatchable", lambda root: "nfs does not report what others write")
    watched.is_told = False
    looks: list[int] = []
    all_wanted = asyncio.Event()
    changes = watched.snapshots.changes

    async def counted(*arguments: Any) -> list[ChangedFile]:
        looks.append(1)
        await all_wanted.wait()
        return await changes(*arguments)

    monkeypatch.setattr(watched.snapshots, "changes", counted)
    await watched.begin()
    for number in range(50):
        (watched.root / f"new{number}").write_text("x\n")
        watched.tracking.look_soon()
        await asyncio.sleep(0)
    all_wanted.set()

    await until(lambda: len(watched.files) == 50)
    assert len(looks) <= 5


@pytest.mark.slow
async def test_what_changes_while_no_turn_runs_is_told_without_a_prompt(watched: Watched) -> None:
    await watched.begin()

    (watched.root / "a").write_text("in an editor\n")

    await until(lambda: watched.files == [("M", "a", True)])


@pytest.mark.slow
async def test_a_file_that_is_again_what_it_was_is_no_change(watched: Watched) -> None:
    await watched.begin()
    await watched.tracking.before_turn()
    (watched.root / "a").write_text("2\n")
    await until(lambda: watched.files)

    (watched.root / "a").write_text("1\n")

    await until(lambda: not watched.files)


@pytest.mark.slow
async def test_a_prompt_does_not_wait_for_a_slow_snapshot_and_the_turn_is_marked(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watched.begin()
    may_go_on = held_snapshots(watched, monkeypatch)
    began = asyncio.get_running_loop().time()
    await watched.tracking.before_turn()

    assert asyncio.get_running_loop().time() - began < 1
    assert watched.tracking.is_late
    assert watched.tracking.before is None
    may_go_on.set()
    await until(lambda: watched.tracking.before)


@pytest.mark.slow
async def test_a_snapshot_that_comes_when_its_turn_is_over_is_still_that_of_its_turn(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watched.begin()
    may_go_on = held_snapshots(watched, monkeypatch)
    monkeypatch.setattr(tracker, "PATIENCE", 0.0)
    await watched.tracking.before_turn(1)
    (watched.root / "a").write_text("by the agent\n")
    watched.tracking.after_turn()
    await watched.tracking.before_turn(2)

    may_go_on.set()
    await until(lambda: watched.tracking.turns == [1, 2])
    await until(lambda: watched.files)
    await watched.tracking.look()  # after those that wait

    assert watched.tracking.was_late(1)
    assert watched.files == [("M", "a", False)]


@pytest.mark.slow
async def test_the_texts_of_a_change_are_those_of_the_beginning_and_of_now(watched: Watched) -> None:
    await watched.begin()
    (watched.root / "a").write_text("2\n")
    await watched.tracking.look()

    change = watched.tracking.change(str(watched.root / "a"))
    assert change is not None
    assert await watched.tracking.texts(change) == (b"1\n", b"2\n")
    assert watched.tracking.change("/elsewhere") is None


@pytest.mark.slow
async def test_of_very_many_files_the_first_are_listed_and_that_is_said_once(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_files, "SHOWN", 3)
    await watched.begin()
    for name in "bcdefg":
        (watched.root / name).write_text(f"{name}\n")
        await watched.tracking.look()

    assert len(watched.files) == 3
    (noted,) = [event for event in watched.told if isinstance(event, Noted)]
    assert noted.text == "4 files have changed; the first 3 are listed."


@pytest.mark.slow
async def test_what_is_left_out_is_said_once_with_names(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 10)
    (watched.root / "big").write_text("x" * 11)

    await watched.begin()
    await watched.tracking.before_turn()
    watched.tracking.after_turn()
    await watched.tracking.look()

    noted = Noted("Changes are not shown in files above 8 MB (1).", "info", "big")
    assert watched.told == [noted]


async def test_without_git_it_is_said_once_and_turns_go_on(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    watched.tracking.begin()

    for _ in range(2):
        await watched.tracking.before_turn()
        watched.tracking.after_turn()
        await watched.tracking.look()

    (noted,) = watched.told
    assert isinstance(noted, Noted)
    assert "Install git" in noted.detail


@pytest.mark.slow
async def test_what_could_not_be_kept_for_a_while_is_tracked_again_from_the_next_turn_on(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watched.begin()
    with monkeypatch.context() as full:
        full.setattr(watched.snapshots.store, "git", _no_room)
        (watched.root / "one").write_text("x\n")
        await watched.tracking.look()
        await watched.tracking.look()
    assert [event.detail for event in watched.told if isinstance(event, Noted)] == [_NO_ROOM]

    await watched.tracking.before_turn()
    (watched.root / "two").write_text("x\n")

    await until(lambda: [name for _, name, _ in watched.files] == ["one", "two"])
    notes = [event.text for event in watched.told if isinstance(event, Noted)]
    assert notes[1:] == ["All changes are shown again."]


@pytest.mark.slow
async def test_a_damaged_store_is_said_and_changes_are_shown_from_then_on(watched: Watched) -> None:
    await watched.begin()
    await watched.tracking.before_turn()
    (watched.snapshots.store.path / "index").write_bytes(b"damaged")
    watched.snapshots.distrust()

    await watched.tracking.look()
    await until(lambda: [event for event in watched.told if isinstance(event, Noted)])
    await until(lambda: watched.tracking.first)
    (watched.root / "new").write_text("x\n")

    await until(lambda: [name for _, name, _ in watched.files] == ["new"])
    watched.session.apply(Prompted([TextContent(text="go")]))
    await watched.goes_on()
    assert "There are no snapshots" in watched.tracking.lost


@pytest.mark.slow
async def test_of_a_session_that_began_with_a_prompt_nothing_is_lost_later(watched: Watched) -> None:
    begun = asyncio.Event()
    watched.tracking.on_look = begun.set
    watched.tracking.begin()
    await begun.wait()  # the first snapshot is being taken
    watched.session.apply(Prompted([TextContent(text="go")]))
    await watched.tracking.before_turn(1)
    await until(lambda: watched.tracking.before)

    await watched.goes_on()

    assert watched.tracking.lost == ""


async def test_nothing_is_done_after_the_end(watched: Watched) -> None:
    watched.tracking.begin()
    await watched.tracking.close()

    await watched.tracking.before_turn()
    watched.tracking.after_turn()
    await watched.tracking.look()

    assert watched.told == []
    assert not watched.snapshots.store.path.joinpath("index.lock").exists()


def test_a_home_folder_and_all_above_it_are_too_wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "me"
    (home / "src").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))

    too_wide: dict[Path, Any] = {
        path: is_too_wide(path) for path in (home, tmp_path, Path("/"), home / "src")
    }

    assert list(too_wide.values()) == [True, True, True, False]
    assert tracker.PATIENCE <= 0.1


@pytest.mark.slow
async def test_a_pipe_that_git_would_read_for_ever_is_named_and_the_session_goes_on(
    watched: Watched,
) -> None:
    os.mkfifo(watched.root / ".gitignore")
    watched.snapshots.store.patience = 0.2
    watched.tracking.begin()
    await until(lambda: watched.tracking.look_seconds)

    await until(lambda: [event for event in watched.told if isinstance(event, Noted)])

    (told,) = [event for event in watched.told if isinstance(event, Noted)]
    assert "cannot read .gitignore, which is a pipe" in told.detail
    assert watched.tracking.obstacle == f"Only changes that the agent reports are shown: {told.detail}"
    assert watched.tracking.look_seconds == 0

    (watched.root / ".gitignore").unlink()
    await watched.tracking.before_turn(1)
    await until(lambda: watched.tracking.first)
    (watched.root / "new").write_text("x\n")
    watched.tracking.after_turn()
    await until(lambda: [name for _, name, _ in watched.files] == ["new"])
    assert watched.tracking.obstacle == ""


@pytest.mark.slow
async def test_what_an_agent_hides_is_counted_and_named_at_the_end_of_its_turn(watched: Watched) -> None:
    subprocess.run(["git", "init", "-q", str(watched.root)], check=True)
    os.mkfifo(watched.root / "old")
    await watched.begin()
    await watched.tracking.before_turn(1)
    (watched.root / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\n")
    (watched.root / ".gitignore").write_text("evil.sh\n")
    (watched.root / "evil.sh").write_text("#!/bin/sh\n")
    os.mkfifo(watched.root / "new")
    names = [".git/hooks/post-checkout", *(["new"] if watched.is_told else []), "evil.sh"]
    watched.tracking.after_turn()

    await until(lambda: len(watched.tracking.untracked) == len(names))

    assert [each.path for each in watched.tracking.untracked] == names
    assert watched.tracking.obstacle == ""


@pytest.mark.slow
async def test_permissions_and_files_of_repositories_inside_are_named(watched: Watched) -> None:
    inner = watched.root / "sub"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    (inner / "f").write_text("1")
    (watched.root / "a").chmod(0o644)
    await watched.begin()
    await until(lambda: watched.tracking._untracked.modes._known)  # private: a look has no other sign
    await watched.tracking.before_turn(1)
    (watched.root / "a").chmod(0o666)
    (inner / "f").write_text("other")
    (inner / "new").write_text("1")
    watched.tracking.after_turn()

    await until(lambda: len(watched.tracking.untracked) == 3)

    assert [(each.path, each.what) for each in watched.tracking.untracked] == [
        ("sub/f", "in another repository"),
        ("sub/new", "in another repository"),
        ("a", "mode 644 → 666"),
    ]
    assert watched.files == []


@pytest.mark.slow
async def test_what_a_turn_made_is_not_from_outside_when_an_undoing_brings_it_back(watched: Watched) -> None:
    await watched.begin()
    await watched.tracking.before_turn(1)
    (watched.root / "new").write_text("x\n")
    await until(lambda: watched.files == [("A", "new", False)])
    watched.tracking.after_turn()
    await watched.tracking.look()

    (watched.root / "new").unlink()
    await until(lambda: watched.files == [])
    (watched.root / "new").write_text("x\n")
    await watched.tracking.look()

    assert watched.files == [("A", "new", False)]
    (watched.root / "new").write_text("mine\n")
    await watched.tracking.look()
    assert watched.files == [("A", "new", True)]


@pytest.mark.slow
async def test_what_a_restore_will_leave_alone_is_known_before_it(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracker, "PATIENCE", 10.0)  # on a busy machine the snapshot would be late
    (watched.root / ".gitignore").write_text(".env\n")
    (watched.root / ".env").write_text("mine\n")
    await watched.begin()
    await watched.tracking.before_turn(1)
    (watched.root / ".gitignore").write_text("")
    (watched.root / "new").write_text("1\n")

    changes = {change.path: change.is_kept for change in await watched.tracking.since_turn(1)}

    assert changes == {".env": True, ".gitignore": False, "new": False}


async def test_the_first_snapshot_lets_the_new_session_be_drawn_first(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    taken: list[str] = []
    take = watched.snapshots.take

    async def noted() -> Snapshot:
        taken.append("snapshot")
        return await take()

    watched.snapshots.take = noted  # type: ignore[method-assign]
    watched.tracking.begin(watched.session.past())
    for _ in range(3):
        await asyncio.sleep(0)
    assert taken == []

    await watched.tracking.before_turn()  # a prompt does not wait for it
    assert taken
    await until(lambda: watched.tracking.first)
    await watched.tracking.close()


async def test_a_prompt_that_comes_at_once_waits_for_the_first_snapshot_of_all(watched: Watched) -> None:
    watched.tracking.begin(watched.session.past())

    await watched.tracking.before_turn(1)

    assert not watched.tracking.is_late
    assert watched.tracking.before_of(1) is not None
    await watched.tracking.close()
