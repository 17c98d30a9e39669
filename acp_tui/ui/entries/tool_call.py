"""How a tool call looks in the chat: a line, and a short look at what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from acp_tui.ui.entries.counting import counted
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.output import ResultTail, TerminalTail, TextTail
from acp_tui.ui.entries.results import result_text
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import OneLine, Piece
from acp_tui.ui.widgets.wrap import Row
from acp_tui.ui.words import (
    STATUS_GLYPHS,
    STATUS_ROLES,
    STATUS_WORDS,
    call_title,
    call_words,
    inside,
    kind_word,
    seconds,
)

if TYPE_CHECKING:
    from acp_tui.acp.tools import Diff
    from acp_tui.session.entries import ToolCall
    from acp_tui.ui.entries.setting import Setting

_DIFF_ROWS: Final = 12
_OUTPUT_ROWS: Final = 6
_NONE: Final[Mapping[str, TerminalTail]] = MappingProxyType({})


class ToolCallBlock(EntryBlock):
    """A tool call; enter opens it."""

    entry: ToolCall
    is_action = True

    def sync(self) -> None:
        """Show what is known of the call."""
        if not self.parts:
            self._line = CallHead(self.entry, self.setting)
            self._tails: Mapping[str, TerminalTail] = _NONE
            self._output: TextTail | None = None
            self._shown_diffs: tuple[Diff, ...] = ()
            self._diffs: tuple[Block, ...] = ()
            self._told: tuple[Block, ...] = ()
            self._told_from: tuple[Any, ...] = ()
        if self.entry.is_empty:
            self.parts = [OneLine()]
            return
        self._take_diffs()
        self._take_tails()
        self._take_text()
        self._line.refresh_from_call()
        output = [self._output] if self._output is not None else []
        self.parts = [self._line, *self._diffs, *self._tails.values(), *output, *self._told]

    def _take_diffs(self) -> None:
        from acp_tui.acp.tools import Diff

        diffs = tuple([item for item in self.entry.content if isinstance(item, Diff)])
        if diffs != self._shown_diffs:
            self._shown_diffs = diffs
            self._diffs = tuple([DiffPreview(diff) for diff in diffs])

    def _take_tails(self) -> None:
        from acp_tui.acp.tools import TerminalItem

        for item in self.entry.content:
            if isinstance(item, TerminalItem) and item.terminal_id not in self._tails:
                terminal = self.setting.terminal(item.terminal_id)
                if terminal is not None:
                    tail = TerminalTail(terminal, lambda: self.setting.redraw(self), _OUTPUT_ROWS)
                    self._tails = {**self._tails, item.terminal_id: tail}
        if self.entry.output is not None:
            self._output = self._output or TextTail(self.entry.output, _OUTPUT_ROWS)

    def _take_text(self) -> None:
        """Take what matters at a glance: how it was decided, why it failed, what it printed."""
        call = self.entry
        told_from = (call.decision, call.status, call.kind, call.content, call.raw_output)
        if told_from == self._told_from:
            return
        self._told_from = told_from
        told: list[Block] = [_indented(call.decision, "muted")] if call.decision else []
        text = result_text(call) if not self._tails and self._output is None else ""
        if text and call.status == "failed":
            told.append(_indented("\n".join(text.splitlines()[:3])[:500], "error"))
        elif text and call.kind == "execute":
            told.append(ResultTail(call, _OUTPUT_ROWS))
        elif not text and call.status == "completed" and self._has_lost_its_output:
            told.append(_indented("(its output is gone)", "muted"))
        self._told = tuple(told)

    @property
    def _has_lost_its_output(self) -> bool:
        """Whether a terminal is named that is not ours, and nothing else says what was printed."""
        from acp_tui.acp.tools import TerminalItem

        names = [item.terminal_id for item in self.entry.content if isinstance(item, TerminalItem)]
        return bool(names) and not self._tails and self._output is None

    def searched(self) -> str:
        """Return all that is known of the call as text, also what only its own screen shows."""
        call, cwd = self.entry, self.setting.cwd
        title = call_words(call, cwd)
        asked = (call.command or "", *(inside(location.path, cwd) for location in call.locations))
        printed = [tail.source() for tail in self._tails.values()]
        if call.output is not None:
            printed.append(str(call.output))
        texts = [title, *(text for text in asked if text not in title), call.decision]
        texts += [text for diff in self._shown_diffs for text in (diff.before, diff.new_text) if text]
        return "\n".join([*texts, *(printed or [result_text(call)])])

    @property
    def is_running(self) -> bool:
        """Whether its seconds are counted."""
        return not self.entry.is_final and not self.entry.is_empty

    def tick(self, now: float) -> None:
        """Count its seconds."""
        self._line.now = now


class CallHead(Block):
    """The line of a tool call."""

    __slots__ = ("_call", "_setting", "kept", "now")
    is_action = True

    def __init__(self, call: ToolCall, setting: Setting) -> None:
        self._call = call
        self._setting = setting
        self.kept = 0
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
        asks = self._setting.asks(self._call.tool_call_id)
        left, right = call_pieces(self._call, self._setting.cwd, look, self.now, asks=asks)
        return [[], one_row(left, right, width, look)]

    def height_hint(self, width: int) -> int:
        """Two rows."""
        return 2

    def source(self) -> str:
        """Return the call's title."""
        return call_title(self._call, self._setting.cwd)


