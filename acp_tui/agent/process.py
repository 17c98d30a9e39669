"""The agent's process: bytes out, bytes in, its log, its end."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import itertools
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import (
    Child,
    ExitStatus,
    FolderUnusable,
    NotExecutable,
    ProgramNotFound,
    StartFailed,
)
from acp_tui.workspace.terminals import OutputTail

MOST: Final = 32 << 20
"""Bytes that an agent may leave unread before nothing more is done for it."""


class Outgoing:
    """The bytes for one pipe. Needs no event loop before somebody waits."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes that wait."""
        self._parts: deque[memoryview] = deque()
        self._room = asyncio.Event()
        self._room.set()

    def add(self, data: bytes) -> None:
        """Let this go out after all that waits already."""
        self._parts.append(memoryview(data))
        self._resized(len(data))

    def write_to(self, descriptor: int) -> None:
        """Write until nothing is left.

        Raises:
            BlockingIOError: the pipe takes no more for now.
            OSError: nobody will read it.
        """
        while self._parts:
            first = self._parts[0]
            sent = os.write(descriptor, first)
            if sent < len(first):
                self._parts[0] = first[sent:]
            else:
                self._parts.popleft()
            self._resized(-sent)

    def clear(self) -> None:
        """Drop what waits."""
        self._parts.clear()
        self._resized(-self.size)

    @property
    def is_full(self) -> bool:
        """Whether so much waits that whoever adds to it should wait, too."""
        return not self._room.is_set()

    async def room(self) -> None:
        """Wait until no more than `MOST` waits."""
        await self._room.wait()

    def _resized(self, by: int) -> None:
        self.size += by
        if self.size > MOST:
            self._room.clear()
        else:
            self._room.set()


class SpawnFailed(Exception):
    """The agent could not be started: what happened (`title`), and what to try (`advice`)."""

    def __init__(self, title: str, advice: str) -> None:
        super().__init__(f"{title} {advice}")
        self.title = title
        self.advice = advice


MARK: Final = "ACP_TUI_AGENT"
_READ: Final = 256 << 10  # bytes
_TAIL: Final = 64 << 10  # bytes of stderr kept, and of one line of it
_LINGER: Final = 0.25  # seconds that the last bytes may take to arrive after the exit
_ADVICE: Final[dict[type[StartFailed], str]] = {
    ProgramNotFound: "Check its name and whether it is installed, or give the full path.",
    NotExecutable: "Make it executable, or name the program that runs it.",
    FolderUnusable: "Choose a folder that exists and that you may enter.",
    StartFailed: "Check the command and its environment.",
}


