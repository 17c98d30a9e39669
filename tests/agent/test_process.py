from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from acp_tui.agent.process import MAX_UNREAD, Process, SpawnFailed
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import ExitStatus
from tests.offspring import a_long_time, sleepers
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture(autouse=True)
async def in_time() -> AsyncIterator[None]:
    async with asyncio.timeout(60):
        yield


def shell(script: str) -> Process:
    return Process.spawn(["sh", "-c", script])


def python(script: str) -> Process:
    return Process.spawn([sys.executable, "-S", "-c", script])


async def all_of(process: Process) -> bytes:
    pieces = []
    while data := await process.read():
        pieces.append(data)
    return b"".join(pieces)


def test_it_starts_without_a_loop_and_what_is_written_meanwhile_is_not_lost() -> None:
    process = shell("cat; echo end >&2")
    process.write(b"first\n")
    process.write(b"x" * 1_000_000 + b"\n")
    process.write(b"last\n")

    async def converse() -> bytes:
        data = await process.read()
        while not data.endswith(b"last\n"):
            data += await process.read()
        await process.stop()
        return data

    assert asyncio.run(converse()) == b"first\n" + b"x" * 1_000_000 + b"\nlast\n"
    assert process.stderr_tail == "end\n"


async def test_what_is_there_is_returned_at_once_and_the_end_is_empty() -> None:
    process = shell("echo one; read line; echo $line; exit 3")
    assert await process.read() == b"one\n"
    process.write(b"two\n")
    assert await all_of(process) == b"two\n"
    assert await process.read() == b""
    assert await process.wait() == ExitStatus(3, None)
    assert process.exit_status == ExitStatus(3, None)
    await process.stop()


async def test_c2_large_writes_keep_their_order_and_do_not_interleave() -> None:
    process = shell("cat")
    lines = [bytes([letter]) * 300_000 + b"\n" for letter in b"abcdefgh"]
    begin = time.process_time()
    for line in lines:
        process.write(line)
    assert time.process_time() - begin < 2
    expected = b"".join(lines)
    data = b""
    while len(data) < len(expected):
        data += await process.read()
    assert data == expected
    await process.stop()


