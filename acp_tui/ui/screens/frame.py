"""One frame, opened: what went over the wire, as pretty JSON."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from acp_tui.readable import size
from acp_tui.store.tail import Tail
from acp_tui.ui.screens.frame_list import pieces
from acp_tui.ui.screens.frames import Frame
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.cut_json import beginning
from acp_tui.ui.widgets.json_block import JsonBlock
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript import Transcript

SHOWN: Final = 256 << 10
"""Bytes of one frame that are shown."""
COPIED: Final = 1 << 20
"""Bytes of one frame that are copied: more would block the terminal."""


class FrameScreen(Screen[None]):
    """Shows one frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="frame.close"),
        Binding("c", "copy", "Copy", id="frame.copy"),
    ]

    def __init__(self, frame: Frame, tail: Tail, look: Look | None = None) -> None:
        """Show a frame of the journal that `tail` reads."""
        super().__init__()
        self._frame = frame
        self._tail = tail
        self._look = look or Look()

    def compose(self) -> ComposeResult:
        """Lay out the frame's row above its content."""
        yield Lines(self._look, id="title")
        yield Transcript(self._look, id="content")
        yield Keys(self._look)

    def on_mount(self) -> None:
        """Show the content from its start."""
        self.query_one(Lines).set_lines([pieces(self._frame, self._look, 80)])
        content = self.query_one(Transcript)
        head = self._tail.line(self._frame.offset, self._frame.size, SHOWN)
        for block in blocks(self._frame, head):
            content.append(block)
        content.focus()
        self.call_after_refresh(content.action_scroll_start)

    def set_look(self, look: Look) -> None:
        """Draw in another look from now on."""
        self._look = look
        self.query_one(Lines).set_look(look)
        self.query_one(Transcript).set_look(look)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the frame."""
        copy(self, self._frame, self._tail)


def copy(screen: Screen[None], frame: Frame, tail: Tail) -> None:
    """Copy a frame as it is in the journal, unless it is too large, and say what was done."""
    if frame.size > COPIED:
        said = f"It is in the journal, {frame.offset:,} bytes from its start."
        screen.notify(said, title=f"{size(frame.size)} are too much to copy", severity="warning")
        return
    screen.app.copy_to_clipboard(tail.line(frame.offset, frame.size).decode("utf-8", "replace"))
    screen.notify(f"The frame is copied ({size(frame.size)}).")


def blocks(frame: Frame, head: bytes) -> list[Block]:
    """Return what to show of a frame: its message as JSON, or its text.

    `head` is its line in the journal, or the beginning of a very long one.
    """
    text = head.decode("utf-8", "replace")
    found: list[Block] = []
    if len(head) < frame.size:
        cut = f"Only the beginning: {size(len(head))} of {size(frame.size)}."
        found.append(TextBlock([("notice", cut)]))
    row = beginning(text)
    if not isinstance(row, dict) or "msg" not in row:
        return [*found, TextBlock([("text", text)])]
    msg = row["msg"]
    return [*found, TextBlock([("text", msg)]) if isinstance(msg, str) else JsonBlock(msg)]
