"""Processes: the cached list of them, their start, and the end of a child with its offspring."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import time
import weakref
from pathlib import Path

import pytest

from acp_tui.platform import ProcProcesses, PsutilProcesses, process_table
from acp_tui.workspace import processes as census
from acp_tui.workspace.processes import (
    Census,
    Child,
    ExitStatus,
    FolderUnusable,
    NotExecutable,
    ProcessRecord,
    ProgramNotFound,
    StartFailed,
    find_program,
    spawn,
)
from tests.offspring import a_long_time, sleepers
from tests.waiting import until


class System:
    """A folder like `/proc`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.looks = Census(ProcProcesses(str(folder)))

    def put(self, pid: int, since: int, session: int, state: str = "S") -> None:
        place = self.folder / str(pid)
        place.mkdir(exist_ok=True)
        fields = [state, "1", "1", str(session), *["0"] * 15, str(since), "0"]
        (place / "stat").write_text(f"{pid} (a) b) {' '.join(fields)}")
        self.tell(pid)

    def tell(self, last: int) -> None:
        (self.folder / "loadavg").write_text(f"0.1 0.2 0.3 1/2 {last}\n")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.setattr(census, "REREAD_AFTER", float("inf"))
    return System(tmp_path)


def found(census: Census, session: int) -> list[int]:
    def is_wanted(pid: int, known: ProcessRecord) -> bool:
        return known.session == session

    return sorted(pid for pid, _ in census.living(is_wanted))


@pytest.mark.parametrize(("number", "last"), [(11, 11), (11, 40), (3, 3)], ids=["next", "later", "anew"])
def test_a_new_process_is_found(system: System, number: int, last: int) -> None:
    system.put(10, 1, 10)
    assert found(system.looks, 7) == []

    system.put(number, 2, 7)
    system.tell(last)

    assert found(system.looks, 7) == [number]


def test_a_number_that_is_given_again_is_another_process(system: System) -> None:
    system.put(5, 1, 5)
    system.put(10, 1, 10)
    assert found(system.looks, 10) == [10]

    system.put(5, 2, 10)

    assert found(system.looks, 10) == [5, 10]


@pytest.mark.parametrize("state", ["Z", "X"])
def test_what_has_ended_is_not_living(system: System, state: str) -> None:
    system.put(10, 1, 10)
    assert found(system.looks, 10) == [10]

    system.put(10, 1, 10, state)

    assert found(system.looks, 10) == []


def test_what_left_the_session_is_not_in_it(system: System) -> None:
    system.put(10, 1, 10)
    assert found(system.looks, 10) == [10]

    system.put(10, 1, 11)

    assert found(system.looks, 10) == []


def test_where_no_last_number_is_told_all_are_read(system: System) -> None:
    system.put(5, 1, 5)
    (system.folder / "loadavg").unlink()
    assert found(system.looks, 7) == []

    system.put(5, 1, 7)
    (system.folder / "loadavg").write_text("nothing")

    assert found(system.looks, 7) == [5]


def test_a_look_at_the_true_processes_finds_our_own() -> None:
    looks = Census(process_table())
    for _ in range(2):
        assert os.getpid() in found(looks, os.getsid(0))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "tool"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexit 7\n")
    path.chmod(0o755)
    return path


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_name_is_looked_up_on_the_path_of_the_environment_given(script: Path) -> None:
    assert find_program("tool", {"PATH": f"/nowhere:{script.parent}"}) == str(script)
    with pytest.raises(ProgramNotFound, match="tool"):
        find_program("tool", {"PATH": "/nowhere"})


def test_a_name_with_a_slash_is_taken_from_the_working_directory(script: Path) -> None:
    assert find_program("bin/tool", {}, str(script.parent.parent)) == str(script)
    with pytest.raises(ProgramNotFound):
        find_program("bin/tool", {}, "/")


def test_folders_and_plain_texts_are_not_executable(script: Path) -> None:
    script.chmod(0o644)
    for path in (script, script.parent):
        with pytest.raises(NotExecutable, match=path.name):
            find_program(str(path), {})


@pytest.mark.parametrize("name", ["", "\0", "a\0b"])
def test_what_is_no_name_is_not_found(name: str) -> None:
    with pytest.raises(ProgramNotFound):
        find_program(name, dict(os.environ))


def test_a_program_runs_in_its_folder_with_its_environment(tmp_path: Path) -> None:
    folder = tmp_path / "a 'quoted\" $name"
    folder.mkdir()
    argv = ["sh", "-c", 'printf "%s" "$PWD $ONE $1" > result', "sh", "an argument"]
    assert ended(spawn(argv, {"PATH": os.defpath, "ONE": "1"}, str(folder), ())) == 0
    assert (folder / "result").read_text() == f"{folder} 1 an argument"


def test_without_a_folder_it_runs_in_ours(script: Path) -> None:
    assert ended(spawn([str(script)], {}, None, ())) == 7


def test_it_leads_a_session_and_obeys_signals_that_python_ignores() -> None:
    script = 'read -r _ _ _ _ group session _ < /proc/$$/stat; [ "$session" = $$ ] || exit 9; kill -PIPE $$'
    assert ended(spawn(["sh", "-c", script], dict(os.environ), "/", ())) == -13


@pytest.mark.parametrize("cwd", ["relative", "/nowhere", "/etc/passwd", "/a\0b"])
def test_a_folder_that_cannot_be_used_is_named(cwd: str) -> None:
    with pytest.raises(FolderUnusable):
        spawn(["true"], dict(os.environ), cwd, ())


def test_a_text_without_a_first_line_for_the_system_is_not_executable(script: Path) -> None:
    script.write_text("exit 7\n")
    with pytest.raises(NotExecutable):
        spawn([str(script)], {}, None, ())
    script.write_text("#!/nowhere/sh\n")
    with pytest.raises(NotExecutable):
        spawn([str(script)], {}, None, ())


