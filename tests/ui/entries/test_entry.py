"""Entries that nobody looks at: they keep no blocks, and look the same when somebody comes back."""

from __future__ import annotations

import pytest

from acp_tui.session.entries import AgentMessage, Diff, Entry, Thought
from acp_tui.session.text_buffer import TextBuffer
from tests.ui.entries.rows import PICTURE, block, call, rows, text_item

WIDTH = 40
SETTLED: tuple[Entry, ...] = (
    AgentMessage([TextBuffer("# Head\n\nwords and `code`\n\n- one\n- two")], finished=True),
    Thought([TextBuffer("so it is")], at=1.0, last=4.0, finished=True),
    call(kind="read", content=[text_item("1\n2")]),
    call(kind="edit", content=[Diff("/w/a.py", "new\nlines", "old")]),
    call(kind="execute", content=[text_item("printed\nlines")]),
)


@pytest.mark.parametrize("entry", SETTLED, ids=lambda entry: f"{type(entry).__name__}")
def test_what_is_over_has_its_parts_only_while_it_is_looked_at(entry: Entry) -> None:
    shown = block(entry)
    assert shown.parts == (), "nobody has looked yet"
    hint, source = shown.height_hint(WIDTH), shown.source()

    seen = rows(shown)
    assert shown.parts
    assert abs(hint - len(seen)) <= 6

    shown.forget_rows()
    shown.changed()
    assert shown.parts == ()
    assert abs(shown.height_hint(WIDTH) - len(seen)) <= 6
    assert shown.source() == source
    assert rows(shown) == seen


def test_a_text_that_nobody_has_looked_at_waits_to_be_laid_out() -> None:
    shown = block(AgentMessage([TextBuffer("words " * 100)], finished=True))
    assert (shown.parts, shown.waiting) == ((), 600)
    rows(shown)
    assert shown.waiting == 0


@pytest.mark.parametrize(
    "entry",
    [
        AgentMessage([TextBuffer("it grows")]),
        AgentMessage([TextBuffer("see"), PICTURE], finished=True),
        call(kind="execute", status="in_progress"),
    ],
)
def test_what_goes_on_or_holds_more_than_text_keeps_its_parts(entry: Entry) -> None:
    shown = block(entry)
    known = shown.parts
    assert known

    rows(shown)
    shown.forget_rows()
    assert shown.parts == known


def test_a_message_that_goes_on_after_its_end_is_shown_whole() -> None:
    message = AgentMessage([TextBuffer("an end")], finished=True)
    shown = block(message)
    rows(shown)
    shown.forget_rows()

    message.parts[0].append(" and more")  # type: ignore[union-attr]  # it is a text
    shown.changed()
    assert rows(shown) == ["", "  an end and more"]
    assert shown.waiting == 0
