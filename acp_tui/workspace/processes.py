"""Child processes: each leads its own process session and is ended with all descendants."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import itertools
import json
import os
import shutil
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from acp_tui.formatting import exit_words
from acp_tui.lazy_regex import regex
from acp_tui.platform import (
    PROC,
    ProcessTable,
    give_limit,
    has_ended,
    has_folder_descriptors,
    has_limits,
    has_pidfd,
    open_folder,
    open_pidfd,
    path_of,
    process_table,
)
from acp_tui.workspace.enclosure import Enclosed, Enclosure, Passed
from acp_tui.workspace.guard import RUN, Guard, limit_of, our_limit
from acp_tui.workspace.real_paths import followed, real_path

# StartFailed
# ├── ProgramNotFound   no such program on PATH, or no such file
# ├── NotExecutable     the file exists but cannot be run
# ├── FolderUnusable    the working directory is missing or inaccessible
# └── FolderMoved       the working directory is another one by now


class StartFailed(Exception):
    """A program could not be started; the message is for display."""


class ProgramNotFound(StartFailed):
    """The program is not on PATH, or the file is missing."""


class NotExecutable(StartFailed):
    """The file exists but cannot be executed."""


class FolderUnusable(StartFailed):
    """The working directory is missing, not a directory, or inaccessible."""


class FolderMoved(StartFailed):
    """The working directory has changed since the decision."""


class WorkingFolder(NamedTuple):
    """The identity of a working directory: a command is started in exactly this one or not at all."""

    path: str
    """As requested."""
    real: str
    """The path with links followed."""
    identity: tuple[int, int] | None
    """Device and inode; None if there is no such folder."""

    @classmethod
    def of(cls, path: str) -> WorkingFolder:
        """Return the folder to which a path leads now."""
        try:
            real = real_path(path)
            status = os.stat(real)  # noqa: PTH116 - text
        except (OSError, ValueError):
            return cls(path, path, None)
        return cls(path, real, (status.st_dev, status.st_ino))


SHELL: Final = "/bin/sh"
_DEFAULTED: Final = [
    # Python ignores the first two, and this program's parent may ignore others; children get the defaults.
    getattr(signal, name)
    for name in ("SIGPIPE", "SIGXFSZ", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP")
    if hasattr(signal, name)
]
_NOT_RUN: Final = (errno.ENOEXEC, errno.EACCES, errno.ENOENT)  # the last one means a missing interpreter
_GATE: Final = 3  # the child's descriptor of the gate
_ENTERED: Final = 4  # the child's descriptor of its folder
_CHANGE_FOLDER: Final = (
    f"read -r _ <&{_GATE} && exec {_GATE}<&- && cd -P /proc/self/fd/{_ENTERED} && exec {_ENTERED}<&-"
    ' && PWD=$1 && shift && exec "$@"'
)
"""A shell script that waits, enters a folder that is held open, and execs the program."""
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")
"""A program that does the same on systems where a shell cannot."""


def find_program(name: str, environment: Mapping[str, str], cwd: str | None = None) -> str:
    """Return the path of a program: from PATH, or with a slash relative to `cwd`.

    Raises:
        ProgramNotFound, NotExecutable: the message contains the name.
    """
    if not name or "\0" in name:
        raise ProgramNotFound("No program was named.")
    if "/" not in name:
        found = shutil.which(name, path=environment.get("PATH", os.defpath))
        if found is None:
            raise ProgramNotFound(f"The program “{name}” is not on PATH.")
        return str(Path(found).absolute())
    path = Path(cwd or Path.cwd(), name)
    mode = _mode(path)
    if mode is None:
        raise ProgramNotFound(f"The file “{path}” does not exist.")
    if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
        raise NotExecutable(f"“{path}” is not an executable file.")
    return str(path)


# posix_spawn costs the same however large the parent is; asyncio's fork takes 5.7 to 18 ms. But it can
# neither change the folder nor run code between fork and exec. So a shell starts first and waits at a gate
# (a pipe): once `before` has marked and guarded it, the gate opens, and the shell changes the folder and
# execs the program. Nothing that the program starts can escape the mark or the guard. The parent holds the
# folder open, and the shell enters that: no link can lead it elsewhere in between.
def spawn(
    argv: Sequence[str],
    environment: Mapping[str, str],
    cwd: str | WorkingFolder | None,
    file_actions: Sequence[tuple[Any, ...]],
    before: Callable[[int], None] = lambda pid: None,
    within: Callable[[Callable[[], int]], int] = lambda call: call(),
) -> int:
    """Start a program as the leader of a new session; return its process id.

    `file_actions` are those of `os.posix_spawn`. `before` receives the id; with a `cwd` it returns before the
    program begins. `within` makes the call that starts it.

    Raises:
        StartFailed: nothing was started.
    """
    name = argv[0] if argv else ""
    folder = WorkingFolder.of(cwd) if isinstance(cwd, str) else cwd
    entered = _opened(folder) if folder is not None else -1
    theirs = ours = -1
    try:
        program = find_program(name, environment, folder.real if folder is not None else None)
        theirs, ours = _gate(name)
        # A name with a slash is searched in the open folder.
        is_inside = folder is not None and "/" in name and not name.startswith("/")
        command = [f"./{name}" if is_inside else program, *argv[1:]]
        begin = _start_by_shell if has_folder_descriptors() else _start_by_launcher
        pid = within(lambda: begin(command, environment, file_actions, folder, theirs, entered))
    except OSError as error:
        kind = NotExecutable if error.errno in _NOT_RUN else StartFailed
        raise kind(f"“{argv[0]}” could not be started: {error.strerror}.") from error
    except ValueError as error:  # a NUL, a lone surrogate, or an invalid variable name
        raise StartFailed(f"“{argv[0]}” could not be started: {error}.") from error
    else:
        before(pid)
        with suppress(BrokenPipeError):  # it has already ended
            os.write(ours, b"\n")
        return pid
    finally:
        for descriptor in (entered, theirs, ours):
            if descriptor >= 0:
                os.close(descriptor)


def _start_by_shell(
    command: list[str],
    environment: Mapping[str, str],
    file_actions: Sequence[tuple[Any, ...]],
    folder: WorkingFolder | None,
    gate: int,
    entered: int,
) -> int:
    """Start a program in a new session; with a folder, through a shell that waits and enters it."""
    if folder is not None:
        command = [SHELL, "-c", _CHANGE_FOLDER, SHELL, folder.path, *command]
        dup2 = os.POSIX_SPAWN_DUP2
        file_actions = [*file_actions, (dup2, gate, _GATE), (dup2, entered, _ENTERED)]
    return os.posix_spawn(
        command[0],
        command,
        environment,
        file_actions=file_actions,
        setsid=True,
        setsigmask=[],
        setsigdef=_DEFAULTED,
    )


# The portable way: if `posix_spawn` cannot start a session, or a shell cannot enter an open folder, Python
# does both, 20 ms later.
def _start_by_launcher(
    command: list[str],
    environment: Mapping[str, str],
    file_actions: Sequence[tuple[Any, ...]],
    folder: WorkingFolder | None,
    gate: int,
    entered: int,
) -> int:
    """Start a program through `launcher.py`; without a folder, wait until it runs."""
    dup2 = os.POSIX_SPAWN_DUP2
    language = f"={environment['LC_CTYPE']}" if "LC_CTYPE" in environment else ""
    report = errors = -1
    if folder is not None:
        descriptors = (str(_GATE), str(_ENTERED), "-1", folder.path)
        file_actions = [*file_actions, (dup2, gate, _GATE), (dup2, entered, _ENTERED)]
    else:
        report, errors = os.pipe()
        descriptors = ("-1", "-1", str(_GATE), "")
        file_actions = [*file_actions, (dup2, errors, _GATE)]
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", str(_LAUNCHER), *descriptors, language, *command],
            environment,
            file_actions=file_actions,
            setsigmask=[],
            setsigdef=_DEFAULTED,
        )
        if errors < 0:
            return pid
        os.close(errors)
        errors = -1
        if number := os.read(report, 16):
            os.waitpid(pid, 0)
            raise OSError(int(number), os.strerror(int(number)))
        return pid
    finally:
        for descriptor in (report, errors):
            if descriptor >= 0:
                os.close(descriptor)


def _gate(program: str) -> tuple[int, int]:
    try:
        return os.pipe()
    except OSError as error:
        raise StartFailed(f"“{program}” could not be started: {error.strerror}.") from error


def _opened(folder: WorkingFolder) -> int:
    """Open a folder if it is still the same; return its descriptor."""
    _check_folder(folder.path)
    moved = FolderMoved(f"The working directory “{folder.path}” was replaced by another one.")
    if followed(folder.path) != folder.real:
        raise moved
    try:
        opened = open_folder(folder.real)
    except PermissionError as error:
        raise FolderUnusable(f"The working directory “{folder.path}” may not be read.") from error
    except OSError as error:
        raise moved from error
    try:
        status = os.fstat(opened)
        place = path_of(opened) or followed(folder.path)
        if (status.st_dev, status.st_ino) != folder.identity or place != folder.real:
            raise moved
        # Above the child's own descriptors, which are set one after another.
        return fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 16)
    finally:
        os.close(opened)


def _check_folder(cwd: str) -> None:
    if not cwd.startswith("/") or "\0" in cwd:
        raise FolderUnusable(f"The working directory “{cwd}” is not an absolute path.")
    if not stat.S_ISDIR(_mode(Path(cwd)) or 0):
        raise FolderUnusable(f"The working directory “{cwd}” does not exist, or is not a folder.")
    if not os.access(cwd, os.X_OK):
        raise FolderUnusable(f"The working directory “{cwd}” may not be entered.")


def _mode(path: Path) -> int | None:
    """Return the mode of a path, or None for a missing or invalid one."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