async def test_there_is_room_again_when_what_was_written_is_read() -> None:
    process = shell("exec cat")
    os.kill(process.pid, signal.SIGSTOP)
    process.write(bytes(MAX_UNREAD + (1 << 20)))
    waiting = asyncio.create_task(process.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert process.unread > MAX_UNREAD

    os.kill(process.pid, signal.SIGCONT)
    while not waiting.done():
        await process.read()
    assert process.unread <= MAX_UNREAD
    await process.stop()


@pytest.mark.slow
async def test_whoever_waits_for_room_hears_of_the_end() -> None:
    process = shell("exec 3<&0; sleep 60 & read line; exit 3")  # what stays holds the pipe, and reads nothing
    process.write(b"\n" + bytes(MAX_UNREAD + (1 << 20)))
    await asyncio.wait_for(process.room(), 30)
    assert process.exit_status == ExitStatus(3, None)
    await process.stop()


async def test_whoever_waits_for_room_hears_of_a_stop() -> None:
    process = shell("sleep 60")
    process.write(bytes(MAX_UNREAD + (1 << 20)))
    waiting = asyncio.create_task(process.room())
    await process.stop(0.1)
    await asyncio.wait_for(waiting, 30)
    assert process.unread == 0


@pytest.mark.slow
async def test_a_read_returns_a_bounded_piece() -> None:
    process = shell("head -c 5000000 /dev/zero")
    sizes = []
    while data := await process.read():
        sizes.append(len(data))
    assert sum(sizes) == 5_000_000
    assert max(sizes) <= 256 << 10
    await process.stop()


async def test_a_read_of_what_is_there_takes_no_turn_of_the_loop() -> None:
    process = shell("printf 1; printf 2 >&2; sleep 60")
    process.start_draining()
    await until(lambda: process.stderr_tail)
    turns: list[int] = []
    asyncio.get_running_loop().call_soon(turns.append, 1)

    assert await process.read() == b"1"
    assert turns == []
    await process.stop()


@pytest.mark.slow
async def test_an_agent_that_nobody_reads_is_held_back() -> None:
    process = python(
        "import os, sys\n"
        "for number in range(1000):\n"
        "    os.write(1, bytes(10000)); os.write(2, f'{number}\\n'.encode())"
    )
    process.start_draining()
    await until(lambda: process.stderr_tail)
    await until(lambda: process.cpu_seconds() is not None)
    told = ""
    while told != process.stderr_tail:
        told = process.stderr_tail
        await asyncio.sleep(0.1)
    assert len(told.splitlines()) < 100
    assert len(await all_of(process)) == 10_000_000
    await process.stop()


@pytest.mark.slow
async def test_a_megabyte_on_stderr_does_not_stop_the_agent_and_its_tail_is_kept() -> None:
    process = python(
        "import sys; sys.stderr.write('x' * 99 + '\\n') and None\nfor i in range(10000): "
        "sys.stderr.write(f'line {i:6} ' + 'x' * 88 + '\\n')\nprint('answer')"
    )
    assert await all_of(process) == b"answer\n"
    await process.wait()
    assert len(process.stderr_tail.encode()) <= 64 << 10
    assert "line   9999" in process.stderr_tail
    assert "line      0" not in process.stderr_tail
    await process.stop()


async def test_lines_of_stderr_are_told_whole_and_readable() -> None:
    process = python(
        "import os, time\n"
        "for piece in (b'on', b'e \\xc3', b'\\xa9\\r\\ntwo\\n\\n\\xff bad\\n', b'no end \\xc3'):\n"
        "    os.write(2, piece); time.sleep(0.02)"
    )
    lines: list[str] = []
    process.on_stderr = lines.extend
    await process.wait()
    assert lines == ["one é", "two", "", "\ufffd bad", "no end \ufffd"]
    await process.stop()


async def test_a_line_of_stderr_without_end_comes_in_pieces() -> None:
    process = python("import os; os.write(2, b'x' * 300000)")
    lines: list[str] = []
    process.on_stderr = lines.extend
    await process.wait()
    assert "".join(lines) == "x" * 300_000
    assert max(map(len, lines)) <= 192 << 10
    await process.stop()


async def test_input_for_an_agent_that_takes_none_is_dropped() -> None:
    process = shell("exec <&-; echo closed; sleep 300")
    assert await process.read() == b"closed\n"
    assert not process.broken
    process.write(b"line\n")
    process.write(b"line\n")
    assert process.broken
    await process.stop(0.1)


async def test_input_that_waits_when_the_agent_dies_is_dropped() -> None:
    process = shell("exec sleep 300")
    process.write(b"x" * 1_000_000)
    process.start_draining()
    os.kill(process.pid, signal.SIGKILL)
    assert await process.wait() == ExitStatus(None, "SIGKILL")
    await until(lambda: process.broken)
    process.write(b"y" * 1_000_000)
    await process.stop()


@pytest.mark.slow
async def test_a_pipe_held_by_what_the_agent_left_behind_ends_all_the_same() -> None:
    moment = a_long_time()
    process = shell(f"sleep {moment} & echo last words")
    begin = time.monotonic()
    assert await all_of(process) == b"last words\n"
    assert await process.read() == b""
    assert time.monotonic() - begin < 30
    assert await process.wait() == ExitStatus(0, None)
    assert sleepers(moment)
    await process.stop(0.1)
    assert not sleepers(moment)


async def test_what_was_written_before_the_exit_is_read_after_it() -> None:
    process = shell("head -c 200000 /dev/zero; echo the end; exit 5")
    assert await process.wait() == ExitStatus(5, None)
    data = await all_of(process)
    assert len(data) == 200_008
    assert data.endswith(b"the end\n")
    await process.stop()


@pytest.mark.parametrize(
    ("script", "patience", "status"),
    [
        ("cat; sleep 0.1; exit 4", 60, ExitStatus(4, None)),
        ("exec sleep 300", 0.1, ExitStatus(None, "SIGTERM")),
        ("trap '' TERM; echo; while :; do sleep 0.01; done", 0.1, ExitStatus(None, "SIGKILL")),
    ],
)
async def test_c11_stop_asks_before_it_kills(script: str, patience: float, status: ExitStatus) -> None:
    process = shell(script)
    if "echo" in script:
        await process.read()
    begin = time.monotonic()
    results = await asyncio.gather(process.stop(patience), process.stop(patience), process.wait())
    assert list(results) == [status] * 3
    assert await process.stop() == status
    assert time.monotonic() - begin < 30
    assert await process.read() == b""
    process.write(b"too late\n")


async def test_who_hears_that_it_should_end_has_time_to() -> None:
    process = shell("trap 'exit 6' TERM; echo; sleep 300 & wait")
    await process.read()
    assert not await process.end_input(0.1)
    assert await process.stop(50) == ExitStatus(6, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "sleep {time} & exec sleep {time}",
        "sh -c 'sleep {time} & sleep {time}'; true",
        "setsid sleep {time} & trap '' TERM; sleep {time}; sleep 300",
        "nohup setsid sleep {time} > /dev/null 2>&1 & sleep {time} & wait",
    ],
)
async def test_c11_nothing_is_left_of_an_agent_behind_a_wrapper(script: str) -> None:
    moment = a_long_time()
    process = shell(script.format(time=moment))
    await until(lambda: len(sleepers(moment)) == 2)
    await process.stop(0.05)
    assert not sleepers(moment)


