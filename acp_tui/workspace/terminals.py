"""Terminals for commands of agents and of the user, each with its own PTY."""

from __future__ import annotations

import asyncio
import codecs
import itertools
import os
import resource
import shlex
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from acp_tui.lazy_regex import regex
from acp_tui.workspace.enclosure import Enclosure
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import (
    SHELL,
    Child,
    ExitStatus,
    FolderMoved,
    FolderUnusable,
    StartFailed,
    WorkingFolder,
    wait_for_any,
)


class OutputTail:
    """The last `limit` bytes of a stream.

    Source: ACP, page "terminals", output byte limit.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(0, limit)
        self.ended = False
        """True at the end of the stream: an incomplete last character becomes U+FFFD."""
        self._bytes = bytearray()
        self._truncated = False

    def append(self, data: bytes) -> None:
        """Append data, at the cost of copying `data` only."""
        if len(data) >= self.limit:
            self._truncated |= len(self._bytes) + len(data) > self.limit
            self._bytes = bytearray(data[len(data) - self.limit :])
            return
        self._bytes += data
        if len(self._bytes) > self.limit:
            del self._bytes[: -self.limit]  # cheap: a bytearray can drop its start
            self._truncated = True

    def kept(self) -> bytes:
        """Return the kept bytes from the start of a character."""
        data = bytes(self._bytes)
        return data[_continuation(data) :] if self._truncated else data

    def read(self) -> tuple[str, bool]:
        """Return the text, and whether its beginning is missing."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(self.kept(), final=self.ended)
        encoded = text.encode()
        if len(encoded) <= self.limit:
            return text, self._truncated
        # An invalid byte became three bytes of U+FFFD, so cut again.
        encoded = encoded[len(encoded) - self.limit :]
        return encoded[_continuation(encoded) :].decode(), True

    def text(self) -> str:
        """Return the text; its UTF-8 form never exceeds the limit."""
        return self.read()[0]

    @property
    def truncated(self) -> bool:
        """True if the beginning is missing."""
        return self.read()[1]


def _continuation(data: bytes) -> int:
    """Return the number of leading bytes (at most 3) of a cut character."""
    skip = 0
    while skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return skip


class LineEnds:
    """Converts a terminal's CR LF back to the program's LF, incrementally."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Convert `data`; a trailing CR is held back."""
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") else b""
        return data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")

    def rest(self) -> bytes:
        """Return the CR held back at the end of the stream."""
        held, self._held = self._held, b""
        return held


# TerminalError
# ├── CommandNotStarted   the command could not be started
# ├── BadDirectory        its working directory cannot be used
# └── UnknownTerminal     missing, released, or another owner's


class TerminalError(Exception):
    """A terminal request failed; the message is for display."""


class CommandNotStarted(TerminalError):
    """The command could not be started."""


class BadDirectory(TerminalError):
    """The working directory cannot be used."""


class OtherDirectory(BadDirectory):
    """The working directory has changed since the decision."""


class UnknownTerminal(TerminalError):
    """The terminal is missing, released, or another owner's."""


Listener = Callable[[bytes], None]
OutputListener = Callable[["Terminal", str], None]

DEFAULT_LIMIT: Final = 1 << 20
"""Bytes of output kept if the agent sets no limit, and always for views."""
KEPT_OUTPUT: Final = 64 << 10
"""Bytes at the end of an output that are journaled when the command has ended."""
_PACE: Final = 0.03  # seconds between two pieces of output: many small writes become one piece
_PIECE: Final = 64 << 10
"""Bytes that are delivered at once: each piece is journaled."""
RELEASED_KEPT: Final = 32
"""Number of released terminals whose output stays visible."""
LARGEST_LIMIT: Final = 64 << 20
"""Upper bound of the agent's limit, in bytes."""
MARK: Final = "ACP_TUI_TERMINAL"
_RESERVE: Final = 128
"""File descriptors kept free for other uses."""
SLICE: Final = 32 << 10
"""Bytes read at a time, so that keys are handled in between."""
_DRAIN: Final = 0.25  # seconds to wait for output after the exit
_PATIENCE: Final = 0.5  # seconds between TERM and KILL
_MOMENT: Final = 1.0  # seconds for descendants to end with their command
_LOOK_AGAIN: Final = 20.0  # seconds between checks of background processes
_SHELL_SYNTAX: Final = regex(r"[\s;&|<>()$`*?\[\]{}~'\"\\#!=]")
_DEFAULTS: Final = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "PAGER": "cat",  # no pager: nobody may be there to press keys
    "GIT_PAGER": "cat",
}
_MISLEADING: Final = ("COLUMNS", "LINES", "TERMCAP")  # they describe the terminal of this program


