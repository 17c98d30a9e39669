"""Tests of `workspace/programs.py`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from acp_tui.workspace.programs import end_process, start_process, wait_uncancelled

PIPE = asyncio.subprocess.PIPE
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
