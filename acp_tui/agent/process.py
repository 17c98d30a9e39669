"""The agent process: its pipes, its stderr and its end."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import itertools
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

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

if TYPE_CHECKING:  # most sessions have no sandbox, and its module is loaded only for one
    from acp_tui.sandbox.sandbox import Sandbox

MAX_UNREAD: Final = 32 << 20
"""Bytes that an agent may leave unread before the client stops serving it."""


class Outgoing:
    """Bytes queued for a pipe. Needs no event loop before the first wait."""

    def __init__(self) -> None:
        self.size = 0
        """Number of queued bytes."""
        self._parts: deque[memoryview] = deque()
        self._room = asyncio.Event()
        self._room.set()

    def add(self, data: bytes) -> None:
        """Append bytes."""
        self._parts.append(memoryview(data))
        self._resized(len(data))

    def write_to(self, descriptor: int) -> None:
        """Write until nothing is left.

        Raises:
            BlockingIOError: the pipe is full.
            OSError: the reader is gone.
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
        """Drop all bytes."""
        self._parts.clear()
        self._resized(-self.size)

    @property
    def is_full(self) -> bool:
        """True if writers should wait."""
        return not self._room.is_set()

    async def room(self) -> None:
        """Wait until at most `MAX_UNREAD` bytes are queued."""
        await self._room.wait()

    def _resized(self, by: int) -> None:
        self.size += by
        if self.size > MAX_UNREAD:
            self._room.clear()
        else:
            self._room.set()


class SpawnFailed(Exception):
    """The agent could not be started: `title` says why, `advice` what to try."""

    def __init__(self, title: str, advice: str) -> None:
        super().__init__(f"{title} {advice}")
        self.title = title
        self.advice = advice


MARK: Final = "ACP_TUI_AGENT"
_READ: Final = 256 << 10  # bytes
_TAIL: Final = 64 << 10  # bytes of stderr that are kept, and the most of one line
_PARTING: Final = 0.2
"""Seconds to wait for the agent when the program ends; after them the guard waits for it."""
LINGER: Final = 0.25
"""Seconds to wait for the last bytes after the exit."""
_ADVICE: Final[dict[type[StartFailed], str]] = {
    ProgramNotFound: "Check its name and whether it is installed, or give the full path.",
    NotExecutable: "Make it executable, or name the program that runs it.",
    FolderUnusable: "Choose a folder that exists and that you may enter.",
    StartFailed: "Check the command and its environment.",
}


