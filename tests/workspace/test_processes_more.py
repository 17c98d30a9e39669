"""Tests of `workspace/processes.py`."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from acp_tui.workspace.processes import Child, ExitStatus
from tests.offspring import a_long_time, sleepers
from tests.waiting import until

OFFSPRING = {
    "a child": "sleep {time} & wait",
    "nohup": "nohup sleep {time} > /dev/null 2>&1 & wait",
    "setsid": "setsid sleep {time} & wait",
    "a double fork": "(setsid sh -c 'sleep {time} & exit' &); sleep 300",
    "a job of its own": "set -m; sleep {time} & wait",
    "ignored TERM": "trap '' TERM HUP; sleep {time} & wait",
    "without our mark": "env -i sleep {time} & wait",
    "an orphan": "sleep {time} &",
    "without our mark in another session": "env -i setsid sleep {time} & wait",
    "a double fork without our mark": "(env -i setsid sh -c 'sleep {time} & exit' &); sleep 300",
    "an orphan without our mark": "env -i setsid sh -c 'setsid sleep {time} & exit' & sleep 0.2",
    "an orphan in another session": "setsid sleep {time} &",
    "a stopped one": "sleep {time} & until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!; wait",
}


pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture(params=["pidfd", "thread"])
def each_way_to_wait(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


def start(script: str) -> Child:
    return Child.start(
        ["bash", "-c", script],
        environment=os.environ,
        mark_name="ACP_TUI_TERMINAL",
        cwd="/",
        file_actions=(),
        guard=None,
    )


@pytest.mark.parametrize("kind", OFFSPRING)
async def test_nothing_is_left_of_a_child(kind: str) -> None:
    moment = a_long_time()
    child = start(OFFSPRING[kind].format(time=moment))
    await until(lambda: sleepers(moment))
    assert await child.alive()

    await child.end(0.1)

    assert not sleepers(moment)
    assert not await child.alive()
    assert child.exit_status is not None


async def test_a_child_has_time_to_end_by_itself() -> None:
    moment = a_long_time()
    child = start(f"trap 'sleep 0.1; exit 5' TERM; sleep {moment} & wait")
    await until(lambda: sleepers(moment))
    begin = time.monotonic()
    await child.end(60)
    assert child.exit_status == ExitStatus(5, None)
    assert time.monotonic() - begin < 30


async def test_a_stopped_child_has_time_too() -> None:
    moment = a_long_time()
    child = start(f"trap 'exit 5' TERM; sleep {moment} & wait")
    await until(lambda: sleepers(moment))
    os.kill(child.pid, signal.SIGSTOP)
    await child.end(60)
    assert child.exit_status == ExitStatus(5, None)


async def test_a_name_made_to_confuse_is_read_past(tmp_path: Path) -> None:
    moment = a_long_time()
    program = tmp_path / ") Z 1 1"
    shutil.copy(shutil.which("sleep") or "", program)
    child = start(f"env -i '{program}' {moment} & wait")
    await until(lambda: sleepers(moment))
    await child.end(0.1)
    assert not sleepers(moment)


@pytest.mark.usefixtures("each_way_to_wait")
@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("exit 0", ExitStatus(0, None)),
        ("exit 255", ExitStatus(255, None)),
        ("kill -KILL $$", ExitStatus(None, "SIGKILL")),
        ("kill -SEGV $$", ExitStatus(None, "SIGSEGV")),
        (f"kill -{signal.SIGRTMIN + 3} $$", ExitStatus(None, f"SIG{signal.SIGRTMIN + 3}")),
    ],
)
async def test_the_end_is_told_to_all_who_wait(script: str, status: ExitStatus) -> None:
    child = start(script)
    assert list(await asyncio.gather(child.wait(), child.wait())) == [status] * 2
    assert await child.wait() == status
    assert child.exit_status == status


async def test_a_waiter_that_gives_up_does_not_disturb_the_others() -> None:
    child = start("sleep 300")
    impatient, patient = asyncio.create_task(child.wait()), asyncio.create_task(child.wait())
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(child.end(0.5), child.end(0.5))
    assert await patient == ExitStatus(None, "SIGTERM")
    assert impatient.cancelled()


async def test_a_child_reaped_by_somebody_else_has_ended_all_the_same() -> None:
    child = start("exit 3")
    os.waitpid(child.pid, 0)
    assert await child.wait() == ExitStatus(None, None)


async def test_ending_what_has_ended_touches_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    child = start("exit 0")
    await child.wait()
    assert not await child.survivors()
    stranger = start("sleep 300")
    child.pid = stranger.pid  # as if the system had handed it out again
    with monkeypatch.context() as patched:
        patched.setattr("acp_tui.workspace.processes.PROC", Path("/nowhere"))
        await child.end(0.1)
    assert await stranger.alive()
    await stranger.end(1)
    assert stranger.exit_status == ExitStatus(None, "SIGTERM")


async def test_a_number_given_again_is_not_mistaken_for_the_session() -> None:
    child, stranger = start("exit 0"), start("sleep 300")
    await child.wait()
    child.pid = stranger.pid  # as if the system had handed it out again
    assert not await child.alive()
    await child.end(0.1)
    assert stranger.exit_status is None
    assert await stranger.alive()
    await stranger.end(1)


async def test_where_processes_cannot_be_listed_the_group_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = a_long_time()
    child = start(f"trap '' TERM; sleep {moment} & wait")
    await until(lambda: sleepers(moment))
    monkeypatch.setattr("acp_tui.workspace.processes.PROC", Path("/nowhere"))
    assert child.cpu_seconds() is None
    await child.end(0.1)
    assert child.exit_status == ExitStatus(None, "SIGKILL")
    await until(lambda: not sleepers(moment))


async def test_processor_time_is_that_of_the_whole_session() -> None:
    child = start("(while :; do :; done) & wait")
    await until(lambda: (child.cpu_seconds() or 0) >= 0.05)
    await child.end(0.5)
    assert child.cpu_seconds() == 0


@pytest.mark.parametrize(
    ("status", "noun", "verb"),
    [
        (ExitStatus(3, None), "exit code 3", "ended with exit code 3"),
        (ExitStatus(None, "SIGKILL"), "signal SIGKILL", "was ended by SIGKILL"),
        (ExitStatus(None, None), "no known exit code", "ended"),
    ],
)
def test_how_a_process_ended_is_said_in_the_same_words_everywhere(
    status: ExitStatus, noun: str, verb: str
) -> None:
    assert (str(status), status.as_verb) == (noun, verb)