@pytest.mark.parametrize(
    ("argv", "environment"),
    [
        (["true", "\0"], {}),
        (["true", "\ud800"], {}),
        (["true"], {"A=B": "1"}),
        (["true", "x" * 3_000_000], {}),
    ],
)
def test_what_the_system_does_not_take_is_an_error(argv: list[str], environment: dict[str, str]) -> None:
    with pytest.raises(StartFailed, match="true"):
        spawn(argv, {"PATH": os.defpath, **environment}, None, ())


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


UNMARKED = {"a double fork without our mark", "an orphan without our mark"}
"""Those that only a limit tells, once their parent is gone."""


@pytest.fixture(params=["pidfd", "thread"])
def each_way_to_wait(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.fixture(params=[process_table, PsutilProcesses], ids=["native", "portable"])
def each_table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census, "process_table", request.param)


def start(script: str) -> Child:
    return Child.start(
        ["bash", "-c", script],
        environment=os.environ,
        mark_name="ACP_TUI_TERMINAL",
        cwd="/",
        file_actions=(),
        guard=None,
    )


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.native if kind in UNMARKED else ()) for kind in OFFSPRING]
)
async def test_nothing_is_left_of_a_child(kind: str) -> None:
    moment = a_long_time()
    child = start(OFFSPRING[kind].format(time=moment))
    await until(lambda: sleepers(moment))
    assert await child.alive()

    await child.end(0.1)

    assert not sleepers(moment)
    assert not await child.alive()
    assert child.exit_status is not None


@pytest.mark.usefixtures("nothing_left")
async def test_a_child_has_time_to_end_by_itself() -> None:
    moment = a_long_time()
    child = start(f"trap 'sleep 0.1; exit 5' TERM; sleep {moment} & wait")
    await until(lambda: sleepers(moment))
    begin = time.monotonic()
    await child.end(60)
    assert child.exit_status == ExitStatus(5, None)
    assert time.monotonic() - begin < 30


@pytest.mark.usefixtures("nothing_left")
async def test_a_stopped_child_has_time_too() -> None:
    moment = a_long_time()
    child = start(f"trap 'exit 5' TERM; sleep {moment} & wait")
    await until(lambda: sleepers(moment))
    os.kill(child.pid, signal.SIGSTOP)
    await child.end(60)
    assert child.exit_status == ExitStatus(5, None)


@pytest.mark.usefixtures("nothing_left")
async def test_a_name_made_to_confuse_is_read_past(tmp_path: Path) -> None:
    moment = a_long_time()
    program = tmp_path / ") Z 1 1"
    shutil.copy(shutil.which("sleep") or "", program)
    child = start(f"env -i '{program}' {moment} & wait")
    await until(lambda: sleepers(moment))
    await child.end(0.1)
    assert not sleepers(moment)


@pytest.mark.usefixtures("nothing_left")
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


@pytest.mark.usefixtures("nothing_left")
async def test_a_waiter_that_gives_up_does_not_disturb_the_others() -> None:
    child = start("sleep 300")
    impatient, patient = asyncio.create_task(child.wait()), asyncio.create_task(child.wait())
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(child.end(0.5), child.end(0.5))
    assert await patient == ExitStatus(None, "SIGTERM")
    assert impatient.cancelled()


@pytest.mark.usefixtures("nothing_left")
async def test_a_child_reaped_by_somebody_else_has_ended_all_the_same() -> None:
    child = start("exit 3")
    os.waitpid(child.pid, 0)
    assert await child.wait() == ExitStatus(None, None)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.usefixtures("each_table")
async def test_ending_what_has_ended_touches_nobody() -> None:
    child = start("exit 0")
    await child.wait()
    assert not await child.survivors()
    stranger = start("sleep 300")
    child.pid = stranger.pid  # as if the system had handed it out again
    await child.end(0.1)
    assert await stranger.alive()
    await stranger.end(1)
    assert stranger.exit_status == ExitStatus(None, "SIGTERM")


def test_an_event_loop_that_is_over_is_not_kept_by_the_looks_at_its_children() -> None:
    loop = asyncio.new_event_loop()
    loop.run_until_complete(_begin_and_end())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    kept = weakref.ref(loop)
    del loop
    gc.collect()
    assert kept() is None


async def _begin_and_end() -> None:
    child = start("sleep 300")
    await child.end(1)


@pytest.mark.usefixtures("nothing_left")
async def test_a_number_given_again_is_not_mistaken_for_the_session() -> None:
    child, stranger = start("exit 0"), start("sleep 300")
    await child.wait()
    child.pid = stranger.pid  # as if the system had handed it out again
    assert not await child.alive()
    await child.end(0.1)
    assert stranger.exit_status is None
    assert await stranger.alive()
    await stranger.end(1)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.usefixtures("each_table")
async def test_processor_time_is_that_of_the_whole_session() -> None:
    child = start("(while :; do :; done) & wait")
    await until(lambda: child.cpu_seconds() >= 0.05)
    await child.end(0.5)
    assert child.cpu_seconds() == 0


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("status", "noun", "verb"),
    [
        (ExitStatus(3, None), "exit code 3", "ended with exit code 3"),
        (ExitStatus(None, "SIGKILL"), "signal SIGKILL", "was ended by SIGKILL"),
        (ExitStatus(None, None), "unknown exit code", "ended"),
    ],
)
def test_how_a_process_ended_is_said_in_the_same_words_everywhere(
    status: ExitStatus, noun: str, verb: str
) -> None:
    assert (str(status), status.as_verb) == (noun, verb)