class Terminal:
    """One command on a PTY."""

    def __init__(
        self,
        terminal_id: str,
        owner: str,
        command_line: str,
        cwd: str,
        limit: int,
        child: Child,
        pty: _Pty,
        over: Callable[[Terminal], None],
    ) -> None:
        self.id = terminal_id
        self.owner = owner
        """The session id of its owner."""
        self.command_line = command_line
        """The command for display."""
        self.cwd = cwd
        self.exit_status: ExitStatus | None = None
        """The exit status, once all output is in."""
        self.started = time.monotonic()
        self.ended: float | None = None
        """Times of start and end, in seconds of the monotonic clock."""
        self.outlived: tuple[int, ...] = ()
        """Ids of the background processes left by the ended command."""
        self._tell_over = over
        self._child = child
        self._pty = pty
        self._tail = OutputTail(limit)
        self._line_ends = LineEnds()
        self._shown = OutputTail(max(limit, DEFAULT_LIMIT))
        self._listeners: list[Listener] = []
        self._pending = bytearray()
        """Output not yet delivered to listeners."""
        self._pause: asyncio.TimerHandle | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.on_output: OutputListener | None = None
        """Called with each piece of output, before any listener."""
        self.on_end: Callable[[Terminal], None] | None = None
        """Called at the end of the command, before any waiter."""
        self._over: asyncio.Future[ExitStatus] = asyncio.get_running_loop().create_future()
        pty.start(self._take)
        self._life = asyncio.create_task(self._live())

    def output(self) -> tuple[str, bool]:
        """Return the output within the agent's limit, and whether its beginning is missing."""
        return self._tail.read()

    async def wait(self) -> ExitStatus:
        """Return the exit status, once there is one."""
        return await asyncio.shield(self._over)

    @property
    def has_ended(self) -> bool:
        """True if the command has ended, even if output is still due."""
        return self._child.has_ended

    async def stop(self) -> None:
        """End a running command and its descendants; background processes of an ended one go on."""
        if not self.has_ended:
            await self.kill()

    async def kill(self) -> None:
        """End the command and all descendants; keep output and status."""
        await self._child.end(_PATIENCE)
        await asyncio.wait({self._life}, timeout=1)
        self._has_left(())

    def write(self, data: bytes) -> None:
        """Send keys; dropped after the end."""
        self._pty.write(data)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the foreground process group."""
        if self.exit_status is None:
            self._pty.signal_foreground(number)

    def resize(self, columns: int, rows: int) -> None:
        """Set the size in cells."""
        self._pty.resize(columns, rows)

    def attach(self, listener: Listener) -> bytes:
        """Return the output so far, and send later output to `listener`, b"" at the end.

        Nothing follows once `exit_status` is set.
        """
        self._deliver()
        if self.exit_status is None:
            self._listeners.append(listener)
        return self.kept()

    def kept(self) -> bytes:
        """Return the latest output with its control sequences."""
        return self._shown.kept()

    def detach(self, listener: Listener) -> None:
        """Stop sending output to `listener`."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _take(self, data: bytes) -> None:
        if self.exit_status is not None:  # background output is not shown
            return
        self._tail.append(self._line_ends.feed(data))
        self._shown.append(data)
        self._pending += data
        if self._pause is None:
            self._go_on()
        elif len(self._pending) >= _PIECE:
            self._deliver()

    def _go_on(self) -> None:
        """Deliver new output and pause again; without any, be ready for the next."""
        self._pause = None
        if self._pending:
            self._deliver()
            self._pause = asyncio.get_running_loop().call_later(_PACE, self._go_on)

    def _deliver(self) -> None:
        """Pass new output to the journal first, then to the listeners."""
        if not self._pending:
            return
        data = bytes(self._pending)
        self._pending.clear()
        if self.on_output is not None:
            self.on_output(self, self._decoder.decode(data))
        for listener in tuple(self._listeners):
            listener(data)

    async def _live(self) -> None:
        status = await self._child.wait()
        await self._pty.drain(_DRAIN)
        self._tail.append(self._line_ends.rest())
        self._tail.ended = self._shown.ended = True
        self._deliver()
        self.exit_status = status
        self.ended = time.monotonic()
        if self.on_end is not None:
            self.on_end(self)
        self._over.set_result(status)
        for listener in tuple(self._listeners):
            listener(b"")
        self._listeners.clear()
        await self._track_background()
        self._pty.close()  # not earlier: background processes would fail when printing

    async def _track_background(self) -> None:
        """Track background processes until none is left."""
        pause = 0.0
        while left := await self._child.survivors():
            if pause:  # processes that end within a moment are not reported
                self._has_left(tuple(left))
            await wait_for_any(left, pause or _MOMENT)
            pause = _LOOK_AGAIN
        self._has_left(())

    def _has_left(self, pids: tuple[int, ...]) -> None:
        self.outlived = pids
        if self._child.is_over:
            self._tell_over(self)


