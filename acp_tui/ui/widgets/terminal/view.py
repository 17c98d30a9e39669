"""The terminal view: live output of a terminal, followed at its end, with a way to type into it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from time import perf_counter
from typing import ClassVar, Final, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Key, Paste
from textual.keys import key_to_character
from textual.message import Message
from textual.reactive import reactive
from typing_extensions import override

from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.links import LinksWanted
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.rows.row_view import RowView
from acp_tui.ui.widgets.rows.search_bar import open_find_bar
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.log import TerminalLog, newest
from acp_tui.ui.widgets.terminal.screen import ScreenBroken, TerminalScreen
from acp_tui.ui.widgets.text import Row, plain, wrap

_NAMED: Final = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "insert": "\x1b[2~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "space": " ",
    "ctrl+space": "\0",
    "ctrl+at": "\0",
    "ctrl+backslash": "\x1c",
    "ctrl+circumflex_accent": "\x1e",
    "ctrl+underscore": "\x1f",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "f11": "\x1b[23~",
    "f12": "\x1b[24~",
}
_CURSOR: Final = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_MODIFIERS: Final = {"shift": 1, "alt": 2, "ctrl": 4}


def bytes_of_key(key: str, character: str | None, application: bool = False) -> bytes:
    """Return the bytes that a key sends, by Textual's name; b"" for a key that terminals do not know.

    `application`: use the form of arrow keys that full-screen programs request.
    """
    if key in _NAMED:
        return _NAMED[key].encode()
    *modifiers, name = key.split("+")
    if name in _CURSOR:
        return _cursor_key(_CURSOR[name], modifiers, application)
    if modifiers == ["ctrl"] and len(name) == 1 and name.isascii() and name.isalpha():
        return bytes([ord(name.lower()) - 96])
    if modifiers == ["alt"]:
        last = name if len(name) == 1 else key_to_character(name)
        return f"\x1b{last}".encode() if last is not None else b""
    return character.encode() if character and character.isprintable() else b""


def _cursor_key(letter: str, modifiers: list[str], application: bool) -> bytes:
    number = 1 + sum(_MODIFIERS.get(modifier, 0) for modifier in modifiers)
    if number > 1:
        return f"\x1b[1;{number}{letter}".encode()
    return f"\x1b{'O' if application else '['}{letter}".encode()


FRAME: Final = 0.05
"""Seconds between two draws while output comes."""
_SLICE: Final = 0.004
"""Seconds of reading output before keys are handled."""
_TURN: Final = 0.001
"""Seconds for keys between two slices."""
_PIECE: Final = 16 << 10
_WAITING: Final = 1 << 20
"""Most bytes that wait to be read; beyond that, older ones are dropped."""


class TerminalSource(Protocol):
    """The terminal of a view."""

    @property
    def exit_status(self) -> object:
        """None while the program runs."""

    def attach(self, listener: Callable[[bytes], None]) -> bytes:
        """Return the bytes so far; `listener` gets later ones, and `b""` at the end."""

    def detach(self, listener: Callable[[bytes], None]) -> None:
        """Send nothing more to `listener`."""

    def write(self, data: bytes) -> None:
        """Type these bytes."""

    def resize(self, columns: int, rows: int) -> None:
        """Set the size in cells."""


# Two emulators, because each is good at what the other is not. The log takes 30 (coloured) to 200 MB a
# second, gives its lines back for searching and wrapping in 2 to 10 ms, and knows links. avt takes 60 MB a
# second, but gives 10,000 lines back in 40 ms, knows no links, may fail on odd input, and has no wheel for
# some platforms: the log would stay, to fall back on. So the log has all lines, and avt what addresses the
# cursor.
class TerminalView(RowView, can_focus=True):
    """A view of a terminal: lines for plain output, a screen for programs that address the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "type", "Type", id="terminal.type"),
        Binding("ctrl+right_square_bracket", "leave", "Stop typing", id="terminal.leave"),
        Binding("slash,ctrl+f", "find", "Find", show=False, id="terminal.find"),
        Binding("end", "follow", "Follow", show=False, id="terminal.end"),
    ]

    typing: reactive[bool] = reactive(False, bindings=True)
    """True while keys go to the program."""

    @dataclass
    class TypingChanged(Message):
        """Keys go to the program from now on, or no longer."""

        view: TerminalView
        typing: bool

        @property
        def control(self) -> TerminalView:
            """The view that is typed into."""
            return self.view

    @dataclass
    class Ended(Message):
        """The program has ended and its last output is drawn."""

        view: TerminalView

        @property
        def control(self) -> TerminalView:
            """The view of the program."""
            return self.view

    def __init__(
        self, styles: Styles | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(styles, id=id, classes=classes)
        self._source: TerminalSource | None = None
        self.passes = {"ctrl+right_square_bracket"}
        """Keys that never go to the program, because the screen uses them."""
        self._log = TerminalLog()
        self._screen_of: TerminalScreen | None = None
        self._lines_only = False
        self._waiting: list[bytes] = []
        self._ended = False
        self._draw_waits = False
        self._drawn_at = 0.0
        self._follow = True
        self._heights: list[int] = []
        self._starts = [0]
        self._known_dropped = 0
        self._wrapped: dict[int, list[Row]] = {}
        self._hits: list[int] = []
        self._shown_hit = -1

    def attach(self, source: TerminalSource) -> None:
        """Show this terminal instead of the one before."""
        self.detach()
        self._source = source
        self._log, self._screen_of, self._ended, self._follow = TerminalLog(), None, False, True
        self._heights, self._known_dropped, self._lines_only = [], 0, False
        self._waiting = [source.attach(self._take)]
        self._ended |= source.exit_status is not None  # the end came before, and is not told again
        self._tell_size()
        self._draw_soon()

    def detach(self) -> None:
        """Stop updating, and keep the drawn rows."""
        if self._source is not None:
            self._source.detach(self._take)
            self._source = None
        self.typing = False

    def text(self) -> str:
        """Return the output as text to copy."""
        return self._log.text() if self._screen_of is None else self._screen_of.text()

    def on_mount(self) -> None:
        """Draw the output of a terminal that was attached before the view was mounted."""
        self._draw_soon()

    def on_unmount(self) -> None:
        """Detach from the terminal."""
        self.detach()

    @override
    def lay_out_rows(self) -> None:
        self._tell_size()
        self._heights = []
        if self._log.needs_screen and self._screen_of is None:
            self._open_screen()
        self._count_rows()

    @override
    def paint_row(self, row: int) -> list[Segment]:
        base = self.theme_styles.base
        if self._screen_of is not None:
            cursor = self._screen_of.cursor if self.typing else None
            cells, column = self._screen_of.row(row), cursor[1] if cursor and cursor[0] == row else -1
        else:
            line = bisect_right(self._starts, row) - 1
            part = row - self._starts[line]
            cells = self._wrapped_part(line, part)
            at_line, at_column = self._log.cursor
            column = at_column - part * max(1, self.row_width) if self.typing and at_line == line else -1
        segments = [Segment(text, base + style if style else base) for text, style, _ in cells]
        shown = fit(segments, 0, self.row_width, base, self.theme_styles)
        return _with_cursor(shown, column) if 0 <= column < self.row_width else shown

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follow = new_value >= self.max_scroll_y

    def watch_typing(self, typing: bool) -> None:
        """Show the cursor, and post `TypingChanged`."""
        if self.is_mounted:
            self.show_rows(self.row_count)
            self.post_message(self.TypingChanged(self, typing))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "type":
            return self._source is not None and not self._ended and not self.typing
        if action == "find":
            return not self.typing
        return self.typing if action == "leave" else True

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self.typing and key not in self.passes

    def action_type(self) -> None:
        """Send keys to the program from now on."""
        self.typing = True
        self.action_follow()

    async def action_find(self) -> None:
        """Search the kept output."""
        await open_find_bar(self, self)

    async def search(self, text: str, is_wanted: Callable[[], bool]) -> int:
        """Mark a text and return the number of rows that have it."""
        self.mark(text)
        needle = text.casefold()
        self._hits = list(self._rows_with(needle)) if needle else []
        return len(self._hits)

    def first_hit(self) -> int:
        """Return the number of the first row that was found in or below the view, else of the last."""
        return min(bisect_left(self._hits, self.top_row()), len(self._hits) - 1)

    def next_hit(self, step: int) -> int:
        """Return the number of the row before or after the shown one."""
        return self._shown_hit + step

    def show_hit(self, number: int) -> None:
        """Bring a row that was found into view."""
        self._shown_hit = number
        if number < 0:
            return
        self.scroll_to(y=max(0, self._hits[number] - self.size.height // 2), animate=False, immediate=True)

    def on_click(self, event: Click) -> None:
        """Post the clicked link."""
        column = event.x
        for segment in self.paint_row(row) if (row := self.row_at(event.y)) < self.row_count else ():
            column -= segment.cell_length
            if column < 0:
                if segment.style is not None and segment.style.link:
                    event.stop()
                    self.post_message(LinksWanted({segment.style.link: ""}))
                return

    def _rows_with(self, needle: str) -> Iterator[int]:
        """Yield the rows that hold a text; a line of the log is found where it begins, wrapped or not."""
        if self._screen_of is not None:
            texts = ("".join(text for text, *_ in self._screen_of.row(row)) for row in range(self.row_count))
            yield from (row for row, text in enumerate(texts) if needle in text.casefold())
            return
        for line in range(min(self._log.line_count, len(self._starts) - 1)):
            text = self._log.line_text(line).casefold()
            if needle in text:
                part = text.index(needle) // max(1, self.row_width) if text.isascii() else 0
                yield min(self._starts[line] + part, self._starts[line + 1] - 1)

    def action_leave(self) -> None:
        """Stop sending keys to the program."""
        self.typing = False

    def action_follow(self) -> None:
        """Go to the end and stay there."""
        self._follow = True
        self.scroll_end(animate=False, immediate=True)

    def on_key(self, event: Key) -> None:
        """Send a key to the program while the user types into it."""
        if not self.typing or self._source is None or event.key in self.passes:
            return
        event.stop()
        event.prevent_default()
        screen = self._screen_of
        data = bytes_of_key(event.key, event.character, screen is not None and screen.sends_application_keys)
        if data:
            self._source.write(data)

    def on_paste(self, event: Paste) -> None:
        """Send pasted text to the program while the user types into it: on one line, and none of it a key."""
        if self.typing and self._source is not None:
            event.stop()
            text, _ = plain(event.text.replace("\r\n", "\n").replace("\r", "\n"))
            self._source.write(text.strip("\n").replace("\n", " ").replace("\t", " ").encode())

    def _take(self, data: bytes) -> None:
        """Take output; it is read at the next draw."""
        if not data:
            self._ended = True
        self._waiting.append(data)
        self._draw_soon()

    def _draw_soon(self, wait: float = FRAME) -> None:
        if not self._draw_waits and self.is_mounted:
            self._draw_waits = True
            after(self, wait, self._draw)

    def _draw(self) -> None:
        """Read pending output for at most 4 ms, and draw unless more can be read before the next frame."""
        self._draw_waits = False
        rest = self._read(newest(b"".join(self._waiting), _WAITING))
        self._waiting = [rest] if rest else []
        now = perf_counter()
        if not rest or now >= self._drawn_at + FRAME:
            self._drawn_at = now
            self._count_rows()
        if rest:
            self._draw_soon(_TURN)
        elif self._ended:
            self.typing = False
            self.refresh_bindings()
            self.post_message(self.Ended(self))

    def _read(self, data: bytes) -> bytes:
        """Feed output to the log or the screen until the time is over, and return the rest."""
        until = perf_counter() + _SLICE
        at = 0
        while at < len(data) and perf_counter() < until:
            piece = data[at : at + _PIECE]
            at += len(piece)
            if self._screen_of is None:
                self._log.feed(piece)
                if self._log.needs_screen and self._open_screen():
                    return b""
            elif not self._on_screen(partial(TerminalScreen.feed, data=piece)):
                return b""
        return data[at:]

    def _open_screen(self) -> bool:
        """Switch from lines to a screen; return True if it was fed all output kept by the terminal."""
        if self._source is None or not self.size or self._lines_only:
            return False
        try:
            self._screen_of = TerminalScreen(self.row_width, self.size.height)
        except ImportError:  # no emulator on this platform: lines are better than nothing
            self._lines_only = True
            return False
        kept = self._attach_again(self._source)
        self._on_screen(lambda screen: screen.feed(kept))
        return True

    def _on_screen(self, step: Callable[[TerminalScreen], None]) -> bool:
        """Let the screen take a step; if it breaks, use lines for good."""
        if self._screen_of is None:
            return False
        try:
            step(self._screen_of)
        except ScreenBroken:
            self._screen_of, self._lines_only = None, True
            if self._source is not None:
                self._log, self._heights, self._known_dropped = TerminalLog(), [], 0
                self._log.feed(self._attach_again(self._source))
            return False
        return True

    def _attach_again(self, source: TerminalSource) -> bytes:
        """Attach again and return all output that the terminal has kept."""
        source.detach(self._take)
        return source.attach(self._take)

    def _count_rows(self) -> None:
        follow = self._follow
        if self._screen_of is not None:
            self.show_rows(self._screen_of.row_count)
        else:
            unchanged = self._count_lines()
            self.show_rows(self._starts[-1], unchanged)
        if follow:
            self.scroll_end(animate=False, immediate=True)
            self._follow = True

    def _count_lines(self) -> int:
        """Update the heights of all lines; return the number of unchanged rows at the start."""
        gone = self._log.dropped - self._known_dropped
        self._known_dropped = self._log.dropped
        del self._heights[:gone]
        kept = min(self._log.take_changed() - self._log.dropped, len(self._heights))
        width = max(1, self.row_width)
        self._heights[kept:] = [  # fast path: most lines are far from the edge
            1 if 2 * len(text) <= width else self._height(text, width) for text in self._log.texts(kept)
        ]
        self._starts = [0, *accumulate(self._heights)]
        self._wrapped.clear()
        return 0 if gone else self._starts[kept]

    def _height(self, text: str, width: int) -> int:
        cells = len(text) if text.isascii() else cell_len(text)
        return 1 if cells <= width else len(_wrap([Segment(text)], width))

    def _wrapped_part(self, line: int, part: int) -> Row:
        """Return a part of a wrapped line, empty if newer output has replaced it."""
        parts = self._wrapped.get(line)
        if parts is None:
            found = self._log.rows(line, line + 1)
            parts = self._wrapped[line] = _wrap(found[0], max(1, self.row_width)) if found else []
        return parts[part] if part < len(parts) else []

    def _tell_size(self) -> None:
        if self._source is not None and self.size and not self._ended:
            self._source.resize(self.row_width, self.size.height)
        if self.size:
            self._on_screen(lambda screen: screen.resize(self.row_width, self.size.height))


def _wrap(row: Row, width: int) -> list[Row]:
    """Cut a row into rows of at most `width` cells, as a terminal does."""
    return wrap([(text, style or Style.null()) for text, style, _ in row], width, words=False)


def _with_cursor(segments: list[Segment], column: int) -> list[Segment]:
    """Return a row with the cell of the cursor reversed."""
    before, at, after = Segment.divide(segments, [column, column + 1, sum(s.cell_length for s in segments)])
    reverse = Style(reverse=True)
    return [*before, *(Segment(text, (style or Style.null()) + reverse) for text, style, _ in at), *after]
