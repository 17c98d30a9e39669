"""Tests of `ui/screens/tool_call.py`."""

from __future__ import annotations

from acp_tui.protocol.schema import ContentItem, ImageContent, TerminalItem, UnknownItem
from acp_tui.session.entries import Diff, Text, ToolCall
from acp_tui.ui.screens.tool_call import CallPage, blocks, pages
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import row_text


def said(text: str) -> Text:
    return Text(text)


def shown(page: CallPage) -> str:
    return "\n".join(row_text(row) for block in blocks(page) for row in block.rows(60, Look()))


def test_content_comes_in_order_and_what_stands_together_is_one_page() -> None:
    diff = Diff(path="/w/a", new_text="x")
    terminals = [TerminalItem(terminal_id="t1"), TerminalItem(terminal_id="t2")]
    call = ToolCall("c", content=[said("a"), said("b"), diff, diff, *terminals, said("c")])

    found = pages(call)

    assert [(page.name, page.kind, len(page.items)) for page in found] == [
        ("text", "text", 2),
        ("diff", "diff", 2),
        ("terminal", "terminal", 1),
        ("terminal 2", "terminal", 1),
        ("text 2", "text", 1),
    ]


def test_what_went_in_and_came_out_follows_also_when_it_is_false() -> None:
    call = ToolCall("c", raw_input={"a": 1}, raw_output=0, meta={"x": {}})

    assert [(page.name, page.items) for page in pages(call)] == [
        ("raw input", [{"a": 1}]),
        ("raw output", [0]),
        ("_meta", [{"x": {}}]),
    ]


def test_a_call_without_anything_says_so() -> None:
    (page,) = pages(ToolCall("c"))

    assert "reported nothing" in shown(page)


def test_other_content_is_named_and_the_unknown_is_shown_as_it_came() -> None:
    image = ContentItem(content=ImageContent(data="AAAA", mime_type="image/png"))
    call = ToolCall("c", content=[said("**bold** [/x]"), image, UnknownItem(raw={"type": "new", "a": [1]})])

    text = shown(pages(call)[0])

    assert "bold [/x]" in text
    assert "[image image/png 3 B]" in text
    assert '"type": "new"' in text


def test_r33_output_of_a_terminal_in_a_text_keeps_no_junk() -> None:
    (page,) = pages(ToolCall("c", content=[said("10 %\r20 %\r\n\x1b[31mred\x1b[0m\x1b]0;title\x07")]))

    assert shown(page).split("\n") == ["20 %", "red"]


def test_lines_that_a_program_printed_stay_lines_and_markdown_is_laid_out() -> None:
    assert shown(CallPage("text", "text", [said("line one\nline two\n  three")])).split("\n") == [
        "line one",
        "line two",
        "  three",
    ]
    assert "**" not in shown(CallPage("text", "text", [said("some **bold**\nwords")]))
    assert "• one" in shown(CallPage("text", "text", [said("- one\n- two")]))
