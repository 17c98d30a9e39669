"""The protocol screen: messages on the wire, live, read from the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Final, Literal

from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui.formatting import size
from acp_tui.lazy_regex import regex
from acp_tui.store.journal import JournalTail, TailLine
from acp_tui.ui.screens.base.full_screens import ListScreen, TextScreen, list_keys
from acp_tui.ui.screens.bundle import BundleScreen
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.rows.row_view import RowList
from acp_tui.ui.widgets.rows.row_view import StatusRow as RowLine
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock
from acp_tui.ui.widgets.transcript.json_block import JsonBlock, beginning

Kind = Literal["request", "notification", "response", "error", "raw", "err", "note", "broken"]
_REMARKS: Final[dict[str, Kind]] = {"raw": "raw", "err": "err", "note": "note"}
"""Kinds of rows without a message, by direction."""

_ID_AT_END: Final = regex(rb'"id"\s*:\s*(-?\d+|"[^"]*")\s*\}\s*\}$')
_NAME: Final = 120
"""Most characters of a name."""


@dataclass(slots=True, frozen=True)
class FrameRow:
    """A row of the journal."""

    offset: int
    size: int
    """Place of its line in the file, in bytes."""
    t: float
    """Seconds since the start of the connection."""
    direction: str
    """`out`, `in`, `raw`, `err` or `note`."""
    kind: Kind
    name: str
    """Its method, the method that it answers, or its first words."""
    detail: str = ""
    """Details, such as the kind of an update."""
    session: str = ""
    latency: float | None = None
    """Seconds between a request and this response."""
    answers: int | None = None
    """Offset of the request that it answers; None for others."""


class FrameReader:
    """Reads frames from lines, in order; remembers requests until their responses come."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], tuple[float, str, str, int]] = {}

    def read(self, line: TailLine) -> FrameRow:
        """Read the next line."""
        row = beginning(line.head.decode("utf-8", "replace"))
        if not isinstance(row, dict) or not isinstance(row.get("dir"), str):
            return FrameRow(
                line.offset, line.size, 0.0, "", "broken", _words(line.head.decode("utf-8", "replace"))
            )
        t = row["t"] if isinstance(row.get("t"), int | float) else 0.0
        direction, msg = row["dir"], row.get("msg")
        if direction not in ("in", "out") or not isinstance(msg, dict):
            return _remark(line, float(t), direction, msg)
        _complete(msg, line)
        if isinstance(msg.get("method"), str):
            return self._call(line, float(t), direction, msg)
        return self._response(line, float(t), direction, msg)

    def _call(self, line: TailLine, t: float, direction: str, msg: dict[str, Any]) -> FrameRow:
        params = msg.get("params")
        session, update = _text(params, "sessionId"), _get(params, "update")
        name = msg["method"][:_NAME]
        kind: Kind = "request" if "id" in msg else "notification"
        if kind == "request":
            self._open[direction, _key(msg["id"])] = (t, name, session, line.offset)
        detail = _text(update, "sessionUpdate") or _words(_text(params, "path") or _text(params, "command"))
        return FrameRow(line.offset, line.size, t, direction, kind, name, detail, session)

    def _response(self, line: TailLine, t: float, direction: str, msg: dict[str, Any]) -> FrameRow:
        asked_by = "out" if direction == "in" else "in"
        found = self._open.pop((asked_by, _key(msg.get("id"))), None)
        sent, name, session, asked = found or (None, "", "", None)
        error = msg.get("error")
        kind: Kind = "error" if error is not None else "response"
        detail = (
            _words(_text(error, "message")) if kind == "error" else _text(msg.get("result"), "stopReason")
        )
        session = session or _text(msg.get("result"), "sessionId")
        latency = None if sent is None else t - sent
        return FrameRow(line.offset, line.size, t, direction, kind, name, detail, session, latency, asked)


def other_half(frames: Sequence[FrameRow], frame: FrameRow) -> FrameRow | None:
    """Return the request of a response, or the response to a request; None if there is none."""
    for other in frames:
        if frame.answers == other.offset or (frame.kind == "request" and other.answers == frame.offset):
            return other
    return None


def matches(frame: FrameRow, text: str, line: bytes) -> bool:
    """Return whether a frame has all words of a filter; the word `errors` keeps only errors.

    `line` is the line of the frame in lower case.
    """
    for word in text.lower().split():
        if word == "errors":
            if frame.kind not in ("error", "broken"):
                return False
        elif word not in frame.name.lower() and word.encode() not in line:
            return False
    return True


def _remark(line: TailLine, t: float, direction: str, msg: Any) -> FrameRow:
    """Return a row without a message: a stray line, stderr or a note."""
    kind = _REMARKS.get(direction, "broken")
    words = [f"{name} {value}" for name, value in msg.items()] if isinstance(msg, dict) else [str(msg)]
    return FrameRow(line.offset, line.size, t, direction, kind, _words(", ".join(words)))


