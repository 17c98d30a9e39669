"""Terminal input: bytes to keys and pastes.

Textual's own parser treats text behind an escape character in a paste as keys, and fails on bytes that are
not UTF-8. Here only the end mark ends a paste.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from enum import Enum
from time import monotonic
from typing import Any, Final, Protocol, cast, runtime_checkable

from textual.constants import ESCAPE_DELAY
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste, Resize
from textual.message import Message
from typing_extensions import override

from acp_tui.ui.widgets.textual_internals import (
    ANSI_SEQUENCES_KEYS,
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    SYNC_END,
    SYNC_START,
    XTermParser,
)

MOST: Final = 32 * 1024 * 1024
"""Maximum characters in one paste; a longer one is dropped."""
PATIENCE: Final = 5.0
"""Seconds without a byte after which an unfinished paste is dropped."""
QUIET: Final = 0.3
"""Seconds without a byte after which keys count again after a dropped paste."""

_UNREAD_PATIENCE: Final = 1.0
"""Seconds on exit for the terminal to read the remaining output."""
_TICK: Final = 0.1
"""Seconds between two checks for timeouts."""
_SETTLED: Final = 2 * ESCAPE_DELAY
"""Seconds after the last byte from which on a pending escape counts as a key."""

_MOST_CELLS: Final = 10_000
"""Maximum columns or rows of a terminal."""
_READ: Final = 64 * 1024
_REST_OF_START: Final = BRACKETED_PASTE_START[1:]
"""The start mark of a paste, after its escape."""
_BROKEN: Final = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors of Textual's parser on malformed numbers, sizes of 0 and invalid characters."""


class PasteDropped(Message):
    """A paste was dropped: it is too long or has no end."""

    def __init__(self, size: int, *, ended: bool) -> None:
        """Take the size in characters; `ended` is False without an end mark."""
        super().__init__()
        self.size = size
        self.ended = ended


class _Keys(XTermParser):
    """Textual's parser, but Alt with a character is a key."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterator[Key]:
        for key in super()._sequence_to_key_events(sequence, alt):
            if alt:
                key.character = None
                if not key.key.startswith("alt+"):
                    key.key = f"alt+{key.key}"
            yield key


class InputParser:
    """A parser of terminal input: keys and mouse by Textual's parser, pastes by its own.

    It relies on Textual's parser to take single characters, to have nothing pending after a whole mark,
    and to keep the state of the mouse in public attributes.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Start outside a paste; `clock` is for timeouts."""
        self._clock = clock
        self._keys = _Keys()
        self._is_in_paste = False
        self._is_lost = False
        """True after a paste was dropped; further input may belong to it."""
        self._parts: list[str] = []
        self._size = 0
        self._seen = ""
        """The last characters, which may be the start of a mark."""
        self._last = 0.0
        """Time of the last input."""
        self._is_settled = True
        """True if no lone escape can be pending."""
        self._was_escape = False
        """True if the last character was an escape that became a key."""
        self._late = ""
        """The characters since then, which may be the rest of a mark that came in two pieces."""

    def feed(self, text: str) -> Iterator[Message]:
        """Parse a piece of input, which may begin and end anywhere."""
        self._is_settled = False
        if self._was_escape:
            text, self._late = self._late + text, ""
            if _REST_OF_START.startswith(text):
                self._late, self._last = text, self._clock()
                return
            self._was_escape = False
            if text.startswith(_REST_OF_START):
                text, self._seen = text.removeprefix(_REST_OF_START), ""
                yield from self._begin()
        while text:
            mark = BRACKETED_PASTE_END if self._is_in_paste else BRACKETED_PASTE_START
            window = self._seen + text
            found = window.find(mark)
            # `_seen` is never a whole mark, so this consumes some of the text.
            used = len(text) if found < 0 else found + len(mark) - len(self._seen)
            part, text = text[:used], text[used:]
            self._seen = window[1 - len(mark) :] if found < 0 else ""
            if not self._is_in_paste:
                yield from self._typed(part)
                self._is_in_paste = found >= 0
            else:
                self._take(part)
                if found >= 0:
                    yield from self._end()
        self._last = self._clock()

    def tick(self) -> Iterator[Message]:
        """Yield messages for timeouts: a lone escape becomes a key, a stalled paste is dropped."""
        quiet = self._clock() - self._last
        if not self._is_in_paste:
            for message in self._guarded(self._keys.tick()):
                self._was_escape = self._was_escape or (isinstance(message, Key) and message.key == "escape")
                yield message
            self._is_settled = quiet > _SETTLED
            if self._is_settled and self._late:
                text, self._late, self._was_escape = self._late, "", False
                yield from self._typed(text)
            return
        if not self._is_lost and quiet > PATIENCE:
            yield PasteDropped(self._size, ended=False)
            self._parts.clear()
            self._size, self._is_lost = 0, True
        elif self._is_lost and self._size and quiet > QUIET:
            yield from self._end()

    @property
    def wait(self) -> float | None:
        """Seconds until `tick` must be called even without input; None while nothing is pending."""
        return None if self._is_settled and not self._is_in_paste else _TICK

    def _begin(self) -> Iterator[Message]:
        """Begin a paste whose mark came in two pieces."""
        yield from self._typed(BRACKETED_PASTE_START)
        self._is_in_paste = True

    def _typed(self, text: str) -> Iterator[Message]:
        for character in text:
            yield from self._guarded(self._keys.feed(character))

    def _take(self, part: str) -> None:
        self._size += len(part)
        if self._is_lost or self._size > MOST + len(BRACKETED_PASTE_END):
            self._parts.clear()
        else:
            self._parts.append(part)

    def _end(self) -> Iterator[Message]:
        """Yield the paste; keys count again."""
        if self._size > MOST + len(BRACKETED_PASTE_END) and not self._is_lost:
            yield PasteDropped(self._size, ended=True)
        elif not self._is_lost:
            yield Paste("".join(self._parts).removesuffix(BRACKETED_PASTE_END))
        self._parts.clear()
        self._size, self._seen = 0, ""
        self._is_in_paste = self._is_lost = False
        for message in self._guarded(self._keys.feed(BRACKETED_PASTE_END)):
            if not isinstance(message, Paste):  # Textual's parser gets only empty pastes
                yield message

    def _guarded(self, made: Iterable[Message]) -> Iterator[Message]:
        """Yield messages of Textual's parser; replace it after an error."""
        try:
            messages = [message for message in made if _is_sound(message)]
        except _BROKEN:
            self._keys = _like(self._keys)
            return
        yield from messages


