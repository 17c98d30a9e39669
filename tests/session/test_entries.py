"""Stored tool call content."""

from __future__ import annotations

from acp_tui.protocol.schema import ContentItem, ImageContent, TerminalItem, TextContent, ToolCallContent
from acp_tui.protocol.schema import DiffItem as DiffWord
from acp_tui.protocol.schema import ToolCallLocation as LocationWord
from acp_tui.session.entries import Diff, Location, Text, items_of, places_of


def test_texts_diffs_and_places_become_small_values() -> None:
    words: list[ToolCallContent] = [
        ContentItem(content=TextContent(text="printed")),
        DiffWord(path="/w/a", old_text="a", new_text="b"),
        DiffWord(path="/w/b", old_text="", new_text="b"),
    ]

    text, changed, new = items_of(words)

    assert (text, changed) == (Text("printed"), Diff("/w/a", "b", "a"))
    assert isinstance(new, Diff)
    assert new.before is None
    assert places_of([LocationWord(path="/w/a", line=3)]) == (Location("/w/a", 3),)


def test_what_is_rare_stays_as_it_came() -> None:
    image = ContentItem(content=ImageContent(data="AAAA", mime_type="image/png"))
    terminal = TerminalItem(terminal_id="t")

    assert items_of([image, terminal]) == (image, terminal)