class _Pty:
    """The client's side of a PTY, on the event loop."""

    def __init__(self, columns: int, rows: int) -> None:
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self.resize(columns, rows)

    def start(self, take: Callable[[bytes], None]) -> None:
        """Begin passing output to `take`."""
        self._loop = asyncio.get_running_loop()
        self._take = take
        self._eof = self._loop.create_future()
        self._keys = bytearray()
        self._loop.add_reader(self.master, self._read)

    def file_actions(self, *, controlling: bool = True) -> list[tuple[object, ...]]:
        """Return the spawn actions for a child; with `controlling` the terminal is the child's own."""
        name = os.ttyname(self.slave)
        flags = os.O_RDWR if controlling else os.O_RDWR | os.O_NOCTTY
        return [
            (os.POSIX_SPAWN_OPEN, 0, name, flags, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]

    def resize(self, columns: int, rows: int) -> None:
        if self.master >= 0:
            termios.tcsetwinsize(self.master, (_size(rows), _size(columns)))

    def write(self, data: bytes) -> None:
        if self.master < 0:
            return
        self._keys += data
        self._flush()

    def signal_foreground(self, number: int) -> None:
        try:
            group = os.tcgetpgrp(self.master)
            if group > 0:  # 0 means no foreground group, but killpg would take it as our own
                os.killpg(group, number)
        except OSError:  # the foreground group has ended
            pass

    async def drain(self, seconds: float) -> None:
        """Read the remaining output for up to `seconds`."""
        os.close(self.slave)  # held until now, since closing it looks like the end of the output
        self.slave = -1
        await asyncio.wait({self._eof}, timeout=seconds)

    def close(self) -> None:
        if self.master >= 0:
            self._loop.remove_reader(self.master)
            self._loop.remove_writer(self.master)
        self.abandon()

    def abandon(self) -> None:
        """Close all descriptors, before or after `start`."""
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1

    def _read(self) -> None:
        pieces: list[bytes] = []
        size = 0
        while size < SLICE:  # one read returns a page at most
            try:
                data = os.read(self.master, SLICE)
            except BlockingIOError:
                break
            except OSError:  # EIO: the other side is closed, the normal end
                data = b""
            if not data:
                self._loop.remove_reader(self.master)
                if not self._eof.done():
                    self._eof.set_result(None)
                break
            pieces.append(data)
            size += len(data)
        if pieces:
            self._take(b"".join(pieces))

    def _flush(self) -> None:
        try:
            while self._keys:
                del self._keys[: os.write(self.master, self._keys)]
        except BlockingIOError:
            self._loop.add_writer(self.master, self._flush)
            return
        except OSError:  # the command has ended
            self._keys.clear()
        self._loop.remove_writer(self.master)


class Terminals:
    """The terminals of all sessions, by owner and id."""

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        guard: Guard | None = None,
        enclosure: Enclosure | None = None,
    ) -> None:
        self._environment = environment
        self._guard = guard
        self._enclosure = enclosure
        self.on_end: Callable[[Terminal], None] | None = None
        """Called at the end of each command."""
        self.on_output: OutputListener | None = None
        """Called with each piece of output, before it is shown."""
        self._numbers = itertools.count(1)
        self._terminals: dict[tuple[str, str], Terminal] = {}
        self._released: dict[tuple[str, str], Terminal] = {}
        """The latest released terminals, whose output stays visible."""
        self._alive: set[Terminal] = set()
        """Terminals with a running command or background process."""

    async def create(
        self,
        owner: str,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] = {},
        cwd: str | WorkingFolder,
        output_byte_limit: int | None = None,
        columns: int = 120,
        rows: int = 40,
        enclosure: Enclosure | None = None,
    ) -> Terminal:
        """Start a command on its own terminal and return at once.

        A command without arguments but with shell syntax, such as a space, is run by the shell: that
        is how the user or a rule read it. `enclosure` replaces the sandbox of the other terminals.

        Raises:
            CommandNotStarted, BadDirectory, OtherDirectory: nothing was started.
        Source: ACP, page "terminals".
        """
        limit = DEFAULT_LIMIT if output_byte_limit is None else min(output_byte_limit, LARGEST_LIMIT)
        environment = self._environment_with(env)
        argv = [command, *args]
        if not args and _SHELL_SYNTAX.search(command):
            argv = [SHELL, "-c", command]
        try:
            pty = _Pty(columns, rows)
        except OSError as error:  # out of descriptors or terminals
            raise CommandNotStarted(f"No terminal is available: {error.strerror}.") from error
        if pty.master >= _most_descriptors():  # descriptors are assigned from the lowest free number
            pty.abandon()
            raise CommandNotStarted("Too many terminals are open. Release those that are no longer needed.")
        try:
            child = self._start(argv, environment, cwd, pty, enclosure or self._enclosure)
        except TerminalError:
            pty.abandon()
            raise
        command_line = shlex.join(argv) if args else command
        name = f"term-{next(self._numbers)}"
        folder = cwd.path if isinstance(cwd, WorkingFolder) else cwd
        terminal = Terminal(name, owner, command_line, folder, limit, child, pty, self._alive.discard)
        terminal.on_end, terminal.on_output = self.on_end, self.on_output
        self._terminals[owner, terminal.id] = terminal
        self._alive.add(terminal)
        return terminal

    def get(self, owner: str, terminal_id: str) -> Terminal:
        """Return a terminal of this owner.

        Raises:
            UnknownTerminal: missing, released, or another owner's.
        """
        try:
            return self._terminals[owner, terminal_id]
        except KeyError:
            raise UnknownTerminal(f"There is no terminal “{terminal_id}” in this session.") from None

    def find(self, owner: str, terminal_id: str) -> Terminal | None:
        """Return a terminal for display, even a released one, or None.

        Source: ACP, page "terminals", releasing: the output in a tool call stays.
        """
        key = owner, terminal_id
        return self._terminals.get(key) or self._released.get(key)

    async def release(self, owner: str, terminal_id: str) -> None:
        """End a running command and invalidate its id at once.

        Background processes of an ended command, such as a server, continue until `close`.

        Raises:
            UnknownTerminal: see `get`.
        """
        await self._taken_back(self.get(owner, terminal_id)).stop()

    def has_any(self, owner: str) -> bool:
        """Return whether an owner may have a running command or background process."""
        return any(one.owner == owner for one in self._alive)

    def background(self, owner: str) -> list[Terminal]:
        """Return an owner's terminals with background processes, oldest first."""
        left = [one for one in self._alive if one.owner == owner and one.outlived]
        return sorted(left, key=lambda one: one.started)

    async def close(self, owner: str | None = None) -> None:
        """End and free all terminals (of one owner), with background processes."""
        # Invalidate all ids first: the agent may release one at the same time.
        for one in list(self._terminals.values()):
            if owner in (None, one.owner):
                self._taken_back(one)
        await asyncio.gather(*(one.kill() for one in list(self._alive) if owner in (None, one.owner)))

    def _taken_back(self, terminal: Terminal) -> Terminal:
        key = terminal.owner, terminal.id
        self._released[key] = self._terminals.pop(key)
        while len(self._released) > RELEASED_KEPT:
            del self._released[next(iter(self._released))]
        return terminal

    def _start(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        cwd: str | WorkingFolder,
        pty: _Pty,
        enclosure: Enclosure | None,
    ) -> Child:
        try:
            return Child.start(
                argv,
                environment=environment,
                mark_name=MARK,
                cwd=cwd,
                file_actions=pty.file_actions(controlling=enclosure is None or not enclosure.takes_terminal),
                guard=self._guard,
                enclosure=enclosure,
                terminal=True,
            )
        except FolderMoved as error:
            raise OtherDirectory(str(error)) from error
        except FolderUnusable as error:
            raise BadDirectory(str(error)) from error
        except StartFailed as error:
            raise CommandNotStarted(str(error)) from error

    def _environment_with(self, env: Mapping[str, str]) -> dict[str, str]:
        ours = os.environ if self._environment is None else self._environment
        inherited = {name: value for name, value in ours.items() if name not in _MISLEADING}
        return {**inherited, **_DEFAULTS, **env}


def _most_descriptors() -> int:
    """Return the first descriptor number that is kept free."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit - min(_RESERVE, limit // 2)


def _size(cells: int) -> int:
    return max(1, min(cells, 0xFFFF))
