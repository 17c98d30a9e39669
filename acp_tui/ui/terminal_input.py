"""The way from the bytes of the terminal to keys and pastes: nothing in a paste is ever a key.

Textual's own parser acts on what follows an escape character inside a paste, and it ends the program on
bytes that are no UTF-8. Here a paste ends with its end mark and with nothing else.
"""

from __future__ import annotations

import os
import selectors
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from time import monotonic
from typing import Any, Final, cast

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste, Resize
from textual.message import Message

from acp_tui.ui.textual_internals import (
    ANSI_SEQUENCES_KEYS,
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    XTermParser,
)

MOST: Final = 32 * 1024 * 1024
"""Characters of one paste; a longer one is dropped."""
PATIENCE: Final = 5.0
"""Seconds without a byte after which a paste that has not ended is dropped."""
QUIET: Final = 0.3
"""Seconds without a byte after which keys count again when a paste was dropped."""

_MOST_CELLS: Final = 10_000
"""Cells of a side of a terminal; a larger number is no size."""
_READ: Final = 64 * 1024
_BROKEN: Final = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""How Textual's parser breaks: on numbers that are none, sizes of 0, characters that do not exist."""


class PasteDropped(Message):
    """A paste was dropped: it never ended, or it is too long."""

    def __init__(self, size: int, *, ended: bool) -> None:
        """Take the size in characters, and whether the end mark came."""
        super().__init__()
        self.size = size
        self.ended = ended


class _Keys(XTermParser):
    """Textual's parser, but that a character with Alt is a key and no text."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterator[Key]:
        for key in super()._sequence_to_key_events(sequence, alt):
            if alt:
                key.character = None
                if not key.key.startswith("alt+"):
                    key.key = f"alt+{key.key}"
            yield key


class InputParser:
    """Turns text of the terminal into messages: keys and mouse by Textual's parser, pastes by its own.

    Relied on: Textual's parser takes one character after the other, has nothing pending behind a whole mark,
    and keeps what it knows of the mouse in public attributes.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Begin outside a paste; `clock` tells when a paste stands still."""
        self._clock = clock
        self._keys = _Keys()
        self._is_in_paste = False
        self._is_lost = False
        """Whether the paste was dropped, and with it what comes, for it may belong to the paste."""
        self._parts: list[str] = []
        self._size = 0
        self._seen = ""
        """The last characters: a mark may begin in them."""
        self._last = 0.0
        """When something came."""

    def feed(self, text: str) -> Iterator[Message]:
        """Yield the messages of a text that may begin and end anywhere."""
        while text:
            mark = BRACKETED_PASTE_END if self._is_in_paste else BRACKETED_PASTE_START
            window = self._seen + text
            found = window.find(mark)
            # What was seen of a mark never is all of it, so that something of this text is used.
            used = len(text) if found < 0 else found + len(mark) - len(self._seen)
            part, text = text[:used], text[used:]
            self._seen = window[1 - len(mark) :] if found < 0 else ""
            if not self._is_in_paste:
                for character in part:
                    yield from self._guarded(self._keys.feed(character))
                self._is_in_paste = found >= 0
            else:
                self._take(part)
                if found >= 0:
                    yield from self._end()
        self._last = self._clock()

    def tick(self) -> Iterator[Message]:
        """Yield what the passing of time makes: a lone escape is a key, a paste that stands still is lost."""
        if not self._is_in_paste:
            yield from self._guarded(self._keys.tick())
            return
        quiet = self._clock() - self._last
        if not self._is_lost and quiet > PATIENCE:
            yield PasteDropped(self._size, ended=False)
            self._parts.clear()
            self._size, self._is_lost = 0, True
        elif self._is_lost and self._size and quiet > QUIET:
            yield from self._end()

    def _take(self, part: str) -> None:
        self._size += len(part)
        if self._is_lost or self._size > MOST + len(BRACKETED_PASTE_END):
            self._parts.clear()
        else:
            self._parts.append(part)

    def _end(self) -> Iterator[Message]:
        """Yield what was pasted; keys count again."""
        if self._size > MOST + len(BRACKETED_PASTE_END) and not self._is_lost:
            yield PasteDropped(self._size, ended=True)
        elif not self._is_lost:
            yield Paste("".join(self._parts).removesuffix(BRACKETED_PASTE_END))
        self._parts.clear()
        self._size, self._seen = 0, ""
        self._is_in_paste = self._is_lost = False
        for message in self._guarded(self._keys.feed(BRACKETED_PASTE_END)):
            if not isinstance(message, Paste):  # to Textual's parser all pastes are empty
                yield message

    def _guarded(self, made: Iterable[Message]) -> Iterator[Message]:
        """Yield what Textual's parser makes of something; where it breaks, go on with a new one."""
        try:
            messages = [message for message in made if _is_sound(message)]
        except _BROKEN:
            self._keys = _like(self._keys)
            return
        yield from messages


def _is_sound(message: Message) -> bool:
    """Return whether a message can be acted on."""
    if isinstance(message, Resize):
        return 0 < message.size.width <= _MOST_CELLS and 0 < message.size.height <= _MOST_CELLS
    if isinstance(message, Key):
        return message.character is None or not any("\ud800" <= one <= "\udfff" for one in message.character)
    return True


def _like(broken: _Keys) -> _Keys:
    """Return a new parser that knows of the mouse and the terminal what another one knew."""
    new = _Keys()
    new.last_x, new.last_y = broken.last_x, broken.last_y
    new.mouse_pixels = broken.mouse_pixels
    new.terminal_size, new.terminal_pixel_size = broken.terminal_size, broken.terminal_pixel_size
    return new


class TerminalDriver(LinuxDriver):
    """Textual's driver, but for what reads: bytes go through our parser, and none of them end the program."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take what Textual's driver takes."""
        super().__init__(*args, **options)
        self._parser = InputParser()  # kept: a paste may go on behind a program that had the terminal

    def run_input_thread(self) -> None:
        """Read keys and pastes until the program ends or lends its terminal."""
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    for message in self._parser.feed(decode(os.read(self.fileno, _READ))):
                        self.process_message(message)
                for message in self._parser.tick():
                    self.process_message(message)


@contextmanager
def modes_kept() -> Iterator[None]:
    """Give the terminal its modes back behind a program that may be killed before it does so."""
    try:
        file = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        modes = termios.tcgetattr(file)
    except (OSError, ValueError, termios.error):  # there is no terminal
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
    """Have Alt with a digit and with Enter read as that: to Textual, Alt+1 is `¡`, and Alt+Enter is Enter.

    Terminals with the Kitty keyboard protocol send something else, and need none of this. Alt+B and Alt+F
    stay what they are to Textual, a word to the left and right: Option with the arrows is sent so.
    """
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for sequence, key in _SEQUENCES.__members__.items():
        table[sequence] = (key,)
