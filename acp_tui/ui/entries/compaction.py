"""The block of a compaction: a rule across the chat with a folded summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rich.cells import cell_len
from typing_extensions import override

from acp_tui.formatting import seconds, tokens
from acp_tui.protocol.schema import UsageUpdate
from acp_tui.safe_text import safe_line
from acp_tui.session.entries import Compaction
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.entry import Head, HeadedBlock, indented
from acp_tui.ui.entries.messages import take_over_parts
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Block, Piece

_WORDS: Final = {
    "in_progress": "compacting",
    "completed": "compacted",
    "failed": "compaction failed",
    "cancelled": "compaction cancelled",
    "interrupted": "compaction interrupted",
}
_WORD: Final = 40
"""Maximum characters of an unknown status."""
_EDGE: Final = 3
"""Cells of the rule before the words."""


def compaction_words(entry: Compaction, symbol: Callable[[str], str]) -> str:
    """Return a compaction as text: `compacted, 82 % → 11 %`."""
    words = _WORDS.get(entry.status) or f"compaction: {safe_line(entry.status[:_WORD])}"
    if entry.before is None or entry.after is None or entry.status not in ("completed", "in_progress"):
        return words
    return f"{words}, {_context(entry.before)} {symbol('tab')} {_context(entry.after)}"


def _context(usage: UsageUpdate) -> str:
    used = usage.used or 0
    return f"{min(100, round(100 * used / usage.size))} %" if usage.size else tokens(used)


class CompactionBlock(HeadedBlock):
    """A compaction: one row across the chat; Enter shows the summary."""

    __slots__ = ()
    entry: Compaction
    parts: Sequence[Block]

    @property
    @override
    def can_fold(self) -> bool:
        return bool(self.entry.parts)

    @override
    def sync(self) -> None:
        parts: list[Block] = [Head(self)]
        if self.entry.error:
            parts.append(indented(self.entry.error, "error"))
        if self.is_open:
            summary: list[Block] = []
            finished = not self.is_running
            take_over_parts(summary, self.entry.parts, finished, role="muted", indent=2)
            parts += summary
        self.parts = parts

    @property
    @override
    def is_running(self) -> bool:
        return self.entry.status == "in_progress"

    @override
    def source(self) -> str:
        summary = "".join(str(part) for part in self.entry.parts if isinstance(part, TextBuffer))
        texts = (compaction_words(self.entry, self.context.symbol), self.entry.error, summary)
        return "\n".join(text for text in texts if text)

    @override
    def head(self, width: int, styles: Styles) -> tuple[Sequence[Piece], Sequence[Piece]]:
        entry, rule = self.entry, styles.symbol("rule")
        mark = ""
        if entry.parts:
            mark = f"{styles.symbol('folded' if self.is_folded else 'open')} "
        role = "error" if entry.status == "failed" else "notice"
        left: list[Piece] = [
            ("faint", f"{rule * _EDGE} "),
            (role, f"{mark}{compaction_words(entry, styles.symbol)} "),
        ]
        if self.is_running and self.now is not None:
            left.append(("muted", f"{seconds(max(0.0, self.now - entry.at))} "))
        used = sum(cell_len(text) for _, text in left)
        return [*left, ("faint", rule * max(0, width - used))], ()
