"""The files of a folder that are not ignored, including those of nested repositories."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import ignore

from acp_tui.changes.git import Git, Repository, lines_of, repository_of
from acp_tui.changes.ignore_patterns import Exclusion
from acp_tui.lazy_regex import regex
from acp_tui.workspace.short_programs import (
    Stalled,
    Unsearched,
    blocks,
    end_process,
    obstacle_in,
    read_chunks,
)

PATIENCE: Final = 3.0
"""Seconds without progress after which git is stopped: it may be reading a pipe."""
_PIECE: Final = 64 * 1024
"""Bytes of output handled before the event loop continues."""
_STEPS: Final = 500
"""Entries walked before the event loop continues."""
_MOST_INSIDE: Final = 200
"""Maximum number of nested repositories."""
_PATTERNS: Final = (".gitignore", ".ignore")
SEARCHED: Final = 5.0
"""Seconds for checking ignore files; without a result, none of them counts."""
_LARGEST_INDEX: Final = 1 << 30  # bytes
_TRACKED: Final = ("ls-files", "-z", "--stage")
_OTHERS: Final = ("ls-files", "-z", "--others", "--exclude-standard")
_REPOSITORY: Final = regex(rb"160000 [^\0]*\0")
_FACTS: Final = regex(rb"(?:(?<=\0)|\A)\d+ [0-9a-f]+ \d\t")
"""Mode, hash and stage before the path of a tracked file."""


async def files_in(folder: str) -> AsyncGenerator[list[str]]:
    """Yield relative paths in batches; a path may repeat."""
    root, inside = Path(folder), [""]
    for number in range(_MOST_INSIDE + 1):
        if number == len(inside):
            return
        prefix = inside[number]
        async with aclosing(_listed(root / prefix, is_inner=number > 0)) as parts:
            async for paths in parts:
                inside += [f"{prefix}{path}" for path in paths if path.endswith("/")]
                yield [f"{prefix}{path}" for path in paths if not path.endswith("/")]


async def _listed(folder: Path, is_inner: bool) -> AsyncGenerator[list[str]]:
    """Yield the files of a folder, and nested repositories with a trailing slash."""
    repository = await asyncio.to_thread(repository_of, folder)
    if is_inner and (repository is None or repository.top != folder):
        return
    ours = await asyncio.to_thread(_private_folder, repository)
    try:
        patterns = await Exclusion(Git(ours, folder)).lines()
        exclude = ours / "info" / "exclude"
        await asyncio.to_thread(exclude.write_bytes, patterns)
        is_stalled = False
        if repository is not None:
            try:
                async with aclosing(_by_git(folder, ours, repository)) as parts:
                    async for paths in parts:
                        yield paths
                return
            except Stalled:
                is_stalled = True
            except OSError:  # git is not installed
                pass
        walk, has_more = await asyncio.to_thread(_walk, folder, exclude, is_stalled), True
        while has_more:
            paths, has_more = await asyncio.to_thread(_walked, walk, str(folder))
            yield paths
    finally:
        shutil.rmtree(ours, ignore_errors=True)


async def _by_git(folder: Path, ours: Path, repository: Repository) -> AsyncGenerator[list[str]]:
    """Yield tracked files first, then all others that are not ignored.

    Raises:
        OSError: git could not be started.
        Stalled: git made no progress.
    """
    index = repository.folder / "index"
    if await asyncio.to_thread(_is_file, index, _LARGEST_INDEX):
        tracking = Git(ours, repository.top, index, repository.common / "objects", folder)
        async with aclosing(_paths(tracking, _TRACKED)) as parts:
            async for data in parts:
                yield _split(_FACTS.sub(b"", _REPOSITORY.sub(b"", data)))
    async with aclosing(_paths(Git(ours, folder), _OTHERS)) as parts:
        async for data in parts:
            yield _split(data)


async def _paths(git: Git, command: Sequence[str]) -> AsyncGenerator[bytes]:
    """Yield the output of a command in pieces that end at a NUL."""
    process = await git.start(*command, reads=False)
    is_blocked = partial(blocks, git.place or git.root)
    try:
        rest = b""
        async with aclosing(read_chunks(process, _PIECE, PATIENCE, is_blocked)) as parts:
            async for data in parts:
                whole, end, rest = (rest + data).rpartition(b"\0")
                if end:
                    yield whole + end
                await asyncio.sleep(0)
        await process.wait()  # killing it now would lose its exit status
        if process.returncode and command == _OTHERS:  # for example, because of a huge ignore file
            raise Stalled
    finally:
        if process.returncode is None:
            await end_process(process)


def _split(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _private_folder(repository: Repository | None) -> Path:
    """Create an empty repository with the object format of the original."""
    folder = Path(tempfile.mkdtemp(prefix="acp-tui-"))
    for name in ("objects", "refs", "info"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    if repository is not None:
        config = [line.lower().replace(b" ", b"") for line in lines_of(repository.common / "config")]
        if any(line.strip().startswith(b"objectformat=sha256") for line in config):
            text = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
            (folder / "config").write_text(text)
        with suppress(OSError):
            for shared in repository.folder.glob("sharedindex.*"):  # of a split index
                if _is_file(shared, _LARGEST_INDEX):
                    (folder / shared.name).symlink_to(shared)
    return folder


def _is_file(path: Path, most: int) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= most


def _walk(folder: Path, exclude: Path, is_stalled: bool) -> ignore.Walk:
    reads = not is_stalled and _can_read_patterns(folder)
    walk = ignore.WalkBuilder(folder).require_git(False).parents(False).git_global(False).git_exclude(False)
    walk = walk.ignore(reads).git_ignore(reads)
    walk.add_ignore(exclude)
    return walk.build()


def _can_read_patterns(folder: Path) -> bool:
    """Return whether no ignore file is a pipe or far too large, which would block the walk."""
    try:
        return obstacle_in(folder, _PATTERNS, SEARCHED) is None
    except Unsearched:
        return False


def _walked(walk: ignore.Walk, folder: str) -> tuple[list[str], bool]:
    """Walk the next entries; return (the files met, whether the walk continues)."""
    paths: list[str] = []
    for _ in range(_STEPS):
        try:
            path = str(next(walk).path())
        except StopIteration:
            return paths, False
        except ignore.Error:  # an unreadable folder
            continue
        if not os.path.isdir(path):  # noqa: PTH112  # a Path takes five times as long
            paths.append(path[len(folder.rstrip("/")) + 1 :])
    return paths, True