REREAD_AFTER: Final = 0.5
"""Seconds after which all processes are read again, because ids are reused."""
_MARK: Final = regex(rb"(?:^|\0)(ACP_TUI_[A-Z]+=" + RUN.encode() + rb"-[0-9]+)(?=\0|$)")


class ProcessRecord(NamedTuple):
    """A process as last read."""

    since: bytes
    """Start time, which distinguishes it from another process with the same id."""
    session: int
    limit: int | None
    """The limit that marks it, if it has one."""
    mark: str
    """The environment variable that marks it, or ""."""


# Descendants are found by searching all processes, which happens often: at each release of a terminal, and
# while anything runs in the background. A search reads only ids assigned since the last one (ids rise until
# they wrap around) and processes of interest; the rest comes from the cache, which is renewed twice a second.
class Census:
    """A cached list of processes."""

    def __init__(self, table: ProcessTable) -> None:
        self._table = table
        self._known: dict[int, ProcessRecord] = {}
        self._last = 0
        self._read_all = float("-inf")

    def living(self, is_wanted: Callable[[int, ProcessRecord], bool]) -> Iterator[tuple[int, ProcessRecord]]:
        """Yield the living processes that match, freshly read.

        Blocking: call it in a thread.
        """
        last, now = self._table.last_id(), time.monotonic()
        is_full = last is None or now - self._read_all > REREAD_AFTER
        if is_full:
            self._read_all = now
        numbers = list(self._table.ids())
        for pid in self._known.keys() - set(numbers):
            self._known.pop(pid, None)
        for pid in numbers:
            known = self._known.get(pid)
            if known is None or is_full or _is_between(self._last, pid, last or 0) or is_wanted(pid, known):
                known = self._read(pid, known)
                if known is not None and is_wanted(pid, known):
                    yield pid, known
            if known is not None:
                self._known[pid] = known
            else:
                self._known.pop(pid, None)
        self._last = last or 0

    def _read(self, pid: int, known: ProcessRecord | None) -> ProcessRecord | None:
        """Read a process; the marks are inherited at birth and slow to read, so they are cached."""
        facts = self._table.facts(pid)
        if facts is None:
            return None
        if known is not None and known.since == facts.since:
            return known._replace(session=facts.session)
        found = _MARK.search(self._table.environment(pid))
        mark = found[1].decode() if found is not None else ""
        parent = self._known.get(facts.parent)
        if not mark and parent is not None and not has_limits():
            mark = (
                parent.mark
            )  # without limits, a process that clears its environment is found only by its parent
        return ProcessRecord(facts.since, facts.session, our_limit(self._table.limit(pid)), mark)