def _complete(msg: dict[str, Any], line: TailLine) -> None:
    """Add the id from the end of a line that is too long to be parsed."""
    found = _ID_AT_END.search(line.foot) if line.foot else None
    if found and "id" not in msg:
        msg["id"] = beginning(found[1].decode())


def _key(request_id: object) -> str:
    return repr(request_id)


def _words(text: str) -> str:
    return " ".join(text[: 4 * _NAME].split())[:_NAME]


def _text(value: Any, name: str) -> str:
    found = _get(value, name)
    return found[:_NAME] if isinstance(found, str) else ""


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


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
"""Characters shown of the end of a session's id, where ids differ."""


class FrameList(RowList[FrameRow]):
    """A list of frames."""

    BINDINGS: ClassVar[list[BindingType]] = [*list_keys("frames", last="Follow the end")]

    FOLLOWS = True

    @override
    def pieces(self, item: FrameRow) -> tuple[list[Piece], list[Piece]]:
        return pieces(item, self.theme_styles, self.row_width)


def pieces(frame: FrameRow, styles: Styles, width: int) -> tuple[list[Piece], list[Piece]]:
    """Return a frame's row as (left, right); a narrow row leaves out the session."""
    role = _ROLES[frame.kind]
    arrow = _ARROWS.get(frame.direction, (" ", " "))[styles.ascii]
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


SHOWN: Final = 256 << 10
"""Most bytes of a frame that are shown."""
_COPIED: Final = 1 << 20
"""Most bytes of a frame that are copied, since reading blocks the keys."""


class FrameScreen(TextScreen):
    """Shows one frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="frame.close"),
        Binding("c", "copy", "Copy", id="frame.copy"),
        Binding("p", "pair", "Request or answer", id="frame.pair"),
    ]

    def __init__(
        self,
        frame: FrameRow,
        tail: JournalTail,
        styles: Styles | None = None,
        pair: Callable[[FrameRow], FrameRow | None] = lambda _: None,
    ) -> None:
        """Show a frame of the journal that `tail` reads; `pair` finds its request or response."""
        super().__init__(styles)
        self._frame = frame
        self._tail = tail
        self._pair = pair

    @override
    def title_line(self) -> RowLine:
        return pieces(self._frame, self.theme_styles, 80)

    @override
    def content(self) -> Iterable[Block]:
        return blocks(self._frame, self._tail.line(self._frame.offset, self._frame.size, SHOWN))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "pair" or self._frame.kind in ("request", "response", "error")

    def action_pair(self) -> None:
        """Show the response to this request, or the request of this response."""
        other = self._pair(self._frame)
        if other is None:
            asks = self._frame.kind == "request"
            self.notify("No response yet." if asks else "Its request is not in the part that was read.")
            return
        self._frame = other
        self.fill()

    def action_copy(self) -> None:
        """Copy the frame, as it is in the journal."""
        copy(self, self._frame, self._tail)


def copy(screen: Screen[None], frame: FrameRow, tail: JournalTail) -> None:
    """Copy a frame as it is in the journal; for a large one, show its position instead."""
    if frame.size > _COPIED:
        said = f"It is in the journal at byte {frame.offset:,}."
        screen.notify(said, title=f"{size(frame.size)} are too large to copy", severity="warning")
        return
    screen.app.copy_to_clipboard(tail.line(frame.offset, frame.size).decode("utf-8", "replace"))
    screen.notify(f"Frame copied ({size(frame.size)}).")


def blocks(frame: FrameRow, head: bytes) -> list[Block]:
    """Return the content of a frame: its message as JSON, or its text.

    `head` is its line in the journal, or the beginning of a very long one.
    """
    text = head.decode("utf-8", "replace")
    found: list[Block] = []
    if len(head) < frame.size:
        cut = f"The first {size(len(head))} of {size(frame.size)}."
        found.append(TextBlock([("notice", cut)]))
    row = beginning(text)
    if not isinstance(row, dict) or "msg" not in row:
        return [*found, TextBlock([("text", text)])]
    msg = row["msg"]
    return [*found, TextBlock([("text", msg)]) if isinstance(msg, str) else JsonBlock(msg)]


_LAST: Final = 1 << 20
"""Bytes at the end of the file that are read at first."""
_EVERY: Final = 0.25
"""Seconds between two polls of the file."""
_SLICE: Final = 0.006
"""Seconds of reading in one piece; keys are handled in between."""


class ProtocolScreen(ListScreen):
    """Shows the frames of a journal, newest at the end, while it grows."""

    NOTHING = """\
This session is not recorded.

