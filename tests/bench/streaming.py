"""Markdown that comes in pieces, laid out and drawn: by our transcript, and by Textual's own widget."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from math import inf
from statistics import median
from typing import Final

from markdown_it import MarkdownIt
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Markdown

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript
from tests.bench.prose import markdown, pieces
from tests.bench.table import Row, at_most_times

RATE: Final = 1_000
"""Pieces a second where they come at a pace; else as fast as they are taken."""
SIZE: Final = (120, 40)
PAUSE: Final = 0.05
"""Seconds of rest before each measurement."""
SHORT: Final = 2_000
"""Characters up to which a run is over in milliseconds, so that it takes many to know what they cost."""
WIDGET_SIZE: Final = 8_000
"""Characters for Textual's widget, whose cost for each grows with the length of the text."""


class Ours(App[None]):
    def compose(self) -> ComposeResult:
        yield Transcript(styles_of(choose("acp-dark")[0]))


class Widgets(App[None]):
    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Markdown()


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    asyncio.run(_ours(markdown(8_000)))  # what is loaded at the first text
    gc.freeze()  # as the program does after its start: else `_begun` walks over all modules of the bench
    try:
        yield from _rows(quick)
    finally:
        gc.unfreeze()


def _rows(quick: bool) -> Iterator[Row]:
    sizes = (1_000, 80_000) if quick else (1_000, 80_000, 1_000_000)
    for size in sizes:
        yield _row(f"streamed Markdown, {size // 1_000:,} KB", markdown(size))
    yield _row("streamed Markdown, large single blocks", large_blocks())
    text = markdown(WIDGET_SIZE)
    floor = _parsed(text)
    yield Row("streamed Markdown, 8 KB, by one widget", "ms/KB", asyncio.run(_widgets(text)), floor)
    for name, work in (("", _ours), (", by one widget", _widgets)):
        paced = asyncio.run(work(text, RATE))
        yield Row(f"streamed Markdown, 8 KB, 1,000 pieces a second{name}", "ms/KB", paced, floor)


def large_blocks() -> str:
    """Return a fence of 2,000 lines, a list of 1,000 items and a table of 500 rows, with prose between."""
    fence = "\n".join(f"    step_{number} = left * {number} + right" for number in range(2_000))
    items = "\n".join(f"- item {number} says **what** it is for" for number in range(1_000))
    table = "\n".join(f"| file_{number}.py | {number} | what `{number}` is for |" for number in range(500))
    prose = markdown(1_000)
    code = f"```python\ndef long():\n{fence}\n```"
    return "\n\n".join(
        (prose, code, prose, items, prose, f"| file | lines | why |\n|---|--:|---|\n{table}", "")
    )


def _row(name: str, text: str) -> Row:
    runs = 3 if len(text) > SHORT else 11
    ours, floor = (median(figures) for figures in zip(*(_pair(text) for _ in range(runs)), strict=True))
    return Row(name, "ms/KB", ours, floor, at_most_times(4.5))


def _pair(text: str) -> tuple[float, float]:
    return asyncio.run(_ours(text)), _parsed(text)


async def _ours(text: str, rate: float = inf) -> float:
    """Return milliseconds of processor time for each KB."""
    async with Ours().run_test(size=SIZE) as pilot:
        chat, block = pilot.app.query_one(Transcript), MarkdownBlock()
        chat.append(block)
        await pilot.pause(PAUSE)  # the application's own first frames
        before = _begun()
        async for piece in _paced(text, rate):
            block.append(piece)
            chat.changed(block)
        block.finish()
        chat.changed(block)
        while block.waiting:
            await asyncio.sleep(0.04)
        await asyncio.sleep(0.04)
        return _each(before, text)


async def _widgets(text: str, rate: float = inf) -> float:
    """The same by the widget that Textual has for it."""
    async with Widgets().run_test(size=SIZE) as pilot:
        pilot.app.query_one(VerticalScroll).anchor()
        await pilot.pause(0.05)
        before = _begun()
        stream = Markdown.get_stream(pilot.app.query_one(Markdown))
        async for piece in _paced(text, rate):
            await stream.write(piece)
        await stream.stop()
        await asyncio.sleep(0.04)
        return _each(before, text)


async def _paced(text: str, rate: float) -> AsyncIterator[str]:
    start = time.monotonic()
    for number, piece in enumerate(pieces(text)):
        await asyncio.sleep(max(0.0, start + number / rate - time.monotonic()))
        yield piece


def _parsed(text: str) -> float:
    """Return what a parser takes for the whole text at once."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    time.sleep(PAUSE)  # after a wait the same millisecond of work takes half as long again: ours waits, too
    before = _begun()
    parser.parse(text)
    return _each(before, text)


def _begun() -> float:
    """Return the processor time so far; what others left to be collected is collected before."""
    gc.collect()
    return time.process_time()


def _each(before: float, text: str) -> float:
    return (time.process_time() - before) * 1e3 / (len(text) / 1e3)
