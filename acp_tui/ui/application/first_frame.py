"""The first frame: the empty session screen, drawn before its modules are loaded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.textual_internals import ExactLayout, draw_now, mark_rows

Piece = tuple[str, str]
"""(role, text)."""

ENTER: Final = {"prompt.send": "enter", "prompt.new-line": "shift+enter,ctrl+j,alt+enter"}
"""The keys of the prompt box that send, or insert a line: loading the prompt box takes too long here."""

_INDENT: Final = 3
"""Cells before the welcome, as in the chat pane."""


class FirstFrame(ExactLayout, Screen[None]):
    """An empty session screen; keeps keys for the real one."""

    AUTO_FOCUS = ""
    BLANK = True  # its rows cover the whole screen

    def __init__(
        self,
        styles: Styles,
        welcome: Sequence[Piece],
        hint: str,
        status: Sequence[Piece],
        load: Callable[[], object],
        *,
        send: Collection[str],
        new_line: Collection[str],
    ) -> None:
        """Create the frame.

        Args:
            styles: the theme's styles.
            welcome: the text of the empty chat.
            hint: the placeholder of the prompt.
            status: the left side of the status line.
            load: called once the frame is drawn.
            send: the keys that send the prompt.
            new_line: the keys that insert a line.
        """
        super().__init__()
        self._theme_styles = styles
        self._hint = hint
        self._load = load
        self._send = send
        self._new_line = new_line
        self._welcome = Rows(styles, id="first-chat")
        self._prompt = Rows(styles, id="first-prompt")
        self._status = Rows(styles, id="first-status")
        self._welcome.show([[], *_lines([("text", " " * _INDENT), *welcome])])
        self._status.show([list(status)])
        self.typed = ""
        """The text that the prompt shows."""
        self._kept: deque[Key | Paste] = deque()

    @override
    def compose(self) -> ComposeResult:
        return iter((self._welcome, self._prompt, self._status))

    def on_mount(self) -> None:
        """Load the other modules once this frame is drawn."""
        # Through the application, which draws nothing until it has started.
        self.app.call_later(self.call_after_refresh, self._load)

    def on_resize(self) -> None:
        """Fit the prompt to the width."""
        self._prompt.show([self._prompt_row()])

    def keep(self, event: Key | Paste) -> None:
        """Keep a key or a paste, and show its effect on the prompt."""
        self._kept.append(event)
        if isinstance(event, Paste):
            self.typed += event.text.replace("\r\n", "\n").replace("\r", "\n")
        elif event.key in self._new_line:
            self.typed += "\n"
        elif event.key in self._send:
            self.typed = self.typed if self.typed.strip() in ("", "!") else ""  # a blank prompt is not sent
        elif event.key == "backspace":
            self.typed = self.typed[:-1]
        elif event.is_printable and event.character:
            self.typed += event.character
        self._prompt.show_now([self._prompt_row()])

    @property
    def has_text(self) -> bool:
        """True if a text was typed, pasted or sent."""
        return any(isinstance(event, Paste) or event.is_printable for event in self._kept)

    def take(self) -> Key | Paste | None:
        """Remove and return the oldest kept key or paste, or None."""
        return self._kept.popleft() if self._kept else None

    def _prompt_row(self) -> list[Piece]:
        mark: Piece = ("accent", f"{self._theme_styles.symbol('prompt')} ")
        typed = safe_line(self.typed.rpartition("\n")[2])
        room = max(1, self.size.width - 5)
        while cell_len(typed) > room:
            typed = typed[max(1, len(typed) - room) :]
        if self.typed:
            return [mark, ("text", typed), ("first-cursor", " ")]
        return [mark, ("first-cursor", self._hint[:1]), ("muted", self._hint[1:])]


def _lines(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Split pieces at line ends; indent each line but the first."""
    lines: list[list[Piece]] = [[]]
    for role, text in pieces:
        first, *more = text.split("\n")
        lines[-1].append((role, first))
        lines += [[("text", " " * _INDENT), (role, line)] for line in more]
    return lines


class Rows(Widget):
    """Rows of styled pieces."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(id=id)
        self._theme_styles = styles
        self._rows: Sequence[Sequence[Piece]] = ()

    def show(self, rows: Sequence[Sequence[Piece]]) -> None:
        """Set the rows."""
        self._rows = rows
        self.refresh()

    def show_now(self, rows: Sequence[Sequence[Piece]]) -> None:
        """Set the rows and draw them at once, without waiting for turns of the loop.

        While the session screen is mounted, each turn is long.
        """
        self._rows = rows
        if not self.size:  # there is no layout yet
            self.refresh()
            return
        mark_rows(self, [self.size.region])
        draw_now(self.screen)

    @override
    def render_line(self, y: int) -> Strip:
        ground = self.rich_style
        pieces = self._rows[y] if y < len(self._rows) else ()
        segments = [Segment(text, ground + self._style(role)) for role, text in pieces]
        return Strip(segments).adjust_cell_length(self.size.width, ground)

    def _style(self, role: str) -> Style:
        return _CURSOR if role == "first-cursor" else self._theme_styles[role]


_CURSOR: Final = Style(reverse=True)


def welcome(cwd: str, key: Callable[[str], str]) -> list[Piece]:
    """Return the text of an empty chat; `key` returns the key of a command."""
    keys = (
        ("/", "commands"),
        ("@", "attach files"),
        (key("session.next-mode"), "switch mode"),
        (key("session.stop"), "stop the agent"),
        (key("app.palette"), "command palette"),
        (key("app.help"), "all keys"),
        (key("app.quit"), "quit"),
    )
    pieces = [("strong", "acp-tui"), ("muted", "  in  "), ("text", f"{cwd}\n\n")]
    column = max(len(shown) for shown, _ in keys) + 2
    for shown, what in keys:
        pieces += [("accent", f"{shown:<{column}}"), ("muted", f"{what}\n")]
    return pieces


def prompt_hint(key: Callable[[str], str]) -> str:
    """Return the placeholder of an empty prompt."""
    return f"Ask anything · @ files · / commands · {key('app.help')} help"