async def test_stop_wakes_who_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.agent.process.LINGER", 60)
    process = shell("sleep 300")
    reading = asyncio.create_task(process.read())
    await asyncio.sleep(0)
    await process.stop(0.05)
    assert await reading == b""


async def test_a_reader_that_gives_up_loses_nothing() -> None:
    process = shell("read line; echo $line")
    reading = asyncio.create_task(process.read())
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait({reading})
    process.write(b"kept\n")
    assert await all_of(process) == b"kept\n"
    await process.stop()


async def test_the_environment_is_the_users_with_what_is_given_over_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONE", "1")
    monkeypatch.setenv("TWO", "2")
    process = Process.spawn(["sh", "-c", "echo $ONE $TWO $PWD"], cwd=str(tmp_path), env={"TWO": "two"})
    assert await all_of(process) == f"1 two {tmp_path}\n".encode()
    assert process.argv == ("sh", "-c", "echo $ONE $TWO $PWD")
    await process.stop()


@pytest.mark.slow
async def test_processor_time_grows_while_the_agent_computes() -> None:
    process = shell("while :; do :; done")
    await until(lambda: (process.cpu_seconds() or 0) >= 0.05)
    await process.stop(0.05)


@pytest.mark.slow
async def test_a_guard_forgets_an_agent_that_was_stopped() -> None:
    told: list[str] = []

    class NotingGuard(Guard):
        def watch(self, pgid: int) -> None:
            told.append(f"watch {pgid}")
            super().watch(pgid)

        def forget(self, pgid: int) -> None:
            told.append(f"forget {pgid}")
            super().forget(pgid)

    guard = NotingGuard()
    process = Process.spawn(["cat"], guard=guard)
    await process.stop()
    guard.close()
    assert told == [f"watch {process.pid}", f"forget {process.pid}"]


@pytest.mark.slow
async def test_an_agent_that_ignores_the_end_of_its_input_is_left_to_a_guard_that_lingers() -> None:
    told: list[str] = []

    class NotingGuard(Guard):
        def forget(self, pgid: int) -> None:
            told.append(f"forget {pgid}")
            super().forget(pgid)

    guard = NotingGuard()
    process = Process.spawn(["sleep", str(moment := a_long_time())], guard=guard)
    reading = asyncio.create_task(process.read())
    guard.linger()

    status = await process.stop(patience=600)  # which nobody could wait for

    assert status == await process.wait() == ExitStatus(None, None)
    assert await reading == b""
    assert sleepers(moment)
    assert told == []
    guard.close()
    await until(lambda: not sleepers(moment))


@pytest.mark.parametrize(
    ("argv", "cwd", "title", "advice"),
    [
        (["no-such-agent", "--acp"], None, "no-such-agent", "installed"),
        (["/nowhere/agent"], None, "/nowhere/agent", "path"),
        (["/etc/passwd"], None, "/etc/passwd", "executable"),
        (["cat"], "/nowhere", "/nowhere", "folder"),
        (["cat", "\0"], None, "cat", "command"),
        ([], None, "No program", "name"),
    ],
)
def test_an_agent_that_cannot_be_started_says_why_and_what_to_try(
    argv: list[str], cwd: str | None, title: str, advice: str
) -> None:
    with pytest.raises(SpawnFailed) as failure:
        Process.spawn(argv, cwd=cwd)
    assert title in failure.value.title
    assert advice in failure.value.advice


def test_without_free_pipes_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = os.pipe
    made: list[tuple[int, int]] = []

    def scarce() -> tuple[int, int]:
        if len(made) == 2:
            raise OSError(24, os.strerror(24))
        made.append(pipe())
        return made[-1]

    monkeypatch.setattr(os, "pipe", scarce)
    with pytest.raises(SpawnFailed, match=os.strerror(24)):
        Process.spawn(["cat"])