def _is_between(before: int, number: int, last: int) -> bool:
    """Return whether an id was assigned after `before` and up to `last`, with wrap-around."""
    return before < number <= last if before <= last else number > before or number <= last


_LINGER: Final = 0.1
"""Seconds for a process to end, after which the guard ends it."""
_NUMBERS: Final = itertools.count(1)
_KILL_ROUNDS: Final = 50
_STEP: Final = 0.25
"""Seconds between two checks of processes whose end the system does not report."""
_WATCHED: Final = 16  # maximum number of processes to wait for at once


class ExitStatus(NamedTuple):
    """The exit code or signal of a process; both None if unknown."""

    exit_code: int | None
    signal: str | None
    """Name of the signal, such as "SIGKILL"."""

    def __str__(self) -> str:
        """Return a noun for display: `exit code 3`, `signal SIGKILL`."""
        if self.signal:
            return f"signal {self.signal}"
        return "unknown exit code" if self.exit_code is None else exit_words(self.exit_code)

    @property
    def as_verb(self) -> str:
        """A verb for display: `ended with exit code 3`, `was ended by SIGKILL`."""
        if self.signal:
            return f"was ended by {self.signal}"
        return "ended" if self.exit_code is None else f"ended with {self}"


class Child:
    """A child process with all its descendants."""

    def __init__(
        self,
        pid: int,
        mark: str,
        limit: int,
        guard: Guard | None,
        enclosed: Enclosed | None = None,
        report: int = -1,
    ) -> None:
        self.pid = pid
        self.mark = mark
        """The environment mark, `NAME=value`, of its descendants."""
        self.limit = limit
        """The limit of its descendants, even of those that clear the environment."""
        self.exit_status: ExitStatus | None = None
        self._guard = guard
        self._pidfd = open_pidfd(pid)
        self._exited: asyncio.Future[ExitStatus] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._over = False
        self._stands_around = enclosed is not None and enclosed.is_wrapper
        self._report = report
        self._first: tuple[int, str] | None = None
        self._sent: set[str] = set()

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        mark_name: str,
        cwd: str | WorkingFolder | None,
        file_actions: Sequence[tuple[Any, ...]],
        guard: Guard | None,
        enclosure: Enclosure | None = None,
        terminal: bool = False,
    ) -> Child:
        """Start a program, marked and guarded; no event loop is needed.

        Args:
            argv: the program and its arguments.
            environment: its variables.
            mark_name: the variable by which its descendants are found.
            cwd: its working directory.
            file_actions: those of `os.posix_spawn`.
            guard: ends it if this program is killed.
            enclosure: the sandbox in which it runs.
            terminal: True if it has a terminal of its own.

        Raises:
            StartFailed: nothing was started.
        """
        number = next(_NUMBERS)
        value = f"{RUN}-{number}"
        if guard is not None:
            try:
                guard.start()  # first, because this program may be killed in between
            except OSError as error:
                raise StartFailed(f"The guard process could not be started: {error.strerror}.") from error
        limit = limit_of(number)

        def before(pid: int) -> None:
            give_limit(pid, limit)
            if guard is not None:
                guard.watch(pid)

        variables, mark = {**environment, mark_name: value}, f"{mark_name}={value}"
        if enclosure is None:
            return cls(spawn(argv, variables, cwd, file_actions, before), mark, limit, guard)
        folder = WorkingFolder.of(cwd) if isinstance(cwd, str) else cwd
        place = folder.real if folder is not None else os.getcwd()  # noqa: PTH109 - text
        _check_words(argv, variables)
        program = find_program(argv[0] if argv else "", environment, place)
        enclosed = enclosure.enclosed([program, *argv[1:]], variables, place, terminal=terminal)
        with _passed_to(enclosed) as passed:
            actions = [*file_actions, *passed.file_actions]
            # The program around the command is found by the mark, too.
            around = {**enclosed.environment, mark_name: value}
            pid = spawn(enclosed.argv, around, folder, actions, before, enclosure.within)
            child = cls(pid, mark, limit, guard, enclosed, passed.keep_report())
        enclosure.entered(child)
        return child

    async def wait(self) -> ExitStatus:
        """Return the exit status, once there is one."""
        return await asyncio.shield(self.watch())

    def watch(self) -> asyncio.Future[ExitStatus]:
        """Return the future of the exit status, watched by the running loop."""
        if self._exited is None:
            loop = asyncio.get_running_loop()
            self._exited = loop.create_future()
            if self._pidfd is not None:
                loop.add_reader(self._pidfd, self._reap, loop, self._pidfd)
            else:
                threading.Thread(target=self._wait_in_thread, args=(loop,), daemon=True).start()
        return self._exited

    def _reap(self, loop: asyncio.AbstractEventLoop, pidfd: int) -> None:
        loop.remove_reader(pidfd)
        os.close(pidfd)
        self._pidfd = None
        self._note(_wait_for(self.pid))

    def _wait_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        status = _wait_for(self.pid)
        try:
            loop.call_soon_threadsafe(self._note, status)
        except RuntimeError:  # the loop is closed
            pass

    def _note(self, status: ExitStatus) -> None:
        if self._stands_around and (name := _signal_of(status.exit_code)) in self._sent:
            status = ExitStatus(None, name)  # the enclosing program reports our signal as an exit code
        self.exit_status = status
        if self._exited is not None and not self._exited.done():
            self._exited.set_result(status)

    @property
    def first_process(self) -> int | None:
        """The first process of its own process namespace, which ends with it; None without one."""
        if self._first is None and self._report >= 0:
            with suppress(OSError, ValueError, TypeError, KeyError):
                report = json.loads(os.read(self._report, 4096))  # BlockingIOError: not reported yet
                self._first = int(report["child-pid"]), f"pid:[{int(report['pid-namespace'])}]"
        if self._first is None:
            return None
        pid, namespace = self._first
        try:  # the id may have been reused
            return pid if os.readlink(f"{PROC}/{pid}/ns/pid") == namespace else None  # noqa: PTH115 - text
        except OSError:
            return None

    @property
    def wrappers(self) -> frozenset[int]:
        """Enclosing processes, which end after the command."""
        if not self._stands_around:
            return frozenset()
        first = self.first_process
        own = {self.pid} if self.leads_its_session else set()
        return frozenset(own if first is None else {*own, first})

    @property
    def has_ended(self) -> bool:
        """True if the process is gone, reaped or not."""
        return self.exit_status is not None or has_ended(self.pid)

    async def end(self, patience: float) -> None:
        """End the process and all descendants: TERM, then KILL after `patience` seconds.

        May be called at any time, even concurrently. Returns once nothing is left, or nothing more can be
        done.
        """
        if self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end(patience))
        await asyncio.shield(self._ending)

    async def _end(self, patience: float) -> None:
        if self._over:
            return
        if self.lingers:
            patience = min(patience, _LINGER)
        exited = self.watch()
        # A stopped process handles TERM only after CONT.
        self._sent.add(signal.SIGTERM.name)
        found = await sweeper().send(self, signal.SIGTERM, signal.SIGCONT)
        if found:
            await self._gone(exited, patience)
        if self.lingers:  # the guard ends the rest, if any
            if not found or not await self.alive():
                if (first := self.first_process) is not None:
                    _send(first, signal.SIGKILL)  # as below
                self._forget()
            return
        self._sent.add(signal.SIGKILL.name)
        for _ in range(_KILL_ROUNDS):
            if (first := self.first_process) is not None:
                _send(first, signal.SIGKILL)  # this ends all processes inside, marked or not
            if not await sweeper().send(self, signal.SIGKILL):
                break
            await asyncio.sleep(0.01)
        await asyncio.wait({exited}, timeout=1)
        self._forget()

    async def _gone(self, exited: asyncio.Future[ExitStatus], patience: float) -> None:
        """Wait up to `patience` seconds until nothing is left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        pause = 0.01
        await asyncio.wait({exited}, timeout=min(pause, patience))
        while (left := deadline - loop.time()) > 0 and await self.alive():
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, 0.1)

    @property
    def lingers(self) -> bool:
        """True if the guard ends it when it is slow to end."""
        return self._guard is not None and self._guard.lingers

    async def alive(self) -> list[int]:
        """Return the ids of the living processes: itself and all descendants."""
        return [] if self._over else await sweeper().send(self)

    async def survivors(self) -> list[int]:
        """Return the descendants of the ended process; without any, drop the guard."""
        if self._ending is not None:  # `end` searches as well
            await asyncio.shield(self._ending)
        found = await self.alive()
        if not found:
            self._forget()
        wrappers = self.wrappers
        return [pid for pid in found if pid not in wrappers] or found

    @property
    def is_over(self) -> bool:
        """True once the process and all descendants have ended."""
        return self._over

    def _forget(self) -> None:
        self._over = True  # the id may be reused from now on
        if self._report >= 0:
            os.close(self._report)
            self._report = -1
        if self._guard is not None:
            self._guard.forget(self.pid)

    @property
    def leads_its_session(self) -> bool:
        """True if the session with its id is still its own.

        Once reaped, the id may be reused.
        """
        return self.exit_status is None or not _is_there(self.pid)

    def cpu_seconds(self) -> float:
        """Return the processor seconds of its process session, with reaped children."""
        first = self.first_process
        inside = process_table().session_cpu(first) if first is not None else 0.0
        return inside + process_table().session_cpu(self.pid)


def _check_words(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise for words that no program can be given, before an enclosing program reads them as its own.

    Raises:
        StartFailed.
    """
    try:
        words = [*map(os.fsencode, [*argv, *environment, *environment.values()])]
    except UnicodeEncodeError as error:
        raise StartFailed(f"“{argv[0]}” could not be started: {error}.") from error
    if any(b"\0" in word for word in words) or any(not name or "=" in name for name in environment):
        raise StartFailed(f"“{argv[0]}” could not be started: it has a NUL or an invalid variable name.")


