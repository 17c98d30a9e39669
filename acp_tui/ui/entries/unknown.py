"""The block of an unknown update: one line, with the data folded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from acp_tui.session.entries import UnknownNews
from acp_tui.ui.entries.entry import INDENT, EntryBlock, indented
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

_NAME: Final = 60
_SHOWN: Final = 4_000
"""Characters of the data that are shown."""


def unknown_words(entry: UnknownNews) -> str:
    """Return the line of an unknown update."""
    named = f": {entry.name[:_NAME]}" if entry.name else ""
    times = f", {entry.count:,} times" if entry.count > 1 else ""
    return f"an update that is not understood{named}{times}"


class UnknownNewsBlock(EntryBlock):
    """An unknown update; Enter shows its data."""

    __slots__ = ()

    entry: UnknownNews
    parts: Sequence[Block]
    can_fold = True

    @override
    def sync(self) -> None:
        symbol = self.context.symbol
        mark = f"{symbol('open' if self.is_open else 'folded')} "
        words = [("faint", mark), ("muted", unknown_words(self.entry))]
        parts: list[Block] = [TextBlock(words, rest=INDENT, above=1, is_action=True)]
        if self.is_open:
            data = self._data
            cut = symbol("cut") if len(data) > _SHOWN else ""
            parts.append(indented(f"{data[:_SHOWN]}{cut}", "muted"))
        self.parts = parts

    @property
    def _data(self) -> str:
        return json.dumps(self.entry.raw, indent=1, ensure_ascii=False, default=repr)

    @override
    def source(self) -> str:
        return self._data

    @override
    def searched(self) -> str:
        return f"{unknown_words(self.entry)}\n{self._data}"
