"""Blocks of a chat as the text of their rows."""

from __future__ import annotations

from typing import Any

from acp_tui.protocol.schema import ImageContent
from acp_tui.session.entries import Text, Thought, ToolCall
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.entry import BlockContext, EntryBlock
from acp_tui.ui.entries.views import VIEWS
from acp_tui.ui.widgets.styles import Styles

PICTURE = ImageContent(data="aGFsbG8=", mime_type="image/png")


def context(
    *, ascii: bool = False, asks: str = "", thoughts: str = "auto", terminals: Any = None
) -> BlockContext:
    return BlockContext(
        "/w/src",
        terminal=(terminals or {}).get,
        redraw=lambda block: None,
        symbol=Styles(ascii=ascii).symbol,
        asks=lambda call: call.tool_call_id == asks,
        thoughts=thoughts,
    )


def block(entry: Any, place: BlockContext | None = None) -> EntryBlock:
    return VIEWS[type(entry)](entry, place or context())


def rows(shown: EntryBlock, width: int = 60, *, ascii: bool = False) -> list[str]:
    """Return the text of the rows; each fits the width, and the estimate is not absurd."""
    found = [
        "".join(segment.text for segment in row).rstrip() for row in shown.rows(width, Styles(ascii=ascii))
    ]
    assert shown.height_hint(width) <= 4 * len(found) + 4
    return found


def thought(text: str, **more: Any) -> Thought:
    return Thought([TextBuffer(text)], at=10.0, last=12.0, **more)


def call(**fields: Any) -> ToolCall:
    return ToolCall(
        "t/1", **{"title": "Do it", "status": "completed", "started": 1.0, "ended": 1.5, **fields}
    )


def text_item(text: str) -> Text:
    return Text(text)
