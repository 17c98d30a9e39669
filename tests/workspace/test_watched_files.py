"""Tests of `workspace/watched_files.py`."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acp_tui.workspace import folder_events
from acp_tui.workspace.watched_files import WatchedFiles
from tests.waiting import until


class Reader:
    """The state of a file as its reader knows it."""

    def __init__(self, *files: Path) -> None:
        self.files = list(files)
        self.told: list[Path] = []
        self.read: dict[Path, str] = {}
        """The contents that were there when the file was told."""
        self.texts: list[str] = []
        self.watching = WatchedFiles(lambda: self.files, self._hear)

    def _hear(self, files: frozenset[Path]) -> None:
        for file in files:
            self.told.append(file)
            self.read[file] = file.read_text() if file.exists() else ""
            self.texts.append(self.read[file])

    async def knows(self, text: str, of: int = 0) -> None:
        await until(lambda: self.read.get(self.files[of]) == text)


@asynccontextmanager
async def reading(*files: Path) -> AsyncIterator[Reader]:
    reader = Reader(*files)
    task = asyncio.create_task(reader.watching.run())
    await until(lambda: set(reader.files) <= set(reader.told))
    try:
        yield reader
    finally:
        task.cancel()
        await asyncio.wait([task])


def write(path: Path, text: str) -> None:
    path.write_text(text)  # it is truncated first


def rename(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    new.replace(path)


def move_away_and_write(path: Path, text: str) -> None:
    if path.exists():
        path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text)


def same_time_and_size(path: Path, text: str) -> None:
    before = path.stat() if path.exists() else None
    path.write_text(text)
    if before is not None:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


SAVES = [write, rename, move_away_and_write, same_time_and_size]


@pytest.mark.parametrize("save", SAVES)
async def test_a_file_is_told_however_it_is_saved(save: Callable[[Path, str], None], tmp_path: Path) -> None:
    path = tmp_path / "config" / "x.toml"
    path.parent.mkdir()
    path.write_text("a0")
    async with reading(path) as reader:
        for number in range(1, 6):
            save(path, f"a{number}")

            await reader.knows(f"a{number}")


async def test_a_file_and_its_folders_need_not_exist_and_may_be_removed_and_made_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "home" / "config" / "app" / "x.toml"
    async with reading(path) as reader:
        for number in range(4):
            path.parent.mkdir(parents=True)
            path.write_text(f"{number}")
            await reader.knows(f"{number}")
            path.write_text(f"{number} again")
            await reader.knows(f"{number} again")

            shutil.rmtree(tmp_path / "home" if number % 2 else path.parent)
            await reader.knows("")


async def test_a_folder_may_be_moved_away_and_another_one_put_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "home" / "config" / "x.toml"
    path.parent.mkdir(parents=True)
    path.write_text("0")
    async with reading(path) as reader:
        for number in range(1, 6):
            new = tmp_path / f"new {number}"
            (new / "config").mkdir(parents=True)
            (new / "config" / "x.toml").write_text(f"{number}")
            path.parent.rename(tmp_path / f"old {number}")
            await reader.knows("")
            (new / "config").rename(path.parent)
            await reader.knows(f"{number}")
            path.write_text(f"{number} again")
            await reader.knows(f"{number} again")


@pytest.mark.parametrize("relative", [True, False])
async def test_a_link_is_followed_and_so_is_another_one_in_its_place(tmp_path: Path, relative: bool) -> None:
    dotfiles, others, config = tmp_path / "dotfiles", tmp_path / "others", tmp_path / "config"
    for folder in (dotfiles, others, config):
        folder.mkdir()
    (dotfiles / "x.toml").write_text("one")
    (others / "x.toml").write_text("theirs")
    path = config / "x.toml"
    path.symlink_to("../dotfiles/x.toml" if relative else dotfiles / "x.toml")
    async with reading(path) as reader:
        write(dotfiles / "x.toml", "two")
        await reader.knows("two")
        rename(dotfiles / "x.toml", "three")
        await reader.knows("three")

        path.unlink()
        path.symlink_to("../others/x.toml")
        await reader.knows("theirs")
        write(others / "x.toml", "theirs again")
        await reader.knows("theirs again")


async def test_a_folder_that_is_a_link_is_followed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.toml").write_text(name)
    config = tmp_path / "config"
    config.symlink_to("one")
    async with reading(config / "x.toml") as reader:
        write(tmp_path / "one" / "x.toml", "new")
        await reader.knows("new")

        (tmp_path / "next").symlink_to("two")
        (tmp_path / "next").replace(config)
        await reader.knows("two")


async def test_a_link_that_leads_to_itself_and_a_name_that_no_file_can_have_are_missing(
    tmp_path: Path,
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    async with reading(tmp_path / "x", tmp_path / "a\0b") as reader:
        reader.files.append(loop / "y")
        reader.watching.look()
        await until(lambda: loop / "y" in reader.told)
        write(tmp_path / "x", "seen")

        await reader.knows("seen")


async def test_a_file_that_is_empty_while_it_is_saved_is_not_told_so(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("full")
    async with reading(path) as reader:
        for number in range(5):
            with path.open("w") as file:
                file.flush()
                await asyncio.sleep(0.05)  # an editor that is slow
                file.write(f"full {number}")
            await reader.knows(f"full {number}")

        assert "" not in reader.texts


async def test_what_is_watched_later_is_told_once_and_then_when_it_changes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "work" / ".acp-tui" / "rules.toml"
    async with reading(first) as reader:
        second.parent.parent.mkdir()
        reader.files.append(second)
        reader.watching.look()
        await until(lambda: second in reader.told)

        second.parent.mkdir()
        second.write_text("new")

        await reader.knows("new", of=1)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
async def test_without_further_watches_the_reason_is_said_and_a_look_finds_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "x.toml"
    with monkeypatch.context() as patch:
        patch.setattr(folder_events, "RustNotify", refuse)
        async with reading(path) as reader:
            assert reader.watching.obstacle == os.strerror(number)
            path.write_text("new")
            reader.watching.look()
            await reader.knows("new")

            patch.undo()
            reader.watching.look()
            await until(lambda: not reader.watching.obstacle)
            path.write_text("newer")
            await reader.knows("newer")