def _passed_to(enclosed: Enclosed) -> Passed:
    """Return the descriptors for an enclosing program.

    Raises:
        StartFailed: there are none left.
    """
    try:
        return Passed(enclosed)
    except OSError as error:
        raise StartFailed(f"Nothing can be passed to the sandbox: {error.strerror}.") from error


def _signal_of(code: int | None) -> str | None:
    """Return the signal that a shell reports as an exit code, or None."""
    try:
        return signal.Signals(code - 128).name if code is not None and code > 128 else None
    except ValueError:
        return None


async def wait_for_any(pids: Sequence[int], seconds: float) -> None:
    """Wait until one of the processes has ended, for at most `seconds`."""
    loop = asyncio.get_running_loop()
    if not has_pidfd():
        until = loop.time() + seconds
        table = process_table()
        while (left := until - loop.time()) > 0 and all(map(table.facts, pids)):  # noqa: ASYNC110
            await asyncio.sleep(min(left, _STEP))
        return
    ended: asyncio.Future[None] = loop.create_future()
    watched = [pidfd for pid in pids[:_WATCHED] if (pidfd := open_pidfd(pid)) is not None]
    for pidfd in watched:
        loop.add_reader(pidfd, ended.cancel)
    try:
        await asyncio.wait({ended}, timeout=seconds)
    finally:
        for pidfd in watched:
            loop.remove_reader(pidfd)
            os.close(pidfd)


