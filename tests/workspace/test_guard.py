"""Tests of `workspace/guard.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.workspace import processes
from acp_tui.workspace.guard import RUN, Guard
from acp_tui.workspace.processes import Child
from tests.offspring import a_long_time, descriptors, sleepers, zombies
from tests.waiting import until

CLIENT = """
import asyncio, os, sys
from acp_tui.agent.process import Process
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminals

async def main():
    guard = Guard()
    agent = Process.spawn(["sh", "-c", sys.argv[1]], cwd="/", guard=guard)
    agent.start_draining()
    await Terminals(guard=guard).create("s", sys.argv[1], cwd="/")
    if sys.argv[2:] == ["fork"]:
        worker = os.fork()
        if not worker:
            os.read(os.pipe()[0], 1)
        print(worker, flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
"""


def watchers() -> list[int]:
    """Return the ids of the watchers of this run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if f"acp-tui-guard\0{RUN}\0".encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def start(guard: Guard, script: str) -> Child:
    return Child.start(
        ["sh", "-c", script],
        environment=os.environ,
        mark_name="ACP_TUI_AGENT",
        cwd=None,
        file_actions=(),
        guard=guard,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "sleep {time} & sleep {time}",
        "trap '' TERM HUP; sleep {time} & setsid sleep {time}",
        "(setsid sh -c 'sleep {time} & exit' &); sleep {time}",
        "env -i nohup sleep {time} > /dev/null 2>&1 & sleep {time}",
        pytest.param("(env -i setsid sh -c 'sleep {time} & exit' &); sleep {time}", marks=pytest.mark.native),
    ],
)
async def test_r17_r42_nothing_survives_when_we_are_killed(script: str) -> None:
    moment = a_long_time()
    with subprocess.Popen([sys.executable, "-c", CLIENT, script.format(time=moment)]) as client:
        await until(lambda: len(sleepers(moment)) == 4)
        client.send_signal(signal.SIGKILL)
        client.wait()
    await until(lambda: not sleepers(moment))


async def test_a_forked_worker_does_not_keep_the_watcher_waiting() -> None:
    moment = a_long_time()
    command = [sys.executable, "-c", CLIENT, f"sleep {moment}", "fork"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        worker = int(client.stdout.readline())
        await until(lambda: len(sleepers(moment)) == 2)
        client.kill()
        client.wait()
    try:
        await until(lambda: not sleepers(moment))
    finally:
        os.kill(worker, signal.SIGKILL)


async def test_a_watcher_that_is_dismissed_goes_and_leaves_all_alone() -> None:
    before, dead = descriptors(), set(zombies())
    guard = Guard()
    child = start(guard, "sleep 300")
    await until(lambda: bool(watchers()))
    await child.end(0.5)

    guard.close()

    assert not watchers()
    assert set(zombies()) <= dead
    assert not {entry for entry in descriptors() - before if "pipe" in entry}
    guard.close()


@pytest.mark.slow
async def test_what_is_still_watched_at_the_end_is_ended() -> None:
    moment = a_long_time()
    guard = Guard()
    child = start(guard, f"sleep {moment}")
    await until(lambda: sleepers(moment))
    guard.close()
    await until(lambda: not sleepers(moment))
    assert (await child.wait()).signal == "SIGTERM"


@pytest.mark.slow
async def test_what_is_forgotten_is_left_alone() -> None:
    guard = Guard()
    stranger = subprocess.Popen(["sleep", "300"], start_new_session=True)
    moment = a_long_time()
    other = start(guard, f"sleep {moment}")
    guard.watch(stranger.pid)
    guard.watch(stranger.pid + 1_000_000)
    guard.forget(stranger.pid)

    guard.close()

    await other.wait()
    await until(lambda: not watchers())
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


@pytest.mark.slow
async def test_a_watcher_that_was_killed_is_replaced() -> None:
    guard, dead = Guard(), set(zombies())
    moment = a_long_time()
    child = start(guard, f"sleep {moment}")
    (first,) = watchers()
    os.kill(first, signal.SIGKILL)
    await until(lambda: watchers() != [first])
    assert not watchers()

    other = start(guard, f"sleep {moment}")

    await until(lambda: len(watchers()) == 1)
    guard.close()
    await child.wait()
    await other.wait()
    assert set(zombies()) <= dead


async def test_the_watcher_does_not_listen_to_signals_of_the_terminal() -> None:
    guard = Guard()
    child = start(guard, "sleep 300")
    (pid,) = watchers()
    of_terminal = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP)
    await until(lambda: all(_ignores(pid, number) for number in of_terminal))
    assert os.getpgid(pid) == pid
    await child.end(0.5)
    guard.close()


def _ignores(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    return bool(ignored >> (number - 1) & 1)


@pytest.mark.slow
async def test_what_is_slow_to_end_is_left_to_a_watcher_that_waits_for_it(tmp_path: Path) -> None:
    moment, saved = a_long_time(), tmp_path / "saved"
    guard = Guard()
    script = f"trap 'touch {saved}; exit' TERM; sleep {moment} & wait; sleep {moment}"
    child = start(guard, script)
    await until(lambda: sleepers(moment))

    guard.linger()
    guard.close()

    assert not child.has_ended  # nobody waits for it here
    await until(lambda: not sleepers(moment) and not watchers())
    assert saved.exists()
    await child.wait()


@pytest.mark.slow
async def test_a_guard_that_lingers_does_not_keep_an_agent_that_ends_by_itself() -> None:
    guard = Guard()
    child = start(guard, "exit 0")
    await child.wait()

    guard.linger()
    await child.end(5)
    guard.close()

    assert child.is_over
    assert not watchers()


async def test_one_look_at_all_processes_is_enough_for_an_agent_that_ended_when_a_guard_lingers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[int] = []
    look = processes._signal_all  # private: the signals, which leave no other trace

    def noted(wishes: Any, census: Any) -> list[list[int]]:
        looks.append(len(wishes))
        return look(wishes, census)

    monkeypatch.setattr(processes, "_signal_all", noted)
    guard = Guard()
    child = start(guard, "exit 0")
    await child.wait()

    guard.linger()
    await child.end(5)
    guard.close()

    assert child.is_over
    assert looks == [1]


@pytest.mark.slow
async def test_the_watcher_runs_no_program_that_an_agent_has_put_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sleep", "grep"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/planted\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    moment = a_long_time()
    guard = Guard()
    start(guard, f"/bin/sleep {moment}")
    await until(lambda: bool(sleepers(moment)))

    guard.close()

    await until(lambda: not sleepers(moment))
    assert not (tmp_path / "planted").exists()
