"""Tests of `workspace/terminals.py`."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from acp_tui.platform import ProcessFacts, ProcessTable, process_table
from acp_tui.workspace import processes as census
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import (
    RELEASED_KEPT,
    BadDirectory,
    CommandNotStarted,
    LineEnds,
    OutputTail,
    Terminal,
    Terminals,
    UnknownTerminal,
)
from tests.offspring import a_long_time, descriptors, sleepers, zombies
from tests.tables import each
from tests.waiting import until

TEXT = "añ漢😀é" * 30


def filled(limit: int, *pieces: bytes) -> OutputTail:
    tail = OutputTail(limit)
    for piece in pieces:
        tail.append(piece)
    return tail


def test_a_tail_keeps_all_that_fits() -> None:
    assert filled(6, b"abc", b"def").read() == ("abcdef", False)


def test_r5_a_tail_keeps_the_newest_bytes() -> None:
    assert filled(4, b"abc", b"def").read() == ("cdef", True)


@each("limit", [0, 1, 2, 3, 4, 5, 100])
@each("size", [1, 2, 3, 7, 1000])
def test_r5_a_tail_is_cut_at_a_character_and_within_its_limit(limit: int, size: int) -> None:
    data = TEXT.encode()
    tail = filled(limit, *(data[at : at + size] for at in range(0, len(data), size)))

    text, truncated = tail.read()

    assert truncated
    assert TEXT.endswith(text)
    assert limit - 3 <= len(text.encode()) <= limit


def test_random_pieces_give_the_same_as_one_piece() -> None:
    chance = random.Random(7)
    data = TEXT.encode()
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(data)), 5))
        limit = chance.randrange(len(data) + 5)
        pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]

        assert filled(limit, *pieces).read() == filled(limit, data).read()


def test_a_limit_of_nothing_keeps_nothing() -> None:
    assert filled(0).read() == ("", False)
    assert filled(0, b"x").read() == ("", True)


def test_half_a_character_waits_for_its_other_half() -> None:
    tail = filled(100, b"a\xf0\x9f")
    assert tail.text() == "a"

    tail.append("😀".encode()[2:])

    assert tail.text() == "a😀"


def test_half_a_character_at_the_end_of_the_stream_is_shown_as_lost() -> None:
    tail = filled(100, b"a\xf0\x9f")
    tail.ended = True
    assert tail.text() == "a\ufffd"


def test_bytes_that_are_no_text_do_not_make_it_longer_than_the_limit() -> None:
    text, truncated = filled(10, b"\xff" * 10).read()
    assert text == "\ufffd" * 3
    assert truncated


def test_at_most_three_bytes_are_skipped_at_the_cut() -> None:
    assert filled(5, b"xx", b"\x80" * 5).kept() == b"\x80\x80"


def test_a_flood_costs_little_memory() -> None:
    chunk = b"x" * 65536
    limit = 1 << 20
    tracemalloc.start()
    try:
        tail = OutputTail(limit)
        for _ in range(400):
            tail.append(chunk)
        assert tracemalloc.get_traced_memory()[1] < 3.5 * limit
    finally:
        tracemalloc.stop()
    assert tail.kept() == b"x" * limit


@pytest.mark.slow
def test_a_flood_costs_as_much_per_byte_as_a_trickle() -> None:
    def seconds(pieces: int) -> float:
        tail = OutputTail(1 << 20)
        start = time.process_time()
        for _ in range(pieces):
            tail.append(b"0123456789abcdef" * 4)
        return time.process_time() - start

    def least(pieces: int) -> float:
        return min(seconds(pieces) for _ in range(3))  # a garbage collection is not of our making

    assert least(400_000) < 10 * least(100_000)


def test_line_ends_of_a_terminal_become_those_of_the_command() -> None:
    ends = LineEnds()
    pieces = [b"a\r\nb\r", b"\nc\r", b"d\r\r", b"\n", b"\r"]
    assert b"".join(map(ends.feed, pieces)) + ends.rest() == b"a\nb\nc\rd\r\n\r"


@pytest.fixture
async def terminals() -> AsyncIterator[Terminals]:
    async with asyncio.timeout(60):
        await asyncio.to_thread(int)  # the thread that signals are sent from is there before we count
        before, dead = descriptors(), set(zombies())
        terminals = Terminals()
        yield terminals
        await terminals.close()
        assert set(zombies()) <= dead
        assert not {entry for entry in descriptors() - before if "pidfd" in entry or "/pt" in entry}


async def output_of(terminals: Terminals, command: str, *args: str, cwd: str = "/") -> str:
    terminal = await terminals.create("s", command, args, cwd=cwd)
    await terminal.wait()
    return terminal.output()[0]


async def test_the_arguments_go_to_the_program_without_a_shell(terminals: Terminals) -> None:
    assert await output_of(terminals, "printf", "%s|", "a b", "$HOME", "*") == "a b|$HOME|*|"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo a | tr a b", "b\n"),
        ("A=1;echo $A", "1\n"),
        ("exit 3", ""),
        ("no-such-program x 2>/dev/null", ""),
    ],
)
async def test_a_shell_line_without_arguments_works(terminals: Terminals, line: str, expected: str) -> None:
    assert await output_of(terminals, line) == expected


async def test_a_line_with_blanks_is_a_shell_line_also_where_a_program_has_that_name(
    terminals: Terminals, tmp_path: Path
) -> None:
    (tmp_path / "cat docs").mkdir()
    program = tmp_path / "cat docs" / "README"
    program.write_text("#!/bin/sh\necho run")
    program.chmod(0o755)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README").write_text("read\n")

    assert await output_of(terminals, "cat docs/README", cwd=str(tmp_path)) == "read\n"
    assert await output_of(terminals, f"'{program}'") == "run\n"


@pytest.mark.parametrize(
    ("command", "args"),
    [("no-such-program", ()), ("ls -l", ("x",)), ("", ()), ("/etc/passwd", ()), ("true", ("\0",))],
)
async def test_what_cannot_be_started_is_an_error_at_once(
    terminals: Terminals, command: str, args: tuple[str, ...]
) -> None:
    with pytest.raises(CommandNotStarted):
        await terminals.create("s", command, args, cwd="/")


@pytest.mark.parametrize("cwd", ["relative", "/nowhere", "/etc/passwd"])
async def test_a_folder_that_cannot_be_used_is_an_error(terminals: Terminals, cwd: str) -> None:
    with pytest.raises(BadDirectory):
        await terminals.create("s", "true", cwd=cwd)


async def test_the_command_runs_in_its_folder_and_says_so(terminals: Terminals, tmp_path: Path) -> None:
    terminal = await terminals.create("s", "pwd", cwd=str(tmp_path))
    await terminal.wait()
    assert terminal.output() == (f"{tmp_path}\n", False)
    assert (terminal.cwd, terminal.command_line, terminal.owner) == (str(tmp_path), "pwd", "s")
    assert (await terminals.create("s", "echo", ["a b"], cwd="/")).command_line == "echo 'a b'"


async def test_the_environment_is_ours_with_what_is_given_over_it(terminals: Terminals) -> None:
    terminals = Terminals({"PATH": os.environ["PATH"], "ONE": "1", "TWO": "2", "COLUMNS": "3"})
    terminal = await terminals.create(
        "s", "sh", ["-c", "echo $ONE $TWO $TERM ${COLUMNS-none}"], env={"TWO": "two"}, cwd="/"
    )
    await terminal.wait()
    assert terminal.output()[0] == "1 two xterm-256color none\n"
    await terminals.close()


async def test_it_is_a_real_terminal_of_the_size_asked_for(terminals: Terminals) -> None:
    script = "tty && stty size && echo controlled > /dev/tty"
    terminal = await terminals.create("s", "sh", ["-c", script], cwd="/", columns=77, rows=22)
    assert await terminal.wait() == ExitStatus(0, None)
    name, size, controlled = terminal.output()[0].splitlines()
    assert name.startswith("/dev/")
    assert (size, controlled) == ("22 77", "controlled")


async def test_a_new_size_is_told_to_the_command(terminals: Terminals) -> None:
    script = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done"
    terminal = await terminals.create("s", "sh", ["-c", script], cwd="/")
    await until(lambda: "ready" in terminal.output()[0])
    terminal.resize(99, 33)
    await terminal.wait()
    assert terminal.output()[0] == "ready\n33 99\n"
    terminal.resize(0, -1)


async def test_output_is_there_while_it_runs_and_the_status_only_after_the_end(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "echo one; read x; echo two >&2; exit 4", cwd="/")
    await until(lambda: terminal.output()[0] == "one\n")
    assert terminal.exit_status is None
    assert terminal.ended is None

    terminal.write(b"key\n")

    assert await terminal.wait() == ExitStatus(4, None)
    assert terminal.output()[0] == "one\nkey\ntwo\n"
    assert terminal.exit_status == ExitStatus(4, None)
    assert terminal.started <= (terminal.ended or 0)


async def test_the_last_bytes_before_the_end_are_never_lost(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.workspace.terminals.SLICE", 100)  # the end is known long before all is read
    for _ in range(10):
        terminal = await terminals.create("s", "seq 1 1000; printf THE_END; exit 3", cwd="/")
        assert await terminal.wait() == ExitStatus(3, None)
        assert terminal.output()[0].endswith("1000\nTHE_END")


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
async def test_the_newest_bytes_are_kept_up_to_the_limit(terminals: Terminals, limit: int) -> None:
    text = "añ漢😀é" * 30
    terminal = await terminals.create("s", "printf", ["%s", text], cwd="/", output_byte_limit=limit)
    await terminal.wait()
    kept, truncated = terminal.output()
    assert truncated
    assert text.endswith(kept)
    assert limit - 3 <= len(kept.encode()) <= limit
    assert terminal.attach(lambda data: None) == text.encode()


async def test_many_wait_and_one_that_gives_up_does_not_disturb_them(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "read x; exit 2", cwd="/")
    waiters = [asyncio.create_task(terminal.wait()) for _ in range(3)]
    await asyncio.sleep(0)
    waiters[0].cancel()
    terminal.write(b"\n")
    assert await asyncio.gather(*waiters[1:]) == [ExitStatus(2, None)] * 2
    assert await terminal.wait() == ExitStatus(2, None)


async def test_a_killed_command_keeps_its_id_and_output(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "echo before; exec sleep 300", cwd="/")
    await until(lambda: terminal.output()[0] == "before\n")
    waiter = asyncio.create_task(terminal.wait())
    await asyncio.gather(terminal.kill(), terminal.kill())
    assert await waiter == ExitStatus(None, "SIGTERM")
    assert terminals.get("s", terminal.id).output() == ("before\n", False)
    await terminal.kill()


@pytest.mark.slow
async def test_a_command_that_ignores_the_request_to_end_is_killed(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "trap '' TERM; echo ready; while :; do sleep 0.01; done", cwd="/")
    await until(lambda: terminal.output()[0] == "ready\n")
    await terminal.kill()
    assert terminal.exit_status == ExitStatus(None, "SIGKILL")


async def test_release_ends_the_command_and_its_id_at_once(terminals: Terminals) -> None:
    moment = a_long_time()
    terminal = await terminals.create("s", f"sleep {moment} & wait", cwd="/")
    await until(lambda: sleepers(moment))
    waiter = asyncio.create_task(terminal.wait())
    releasing = asyncio.create_task(terminals.release("s", terminal.id))
    await asyncio.sleep(0)
    with pytest.raises(UnknownTerminal):
        terminals.get("s", terminal.id)
    await releasing
    assert (await waiter).signal
    assert not sleepers(moment)
    with pytest.raises(UnknownTerminal):
        await terminals.release("s", terminal.id)


async def test_c76_what_a_released_terminal_has_shown_can_still_be_looked_at(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "echo the last words", cwd="/")
    await terminal.wait()
    await terminals.release("s", terminal.id)

    shown = terminals.find("s", terminal.id)
    assert shown is not None
    assert b"the last words" in shown.attach(lambda data: None)
    assert terminals.find("other", terminal.id) is None
    assert terminals.find("s", "term-999") is None


async def test_only_the_latest_released_terminals_are_kept(terminals: Terminals) -> None:
    made = [await terminals.create("s", "true", cwd="/") for _ in range(RELEASED_KEPT + 2)]
    for terminal in made:
        await terminals.release("s", terminal.id)

    kept = [terminal for terminal in made if terminals.find("s", terminal.id) is not None]
    assert kept == made[2:]


async def test_terminals_of_another_owner_are_unknown(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "true", cwd="/")
    for owner, terminal_id in (("other", terminal.id), ("s", "term-999")):
        with pytest.raises(UnknownTerminal, match=terminal_id):
            terminals.get(owner, terminal_id)
    assert terminals.get("s", terminal.id) is terminal


async def test_closing_one_owner_leaves_the_others(terminals: Terminals) -> None:
    moments = {owner: a_long_time() for owner in ("s", "t")}
    for owner, moment in moments.items():
        await terminals.create(owner, "sleep", [moment], cwd="/")
        await terminals.create(owner, f"sleep {moment}; true", cwd="/")
    await until(lambda: all(len(sleepers(moment)) == 2 for moment in moments.values()))
    await terminals.close("s")
    assert not sleepers(moments["s"])
    assert len(sleepers(moments["t"])) == 2
    await terminals.close()
    assert not sleepers(moments["t"])


BEHIND = {
    "nohup": "nohup sleep {time} > /dev/null 2>&1 &",
    "setsid": "setsid sleep {time} > /dev/null 2>&1 &",
    "setsid nohup": "nohup setsid sleep {time} > /dev/null 2>&1 &",
    "disown": "set -m; nohup sleep {time} > /dev/null 2>&1 & disown",
    "a daemon": "(setsid sh -c 'sleep {time} > /dev/null 2>&1 & exit' &)",
    "without our mark": "env -i setsid sleep {time} > /dev/null 2>&1 &",
}


EACH_KIND = [pytest.param(kind, marks=pytest.mark.native if "mark" in kind else ()) for kind in BEHIND]
"""Without the mark of the environment, only a limit tells what its parent left behind."""


async def left_behind(terminals: Terminals, kind: str, owner: str = "s") -> tuple[Terminal, str]:
    """Return a terminal whose ended command left a sleeper, and its sleeping time."""
    moment = a_long_time()
    line = f"{BEHIND[kind].format(time=moment)}\nuntil [ -n \"$(pgrep -f '^sleep {moment}')\" ]; do :; done"
    terminal = await terminals.create(owner, "bash", ["-c", line], cwd="/")
    assert await terminal.wait() == ExitStatus(0, None)
    await until(lambda: sleepers(moment))
    return terminal, moment


@pytest.mark.slow
@pytest.mark.parametrize("kind", EACH_KIND)
@pytest.mark.parametrize("way", ["release", "stop"])
async def test_what_outlives_a_command_goes_on_in_the_background_and_ends_with_the_session(
    terminals: Terminals, kind: str, way: str
) -> None:
    terminal, moment = await left_behind(terminals, kind)

    if way == "release":
        await terminals.release("s", terminal.id)
    else:
        await terminal.stop()

    await until(lambda: terminals.background("s") == [terminal])
    assert terminals.background("another") == []
    assert set(sleepers(moment)) <= set(terminal.outlived)
    await terminals.close("s")
    assert not sleepers(moment)
    assert terminals.background("s") == []


@pytest.mark.slow
async def test_what_goes_on_in_the_background_may_print(terminals: Terminals, tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    line = f"trap '' HUP; setsid sh -c 'while echo still && sleep 0.05; do echo >> {alive}; done' & sleep 0.2"
    terminal = await terminals.create("s", "bash", ["-c", line], cwd="/")
    await terminal.wait()
    await terminals.release("s", terminal.id)
    before, printed = alive.stat().st_size, terminal.output()

    await until(lambda: alive.stat().st_size > before + 10)

    assert terminal.output() == printed


@pytest.mark.slow
async def test_what_goes_on_in_the_background_can_be_stopped(terminals: Terminals) -> None:
    terminal, moment = await left_behind(terminals, "nohup")
    await terminals.release("s", terminal.id)
    await until(lambda: terminals.background("s"))

    await terminal.kill()

    assert not sleepers(moment)
    assert terminals.background("s") == []


@pytest.mark.slow
async def test_what_ends_by_itself_leaves_the_background(terminals: Terminals) -> None:
    _, moment = await left_behind(terminals, "setsid")
    await until(lambda: terminals.background("s"))

    for pid in sleepers(moment):
        os.kill(pid, signal.SIGKILL)

    await until(lambda: not terminals.background("s"))


@pytest.mark.parametrize("kind", EACH_KIND)
async def test_release_ends_a_command_that_runs_with_all_that_came_of_it(
    terminals: Terminals, kind: str
) -> None:
    moment = a_long_time()
    line = f"{BEHIND[kind].format(time=moment)}\nsleep 300"
    terminal = await terminals.create("s", "bash", ["-c", line], cwd="/")
    await until(lambda: sleepers(moment))

    await terminals.release("s", terminal.id)

    assert not sleepers(moment)
    assert terminals.background("s") == []


async def test_a_session_that_closes_at_once_ends_what_was_just_left_behind(terminals: Terminals) -> None:
    terminal, moment = await left_behind(terminals, "setsid")
    await terminals.release("s", terminal.id)

    await terminals.close("s")

    assert not sleepers(moment)


@pytest.mark.slow
async def test_many_terminals_end_with_few_looks_at_the_processes(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    table = type(process_table())
    every = table.ids

    def counted(self: ProcessTable) -> Iterable[int]:
        nonlocal looks
        looks += 1
        return every(self)

    for _ in range(40):
        await terminals.create("s", "sleep", ["300"], cwd="/")
    monkeypatch.setattr(table, "ids", counted)

    await terminals.close("s")

    assert looks < 20


@pytest.mark.slow
@pytest.mark.native  # elsewhere no id tells what is new
async def test_a_release_reads_only_what_is_new_or_its_own(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Counter[int]()
    table = type(process_table())
    every = table.facts
    others = {pid for pid in process_table().ids() if process_table().facts(pid)} - {os.getpid()}

    def counted(self: ProcessTable, pid: int) -> ProcessFacts | None:
        read[pid] += 1
        return every(self, pid)

    many = [await terminals.create("s", "sleep", ["300"], cwd="/") for _ in range(40)]
    await terminals.release("s", many[0].id)
    monkeypatch.setattr(census, "REREAD_AFTER", float("inf"))
    monkeypatch.setattr(table, "facts", counted)

    for one in many[1:21]:
        await terminals.release("s", one.id)

    monkeypatch.undo()
    lived_on = others & {*process_table().ids()}  # what starts or ends meanwhile is read again
    # Reading all at each release would be 20 times; a few are read again while others come and go.
    assert sum(read[pid] for pid in lived_on) < 5 * len(lived_on)


async def test_something_that_holds_the_terminal_does_not_delay_the_end(terminals: Terminals) -> None:
    begin = time.monotonic()
    terminal = await terminals.create("s", "(trap '' HUP; exec sleep 300) & printf done", cwd="/")
    assert await terminal.wait() == ExitStatus(0, None)
    assert time.monotonic() - begin < 30
    assert terminal.output()[0] == "done"


async def test_a_command_that_closes_its_output_has_not_ended(terminals: Terminals) -> None:
    terminal = await terminals.create(
        "s", "exec <&- >&- 2>&-; sleep 0.1; echo late > /dev/tty; exit 6", cwd="/"
    )
    assert await terminal.wait() == ExitStatus(6, None)
    assert terminal.output()[0] == "late\n"


async def test_a_view_gets_what_was_and_what_comes_and_the_end(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "echo one; read x; echo two", cwd="/", output_byte_limit=1)
    await until(lambda: terminal.output() == ("\n", True))
    early: list[bytes] = []
    gone: list[bytes] = []
    assert terminal.attach(early.append) == b"one\r\n"
    terminal.attach(gone.append)
    terminal.detach(gone.append)
    terminal.detach(gone.append)

    terminal.write(b"\n")
    await terminal.wait()

    await until(lambda: early[-1] == b"")
    assert b"".join(early) == b"\r\ntwo\r\n"
    assert not gone
    assert terminal.attach(early.append) == b"one\r\n\r\ntwo\r\n"


async def test_an_interrupt_reaches_what_runs_in_the_foreground(terminals: Terminals) -> None:
    terminal = await terminals.create("s", "trap 'echo caught; exit 9' INT; echo ready; read x", cwd="/")
    await until(lambda: "ready" in terminal.output()[0])
    terminal.signal(signal.SIGINT)
    assert await terminal.wait() == ExitStatus(9, None)
    terminal.signal(signal.SIGINT)


@pytest.mark.parametrize("line", ["sleep 300", "trap '' HUP; setsid sleep 1 & exit"])
async def test_an_interrupt_before_or_after_anybody_is_there_reaches_nobody(
    terminals: Terminals, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[int] = []
    monkeypatch.setattr(os, "tcgetpgrp", lambda descriptor: 0)
    monkeypatch.setattr(os, "killpg", lambda group, number: reached.append(group))
    terminal = await terminals.create("s", "sh", ["-c", line], cwd="/")

    terminal.signal(signal.SIGINT)

    assert reached == []


async def test_keys_that_nobody_reads_do_not_block(terminals: Terminals) -> None:
    count = "import sys, tty; tty.setraw(0); print('ready'); print(len(sys.stdin.read(300000)))"
    terminal = await terminals.create("s", sys.executable, ["-c", count], cwd="/")
    await until(lambda: "ready" in terminal.output()[0])
    begin = time.process_time()
    for _ in range(3):
        terminal.write(b"x" * 100_000)
    assert time.process_time() - begin < 2
    await terminal.wait()
    assert terminal.output()[0].split() == ["ready", "300000"]
    terminal.write(b"late")


@pytest.mark.slow
async def test_a_flood_leaves_the_loop_free_and_memory_bounded(terminals: Terminals) -> None:
    line = "0123456789" * 8
    terminal = await terminals.create("s", "sh", ["-c", f"yes {line} | head -c 20000000"], cwd="/")
    largest = 0

    def measure(data: bytes) -> None:
        nonlocal largest
        largest = max(largest, len(data))

    terminal.attach(measure)
    turns = 0
    while terminal.exit_status is None:
        await asyncio.sleep(0)
        turns += 1
    assert 0 < largest <= 128 << 10
    assert turns > 100  # no other waiter was delayed
    text, truncated = terminal.output()
    assert truncated
    assert len(text) == 1 << 20


@pytest.mark.slow
async def test_a_key_is_answered_during_a_flood(terminals: Terminals) -> None:
    flood = await terminals.create("s", "yes", cwd="/")
    other = await terminals.create("s", "read x; echo heard", cwd="/")
    await until(lambda: flood.output()[1])
    other.write(b"\n")
    await until(lambda: "heard" in other.output()[0])
    assert flood.exit_status is None


async def test_without_a_free_terminal_there_is_an_error(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> tuple[int, int]:
        raise OSError(24, os.strerror(24))

    monkeypatch.setattr(os, "openpty", refuse)
    with pytest.raises(CommandNotStarted, match=os.strerror(24)):
        await terminals.create("s", "true", cwd="/")


async def test_terminals_leave_descriptors_free_for_everything_else(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = len(descriptors()) + 200
    monkeypatch.setattr(resource, "getrlimit", lambda what: (limit, limit))

    made: list[Terminal] = []

    async def make_many() -> None:
        while len(made) < 200:
            made.append(await terminals.create("s", "sleep", ["100"], cwd="/"))

    with pytest.raises(CommandNotStarted, match="Too many terminals are open"):
        await make_many()

    assert len(made) > 5
    assert limit - len(descriptors()) >= 100


async def test_all_is_freed_when_nobody_releases(terminals: Terminals) -> None:
    before = descriptors()
    made: list[Terminal] = [await terminals.create("s", "echo x", cwd="/") for _ in range(5)]
    for terminal in made:
        await terminal.wait()
    await until(lambda: descriptors() == before)


async def test_who_releases_one_while_all_are_closed_hears_that_it_is_gone(terminals: Terminals) -> None:
    one = await terminals.create("s", "sleep", ["100"], cwd="/")
    other = await terminals.create("s", "sleep", ["100"], cwd="/")
    closing = asyncio.create_task(terminals.close("s"))
    releasing = asyncio.create_task(terminals.release("s", one.id))  # begins when the other has looked

    await closing

    with pytest.raises(UnknownTerminal):
        await releasing
    assert one.exit_status == other.exit_status == ExitStatus(None, "SIGTERM")
