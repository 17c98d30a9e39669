"""The cached list of processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from acp_tui.workspace import processes as census
from acp_tui.workspace import programs
from acp_tui.workspace.processes import (
    Census,
    FolderUnusable,
    NotExecutable,
    ProcessRecord,
    ProgramNotFound,
    StartFailed,
    find_program,
    spawn,
)
from acp_tui.workspace.programs import Stalled, Unsearched, communicate, obstacle_in
from tests.waiting import until


class System:
    """A folder like `/proc`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last = 0

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
    monkeypatch.setattr(census, "PROC", tmp_path)
    monkeypatch.setattr(census, "REREAD_AFTER", float("inf"))
    return System(tmp_path)


def found(census: Census, session: int) -> list[int]:
    def is_wanted(pid: int, known: ProcessRecord) -> bool:
        return known.session == session

    return sorted(pid for pid, _ in census.living(is_wanted))


@pytest.mark.parametrize(("number", "last"), [(11, 11), (11, 40), (3, 3)], ids=["next", "later", "anew"])
def test_a_new_process_is_found(system: System, number: int, last: int) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 7) == []

    system.put(number, 2, 7)
    system.tell(last)

    assert found(looks, 7) == [number]


def test_a_number_that_is_given_again_is_another_process(system: System) -> None:
    looks = Census()
    system.put(5, 1, 5)
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(5, 2, 10)

    assert found(looks, 10) == [5, 10]


@pytest.mark.parametrize("state", ["Z", "X"])
def test_what_has_ended_is_not_living(system: System, state: str) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(10, 1, 10, state)

    assert found(looks, 10) == []


def test_what_left_the_session_is_not_in_it(system: System) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(10, 1, 11)

    assert found(looks, 10) == []


def test_where_no_last_number_is_told_all_are_read(system: System) -> None:
    looks = Census()
    system.put(5, 1, 5)
    (system.folder / "loadavg").unlink()
    assert found(looks, 7) == []

    system.put(5, 1, 7)
    (system.folder / "loadavg").write_text("nothing")

    assert found(looks, 7) == [5]


def test_a_look_at_the_true_processes_finds_our_own() -> None:
    looks = Census()
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


async def python(code: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="without /proc no program counts as stalled")
async def test_what_only_waits_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = await python(f"open({os.fspath(tmp_path / 'pipe')!r})")

    with pytest.raises(Stalled):
        await communicate(process, b"", still=0.2)

    assert process.returncode == -15


async def test_what_works_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def more(pid: int) -> tuple[bytes]:
        looks.append(pid)
        return (b"%d" % len(looks),)

    monkeypatch.setattr(programs, "work_of", more)
    process = await python("import sys\nprint(sys.stdin.read())\nsys.stderr.write('e')")
    os.kill(process.pid, signal.SIGSTOP)
    waiting = asyncio.create_task(communicate(process, b"x", still=0.02))

    await until(lambda: len(looks) > 20)
    assert not waiting.done()
    os.kill(process.pid, signal.SIGCONT)

    assert await waiting == (b"x\n", b"e")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="without /proc no program counts as stalled")
async def test_what_a_program_writes_is_work() -> None:
    process = await python("import sys\nsys.stdin.read(1); print('x' * 9, flush=True); sys.stdin.read()")
    assert process.stdin is not None
    assert process.stdout is not None
    before = programs.work_of(process.pid)
    process.stdin.write(b"1")
    await process.stdout.readline()

    assert programs.work_of(process.pid) != before
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
