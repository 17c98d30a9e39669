from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from acp_tui.ui.application.terminal_input import InputParser
from acp_tui.ui.widgets.input_line import LONGEST, InputLine

HOSTILE = "a\x1b\r!x\r\x1b[200~y\x00\x03\x9b31m\x1b[13u\x1b[<0;1;1M\u202e\u200b\u3164b"


class Desk(App[None]):
    """A line and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    def compose(self) -> ComposeResult:
        yield InputLine()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.sent.append(event.value)


@asynccontextmanager
async def desk() -> AsyncIterator[tuple[Desk, InputLine, Pilot[None]]]:
    app = Desk()
    async with app.run_test(size=(80, 10)) as pilot:
        yield app, app.query_one(InputLine), pilot


async def paste(pilot: Pilot[None], text: str) -> None:
    for message in InputParser().feed(f"\x1b[200~{text}\x1b[201~"):
        pilot.app.post_message(message)
    await pilot.pause()


async def test_a_paste_is_one_line_of_data_and_no_key() -> None:
    async with desk() as (app, line, pilot):
        await paste(pilot, f"\n{HOSTILE}\r\n")

        assert line.value == HOSTILE.replace("\r", " ")
        assert app.sent == []
        await pilot.press("enter")
        assert app.sent == [HOSTILE.replace("\r", " ")]


async def test_a_paste_takes_the_place_of_what_is_selected() -> None:
    async with desk() as (_, line, pilot):
        await paste(pilot, "one two")
        line.select_all()
        await paste(pilot, "three")

        assert line.value == "three"


async def test_what_is_not_seen_is_drawn_as_marks_with_the_cursor_behind_them() -> None:
    async with desk() as (_, line, pilot):
        await paste(pilot, "ab\x1b\x9b\u202e\u200b\tc")
        await pilot.pause()

        assert line.render_line(0).text.rstrip() == "ab␛\ufffd\ufffd\ufffd␉c"
        assert line._position_to_cell(8) == 8
        assert [line._cell_offset_to_index(cell) for cell in (0, 2, 5, 6, 40)] == [0, 2, 5, 6, 8]


@pytest.mark.parametrize("text", ["one\ntwo", "one\r\ntwo", "one\rtwo"])
async def test_no_line_of_a_paste_is_lost(text: str) -> None:
    async with desk() as (_, line, pilot):
        await paste(pilot, text)

        assert line.value == "one two"


async def test_of_a_large_paste_as_much_is_taken_as_a_line_can_hold() -> None:
    async with desk() as (app, line, pilot):
        await paste(pilot, "x" * 5_000_000)

        assert line.value == "x" * LONGEST
        assert [one.title for one in app._notifications] == ["Paste"]
