"""A chat of ten thousand entries: moving in it, drawing it, adding to it, another width."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median

from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from acp_tui.session.entries import AgentMessage
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.entries.entry import BlockContext
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.transcript import Transcript
from tests.bench.prose import markdown
from tests.bench.table import Row, at_most

ENTRIES = 10_000
SIZE = (120, 40)


class Chat(App[None]):
    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        yield Transcript(styles_of(choose("acp-dark")[0]))

    def on_mount(self) -> None:
        for text in self._texts:
            self.query_one(Transcript).append(finished(text))


class Opened(App[None]):
    def compose(self) -> ComposeResult:
        yield ChatPane()


class Page(App[None]):
    """The same cells as one widget of Textual's."""

    def compose(self) -> ComposeResult:
        yield Static("\n".join(markdown(8_000).splitlines()[: SIZE[1]]), markup=False)


def finished(text: str) -> MarkdownBlock:
    block = MarkdownBlock(text, above=1)
    block.finish()
    return block


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    yield from asyncio.run(_measured(20 if quick else 100))


async def _measured(times: int) -> list[Row]:
    async with Page().run_test(size=SIZE) as pilot:
        floor = await _frame(pilot, lambda: None, times)
    text = markdown(400_000)
    texts = [text[start : start + 300] for start in range(0, len(text) - 300, 300)]
    texts = (texts * (ENTRIES // len(texts) + 1))[:ENTRIES]
    opened = await _opened(texts)
    async with Chat(texts).run_test(size=SIZE) as pilot:
        chat = pilot.app.query_one(Transcript)
        await pilot.pause(0.2)
        frame = await _frame(pilot, lambda: None, times)
        appended = await _frame(pilot, lambda: chat.append(finished(texts[7])), times)
        line = await _frame(pilot, lambda: chat.action_scroll_rows(-1), times)
        page = await _frame(pilot, lambda: chat.action_scroll_pages(-1), times)
        began = time.process_time()
        await pilot.resize_terminal(90, 40)
        resized = (time.process_time() - began) * 1e3
    return [
        Row("full frame, 120x40", "ms", frame, floor, at_most(3)),
        Row("10,000 entries: up a line, and the frame", "ms", line, floor, at_most(8)),
        Row("10,000 entries: up a page, and the frame", "ms", page, floor, at_most(16)),
        Row("10,000 entries: one more, and the frame", "ms", appended, floor, at_most(8)),
        Row("10,000 entries: another width", "ms", resized, None, at_most(200)),
        Row("10,000 entries: opened, to the first screen", "ms", opened, None, at_most(300)),
    ]


async def _opened(texts: list[str]) -> float:
    """Return milliseconds of processor time from a session to its newest entries drawn in a chat pane."""
    session = Session("bench")
    for number, text in enumerate(texts):
        session.entries.append(AgentMessage([TextBuffer(text)], f"m{number}", finished=True))
    async with Opened().run_test(size=SIZE) as pilot:
        pane = pilot.app.query_one(ChatPane)
        pane.context = BlockContext("/", lambda _: None, pane.changed, Styles().symbol, lambda _: False)
        await pilot.pause(0.2)
        before = time.process_time()
        pane.show(session, SessionChange(tuple(range(len(session.entries)))))
        await pilot.pause()
        await _frame(pilot, lambda: None, 1)
        assert pane.follow
        assert pane.first_in_view > len(texts) - SIZE[1]
        return (time.process_time() - before) * 1e3


async def _frame(pilot: Pilot[None], act: Callable[[], object], times: int) -> float:
    """Return milliseconds of processor time for an act and the whole screen drawn after it."""
    found: list[float] = []
    compositor = pilot.app.screen._compositor
    for _ in range(times):
        await asyncio.sleep(0.034)
        before = time.process_time()
        act()
        await asyncio.sleep(0)
        update = compositor.render_update(full=True)
        assert isinstance(update, CompositorUpdate)
        update.render_segments(pilot.app.console)
        found.append((time.process_time() - before) * 1e3)
    return median(found)
