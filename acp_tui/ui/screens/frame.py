"""One frame, opened: what went over the wire, as pretty JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.screen import Screen

from acp_tui.readable import size
from acp_tui.store.tail import Tail
from acp_tui.ui.screens.frame_list import pieces
from acp_tui.ui.screens.frames import Frame
from acp_tui.ui.screens.sheet import Sheet
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.cut_json import beginning
from acp_tui.ui.widgets.json_block import JsonBlock
from acp_tui.ui.widgets.lines import Line
from acp_tui.ui.widgets.look import Look

SHOWN: Final = 256 << 10
"""Bytes of one frame that are shown."""
_COPIED: Final = 1 << 20
"""Bytes of one frame that are copied: a larger one is found in the journal, and read while keys wait."""


class FrameScreen(Sheet):
    """Shows one frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="frame.close"),
        Binding("c", "copy", "Copy", id="frame.copy"),
        Binding("p", "pair", "Request or answer", id="frame.pair"),
    ]

    def __init__(
        self,
        frame: Frame,
        tail: Tail,
        look: Look | None = None,
        pair: Callable[[Frame], Frame | None] = lambda _: None,
    ) -> None:
        """Show a frame of the journal that `tail` reads; `pair` finds the other half of a call."""
        super().__init__(look)
        self._frame = frame
        self._tail = tail
        self._pair = pair

    def title_line(self) -> Line:
        """The frame's row."""
        return pieces(self._frame, self.look, 80)

    def content(self) -> Iterable[Block]:
        """The frame's message."""
        return blocks(self._frame, self._tail.line(self._frame.offset, self._frame.size, SHOWN))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the other half only where there may be one."""
        return action != "pair" or self._frame.kind in ("request", "response", "error")

    def action_pair(self) -> None:
        """Show the answer to this request, or the request that this answers."""
        other = self._pair(self._frame)
        if other is None:
            asks = self._frame.kind == "request"
            self.notify("It has no answer yet." if asks else "Its request is not among what was read.")
            return
        self._frame = other
        self.fill()

    def action_copy(self) -> None:
        """Copy the frame."""
        copy(self, self._frame, self._tail)


def copy(screen: Screen[None], frame: Frame, tail: Tail) -> None:
    """Copy a frame as it is in the journal, unless it is too large, and say what was done."""
    if frame.size > _COPIED:
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
