"""A program that waits for what never comes is ended; one that works is not."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from acp_tui.host import stalling
from acp_tui.host.stalling import Stalled, Unsearched, finish, obstacle_in
from tests.waiting import until


async def python(code: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")  # elsewhere none is ended
async def test_what_only_waits_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = await python(f"open({os.fspath(tmp_path / 'pipe')!r})")

    with pytest.raises(Stalled):
        await finish(process, b"", still=0.2)

    assert process.returncode == -15


async def test_what_works_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def more(pid: int) -> tuple[bytes]:
        looks.append(pid)
        return (b"%d" % len(looks),)

    monkeypatch.setattr(stalling, "_work_of", more)
    process = await python("import sys\nprint(sys.stdin.read())\nsys.stderr.write('e')")
    os.kill(process.pid, signal.SIGSTOP)
    waiting = asyncio.create_task(finish(process, b"x", still=0.02))

    await until(lambda: len(looks) > 20)
    assert not waiting.done()
    os.kill(process.pid, signal.SIGCONT)

    assert await waiting == (b"x\n", b"e")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")  # elsewhere nothing is told
async def test_what_a_program_writes_is_work() -> None:
    process = await python("import sys\nsys.stdin.read(1); print('x' * 9, flush=True); sys.stdin.read()")
    assert process.stdin is not None
    assert process.stdout is not None
    before = stalling._work_of(process.pid)
    process.stdin.write(b"1")
    await process.stdout.readline()

    assert stalling._work_of(process.pid) != before
    await finish(process, b"")


async def test_whoever_waits_no_more_ends_the_program() -> None:
    process = await python("import time; time.sleep(60)")
    waiting = asyncio.create_task(finish(process, b""))
    await asyncio.sleep(0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert process.returncode == -15


async def test_whoever_is_told_twice_to_wait_no_more_leaves_no_program_behind() -> None:
    process = await python("import time; time.sleep(60)")
    waiting = asyncio.create_task(finish(process, b""))
    for _ in range(2):
        await asyncio.sleep(0)
        waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert process.returncode == -15


def test_the_pipe_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.o\n")
    assert obstacle_in(tmp_path) is None
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub/.gitattributes")
    assert obstacle_in(tmp_path) == "sub/.gitattributes"


def test_a_search_that_takes_too_long_is_not_taken_for_a_clean_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub/.gitignore")

    with pytest.raises(Unsearched):
        obstacle_in(tmp_path, seconds=-1)