class Process:
    """A running agent, leader of a session of its own.

    Started without an event loop; everything that waits runs on one loop. `read` reads straight from
    the pipe: an agent whose output nobody asks for stops by itself.

    Source: ACP, page "transports", stdio.
    """

    def __init__(self, argv: Sequence[str], child: Child, stdin: int, stdout: int, stderr: int) -> None:
        self.argv = tuple(argv)
        self.on_stderr: Callable[[Sequence[str]], None] | None = None
        """Called with lines of stderr as they come, without their ends; a very long one comes in pieces."""
        self.broken = False
        """Whether the agent does not take input any more; what is written is then dropped."""
        self._child = child
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._outgoing = Outgoing()
        self._taken = memoryview(bytearray(_READ))
        """What each read fills: an object of this size for each would leave gaps in memory that stay."""
        self._tail = OutputTail(_TAIL)
        self._lines = _Lines(self._tell)
        self._readable: asyncio.Future[None] | None = None
        self._stderr_over: asyncio.Future[None] | None = None
        self._stopping: asyncio.Task[ExitStatus] | None = None
        self._had_time = False
        """Whether it could have ended by itself since its stdin was closed."""

    @classmethod
    def spawn(
        cls,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        guard: Guard | None = None,
    ) -> Process:
        """Start an agent with the user's environment and `env` over it; needs no event loop.

        Raises:
            SpawnFailed: nothing was started.
        """
        theirs, ours = _pipes()
        try:
            child = Child.start(
                argv,
                environment={**os.environ, **(env or {})},
                mark_name=MARK,
                cwd=cwd,
                file_actions=[(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(theirs)],
                guard=guard,
            )
        except StartFailed as error:
            _close(*ours)
            raise SpawnFailed(str(error), _ADVICE[type(error)]) from error
        finally:
            _close(*theirs)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        _widen(ours[1])
        return cls(argv, child, *ours)

    @property
    def pid(self) -> int:
        """The process id, which is that of its group and session as well."""
        return self._child.pid

    @property
    def exit_status(self) -> ExitStatus | None:
        """How the agent ended, once it has."""
        return self._child.exit_status

    @property
    def stderr_tail(self) -> str:
        """The last 64 KiB of stderr."""
        return self._tail.text()

    def start_draining(self) -> None:
        """Read stderr and flush input from now on, on the running loop; the first wait does so, too."""
        if self._stderr_over is not None:
            return
        loop = asyncio.get_running_loop()
        self._stderr_over = loop.create_future()
        if self._stderr < 0:
            self._stderr_over.set_result(None)
            return
        loop.add_reader(self._stderr, self._read_stderr)
        self._child.watch()
        self._flush()

    async def read(self) -> bytes:
        """Return up to 256 KiB of stdout as soon as there are any, b"" at its end. One caller at a time.

        After the exit the end comes when it has been quiet for a moment, even if a process that the
        agent left behind holds the pipe open.
        """
        self.start_draining()
        while self._stdout >= 0:
            ready = await self._wait_readable()
            if self._stdout < 0:
                break
            try:
                data = bytes(self._taken[: os.readv(self._stdout, [self._taken])])
            except BlockingIOError:
                if not ready:
                    data = b""
                else:
                    continue
            if not data:
                self._close_stdout()
            return data
        return b""

    async def _wait_readable(self) -> bool:
        """Wait until there is something to read; False when the agent is gone and all is quiet."""
        loop = asyncio.get_running_loop()
        self._readable = loop.create_future()
        exited = self._child.watch()
        descriptor = self._stdout
        loop.add_reader(descriptor, _settle, self._readable)
        try:
            waited: set[asyncio.Future[Any]] = {self._readable, exited}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not self._readable.done():
                await asyncio.wait({self._readable}, timeout=_LINGER)
            return self._readable.done()
        finally:
            if self._stdout == descriptor:  # else it is closed, and its number may be another's
                loop.remove_reader(descriptor)

    def _close_stdout(self) -> None:
        if self._stdout < 0:
            return
        if self._readable is not None:
            self._readable.get_loop().remove_reader(self._stdout)
            _settle(self._readable)
        _close(self._stdout)
        self._stdout = -1

    def write(self, data: bytes) -> None:
        """Send whole lines, after all that was written before; never blocks."""
        if self.broken or self._stdin < 0 or not data:
            return
        self._outgoing.add(data)
        self._flush()

    @property
    def unread(self) -> int:
        """Bytes that were written and that the agent has not taken yet."""
        return self._outgoing.size

    async def room(self) -> None:
        """Wait while the agent leaves too much unread; comes back as well when it is gone."""
        if not self._outgoing.is_full:
            return
        waiting = asyncio.ensure_future(self._outgoing.room())
        try:
            exits: asyncio.Future[Any] = self._child.watch()
            await asyncio.wait({waiting, exits}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    def _flush(self) -> None:
        """Write as much as the pipe takes, and come back for the rest."""
        try:
            self._outgoing.write_to(self._stdin)
        except BlockingIOError:
            if self._stderr_over is not None:  # before there is a loop, the first wait sees to the rest
                asyncio.get_running_loop().add_writer(self._stdin, self._flush)
        except OSError:  # the agent closed its stdin, or is gone
            self._close_stdin()
        else:
            self._unwatch_stdin()

    def _unwatch_stdin(self) -> None:
        if self._stderr_over is not None and self._stdin >= 0:
            self._stderr_over.get_loop().remove_writer(self._stdin)

    def _close_stdin(self) -> None:
        self.broken = True
        self._outgoing.clear()
        if self._stdin >= 0:
            self._unwatch_stdin()
            _close(self._stdin)
            self._stdin = -1

    def _read_stderr(self) -> None:
        try:
            data = os.read(self._stderr, _TAIL)
        except BlockingIOError:
            return
        if data:
            self._tail.append(data)
            self._lines.feed(data)
        else:
            self._close_stderr()

    def _close_stderr(self) -> None:
        if self._stderr < 0 or self._stderr_over is None:
            return
        self._stderr_over.get_loop().remove_reader(self._stderr)
        _close(self._stderr)
        self._stderr = -1
        self._tail.ended = True
        self._lines.end()
        _settle(self._stderr_over)

    def _tell(self, lines: Sequence[str]) -> None:
        if self.on_stderr is not None and lines:
            self.on_stderr(lines)

    async def wait(self) -> ExitStatus:
        """Return how the agent ended, once it has and the end of its stderr is in."""
        self.start_draining()
        status = await self._child.wait()
        if self._stderr_over is not None:
            await asyncio.wait({self._stderr_over}, timeout=_LINGER)
        return status

    async def end_input(self, patience: float = 2.0) -> bool:
        """Close stdin and return whether the agent has ended within `patience` seconds; for examining it."""
        self.start_draining()
        self._close_stdin()
        exited = self._child.watch()
        await asyncio.wait({exited}, timeout=patience)
        self._had_time = True
        return exited.done()

    async def alive(self) -> bool:
        """Return whether the agent, or anything that came of it, still runs."""
        return bool(await self._child.alive())

    async def stop(self, patience: float = 2.0) -> ExitStatus:
        """End the agent and all that came of it: close stdin, then TERM, then KILL, `patience` seconds apart.

        May be called again, and at the same time; all get the same answer.
        """
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(patience))
        return await asyncio.shield(self._stopping)

    async def _stop(self, patience: float) -> ExitStatus:
        if not self._had_time:
            await self.end_input(patience)
        await self._child.end(patience)
        if self._stderr_over is not None:
            await asyncio.wait({self._stderr_over}, timeout=_LINGER)
        self._close_stderr()
        self._close_stdout()
        return self._child.exit_status or ExitStatus(None, None)

    def cpu_seconds(self) -> float | None:
        """Return the processor time used by the agent's session so far, None where that is unknown."""
        return self._child.cpu_seconds()


class _Lines:
    """Cuts a stream of bytes into lines of text."""

    def __init__(self, tell: Callable[[Sequence[str]], None]) -> None:
        self._tell = tell
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, data: bytes) -> None:
        *lines, self._open = (self._open + self._decoder.decode(data)).split("\n")
        if len(self._open) > _TAIL:
            lines.append(self._open)
            self._open = ""
        self._tell([line.removesuffix("\r") for line in lines])

    def end(self) -> None:
        rest = self._open + self._decoder.decode(b"", final=True)
        self._open = ""
        if rest:
            self._tell([rest])


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _pipes() -> tuple[list[int], list[int]]:
    """Return the agent's ends of stdin, stdout and stderr, and ours."""
    ends: list[tuple[int, int]] = []
    try:
        ends.extend(os.pipe() for _ in range(3))
    except OSError as error:
        _close(*itertools.chain(*ends))
        raise SpawnFailed(f"There is no pipe to be had: {error.strerror}.", "Close some sessions.") from error
    (stdin, write), (read, stdout), (log, stderr) = ends
    return [stdin, stdout, stderr], [write, read, log]


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _widen(descriptor: int) -> None:
    """Let the pipe hold as much as one read takes, where the system allows it."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is None:
        return
    try:
        fcntl.fcntl(descriptor, resize, _READ)
    except OSError:  # the user's share of pipe memory is used up
        pass
