"""Events of folders.

Private names: `_started`, `_groups` and `_private`, for a close in the middle of a start has no outside.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.platform import mounts
from acp_tui.workspace import folder_events
from acp_tui.workspace.folder_events import (
    ADDED,
    DELETED,
    MODIFIED,
    CannotWatch,
    CookieFolder,
    FolderEvents,
    why_unwatchable,
)

linux = pytest.mark.native


class Ear:
    """Events of a folder, and whether it was woken."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.woken = threading.Event()
        self.events = FolderEvents(str(root), self.woken.set)

    def told(self) -> list[tuple[int, str]]:
        events = self.events.read()
        assert events is not None
        return sorted((kind, os.path.relpath(path, self.root)) for kind, path in events)


@pytest.fixture(params=[pytest.param("signals", marks=linux), "steps", "trees"])
def ear(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ear]:
    """Listen by signals, as on Linux; in steps, as without them; to whole trees, as on macOS."""
    if request.param != "signals":
        monkeypatch.setattr(folder_events._Signals, "come", lambda self, act: False)
    monkeypatch.setattr(folder_events, "WATCHES_TREES", request.param == "trees")
    root = tmp_path / "root"
    root.mkdir()
    ear = Ear(root)
    yield ear
    ear.events.close()


@pytest.mark.slow
def test_all_that_happened_before_a_read_is_told_by_it(ear: Ear) -> None:
    (ear.root / "old").write_text("1")
    (ear.root / "gone").write_text("1")
    ear.events.watch([str(ear.root)])
    ear.events.read()
    for number in range(50):
        (ear.root / "old").write_text(str(number))
        (ear.root / f"new {number}").mkdir()

        assert set(ear.told()) >= {(MODIFIED, "old"), (ADDED, f"new {number}")}

    (ear.root / "gone").unlink()

    assert ear.told() == [(DELETED, "gone")]
    assert ear.told() == []


def test_what_happens_wakes(ear: Ear) -> None:
    ear.events.watch([str(ear.root)])
    for number in range(5):
        ear.events.read()
        ear.woken.clear()

        (ear.root / str(number)).mkdir()

        assert ear.woken.wait(30)


@linux
@pytest.mark.slow
def test_a_read_that_finds_nothing_wakes_nobody_and_nobody_asks_in_steps(tmp_path: Path) -> None:
    ear = Ear(tmp_path)
    before = set(threading.enumerate())
    ear.events.watch([str(tmp_path)])
    threads = set(threading.enumerate()) - before
    signals = ear.events._signals
    assert signals is not None
    assert signals.come((tmp_path / "x").mkdir)
    assert ear.told() == [(ADDED, "x")]
    while signals.come(lambda: None):
        """One folder may be worth several signals."""

    sent: list[int] = []
    signals._wake = lambda: sent.append(1)
    for _ in range(20):
        assert ear.events.read() == set()
    assert not signals.come(lambda: None)
    assert sent == []
    assert signals.come((tmp_path / "y").mkdir)
    ear.events.close()
    assert len(threads) == 1  # the one that waits for signals


def test_folders_are_watched_in_few_groups_and_further_ones_fill_the_last(
    ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_events, "GROUP", 3)
    folders = [ear.root / str(number) for number in range(40)]
    for folder in folders:
        folder.mkdir()
    for begun in (0, 1, 2, 10, 30):
        ear.events.watch([str(folder) for folder in folders[begun : begun + 20]])
    ear.events.read()

    for folder in folders:
        (folder / "x").mkdir()

    assert {name for _, name in ear.told()} == {f"{folder.name}/x" for folder in folders}
    assert len(ear.events._groups) <= 2 * folder_events._MOST_GROUPS


@pytest.mark.slow
def test_nothing_is_missed_while_further_folders_are_added(ear: Ear) -> None:
    ear.events.watch([str(ear.root)])
    stop = threading.Event()
    made: list[str] = []

    def make() -> None:
        while not stop.is_set():
            name = f"file {len(made)}"
            (ear.root / name).mkdir()
            made.append(name)

    maker = threading.Thread(target=make)
    maker.start()
    told: set[str] = set()
    for number in range(10):
        (ear.root / f"folder {number}").mkdir()
        ear.events.watch([str(ear.root / f"folder {number}")])
        told |= {name for _, name in ear.told()}
    stop.set()
    maker.join()
    told |= {name for _, name in ear.told()}

    assert set(made) <= told


@pytest.mark.slow
def test_a_flood_makes_all_uncertain(ear: Ear) -> None:
    ear.events.watch([str(ear.root)])
    for number in range(folder_events._FLOOD + 1):
        (ear.root / str(number)).mkdir()

    assert ear.events.read() is None


def test_a_name_that_is_no_text_makes_all_uncertain(ear: Ear) -> None:
    ear.events.watch([str(ear.root)])
    try:
        Path(os.fsdecode(os.fsencode(ear.root) + b"/\xff")).touch()
    except OSError:
        pytest.skip("this file system refuses such a name")  # as macOS does: none can come

    assert ear.events.read() is None
    assert ear.events.read() is None