To record sessions, set this in settings.toml (the default) and restart acp-tui:

    journal = true"""
    FILTER = "filter frames; errors"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="protocol.close"),
        Binding("slash", "filter", "Filter", id="protocol.filter"),
        Binding("e", "errors", "Errors only", id="protocol.errors"),
        Binding("c", "copy", "Copy", id="protocol.copy"),
        Binding("s", "bundle", "Save a redacted copy", id="protocol.bundle"),
        Binding("b", "beginning", "From the beginning", id="protocol.beginning"),
    ]

    def __init__(self, path: Path | None, styles: Styles | None = None) -> None:
        super().__init__(styles)
        self._path = path
        self._tail: JournalTail | None = None
        self._filter = ""
        self._begin(None)

    @override
    def make_list(self) -> FrameList:
        return FrameList(self.theme_styles, id="frames")

    def on_mount(self) -> None:
        """Open the file and read its end."""
        self._open(_LAST)
        self.show_nothing(self._tail is None)
        if self._tail is not None:
            self.rows.focus()
            self.set_interval(_EVERY, self._poll)

    def on_unmount(self) -> None:
        """Close the file."""
        if self._tail is not None:
            self._tail.close()

    def on_row_list_opened(self, event: FrameList.Opened) -> None:
        """Show a frame."""
        if self._tail is not None:
            screen = FrameScreen(
                event.item, self._tail, self.theme_styles, lambda frame: other_half(self._all, frame)
            )
            self.app.push_screen(screen)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter anew, from the first frame."""
        self._filter = event.value.strip()
        self._matched = 0
        self._shown.clear()
        self.rows.follows = True
        self._poll()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("filter", "errors", "copy", "bundle"):
            return self._tail is not None
        return action != "beginning" or (self._tail is not None and self._tail.skipped > 0)

    def action_errors(self) -> None:
        """Show only errors, or all frames again."""
        line = self.query_one(Input)
        words = line.value.split()
        line.value = " ".join(word for word in words if word != "errors") if "errors" in words else "errors"
        line.display = bool(line.value)

    def action_copy(self) -> None:
        """Copy the frame under the cursor, as it is in the journal."""
        frame = self.rows.current
        if frame is not None and self._tail is not None:
            copy(self, frame, self._tail)

    def action_bundle(self) -> None:
        """Preview a redacted copy, which the user may save."""

        def saved(path: Path | None) -> None:
            if path is not None:
                self.notify(str(path), title="Redacted copy saved", timeout=10)

        if self._path is not None:
            self.app.push_screen(BundleScreen(self._path, self.theme_styles), saved)

    def action_beginning(self) -> None:
        """Read the file from its start."""
        self._open(None)

    def _open(self, last: int | None) -> None:
        """Read the last bytes of the file, or all with None."""
        if self._tail is not None:
            self._tail.close()
        try:
            self._begin(JournalTail(self._path, last) if self._path is not None else None)
        except OSError as error:
            self._begin(None)
            reason = safe_line(f"{self._path} cannot be read: {error.strerror}")
            self.query_one("#nothing", Static).update(f"{reason}\n\n{self.NOTHING}")
        self.refresh_bindings()
        self._poll()

    def _begin(self, tail: JournalTail | None) -> None:
        self._tail = tail
        self._frames = FrameReader()
        self._all: list[FrameRow] = []
        self._shown: list[FrameRow] = []
        """Frames that pass the filter."""
        self._reads_on = False
        """True while a timer is set to continue reading."""
        self._matched = 0
        """Number of frames that were filtered."""

    def _poll(self) -> None:
        """Continue if the file has grown, unless it is being read."""
        if not self._reads_on:
            self._read()

    def _read(self) -> None:
        """Read, filter and show new frames for one slice of time."""
        if self._tail is None:
            self._show_title()
            return
        until = perf_counter() + _SLICE
        more = True
        while more and perf_counter() < until:
            lines, more = self._tail.read()
            self._all += map(self._frames.read, lines)
        left = self._match(self._tail, until)
        self._reads_on = left or more
        if self._reads_on:
            after(self, 0.002, self._read)

    def _match(self, tail: JournalTail, until: float) -> bool:
        """Filter new frames and show them; return whether some are left."""
        before = len(self._shown)
        first = self._matched
        while self._matched < len(self._all) and (perf_counter() < until or self._matched == first):
            batch = self._all[self._matched : self._matched + 100]
            self._shown += [frame for frame in batch if self._keeps(tail, frame)]
            self._matched += len(batch)
        if self._matched != first or not self._shown:
            self.rows.show(self._shown, before)
            self._show_title()
        return self._matched < len(self._all)

    def _keeps(self, tail: JournalTail, frame: FrameRow) -> bool:
        if not self._filter:
            return True
        line = tail.line(frame.offset, frame.size, SHOWN) if self._filter != "errors" else b""
        return matches(frame, self._filter, line.lower())

    def _show_title(self) -> None:
        count = f" {len(self._all):,} frames"
        if self._filter:
            count = f" {len(self._shown):,} of {len(self._all):,} frames"
        skipped = self._tail.skipped if self._tail is not None else 0
        before = f"  {size(skipped)} before them are not shown" if skipped else ""
        name = safe_line(self._path.name) if self._path is not None else ""
        self.show_title(([("strong", count), ("muted", before)], [("muted", f"{name} ")]))
