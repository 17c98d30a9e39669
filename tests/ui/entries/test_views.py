"""Tests of `ui/entries/views.py`."""

from __future__ import annotations

import json
from typing import get_args

from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    Compaction,
    Diff,
    Entry,
    Notice,
    UserMessage,
)
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.views import VIEWS
from tests.ui.entries.rows import block, call, context, rows, text_item, thought


def test_every_kind_of_entry_has_a_view() -> None:
    assert set(VIEWS) == set(get_args(Entry))


def test_with_ascii_no_block_draws_anything_else() -> None:
    diff = Diff(path="/w/src/a.py", old_text="a\n" * 30, new_text="a\n" * 29 + "b\n")
    entries: list[Entry] = [
        UserMessage([TextBuffer("hi")]),
        AgentMessage(
            [TextBuffer("# Head\n\n- [x] a\n- b\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n")],
            finished=True,
        ),
        thought("hm " * 200),
        Notice("said", detail="more"),
        AgentNotice("said", "warning", "more " * 200),
        Compaction("c1", "completed", [TextBuffer("short")]),
        call(kind="edit", content=[diff]),
        call(kind="execute", content=[text_item("printed " * 50)]),
    ]
    for entry in entries:
        text = "".join(rows(block(entry, context(ascii=True, asks="t/1")), 40, ascii=True))
        assert text.isascii(), json.dumps(text)
