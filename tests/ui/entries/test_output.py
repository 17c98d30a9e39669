"""The end of what a command printed."""

from __future__ import annotations

from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.output import TextTail
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text


def shown(tail: TextTail) -> list[str]:
    return [row_text(row)[4:] for row in tail.rows(80, Styles())]


def test_the_newest_lines_are_shown_as_they_come() -> None:
    text = TextBuffer("one\ntwo\nthree\n")
    tail = TextTail(text, 3)
    assert shown(tail) == ["one", "two", "three"]

    text.append("10 %\r20 %")
    assert shown(tail) == ["… more above", "three", "20 %"]


def test_of_a_program_that_draws_the_whole_screen_that_is_said() -> None:
    text = TextBuffer("$ less a\n\x1b[?1049h\x1b[5;1Hpage")
    tail = TextTail(text, 3)
    assert shown(tail) == ["A full-screen program; open it to see the screen."]

    text.append("\x1b[?1049ldone")
    assert shown(tail) == ["$ less a", "done"]


def test_lines_that_were_dropped_are_read_again() -> None:
    tail = TextTail(TextBuffer("\x1b[31mone\x1b[m\ntwo\n"), 2)
    before = shown(tail)

    tail.forget_rows()

    assert shown(tail) == before == ["one", "two"]
    assert tail.source() == "one\ntwo\n"