def _wait_for(pid: int) -> ExitStatus:
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # already reaped
        return ExitStatus(None, None)
    if code >= 0:
        return ExitStatus(code, None)
    try:
        return ExitStatus(None, signal.Signals(-code).name)
    except ValueError:  # a real-time signal
        return ExitStatus(None, f"SIG{-code}")


def _is_there(pid: int) -> bool:
    """Return whether there is a process with this id, reaped or not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs as another user
        return False
    return True


# Many terminals may end at once with their session. Requests that arrive during a search wait for the next
# one, which then serves all of them, so the number of searches does not grow with the number of terminals.
class _Sweeper:
    """Finds descendants of children; one search of all processes serves all callers."""

    def __init__(self) -> None:
        self._wishes: list[tuple[Child, tuple[int, ...], asyncio.Future[list[int]]]] = []
        self._work: asyncio.Task[None] | None = None
        self._census = Census(process_table())

    async def send(self, child: Child, *numbers: int) -> list[int]:
        """Send signals (or none) to all remaining processes of a child; return their ids."""
        answer: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._wishes.append((child, numbers or (0,), answer))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._sweep())
        return await answer

    async def _sweep(self) -> None:
        try:
            while self._wishes:
                wishes, self._wishes = self._wishes, []
                asked = [(child, numbers) for child, numbers, _ in wishes]
                try:
                    found = await asyncio.to_thread(_signal_all, asked, self._census)
                except asyncio.CancelledError:
                    for _, _, answer in wishes:
                        answer.cancel()
                    raise
                for (_, _, answer), pids in zip(wishes, found, strict=True):
                    if not answer.done():
                        answer.set_result(pids)
        finally:
            self._work = None  # it knows its loop, which is our weak key


_SWEEPERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Sweeper]] = WeakKeyDictionary()


def sweeper() -> _Sweeper:
    """Return the sweeper of the running loop."""
    return _SWEEPERS.setdefault(asyncio.get_running_loop(), _Sweeper())


def _signal_all(wishes: Sequence[tuple[Child, tuple[int, ...]]], census: Census) -> list[list[int]]:
    """Signal the descendants of each child; return the ids reached."""
    found: list[list[int]] = [[] for _ in wishes]
    by_session: dict[int, list[int]] = {}
    by_limit: dict[int | None, list[int]] = {}
    by_mark: dict[str, list[int]] = {}
    for at, (child, _) in enumerate(wishes):
        if child.leads_its_session:
            by_session.setdefault(child.pid, []).append(at)
        by_limit.setdefault(child.limit, []).append(at)
        by_mark.setdefault(child.mark, []).append(at)

    def wishes_for(known: ProcessRecord) -> Sequence[int]:
        return by_session.get(known.session) or by_limit.get(known.limit) or by_mark.get(known.mark) or ()

    wrappers = [child.wrappers for child, _ in wishes]
    # A child may have been read before it led its session.
    for pid, known in census.living(lambda pid, known: pid in by_session or bool(wishes_for(known))):
        for at in wishes_for(known):
            numbers = wishes[at][1]
            if pid in wrappers[at] and signal.SIGKILL not in numbers:
                numbers = (0,)
            if all(_send(pid, number) for number in numbers):
                found[at].append(pid)
    return found
