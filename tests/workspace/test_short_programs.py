"""Programs that run to their end: their start, their end, and those that stall."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from acp_tui.workspace import short_programs
from acp_tui.workspace.short_programs import (
    Stalled,
    Unsearched,
    blocks,
    communicate,
    end_process,
    obstacle_in,
    read_chunks,
    start_process,
    wait_uncancelled,
)
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("turns", range(6))
async def test_whoever_gives_up_while_it_starts_leaves_nothing_behind(turns: int) -> None:
    starting = asyncio.create_task(start_process("sleep", "300", stdin=PIPE, stdout=PIPE, stderr=PIPE))
    for _ in range(turns):
        await asyncio.sleep(0)
    for _ in range(3):
        starting.cancel()
        await asyncio.sleep(0)

    await asyncio.wait([starting])

    assert starting.cancelled()


async def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await start_process(str(tmp_path / "no-such-program"))


async def test_a_program_is_ended_that_has_more_to_say_than_anybody_reads() -> None:
    code = "import os\nwhile True: os.write(1, bytes(100_000))"
    process = await start_process(sys.executable, "-S", "-c", code, stdout=PIPE)
    assert process.stdout is not None
    await process.stdout.read(1)

    await end_process(process)

    assert process.returncode == -9


async def test_one_that_has_ended_by_itself_is_no_error() -> None:
    process = await start_process("true", stdout=PIPE)
    await process.wait()

    await end_process(process)

    assert process.stdout is not None
    assert process.stdout.at_eof()


async def test_who_is_told_again_to_end_does_so_when_that_is_over() -> None:
    work = asyncio.get_running_loop().create_future()
    passed: list[str] = []

    async def wait() -> None:
        await wait_uncancelled(work)
        passed.append("over")
        await asyncio.sleep(0)
        passed.append("after that")

    waiting = asyncio.create_task(wait())
    for _ in range(2):
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()

    work.set_result(None)
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert passed == ["over"]


async def python(code: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


async def test_what_only_waits_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = await python(f"open({os.fspath(tmp_path / 'pipe')!r})")

    with pytest.raises(Stalled):
        await communicate(process, b"", still=0.2)

    assert process.returncode == -15


async def test_what_waits_for_a_pipe_in_place_of_a_file_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short_programs, "_STEP", 0.05)  # private: a pause, made short
    os.mkfifo(tmp_path / ".gitignore")
    code = f"open({os.fspath(tmp_path / '.gitignore')!r})"

    with pytest.raises(Stalled):
        await communicate(await python(code), b"", still=6_000, is_blocked=lambda: blocks(tmp_path))

    reader = await python(code)
    with pytest.raises(Stalled):
        await anext(read_chunks(reader, 1, still=6_000, is_blocked=lambda: blocks(tmp_path)))
    await end_process(reader)


async def test_what_waits_with_no_reason_in_its_folder_has_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short_programs, "_STEP", 0.01)  # private: a pause, made short
    looks: list[bool] = []

    def look() -> bool:
        looks.append(blocks(tmp_path))
        return looks[-1]

    process = await python("import sys; print(sys.stdin.read())")
    os.kill(process.pid, signal.SIGSTOP)
    waiting = asyncio.create_task(communicate(process, b"x", still=6_000, is_blocked=look))
    await until(lambda: looks)
    os.kill(process.pid, signal.SIGCONT)

    assert await waiting == (b"x\n", b"")
    assert looks == [False]


async def test_what_works_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def more(pid: int) -> tuple[bytes]:
        looks.append(pid)
        return (b"%d" % len(looks),)

    monkeypatch.setattr(short_programs, "work_of", more)
    process = await python("import sys\nprint(sys.stdin.read())\nsys.stderr.write('e')")
    os.kill(process.pid, signal.SIGSTOP)
    waiting = asyncio.create_task(communicate(process, b"x", still=0.02))

    await until(lambda: len(looks) > 20)
    assert not waiting.done()
    os.kill(process.pid, signal.SIGCONT)

    assert await waiting == (b"x\n", b"e")


async def test_what_a_program_writes_is_work() -> None:
    process = await python("import sys\nsys.stdin.read(1); print('x' * 9, flush=True); sys.stdin.read()")
    assert process.stdin is not None
    assert process.stdout is not None
    before = short_programs.work_of(process.pid)
    process.stdin.write(b"1")
    await process.stdout.readline()

    assert short_programs.work_of(process.pid) != before
    await communicate(process, b"")


async def test_whoever_waits_no_more_ends_the_program() -> None:
    process = await python("import time; time.sleep(60)")
    waiting = asyncio.create_task(communicate(process, b""))
    await asyncio.sleep(0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert process.returncode == -15


async def test_whoever_is_told_twice_to_wait_no_more_leaves_no_program_behind() -> None:
    process = await python("import time; time.sleep(60)")
    waiting = asyncio.create_task(communicate(process, b""))
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