def test_a_folder_that_is_gone_again_is_left_out(ear: Ear) -> None:
    ear.events.watch([str(ear.root), str(ear.root / "never there")])
    ear.events.read()

    (ear.root / "x").mkdir()

    assert ear.told() == [(ADDED, "x")]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_a_system_without_further_watches_is_told_as_such(
    ear: Ear, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(folder_events, "RustNotify", refuse)

    with pytest.raises(CannotWatch, match=os.strerror(number)):
        ear.events.watch([str(ear.root)])


def test_a_folder_whose_name_is_no_text_cannot_be_watched(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    try:
        Path(name).mkdir()
    except OSError:
        pytest.skip("this file system refuses such a name")  # as macOS does: none can come
    ear = Ear(Path(name))

    with pytest.raises(CannotWatch, match="not UTF-8"):
        ear.events.watch([name])

    ear.events.close()


def test_closing_leaves_neither_threads_nor_folders(ear: Ear) -> None:
    before = set(threading.enumerate())
    ear.events.watch([str(ear.root)])
    private = Path(ear.events._private)
    threads = set(threading.enumerate()) - before

    ear.events.close()
    for thread in threads:
        thread.join(30)

    assert not any(thread.is_alive() for thread in threads)
    assert not private.exists()
    assert ear.events.read() is None
    with pytest.raises(CannotWatch):
        ear.events.watch([str(ear.root)])


def test_what_is_closed_while_it_begins_ends_as_well(ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    started = ear.events._started

    def close_meanwhile(folders: list[str]) -> object:
        closing = threading.Thread(target=ear.events.close)
        closing.start()
        closing.join(30)
        assert not closing.is_alive()
        return started(folders)

    monkeypatch.setattr(ear.events, "_started", close_meanwhile)
    ear.events.watch([str(ear.root)])

    assert ear.events._groups == []
    assert not Path(ear.events._private).exists()


def test_what_a_killed_run_has_left_is_removed_by_the_next_one_and_nothing_else(tmp_path: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", _LEAVES_A_FOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert killed.stdout is not None
    left = Path(killed.stdout.readline().strip())
    lives = CookieFolder(tmp_path)
    assert left.is_dir()

    killed.kill()
    killed.wait()
    killed.stdout.close()
    third = CookieFolder(tmp_path)

    assert not left.exists()
    assert Path(lives.path).is_dir()
    lives.close()
    third.close()
    (base,) = tmp_path.iterdir()
    assert list(base.iterdir()) == []


_LEAVES_A_FOLDER = """
import sys, time
from pathlib import Path
from acp_tui.workspace.folder_events import CookieFolder
print(CookieFolder(Path(sys.argv[1])).path, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("kind", ["a link", "a file", "for all"])
def test_cookies_are_not_put_where_another_user_could_be(tmp_path: Path, kind: str) -> None:
    place = tmp_path / f"acp-tui-watch-{os.getuid()}"
    (tmp_path / "theirs").mkdir()
    if kind == "a link":
        place.symlink_to("theirs")
    elif kind == "a file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o777)

    made = CookieFolder(tmp_path)

    assert Path(made.path).parent == tmp_path
    assert Path(made.path).stat().st_mode & 0o777 == 0o700
    made.close()
    assert not Path(made.path).exists()


def mounts_in(tmp_path: Path, *lines: str) -> dict[bytes, str]:
    path = tmp_path / "mounts"
    path.write_text("".join(f"{line}\n" for line in lines))
    return mounts(path)


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/user/work", ""),
        ("/mnt/share/work", "nfs4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/with space/x", "9p"),
        ("/mnt/shared", ""),
        ("/mnt/share/local/x", ""),
    ],
)
def test_file_systems_that_others_write_are_known(tmp_path: Path, folder: str, kind: str) -> None:
    listed = mounts_in(
        tmp_path,
        "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
        "30 21 0:50 / /mnt/share rw shared:2 master:1 - nfs4 host:/share rw",
        r"31 21 0:51 / /mnt/with\040space rw - 9p C:\134 rw",
        "32 30 0:52 / /mnt/share/local rw - tmpfs tmpfs rw",
    )

    assert kind in why_unwatchable(Path(folder), listed)
    assert bool(why_unwatchable(Path(folder), listed)) == bool(kind)


def test_a_system_without_a_list_of_mounts_is_taken_to_tell_all(tmp_path: Path) -> None:
    assert why_unwatchable(tmp_path, {}) == ""


def test_mounts_are_the_same_without_the_list_of_the_kernel(tmp_path: Path) -> None:
    assert mounts(tmp_path / "none").items() <= mounts().items()
    assert mounts(tmp_path / "none")[b"/"] == mounts()[b"/"]