class Process:
    """A running agent, the leader of its own process session.

    It starts without an event loop; everything that waits runs on one loop. `read` takes bytes straight from
    the pipe, so an agent whose output nobody reads blocks on the full pipe.

    Source: ACP, page "transports", stdio.
    """

    def __init__(
        self,
        argv: Sequence[str],
        child: Child,
        stdin: int,
        stdout: int,
        stderr: int,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.argv = tuple(argv)
        self.sandbox = sandbox
        """The sandbox that it runs in, or None."""
        self.on_stderr: Callable[[Sequence[str]], None] | None = None
        """Called with new lines of stderr, without line ends; a very long line comes in pieces."""
        self.broken = False
        """True once the agent takes no more input; further writes are dropped."""
        self._child = child
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._outgoing = Outgoing()
        self._buffer = memoryview(bytearray(_READ))
        """The buffer of all reads: a new one of this size for each read would fragment the memory."""
        self._tail = OutputTail(_TAIL)
        self._lines = _Lines(self._tell)
        self._readable: asyncio.Future[bool] | None = None
        self._stderr_over: asyncio.Future[bool] | None = None
        self._left: asyncio.Future[bool] | None = None
        """Done once the agent is stopped, or left to the guard."""
        self._stopping: asyncio.Task[ExitStatus] | None = None
        self._had_time = False
        """True once the agent has had time to end by itself after its stdin was closed."""

    @classmethod
    def spawn(
        cls,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        guard: Guard | None = None,
        sandbox: Sandbox | None = None,
    ) -> Process:
        """Start an agent in the user's environment, updated by `env`; needs no event loop.

        The process owns the sandbox from then on and closes it at its end.

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
                enclosure=sandbox.agent if sandbox is not None else None,
            )
        except StartFailed as error:
            _close(*ours)
            raise SpawnFailed(str(error), _ADVICE[type(error)]) from error
        finally:
            _close(*theirs)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        stdin, stdout, stderr = ours
        _widen(stdout)
        return cls(argv, child, stdin, stdout, stderr, sandbox)

    @property
    def pid(self) -> int:
        """The process id, also that of its group and session."""
        return self._child.pid

    @property
    def exit_status(self) -> ExitStatus | None:
        """The exit status, once the agent has ended."""
        return self._child.exit_status

    @property
    def stderr_tail(self) -> str:
        """The last 64 KiB of stderr."""
        return self._tail.text()

    def start_draining(self) -> None:
        """Start reading stderr and flushing input on the running loop; the first wait does so too."""
        if self._stderr_over is not None:
            return
        loop = asyncio.get_running_loop()
        self._stderr_over, self._left = loop.create_future(), loop.create_future()
        if self._stderr < 0:
            self._stderr_over.set_result(True)
            return
        loop.add_reader(self._stderr, self._read_stderr)
        self._child.watch()
        self._flush()

    async def read(self) -> bytes:
        """Return up to 256 KiB of stdout as soon as there is some, b"" at its end. One caller at a time.

        Available output is returned without a turn of the loop: a caller that reads on must let others run.
        After the exit, a short silence counts as the end: a process that the agent left behind may hold
        the pipe open.
        """
        self.start_draining()
        is_over = False
        while self._stdout >= 0:
            try:
                data = bytes(self._buffer[: os.readv(self._stdout, [self._buffer])])
            except BlockingIOError:
                if not is_over:
                    is_over = not await self._wait_readable()
                    continue
                data = b""
            if not data:
                self._close_stdout()
            return data
        return b""

    async def _wait_readable(self) -> bool:
        """Wait for output; False once the agent is gone and silent."""
        exited = self._child.watch()
        if not exited.done() and await self._readable_or(exited):
            return True
        silence = asyncio.ensure_future(asyncio.sleep(LINGER))
        try:
            return await self._readable_or(silence)
        finally:
            silence.cancel()

    async def _readable_or(self, other: asyncio.Future[Any]) -> bool:
        """Wait for output or for `other`; return whether there is output.

        It is written by hand because each piece of output passes here, and `asyncio.wait` takes more turns of
        the loop.
        """
        loop = asyncio.get_running_loop()
        readable: asyncio.Future[bool] = loop.create_future()
        self._readable = readable

        def come(_: object) -> None:
            _settle(readable, result=False)

        descriptor = self._stdout
        loop.add_reader(descriptor, _settle, readable)
        other.add_done_callback(come)
        try:
            return await readable
        finally:
            other.remove_done_callback(come)
            if self._stdout == descriptor:  # else it is closed, and its number may be reused
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
        """Send whole lines in order; never blocks."""
        if self.broken or self._stdin < 0 or not data:
            return
        self._outgoing.add(data)
        self._flush()

    @property
    def unread(self) -> int:
        """Bytes written that the agent has not read."""
        return self._outgoing.size

    async def room(self) -> None:
        """Wait until the agent has read enough, or is gone."""
        if not self._outgoing.is_full:
            return
        waiting = asyncio.ensure_future(self._outgoing.room())
        try:
            exits: asyncio.Future[Any] = self._child.watch()
            await asyncio.wait({waiting, exits}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    def _flush(self) -> None:
        """Write as much as the pipe takes, and the rest once it takes more."""
        try:
            self._outgoing.write_to(self._stdin)
        except BlockingIOError:
            if self._stderr_over is not None:  # without a loop, the first wait writes the rest
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
        """Return the exit status, once the agent has ended and its stderr is read."""
        self.start_draining()
        assert self._left is not None
        exited: asyncio.Future[Any] = self._child.watch()
        await asyncio.wait({exited, self._left}, return_when=asyncio.FIRST_COMPLETED)
        if self._stderr_over is not None:
            await asyncio.wait({self._stderr_over}, timeout=LINGER)
        return self._child.exit_status or ExitStatus(None, None)

    async def end_input(self, patience: float = 2.0) -> bool:
        """Close stdin and return whether the agent ends within `patience` seconds."""
        self.start_draining()
        self._close_stdin()
        exited = self._child.watch()
        await asyncio.wait({exited}, timeout=patience)
        self._had_time = True
        return exited.done()

    async def alive(self) -> bool:
        """Return whether the agent or a process that it started still runs."""
        return bool(await self._child.alive())

    async def stop(self, patience: float = 2.0) -> ExitStatus:
        """End the agent and all that it started: close stdin, then TERM, then KILL, `patience` seconds apart.

        When the program ends, a slow agent is left to the guard, which does the same.
        Further calls, even at the same time, return the same status.
        """
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(patience))
        return await asyncio.shield(self._stopping)

    async def _stop(self, patience: float) -> ExitStatus:
        if not self._had_time:
            await self.end_input(min(patience, _PARTING) if self._child.lingers else patience)
        if self._child.exit_status is not None or not self._child.lingers:
            await self._child.end(patience)
            if self._stderr_over is not None:
                await asyncio.wait({self._stderr_over}, timeout=LINGER)
        self._close_stderr()
        self._close_stdout()
        if self._left is not None:
            _settle(self._left)
        return self._child.exit_status or ExitStatus(None, None)

    def cpu_seconds(self) -> float | None:
        """Return the processor seconds of the agent's process session, None if unknown."""
        return self._child.cpu_seconds()


class _Lines:
    """Split a stream of bytes into lines."""

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


def _settle(future: asyncio.Future[bool], *, result: bool = True) -> None:
    if not future.done():
        future.set_result(result)


def _pipes() -> tuple[list[int], list[int]]:
    """Return the agent's ends of stdin, stdout and stderr, and the client's."""
    ends: list[tuple[int, int]] = []
    try:
        ends.extend(os.pipe() for _ in range(3))
    except OSError as error:
        _close(*itertools.chain(*ends))
        raise SpawnFailed(f"No pipe is available: {error.strerror}.", "Close some sessions.") from error
    (stdin, write), (read, stdout), (log, stderr) = ends
    return [stdin, stdout, stderr], [write, read, log]


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _widen(descriptor: int) -> None:
    """Enlarge the pipe to the size of a read, if the system allows it."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is None:
        return
    try:
        fcntl.fcntl(descriptor, resize, _READ)
    except OSError:  # the user's limit of pipe memory is reached
        pass
