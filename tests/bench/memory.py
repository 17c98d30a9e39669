"""Memory of an entry of a long chat, without its text, after it has been in view."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

from rich.cells import cached_cell_len

from acp_tui.protocol.validation import read_update
from acp_tui.session.session import Session
from acp_tui.ui.entries.entry import BlockContext, EntryBlock
from acp_tui.ui.entries.views import VIEWS
from acp_tui.ui.widgets.code import highlight
from acp_tui.ui.widgets.diff.line_diff import changed_words
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from tests.bench import working
from tests.bench.table import Row, at_most

WARM = 200
"""Entries before those that count: they fill what keeps the newest rows."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    count = 300 if quick else 1_000
    for name, kind in (
        ("a message", working.message),
        ("a thought", working.thought),
        ("a tool call", working.call),
    ):
        bytes_each, characters = _costs(kind, count)
        remark = f"of {characters:,.0f} characters"
        yield Row(f"{name}, memory beside its text", "KB", bytes_each / 1e3, None, at_most(1), remark)


def _costs(kind: Any, count: int) -> tuple[float, float]:
    """Return the bytes that one entry of a kind takes beside its text, and the characters of that."""
    chat = _Chat()
    tracemalloc.start()
    chat.take(kind, range(WARM))
    before, text = chat.memory(), working.said.characters
    chat.take(kind, range(WARM, WARM + count))
    taken, text = chat.memory() - before, working.said.characters - text
    tracemalloc.stop()
    return (taken - text) / count, text / count


class _Chat:
    """A session and its blocks, each laid out at its end as one that was in view."""

    def __init__(self) -> None:
        self._session = Session("bench")
        self._layout = BlockLayout(Styles(), lambda *_: None)
        self._layout.resize(100, Styles())
        self._setting = BlockContext("/", lambda _: None, lambda _: None, Styles().symbol, lambda _: False)

    def take(self, kind: Callable[[int], Iterator[dict[str, Any]]], numbers: range) -> None:
        for update in itertools.chain.from_iterable(map(kind, numbers)):
            self._session.apply(read_update(update))
            self._show()

    def memory(self) -> int:
        """Return the bytes of all that is kept when nothing is in view, but for caches of a fixed size."""
        self._layout.resize(100, Styles())
        highlight.cache_clear()
        changed_words.cache_clear()
        cached_cell_len.cache_clear()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    def _show(self) -> None:
        layout = self._layout
        for entry in self._session.entries[len(layout) :]:
            layout.insert(len(layout), VIEWS[type(entry)](entry, self._setting))
            self._see(len(layout) - 2)
        block = layout.blocks[-1]
        assert isinstance(block, EntryBlock)
        block.sync()

    def _see(self, index: int) -> None:
        """Lay out an entry that is complete."""
        if index >= 0:
            block = self._layout.blocks[index]
            assert isinstance(block, EntryBlock)
            block.changed()
            self._layout.stale(block)
            self._layout.lay_out(index, perf_counter() + 60)
            self._layout.trim(range(index, index + 2))
