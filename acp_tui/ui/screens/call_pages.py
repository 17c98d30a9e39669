"""The pages of an opened tool call: what it holds, in order, without any widget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal

from acp_tui.acp.content import EmbeddedResource, ImageContent
from acp_tui.acp.tools import ContentItem, TerminalItem, UnknownItem
from acp_tui.session.items import Diff, Text
from acp_tui.ui.entries.cards import card, picture
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.json_block import JsonBlock
from acp_tui.ui.widgets.markdown_block import MarkdownBlock
from acp_tui.ui.widgets.output_block import OutputBlock

if TYPE_CHECKING:
    from acp_tui.session.entries import ToolCall
    from acp_tui.session.items import Item

Kind = Literal["text", "diff", "terminal", "json"]

_MARKDOWN: Final = re.compile(r"[`*_#>|\[\]~\\&]|://|^\s*[-+]|^\s*\d+[.)]\s|^\s*=+\s*$", re.MULTILINE)
"""What Markdown would show otherwise than as it is written; without it, lines stay lines."""


@dataclass(frozen=True)
class Page:
    """One page: things of a kind that stand together."""

    name: str
    """What it is called; no two pages of a call have the same name."""
    kind: Kind
    items: Sequence[Any] = field(default_factory=list)
    """Content items; for `json`, the one value."""


def pages(call: ToolCall) -> list[Page]:
    """Return the pages of a call: its content in order, then what went in and came out of the tool."""
    found = list(_content_pages(call.content))
    if call.raw_input is not None:
        found.append(Page("raw input", "json", [call.raw_input]))
    if call.raw_output is not None:
        found.append(Page("raw output", "json", [call.raw_output]))
    if call.meta:
        found.append(Page("_meta", "json", [call.meta]))
    return found or [Page("text", "text")]


def blocks(page: Page, redraw: Callable[[Block], None] | None = None) -> list[Block]:
    """Return what to show of a page of texts or of JSON, or of a terminal that is kept no more.

    `redraw` is told when a picture is decoded; without it there are none, just what they are.
    """
    if page.kind == "json":
        return [JsonBlock(page.items[0])]
    if page.kind == "terminal":  # whoever has it still shows it in a view of its own
        return [TextBlock([("notice", "Nothing is kept of the output of this terminal.")])]
    if not page.items:
        return [TextBlock([("notice", "The agent has reported nothing of it yet.")])]
    return [_block(item, redraw) for item in page.items]


def _content_pages(content: Sequence[Item]) -> Iterator[Page]:
    names: Counter[str] = Counter()
    for kind, run in groupby(content, key=_kind):
        items = list(run)
        for together in [items] if kind != "terminal" else [[item] for item in items]:
            names[kind] += 1
            yield Page(kind if names[kind] == 1 else f"{kind} {names[kind]}", kind, together)


def _kind(item: Item) -> Kind:
    if isinstance(item, Diff):
        return "diff"
    return "terminal" if isinstance(item, TerminalItem) else "text"


def _block(item: Text | ContentItem | UnknownItem, redraw: Callable[[Block], None] | None) -> Block:
    if isinstance(item, UnknownItem):
        return JsonBlock(item.raw)
    if isinstance(item, Text):
        return _text(item.text)
    content = item.content
    if isinstance(content, EmbeddedResource) and content.resource.text is not None:
        return OutputBlock(content.resource.text)
    if isinstance(content, ImageContent) and redraw is not None:
        return picture(content, redraw)
    return card(content)


def _text(text: str) -> Block:
    """Return Markdown, as the protocol says, unless it is plainly what a program printed."""
    has_lines = "\n" in text.strip()
    if "\x1b" in text or "\r" in text.replace("\r\n", "\n") or (has_lines and not _MARKDOWN.search(text)):
        return OutputBlock(text)
    block = MarkdownBlock(text)
    block.finish()
    return block
