"""Real terminals: commands of agents and of the person, each on a PTY of its own."""

from __future__ import annotations

import asyncio
import codecs
import itertools
import os
import re
import resource
import shlex
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import (
    SHELL,
    Child,
    ExitStatus,
    FolderUnusable,
    StartFailed,
    find_program,
    wait_for_an_end,
)


class OutputTail:
    """The newest `limit` bytes of a stream, for the agent and for views.

    Source: ACP, page "terminals", output byte limit.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(0, limit)
        self.ended = False
        """Whether the stream is over: only then half a character at its end is shown, as U+FFFD."""
        self._bytes = bytearray()
        self._truncated = False

    def append(self, data: bytes) -> None:
        """Take in what came next. Costs a copy of `data`, whatever was there before."""
        if len(data) >= self.limit:
            self._truncated |= len(self._bytes) + len(data) > self.limit
            self._bytes = bytearray(data[len(data) - self.limit :])
            return
        self._bytes += data
        if len(self._bytes) > self.limit:
            del self._bytes[: -self.limit]  # moves no bytes: a bytearray can start late
            self._truncated = True

    def kept(self) -> bytes:
        """Return the bytes kept, from the start of a character on."""
        data = bytes(self._bytes)
        return data[_continuation(data) :] if self._truncated else data

    def read(self) -> tuple[str, bool]:
        """Return the text and whether anything is missing at its beginning."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(self.kept(), final=self.ended)
        encoded = text.encode()
        if len(encoded) <= self.limit:
            return text, self._truncated
        # A byte that is no text became three, so the text has to be cut once more.
        encoded = encoded[len(encoded) - self.limit :]
        return encoded[_continuation(encoded) :].decode(), True

    def text(self) -> str:
        """Return the text kept; its UTF-8 form is never longer than the limit."""
        return self.read()[0]

    @property
    def truncated(self) -> bool:
        """Whether anything is missing at the beginning of the text."""
        return self.read()[1]


def _continuation(data: bytes) -> int:
    """Return how many bytes at the front belong to a character that began before (at most 3)."""
    skip = 0
    while skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return skip


class LineEnds:
    """Turns the line ends of a terminal (CR LF) back into what the command wrote (LF), piece by piece."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return `data` with the line ends undone; a CR at the end is held until what follows it is known."""
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") else b""
        return data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")

    def rest(self) -> bytes:
        """Return the CR still held, once the stream is over."""
        held, self._held = self._held, b""
        return held


# TerminalError
# ├── SpawnFailed       the command could not be started
# ├── BadDirectory      its working directory cannot be used
# └── UnknownTerminal   no such terminal, or not one of this owner, or released


class TerminalError(Exception):
    """A terminal could not do what was asked; the message is made to be shown."""


class CommandNotStarted(TerminalError):
    """The command could not be started."""


class BadDirectory(TerminalError):
    """The working directory of the command cannot be used."""


class UnknownTerminal(TerminalError):
    """There is no such terminal (any more) for who asks."""


Listener = Callable[[bytes], None]

DEFAULT_LIMIT: Final = 1 << 20
"""Bytes of output kept for an agent that names no limit, and at least for views."""
RELEASED_KEPT: Final = 32
"""Terminals that can still be looked at when the agent has released them: the latest."""
LARGEST_LIMIT: Final = 64 << 20
"""Bytes of output kept at most, whatever an agent names."""
MARK: Final = "ACP_TUI_TERMINAL"
_RESERVE: Final = 128
"""Descriptors that terminals leave free."""
_SLICE: Final = 16 << 10  # bytes taken in at one go, so that keys get their turn
_DRAIN: Final = 0.25  # seconds that the last output may take to arrive after the exit
_PATIENCE: Final = 0.5  # seconds between TERM and KILL
_MOMENT: Final = 1.0  # seconds that what came of a command may take to end with it
_LOOK_AGAIN: Final = 20.0  # seconds between two looks at what goes on, where no end is told
_SHELL_SYNTAX: Final = re.compile(r"[\s;&|<>()$`*?\[\]{}~'\"\\#!=]")
_DEFAULTS: Final = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "PAGER": "cat",  # nobody may be there to page
    "GIT_PAGER": "cat",
}
_MISLEADING: Final = ("COLUMNS", "LINES", "TERMCAP")  # they tell of our own terminal


