"""A transcript on a screen of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import ClassVar

from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript import block_view as module
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript
from tests.waiting import PATIENCE

STYLES = Styles(by_role={"cursor": Style(bgcolor="blue"), "match": Style(reverse=True)})


class TranscriptApp(App[None]):
    CSS_PATH: ClassVar = [Path(module.__file__).with_name("transcript.tcss")]

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        yield Transcript(STYLES)

    def on_transcript_chosen(self, event: Transcript.Chosen) -> None:
        self.heard.append(event)

    def on_block_view_overloaded(self, event: Transcript.Overloaded) -> None:
        self.heard.append(event)

    def on_block_view_caught_up(self, event: Transcript.CaughtUp) -> None:
        self.heard.append(event)


class Harness:
    def __init__(self, app: TranscriptApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.query_one(Transcript)

    def shown(self) -> list[str]:
        """Return the rows on the screen without the column of the thumb."""
        strips = self.view.render_lines(Region(0, 0, *self.view.size))
        return [strip.text[:-1].rstrip() for strip in strips]

    async def until(self, condition: Callable[[], bool]) -> None:
        end = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < end, self.shown()
            await self.pilot.pause(0.005)

    async def settled(self) -> None:
        await self.until(lambda: self.view.is_settled)

    def numbered(self, count: int, first: int = 0) -> list[TextBlock]:
        blocks = [TextBlock([("text", f"block {first + n}\nrow b\nrow c")]) for n in range(count)]
        for block in blocks:
            self.view.append(block)
        return blocks


@asynccontextmanager
async def running(width: int = 30, height: int = 10) -> AsyncIterator[Harness]:
    app = TranscriptApp()
    async with app.run_test(size=(width, height)) as pilot:
        harness = Harness(app, pilot)
        harness.view.focus()
        await harness.until(lambda: harness.view.size.width > 0)
        await pilot.pause()
        yield harness
