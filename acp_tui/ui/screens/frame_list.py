"""The list of frames: what each row says of its frame."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from acp_tui.readable import size
from acp_tui.ui.screens.frames import Frame
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import Piece
from acp_tui.ui.widgets.row_list import RowList
from acp_tui.ui.widgets.text import safe_line

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


class FrameList(RowList[Frame]):
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

    FOLLOWS = True

    def pieces(self, item: Frame) -> tuple[list[Piece], list[Piece]]:
        """Return a frame: time, direction, what it is; session, size and latency on the right."""
        return pieces(item, self.look, self.row_width)


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