def _is_sound(message: Message) -> bool:
    """Return False for an impossible size or an invalid character."""
    if isinstance(message, Resize):
        return 0 < message.size.width <= _MOST_CELLS and 0 < message.size.height <= _MOST_CELLS
    if isinstance(message, Key):
        return message.character is None or not any("\ud800" <= one <= "\udfff" for one in message.character)
    return True


def _like(broken: _Keys) -> _Keys:
    """Return a new parser with the same state of the mouse and the terminal."""
    new = _Keys()
    new.last_x, new.last_y = broken.last_x, broken.last_y
    new.mouse_pixels = broken.mouse_pixels
    new.terminal_size, new.terminal_pixel_size = broken.terminal_size, broken.terminal_pixel_size
    return new


class _Exit(threading.Event):
    """The event at which input is no longer read; setting it ends a wait for input."""

    def __init__(self) -> None:
        super().__init__()
        self.fileno, self._end = os.pipe()

    @override
    def set(self) -> None:
        super().set()
        os.write(self._end, b"\0")

    @override
    def clear(self) -> None:
        super().clear()
        os.read(self.fileno, 1)


class Frames:
    """Joins the pieces of a frame: each piece wakes the writing thread, and a frame has three."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def joined(self, piece: str) -> str:
        """Return the text to write now: nothing within a frame, all of it at its end."""
        if not self._pieces and piece != SYNC_START:
            return piece
        self._pieces.append(piece)
        if piece != SYNC_END:
            return ""
        whole = "".join(self._pieces)
        self._pieces.clear()
        return whole


@runtime_checkable
class TakesAtOnce(Protocol):
    """An application that need not take some of its input in turn with other messages."""

    def take_at_once(self, message: Message) -> bool:
        """Take input; return False if it is to be posted as a message."""


class TerminalDriver(LinuxDriver):
    """Textual's driver with this parser; it waits for input instead of polling ten times a second."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take the arguments of Textual's driver."""
        super().__init__(*args, **options)
        self.is_stuck = False
        """True once the terminal has stopped reading."""
        self.exit_event: _Exit = _Exit()
        self._frames = Frames()
        self._context = copy_context()
        """The context of the application, which the thread of the input does not have."""
        self._parser = InputParser()  # kept: a paste may continue after another program had the terminal
        # Textual stops in a signal handler, which may interrupt the writing of a frame: then both want the
        # lock of the writer's queue, and nothing is drawn any more. The event loop calls this between
        # steps.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)

    @override
    def run_input_thread(self) -> None:
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self.exit_event.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                found = [key.fd for key, _ in selector.select(self._parser.wait)]
                if self.fileno in found:
                    for message in self._parser.feed(decode(os.read(self.fileno, _READ))):
                        self.process_message(message)
                for message in self._parser.tick():
                    self.process_message(message)

    @override
    def send_message(self, message: Message) -> None:
        # Textual makes a task of it, which waits for a turn of its own: at the start one takes 50 ms.
        self._loop.call_soon_threadsafe(self._take, message, context=self._context)

    def _take(self, message: Message) -> None:
        """Pass a message on to the application, at once if it takes that."""
        if not (isinstance(self._app, TakesAtOnce) and self._app.take_at_once(message)):
            self._app.post_message(message)

    @override
    def write(self, data: str) -> None:
        if whole := self._frames.joined(data):
            super().write(whole)

    @override
    def close(self) -> None:
        # Textual waits until everything is written, which may take forever if the terminal reads nothing.
        closing = threading.Thread(target=super().close, name="close-terminal", daemon=True)
        closing.start()
        closing.join(_UNREAD_PATIENCE)
        self.is_stuck = closing.is_alive()


@contextmanager
def modes_kept() -> Iterator[None]:
    """Restore the modes of the terminal after a program that may be killed."""
    try:
        file = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        modes = termios.tcgetattr(file)
    except (OSError, ValueError, termios.error):  # without a terminal
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(file, termios.TCSANOW, modes)


_SEQUENCES = Enum(  # type: ignore[misc]  # the parser wants members of an enum, whose values name keys
    "_SEQUENCES", {f"\x1b{digit}": f"alt+{digit}" for digit in range(10)} | {"\x1b\r": "alt+enter"}
)


def teach_alt_keys() -> None:
    """Teach Textual Alt with digits and with Enter, which it reads as `¡` and Enter.

    Terminals with the Kitty keyboard protocol do not need this. Alt+B and Alt+F remain word left and right:
    terminals send them for Option with the arrows.
    """
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for sequence, key in _SEQUENCES.__members__.items():
        table[sequence] = (key,)
