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
from acp_tui.ui.entries.entry import BlockContext, EntryBlock
from acp_tui.ui.entries.messages import take_over_parts
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock, one_row

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
_HEAD_ROWS: Final = 2


def compaction_words(entry: Compaction, symbol: Callable[[str], str]) -> str:
    """Return a compaction as text: `compacted, 82 % → 11 %`."""
    words = _WORDS.get(entry.status) or f"compaction: {safe_line(entry.status[:_WORD])}"
    if entry.before is None or entry.after is None or entry.status not in ("completed", "in_progress"):
        return words
    return f"{words}, {_context(entry.before)} {symbol('tab')} {_context(entry.after)}"


def _context(usage: UsageUpdate) -> str:
    used = usage.used or 0
    return f"{min(100, round(100 * used / usage.size))} %" if usage.size else tokens(used)


class CompactionBlock(EntryBlock):
    """A compaction: one row across the chat; Enter shows the summary."""

    __slots__ = ("_is_open", "now")
    entry: Compaction
    parts: Sequence[Block]

    def __init__(self, entry: Compaction, context: BlockContext) -> None:
        self._is_open = False
        self.now: float | None = None
        """The time, on the clock of the session's events, while it runs."""
        super().__init__(entry, context)

    @property
    @override
    def is_action(self) -> bool:  # type: ignore[override]  # it depends on the summary
        return bool(self.entry.parts)

    @override
    def sync(self) -> None:
        parts: list[Block] = [CompactionHead(self)]
        if self.entry.error:
            parts.append(TextBlock([("error", self.entry.error)], first=_INDENT, rest=_INDENT))
        if self._is_open:
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
    def tick(self, now: float) -> None:
        self.now = now

    @property
    @override
    def is_folded(self) -> bool:
        return bool(self.entry.parts) and not self._is_open

    @override
    def choose(self) -> bool:
        if not self.entry.parts:
            return False
        self._is_open = not self._is_open
        self.sync()
        self.context.redraw(self)
        return True

    @override
    def source(self) -> str:
        summary = "".join(str(part) for part in self.entry.parts if isinstance(part, TextBuffer))
        texts = (compaction_words(self.entry, self.context.symbol), self.entry.error, summary)
        return "\n".join(text for text in texts if text)


_INDENT: Final = [("text", "  ")]


class CompactionHead(Block):
    """The rule of a compaction."""

    __slots__ = ("_block", "stable_rows")

    def __init__(self, block: CompactionBlock) -> None:
        self._block = block
        self.stable_rows = 0

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        entry, rule = self._block.entry, styles.symbol("rule")
        mark = ""
        if entry.parts:
            mark = f"{styles.symbol('folded' if self._block.is_folded else 'open')} "
        role = "error" if entry.status == "failed" else "notice"
        left: list[Piece] = [
            ("faint", f"{rule * _EDGE} "),
            (role, f"{mark}{compaction_words(entry, styles.symbol)} "),
        ]
        if entry.status == "in_progress" and self._block.now is not None:
            left.append(("muted", f"{seconds(max(0.0, self._block.now - entry.at))} "))
        used = sum(cell_len(text) for _, text in left)
        return [[], one_row([*left, ("faint", rule * max(0, width - used))], (), width, styles)]

    @override
    def height_hint(self, width: int) -> int:
        return _HEAD_ROWS

    @override
    def source(self) -> str:
        return compaction_words(self._block.entry, self._block.context.symbol)