class Terminal:
    """One command on a PTY: its bytes, its keys, its end."""

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
        """The id of the session it belongs to."""
        self.command_line = command_line
        """The command as it is shown."""
        self.cwd = cwd
        self.exit_status: ExitStatus | None = None
        """How the command ended, once it has and its last output is in."""
        self.started = time.monotonic()
        self.ended: float | None = None
        """When it started and ended, in seconds of the monotonic clock."""
        self.outlived: tuple[int, ...] = ()
        """The ids of what goes on in the background although the command has ended by itself."""
        self._tell_over = over
        self._child = child
        self._pty = pty
        self._tail = OutputTail(limit)
        self._line_ends = LineEnds()
        self._shown = OutputTail(max(limit, DEFAULT_LIMIT))
        self._listeners: list[Listener] = []
        self.on_end: Callable[[Terminal], None] | None = None
        """Told that the command has ended, before anybody who waits for it."""
        self._over: asyncio.Future[ExitStatus] = asyncio.get_running_loop().create_future()
        pty.start(self._take)
        self._life = asyncio.create_task(self._live())

    def output(self) -> tuple[str, bool]:
        """Return what the agent sees, and whether its limit cut off the beginning."""
        return self._tail.read()

    async def wait(self) -> ExitStatus:
        """Return how the command ended, once it has; for any number of waiters."""
        return await asyncio.shield(self._over)

    @property
    def has_ended(self) -> bool:
        """Whether the command has, even if its last output is not in yet."""
        return self._child.has_ended

    async def stop(self) -> None:
        """End the command if it still runs, and all that came of it; what outlived its end is left alone."""
        if not self.has_ended:
            await self.kill()

    async def kill(self) -> None:
        """End the command and all that came of it, also in the background; output and status stay."""
        await self._child.end(_PATIENCE)
        await asyncio.wait({self._life}, timeout=1)
        self._has_left(())

    def write(self, data: bytes) -> None:
        """Type keys; dropped once the command has ended."""
        self._pty.write(data)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to what runs in the foreground."""
        if self.exit_status is None:
            self._pty.signal_foreground(number)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, in cells."""
        self._pty.resize(columns, rows)

    def attach(self, listener: Listener) -> bytes:
        """Return the bytes kept so far; from then on `listener` gets what comes, and b"" at the end.

        After the end (see `exit_status`) nothing more comes.
        """
        if self.exit_status is None:
            self._listeners.append(listener)
        return self.kept()

    def kept(self) -> bytes:
        """Return the newest of what was printed, with all that steers a terminal."""
        return self._shown.kept()

    def detach(self, listener: Listener) -> None:
        """Send nothing more to `listener`."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _take(self, data: bytes) -> None:
        if self.exit_status is not None:  # what goes on in the background has no reader any more
            return
        self._tail.append(self._line_ends.feed(data))
        self._shown.append(data)
        for listener in tuple(self._listeners):
            listener(data)

    async def _live(self) -> None:
        status = await self._child.wait()
        await self._pty.drain(_DRAIN)
        self._tail.append(self._line_ends.rest())
        self._tail.ended = self._shown.ended = True
        self.exit_status = status
        self.ended = time.monotonic()
        if self.on_end is not None:
            self.on_end(self)
        self._over.set_result(status)
        for listener in tuple(self._listeners):
            listener(b"")
        self._listeners.clear()
        await self._look_after()
        self._pty.close()  # not before: who goes on and prints would end of an error

    async def _look_after(self) -> None:
        """Keep in mind what the command has left running, until nothing is left."""
        pause = 0.0
        while left := await self._child.outlived():
            if pause:  # what ends within a moment is not worth a word
                self._has_left(tuple(left))
            await wait_for_an_end(left, pause or _MOMENT)
            pause = _LOOK_AGAIN
        self._has_left(())

    def _has_left(self, pids: tuple[int, ...]) -> None:
        self.outlived = pids
        if self._child.is_over:
            self._tell_over(self)


class _Pty:
    """Our side of a pseudo terminal on the event loop."""

    def __init__(self, columns: int, rows: int) -> None:
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self.resize(columns, rows)

    def start(self, take: Callable[[bytes], None]) -> None:
        """Begin to hand what is written to `take`."""
        self._loop = asyncio.get_running_loop()
        self._take = take
        self._eof = self._loop.create_future()
        self._keys = bytearray()
        self._loop.add_reader(self.master, self._read)

    def file_actions(self) -> list[tuple[object, ...]]:
        """Return how a child gets the terminal: to open it first makes it the controlling one."""
        name = os.ttyname(self.slave)
        return [
            (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
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
            if group > 0:  # 0 is nobody there, and to a signal it is our own group
                os.killpg(group, number)
        except OSError:  # nothing is in the foreground any more
            pass

    async def drain(self, seconds: float) -> None:
        """Take in what is left, for at most that long."""
        os.close(self.slave)  # held until now, lest a command that closes its own looked like the end
        self.slave = -1
        await asyncio.wait({self._eof}, timeout=seconds)

    def close(self) -> None:
        if self.master >= 0:
            self._loop.remove_reader(self.master)
            self._loop.remove_writer(self.master)
        self.abandon()

    def abandon(self) -> None:
        """Close what is open, before or after `start`."""
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1

    def _read(self) -> None:
        pieces: list[bytes] = []
        size = 0
        while size < _SLICE:  # one read gives no more than a page or so
            try:
                data = os.read(self.master, _SLICE)
            except BlockingIOError:
                break
            except OSError:  # EIO: nobody has the other side open, the normal end
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
        except OSError:  # the command is gone
            self._keys.clear()
        self._loop.remove_writer(self.master)


class Terminals:
    """The terminals of all sessions, by owner and id."""

    def __init__(self, environment: Mapping[str, str] | None = None, guard: Guard | None = None) -> None:
        self._environment = environment
        self._guard = guard
        self.on_end: Callable[[Terminal], None] | None = None
        """Told of each command that ends."""
        self._numbers = itertools.count(1)
        self._terminals: dict[tuple[str, str], Terminal] = {}
        self._released: dict[tuple[str, str], Terminal] = {}
        """The latest that the agent has released: their output can still be looked at."""
        self._alive: set[Terminal] = set()
        """Those of which something runs: the command, or what it has left behind."""

    async def create(
        self,
        owner: str,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] = {},
        cwd: str,
        output_byte_limit: int | None = None,
        columns: int = 120,
        rows: int = 40,
    ) -> Terminal:
        """Start a command on a terminal of its own and return at once.

        A shell line, that is a command without arguments that is no program, goes through the shell.

        Raises:
            SpawnFailed, BadDirectory: nothing was started.
        Source: ACP, page "terminals".
        """
        limit = DEFAULT_LIMIT if output_byte_limit is None else min(output_byte_limit, LARGEST_LIMIT)
        environment = self._environment_with(env)
        argv = [command, *args]
        if not args and _is_shell_line(command, environment, cwd):
            argv = [SHELL, "-c", command]
        try:
            pty = _Pty(columns, rows)
        except OSError as error:  # no descriptor or no terminal is free
            raise CommandNotStarted(f"There is no terminal to be had: {error.strerror}.") from error
        if pty.master >= _most_descriptors():  # the lowest free number is given
            pty.abandon()
            raise CommandNotStarted(
                "Too many terminals are open. Release those that are not needed any more."
            )
        try:
            child = self._start(argv, environment, cwd, pty)
        except TerminalError:
            pty.abandon()
            raise
        command_line = shlex.join(argv) if args else command
        name = f"term-{next(self._numbers)}"
        terminal = Terminal(name, owner, command_line, cwd, limit, child, pty, self._alive.discard)
        terminal.on_end = self.on_end
        self._terminals[owner, terminal.id] = terminal
        self._alive.add(terminal)
        return terminal

    def get(self, owner: str, terminal_id: str) -> Terminal:
        """Return a terminal of this owner.

        Raises:
            UnknownTerminal: released, never created, or another owner's.
        """
        try:
            return self._terminals[owner, terminal_id]
        except KeyError:
            raise UnknownTerminal(f"There is no terminal “{terminal_id}” in this session.") from None

    def seen(self, owner: str, terminal_id: str) -> Terminal | None:
        """Return a terminal for the person to look at, also a released one; None for no such.

        Source: ACP, page "terminals", releasing: what a tool call shows of it stays.
        """
        key = owner, terminal_id
        return self._terminals.get(key) or self._released.get(key)

    async def release(self, owner: str, terminal_id: str) -> None:
        """Kill a command that still runs and make its id invalid at once.

        What has outlived a command that ended by itself, such as a server, goes on until `close`.

        Raises:
            UnknownTerminal: see `get`.
        """
        await self._taken_back(self.get(owner, terminal_id)).stop()

    def background(self, owner: str) -> list[Terminal]:
        """Return the terminals of an owner whose command has left something running, oldest first."""
        left = [one for one in self._alive if one.owner == owner and one.outlived]
        return sorted(left, key=lambda one: one.started)

    async def close(self, owner: str | None = None) -> None:
        """Kill and free all terminals, or those of one owner, with what goes on in the background."""
        # All ids are invalid from here on: the agent may release one in the same moment.
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

    def _start(self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, pty: _Pty) -> Child:
        try:
            return Child.start(
                argv,
                environment=environment,
                mark_name=MARK,
                cwd=cwd,
                file_actions=pty.file_actions(),
                guard=self._guard,
            )
        except FolderUnusable as error:
            raise BadDirectory(str(error)) from error
        except StartFailed as error:
            raise CommandNotStarted(str(error)) from error

    def _environment_with(self, env: Mapping[str, str]) -> dict[str, str]:
        ours = os.environ if self._environment is None else self._environment
        inherited = {name: value for name, value in ours.items() if name not in _MISLEADING}
        return {**inherited, **_DEFAULTS, **env}


def _is_shell_line(command: str, environment: Mapping[str, str], cwd: str) -> bool:
    if not _SHELL_SYNTAX.search(command):
        return False
    try:
        find_program(command, environment, cwd)
    except StartFailed:
        return True
    return False


def _most_descriptors() -> int:
    """Return up to which number terminals take descriptors; the rest is left to everything else we do."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit - min(_RESERVE, limit // 2)


def _size(cells: int) -> int:
    return max(1, min(cells, 0xFFFF))