class DiffPreview(Block):
    """The first rows of a diff; computed when it is first seen."""

    is_action = True

    def __init__(self, diff: Diff) -> None:
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
    call: ToolCall, cwd: str, look: Look, now: float | None = None, *, asks: bool = False
) -> tuple[list[Piece], list[Piece]]:
    """Return a tool call's line as (left, right): mark, kind, title; what it brought, status, duration.

    `asks`: it waits for the person's permission.
    """
    role = "warning" if asks else STATUS_ROLES.get(call.status, "tool-pending")
    glyph = look.glyph("asks" if asks else STATUS_GLYPHS.get(call.status, "pending"))
    left: list[Piece] = [
        (role, f"{glyph} "),
        ("strong", f"{kind_word(call.kind):<6} "),
        ("muted" if call.dropped else "text", call_title(call, cwd)),
    ]
    about = call_words(call, cwd)
    if about and about not in call_title(call, cwd):
        left.append(("muted", f"  {about}"))  # the command stands before what the agent calls it
    right = _brought(call, look)
    if asks:
        right.append((role, "  asks you"))
    elif call.status in STATUS_WORDS:
        right.append((role, f"  {STATUS_WORDS[call.status]}"))
    ended = call.ended if call.ended is not None else now
    if ended is not None and not asks and call.status not in ("rejected", "cancelled", "interrupted"):
        right.append(("muted", f"  {seconds(max(0.0, ended - call.started)):>6}"))
    return left, right


def _brought(call: ToolCall, look: Look) -> list[Piece]:
    """Return the size of what a call brought: changed lines, else lines of text."""
    from acp_tui.acp.tools import Diff

    diffs = [item for item in call.content if isinstance(item, Diff)]
    found = [counts for diff in diffs if (counts := counted(diff.before, diff.new_text))]
    if found:
        added, removed = (sum(counts) for counts in zip(*found, strict=True))
        return [("added", f" +{added}"), ("removed", f" {look.glyph('minus')}{removed}")]
    if diffs or call.kind == "execute" or call.status != "completed":
        return []
    text = result_text(call)
    lines = text.count("\n") + 1
    return [("muted", f"{lines} line{'s' if lines > 1 else ''}")] if text else []


def _indented(text: str, role: str) -> TextBlock:
    return TextBlock([(role, text)], first=[("text", "  ")], rest=[("text", "  ")])
