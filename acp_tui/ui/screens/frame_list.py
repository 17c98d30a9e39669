"""The list of frames: a line view with a cursor that follows the end until it is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from acp_tui.ui.screens.frames import Frame
from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import Piece, one_row
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.words import size

_ROLES: Final = {
    "request": "text",
    "notification": "text",
    "response": "text",
    "error": "error",
    "raw": "warning",
    "err": "muted",
    "note": "notice",
    "broken": "warning",
}
_WORDS: Final = {"raw": "not JSON", "err": "stderr", "note": "note", "broken": "not readable"}
_ARROWS: Final = {"out": ("→", ">"), "in": ("←", "<")}
_SESSION: Final = 8
"""Characters of a session's id that are shown: its end, by which ids differ."""


class FrameList(LineView):
    """Frames, one a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="frames.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="frames.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="frames.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="frames.page-down"),
        Binding("home", "move_to(0)", "First", show=False, id="frames.first"),
        Binding("end", "move_to(-1)", "Follow the end", show=False, id="frames.last"),
        Binding("enter", "open", "Open", id="frames.open"),
    ]

    @dataclass
    class Opened(Message):
        """The person wants to see a frame."""

        frame: Frame

    def __init__(self, look: Look | None = None, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._frames: Sequence[Frame] = ()
        self._cursor = 0
        self.follows = True
        """Whether the cursor stays on the newest frame."""

    @property
    def current(self) -> Frame | None:
        """The frame under the cursor."""
        return self._frames[self._cursor] if self._cursor < len(self._frames) else None

    def show(self, frames: Sequence[Frame], unchanged: int = 0) -> None:
        """Show these frames, of which the first `unchanged` are those shown before."""
        self._frames = frames
        before = self._cursor
        last = max(0, len(frames) - 1)
        self._cursor = last if self.follows else min(self._cursor, last)
        self.show_rows(len(frames), min(unchanged, before))
        if self.follows:
            self.scroll_to(y=len(frames), animate=False, immediate=True)

    def paint_row(self, row: int) -> list[Segment]:
        """Return a frame: time, direction, what it is; session, size and latency on the right."""
        frame = self._frames[row]
        ground = self.look.base + self.look["cursor"] if row == self._cursor else self.look.base
        left, right = pieces(frame, self.look, self.row_width)
        segments = [
            Segment(segment.text, ground + (segment.style or ground))
            for segment in one_row(left, right, self.row_width, self.look)
        ]
        return fit(segments, 0, self.row_width, ground, self.look)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        super().on_resize()
        self._place(self._cursor)

    def on_click(self, event: Click) -> None:
        """Put the cursor on a frame; a second click opens it."""
        row = self.row_at(event.y)
        if row >= len(self._frames):
            return
        if row == self._cursor:
            self.action_open()
        self._place(row)

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._place(self._cursor + rows)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by a page."""
        self._place(self._cursor + pages * max(1, self.size.height - 1))

    def action_move_to(self, row: int) -> None:
        """Move the cursor to the first frame, or to the last and follow."""
        self._place(len(self._frames) - 1 if row < 0 else row)

    def action_open(self) -> None:
        """Show the frame under the cursor."""
        if self.current is not None:
            self.post_message(self.Opened(self.current))

    def _place(self, row: int) -> None:
        last = max(0, len(self._frames) - 1)
        before, self._cursor = self._cursor, min(max(0, row), last)
        self.follows = self._cursor == last
        self.repaint(before, self._cursor)
        top, height = self.top_row(), self.size.height
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True)


def pieces(frame: Frame, look: Look, width: int) -> tuple[list[Piece], list[Piece]]:
    """Return a frame's row as (left, right); a narrow row leaves out the session."""
    role = _ROLES[frame.kind]
    arrow = _ARROWS.get(frame.direction, (" ", " "))[look.ascii]
    left: list[Piece] = [
        ("muted", f"{frame.t:9.3f} "),
        ("accent" if frame.direction == "out" else "success", f"{arrow} "),
    ]
    if frame.kind in _WORDS:
        left += [("muted", f"{_WORDS[frame.kind]}  "), (role, safe_line(frame.name))]
    elif frame.kind in ("response", "error"):
        word = "response to" if frame.kind == "response" else "error for"
        left += [("muted", f"{word} "), (role, safe_line(frame.name) or "an unknown request")]
    else:
        left.append(("strong" if frame.kind == "request" else role, safe_line(frame.name)))
    if frame.detail:
        left.append((role if frame.kind == "error" else "muted", f"  {safe_line(frame.detail)}"))
    latency = "" if frame.latency is None else _latency(frame.latency)
    right: list[Piece] = [("accent", f"  {latency:>7}"), ("muted", f" {size(frame.size):>7} ")]
    if width >= 70:
        right.insert(0, ("muted", f"  {safe_line(frame.session[-_SESSION:]):>{_SESSION}}"))
    return left, right


def _latency(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
