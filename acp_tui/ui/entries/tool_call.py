"""How a tool call looks in the chat: a line, and a short look at what it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import OneLine, Piece
from acp_tui.ui.widgets.wrap import Row
from acp_tui.ui.words import STATUS_GLYPHS, STATUS_ROLES, STATUS_WORDS, call_title, kind_word, seconds

if TYPE_CHECKING:
    from acp_tui.session.entries import ToolCall

_DIFF_ROWS: Final = 12
_OUTPUT_ROWS: Final = 6
_COUNTED: Final = 400_000
"""Characters of a diff up to which its lines are counted at once."""


class ToolCallBlock(EntryBlock):
    """A tool call; enter opens it."""

    entry: ToolCall
    is_action = True

    def sync(self) -> None:
        """Show what is known of the call."""
        from acp_tui.acp.tools import Diff, TerminalItem
        from acp_tui.ui.entries.output import TerminalTail

        if not self.parts:
            self._line = CallHead(self.entry, self.setting.cwd)
            self._tails: dict[str, TerminalTail] = {}
            self._shown_diffs: list[Diff] = []
            self._diffs: list[Block] = []
        if self.entry.is_empty:
            self.parts = [OneLine()]
            return
        diffs = [item for item in self.entry.content if isinstance(item, Diff)]
        if diffs != self._shown_diffs:
            self._shown_diffs = diffs
            self._diffs = [DiffPreview(diff) for diff in diffs]
        for item in self.entry.content:
            if isinstance(item, TerminalItem) and item.terminal_id not in self._tails:
                terminal = self.setting.terminal(item.terminal_id)
                tail = TerminalTail(terminal, lambda: self.setting.redraw(self), _OUTPUT_ROWS)
                self._tails[item.terminal_id] = tail
        self._line.refresh_from_call()
        self.parts = [self._line, *self._diffs, *self._tails.values(), *self._said()]

    @property
    def is_running(self) -> bool:
        """Whether its seconds are counted."""
        return not self.entry.is_final and not self.entry.is_empty

    def tick(self, now: float) -> None:
        """Count its seconds."""
        self._line.now = now

    def _said(self) -> list[Block]:
        """What it said, where that matters at a glance: why it failed, how it was decided."""
        blocks: list[Block] = []
        if self.entry.decision:
            blocks.append(_indented(self.entry.decision, "muted"))
        if self.entry.status == "failed":
            text = _text_of(self.entry).strip()
            if text:
                blocks.append(_indented("\n".join(text.splitlines()[:3])[:500], "error"))
        return blocks


class CallHead(Block):
    """The line of a tool call."""

    is_action = True

    def __init__(self, call: ToolCall, cwd: str) -> None:
        self._call = call
        self._cwd = cwd
        self.now: float | None = None
        """The time, on the clock of the session's events, while the call runs."""

    def refresh_from_call(self) -> None:
        """The call changed: its own times count again."""
        if self._call.is_final:
            self.now = None

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return an empty row and the line."""
        from acp_tui.ui.widgets.one_line import one_row

        self.kept = 0
        left, right = call_pieces(self._call, self._cwd, look, self.now)
        return [[], one_row(left, right, width, look)]

    def height_hint(self, width: int) -> int:
        """Two rows."""
        return 2

    def source(self) -> str:
        """Return the call's title."""
        return call_title(self._call, self._cwd)


class DiffPreview(Block):
    """The first rows of a diff; computed when it is first seen."""

    is_action = True

    def __init__(self, diff: object) -> None:
        from acp_tui.acp.tools import Diff

        assert isinstance(diff, Diff)
        self._diff = diff
        self._rows: tuple[int, Look, list[Row]] | None = None

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the rows, indented."""
        if self._rows is None or self._rows[:2] != (width, look):
            self._rows = (width, look, self._painted(width, look))
            self.kept = 0
        else:
            self.kept = len(self._rows[2])
        return self._rows[2]

    def _painted(self, width: int, look: Look) -> list[Row]:
        import time

        from rich.segment import Segment

        from acp_tui.ui.widgets.diff import compute
        from acp_tui.ui.widgets.diff_paint import diff_rows

        difference = compute(self._diff.before, self._diff.new_text, time.monotonic() + 0.03)
        rows = diff_rows(difference, self._diff.path, max(1, width - 2), look, _DIFF_ROWS)
        return [[Segment("  "), *row] for row in rows]

    def height_hint(self, width: int) -> int:
        """Estimate from the lines of the new text."""
        return min(_DIFF_ROWS, self._diff.new_text.count("\n") + 1)

    def source(self) -> str:
        """Return the new text."""
        return self._diff.new_text

    def forget_rows(self) -> None:
        """Drop the rows."""
        self._rows = None


def call_pieces(
    call: ToolCall, cwd: str, look: Look, now: float | None = None
) -> tuple[list[Piece], list[Piece]]:
    """Return a tool call's line as (left, right): mark, kind, title; size of the change, status, duration."""
    role = STATUS_ROLES.get(call.status, "tool-pending")
    glyph = look.glyph(STATUS_GLYPHS.get(call.status, "pending"))
    left: list[Piece] = [
        (role, f"{glyph} "),
        ("strong", f"{kind_word(call.kind):<6} "),
        ("muted" if call.dropped else "text", call_title(call, cwd)),
    ]
    right: list[Piece] = []
    added, removed = _counts(call)
    if added or removed:
        right += [("added", f" +{added}"), ("removed", f" {look.glyph('minus')}{removed}")]
    if call.status in STATUS_WORDS:
        right.append((role, f"  {STATUS_WORDS[call.status]}"))
    ended = call.ended if call.ended is not None else now
    if ended is not None and call.status not in ("rejected", "cancelled", "interrupted"):
        right.append(("muted", f"  {seconds(max(0.0, ended - call.started)):>6}"))
    return left, right


def _counts(call: ToolCall) -> tuple[int, int]:
    from acp_tui.acp.tools import Diff

    added = removed = 0
    for item in call.content:
        if isinstance(item, Diff) and len(item.new_text) + len(item.old_text or "") < _COUNTED:
            from acp_tui.ui.widgets.diff import counts

            plus, minus = counts(item.before, item.new_text)
            added, removed = added + plus, removed + minus
    return added, removed


def _text_of(call: ToolCall) -> str:
    from acp_tui.acp.content import TextContent
    from acp_tui.acp.tools import ContentItem

    return "\n".join(
        item.content.text
        for item in call.content
        if isinstance(item, ContentItem) and isinstance(item.content, TextContent)
    )


def _indented(text: str, role: str) -> TextBlock:
    return TextBlock([(role, text)], first=[("text", "  ")], rest=[("text", "  ")])
