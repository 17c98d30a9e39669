"""Blocks of tool calls: a line, and a preview of the result."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from time import monotonic
from types import MappingProxyType
from typing import Final, TypeVar

from rich.segment import Segment
from typing_extensions import override

from acp_tui.formatting import exit_words, inside, seconds
from acp_tui.protocol.schema import SessionItem, TerminalItem
from acp_tui.safe_text import safe_line
from acp_tui.session.entries import Diff, ToolCall
from acp_tui.session.file_changes import Edit
from acp_tui.session.snippets import PlacedEdit
from acp_tui.ui.entries.entry import HEAD_ROWS, BlockContext, Head, HeadedBlock, indented
from acp_tui.ui.entries.output import ResultTail, TerminalTail, TextTail, error_text, result_text
from acp_tui.ui.entries.tool_call_words import (
    STATUS_ROLES,
    STATUS_SYMBOLS,
    STATUS_WORDS,
    call_title,
    call_words,
    kind_word,
    operation_words,
)
from acp_tui.ui.widgets.code import language_of_file
from acp_tui.ui.widgets.diff.line_diff import Difference, compute, counts, glance, known_counts
from acp_tui.ui.widgets.diff.paint import diff_rows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, exact_line
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, Piece

_SIGNAL_NAME: Final = 20
"""Maximum characters of a signal's name, which comes from the agent."""
_AT_ONCE: Final = 400_000
"""Maximum characters of an edit that is compared at once, in a few milliseconds; larger ones use a thread."""
_PATIENCE: Final = 3.0
"""Maximum seconds of a comparison; the rest counts as replaced."""


def counted(old: str | None, new: str) -> tuple[int, int] | None:
    """Return (added, removed) lines of an edit; None for a large one that is not compared yet."""
    return _counts(old, new) if len(old or "") + len(new) <= _AT_ONCE else known_counts(old, new)


@lru_cache(maxsize=64)
def _counts(old: str | None, new: str) -> tuple[int, int]:
    return counts(old, new)


class EditCounts:
    """The line counts of one file's edits, each counted only once as edits are added."""

    def __init__(self) -> None:
        self._known: list[tuple[Edit, tuple[int, int] | None]] = []

    def of(self, edits: Sequence[Edit]) -> list[tuple[int, int] | None]:
        """Return `counted` of each edit."""
        known = self._known
        self._known = [
            known[place]
            if place < len(known) and known[place][0] is edit and known[place][1] is not None
            else (edit, counted(edit.old, edit.new))
            for place, edit in enumerate(edits)
        ]
        return [counts for _, counts in self._known]


_SOME_WIDTH: Final = 80
_LONGEST: Final = 4_000
"""Maximum characters of a title on its line, in terminals of any width."""
_DIFF_ROWS: Final = 12
_MOST_DIFFS: Final = 40
"""Maximum diffs of a call that are previewed and counted: all of them are laid out at once."""
_OUTPUT_ROWS: Final = 6
_NONE: Final[Mapping[str, TerminalTail]] = MappingProxyType({})
_Part = TypeVar("_Part", bound=Block)


class ToolCallBlock(HeadedBlock):
    """A tool call. It keeps nothing that the entry has, since there may be thousands."""

    __slots__ = ("_estimate", "_tails", "before")
    entry: ToolCall
    is_action = True

    def __init__(self, entry: ToolCall, context: BlockContext) -> None:
        self.before: ToolCall | None = None
        """The call directly above; there is no empty row between two calls."""
        self._tails: Mapping[str, TerminalTail] = _NONE
        self._estimate = 0
        """Rows of its parts when they were dropped; 0 before they were built."""
        super().__init__(entry, context)

    @override
    def sync(self) -> None:
        if self.entry.is_empty:
            self.parts = (OneRowBlock(),)
            return
        if self.entry.is_final:
            self.now = None  # use its own times again
        self._take_tails()
        head = self._part(Head) or Head(self)
        output = self._printed()
        told = self._told(bool(self._tails or output))
        self.parts = (head, *self._diffs(), *self._more_diffs(), *self._tails.values(), *output, *told)

    @property
    @override
    def is_settled(self) -> bool:
        return self.entry.is_final and not self._tails and not self._names_a_terminal

    @override
    def estimate(self, width: int) -> int:
        return self._estimate or HEAD_ROWS + (_OUTPUT_ROWS if self.entry.kind == "execute" else 0)

    @override
    def forget_rows(self) -> None:
        if self.parts and self.is_settled:
            self._estimate = sum(part.height_hint(_SOME_WIDTH) for part in self.parts)
        super().forget_rows()

    def _part(self, kind: type[_Part]) -> _Part | None:
        return next((part for part in self.parts if isinstance(part, kind)), None)

    def _diffs(self) -> Sequence[DiffPreview]:
        diffs = _diffs_of(self.entry)[:_MOST_DIFFS]
        known = [part for part in self.parts if isinstance(part, DiffPreview)]
        is_same = [preview.diff for preview in known] == diffs
        return known if is_same else [DiffPreview(diff, self) for diff in diffs]

    def _more_diffs(self) -> Iterator[Block]:
        more = len(_diffs_of(self.entry)) - _MOST_DIFFS
        if more > 0:
            yield indented(f"and {more:,} more changes in the details of the call", "muted")

    def _take_tails(self) -> None:
        for item in self.entry.content:
            if isinstance(item, TerminalItem) and item.terminal_id not in self._tails:
                terminal = self.context.terminal(item.terminal_id)
                if terminal is not None:
                    tail = TerminalTail(terminal, lambda: self.context.redraw(self), _OUTPUT_ROWS)
                    self._tails = {**self._tails, item.terminal_id: tail}

    def _printed(self) -> tuple[TextTail, ...]:
        """Return the output of a command that the agent runs by itself."""
        if self.entry.output is None or not self.entry.output.length:
            return ()
        tail = self._part(TextTail)
        is_same = tail is not None and tail.shows(self.entry.output)
        return (tail if tail is not None and is_same else TextTail(self.entry.output, _OUTPUT_ROWS),)

    def _told(self, is_printed: bool) -> Iterator[Block]:
        """Yield previews: the decision, the error, the output."""
        call = self.entry
        if call.decision:
            yield indented(call.decision, "muted")
        for item in call.content:
            if isinstance(item, SessionItem):
                yield indented(f"agent {self.context.name_of(item.session_id)}", "accent")
        text = "" if is_printed else result_text(call)
        if text and call.status == "failed":
            yield indented("\n".join(text.splitlines()[:3])[:500], "error")
        elif text and call.kind == "execute":
            yield ResultTail(call, _OUTPUT_ROWS)
        elif call.status == "completed" and not is_printed and self._has_lost_output:
            yield indented("(its output is gone)", "muted")
        if call.is_final and (lines := self.context.refused(call, self._result())):
            key = self.context.key("chat.allow")
            told = f"{key} on this call, or /sandbox, allows it for this session"
            yield indented("\n".join([*lines, told]), "warning")

    def _result(self) -> str:
        """Return all content and output of the call."""
        printed = [tail.source() for tail in self._tails.values()]
        if self.entry.output is not None:
            printed.append(str(self.entry.output))
        return "\n".join([*printed, result_text(self.entry)])

    @property
    def _names_a_terminal(self) -> bool:
        return any(isinstance(item, TerminalItem) for item in self.entry.content)

    @property
    def _has_lost_output(self) -> bool:
        return self._names_a_terminal and self.entry.output is None and not result_text(self.entry)

    @override
    def searched(self) -> str:
        call, cwd = self.entry, self.context.cwd
        title = call_words(call, cwd)
        asked = (call.command or "", *(inside(location.path, cwd) for location in call.locations))
        printed = [tail.source() for tail in self._tails.values()]
        if call.output is not None and call.output.length:
            printed.append(str(call.output))
        texts = [title, *(text for text in asked if text not in title), call.decision]
        texts += [text for diff in _diffs_of(call) for text in (diff.before, diff.new_text) if text]
        found = "\n".join([*texts, *(printed or [result_text(call)])])
        raw = (text for part in (call.raw_input, call.raw_output) for text in error_text(part))
        return "\n".join([found, *(text for text in raw if text not in found)])

    @property
    @override
    def is_running(self) -> bool:
        call = self.entry
        return not call.is_final and not call.is_empty and not self.context.asks(call)

    @override
    def head(self, width: int, styles: Styles) -> tuple[Sequence[Piece], Sequence[Piece]]:
        call, asks = self.entry, self.context.asks(self.entry)
        return call_pieces(call, self.context.cwd, styles, self.now, asks=asks)

    @property
    @override
    def title(self) -> str:
        return call_title(self.entry, self.context.cwd)

    @property
    @override
    def is_below_another(self) -> bool:
        return self.before is not None and not self.before.is_empty


class DiffPreview(Block):
    """The first rows of a diff under the name of its file; computed when it is first seen."""

    __slots__ = ("_block", "_compared", "_rows", "diff", "stable_rows")
    is_action = True

    def __init__(self, diff: Diff, block: ToolCallBlock) -> None:
        self.diff = diff
        self.stable_rows = 0
        self._block = block
        self._rows: tuple[int, Styles, PlacedEdit | None, list[Row]] | None = None
        self._compared: tuple[str | None, str, Difference | None] | None = None
        """The texts compared in a thread, and the difference once it is known."""

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        edit = self._placed()
        if self._rows is None or self._rows[:2] != (width, styles) or self._rows[2] is not edit:
            self._rows = (width, styles, edit, self._painted(width, styles, edit))
            self.stable_rows = 0
        else:
            self.stable_rows = len(self._rows[3])
        return self._rows[3]

    def _placed(self) -> PlacedEdit | None:
        """Return the edit in its place in the file, once it is found."""
        block, edits = self._block, self._block.context.edits
        if edits is None:
            return None
        may_be_done = block.entry.is_final and block.entry.status != "rejected"
        return edits.look(self.diff, may_be_done=may_be_done, then=lambda: block.context.redraw(block))

    def _painted(self, width: int, styles: Styles, edit: PlacedEdit | None) -> list[Row]:
        words = operation_words(self.diff, self._block.context.cwd)
        if self.diff.has_no_text:
            return list(indented(f"{self._name()} {words}".strip(), "muted").rows(width, styles))
        old, new = (edit.old, edit.new) if edit is not None else (self.diff.before, self.diff.new_text)
        first_line = edit.first_line if edit is not None else 1 if old is None else None
        difference = self._difference(old, new)
        if difference is None:
            return list(indented(f"{self._name()} comparing".strip(), "muted").rows(width, styles))
        difference = replace(difference, first_line=first_line)
        remarks = [("strong", exact_line(name))] if (name := self._name()) else []
        remarks += [("muted", safe_line(words))] if words else []
        remarks += [("warning", safe_line(edit.note))] if edit is not None and edit.note else []
        rows = diff_rows(difference, self.diff.path, max(1, width - 2), styles, _DIFF_ROWS, remarks)
        return [[Segment("  "), *row] for row in rows]

    def _difference(self, old: str | None, new: str) -> Difference | None:
        """Return the difference of two texts; None while large ones are compared."""
        if len(old or "") + len(new) <= _AT_ONCE:
            return glance(old, new)
        if self._compared is None or self._compared[0] is not old or self._compared[1] is not new:
            self._compared = (old, new, None)
            task = asyncio.ensure_future(asyncio.to_thread(_compared, old, new, self.diff.path))
            task.add_done_callback(partial(self._was_compared, old, new))
        return self._compared[2]

    def _was_compared(self, old: str | None, new: str, task: asyncio.Future[Difference]) -> None:
        if not task.cancelled() and self._compared == (old, new, None):
            self._compared = (old, new, task.result())
            self._rows = None
            self._block.changed()  # its line shows the counts
            self._block.context.redraw(self._block)

    def _name(self) -> str:
        """Return the name of the file, unless the line of the call ends with it."""
        call, cwd = self._block.entry, self._block.context.cwd
        name = inside(self.diff.path, cwd)
        is_said = len(_diffs_of(call)) == 1 and name in call_title(call, cwd, _LONGEST).split()
        return "" if is_said else name

    @override
    def height_hint(self, width: int) -> int:
        return min(_DIFF_ROWS, self.diff.new_text.count("\n") + 1)

    @override
    def source(self) -> str:
        return self.diff.new_text

    @override
    def forget_rows(self) -> None:
        self._rows = None


def _compared(old: str | None, new: str, path: str) -> Difference:
    """Return the difference of two large texts; also load what its colours need later."""
    language_of_file(path)
    return compute(old, new, monotonic() + _PATIENCE)


def call_pieces(
    call: ToolCall, cwd: str, styles: Styles, now: float | None = None, *, asks: bool = False
) -> tuple[list[Piece], list[Piece]]:
    """Return a tool call's line as (left, right): symbol, kind, title; size of the result, status, duration.

    `asks` is True for a call that waits for the user's permission.
    """
    status = "in_progress" if call.has_left and call.status == "completed" else call.status
    role = "warning" if asks else STATUS_ROLES.get(status, "tool-pending")
    symbol = styles.symbol("asks" if asks else STATUS_SYMBOLS.get(status, "pending"))
    title, about = call_title(call, cwd, _LONGEST), call_words(call, cwd, _LONGEST)
    left: list[Piece] = [
        (role, f"{symbol} "),
        ("strong", f"{kind_word(call.kind):<6} "),
        ("muted" if call.dropped else "text", title),
    ]
    if about and about not in title:
        left.append(("muted", f"  {about}"))  # the command precedes the agent's title
    right = _brought(call, styles)
    if asks:
        right.append((role, "  asks you"))
    elif (call.in_background and not call.is_final) or status != call.status:
        right.append((role, "  in the background"))
    elif call.status in STATUS_WORDS:
        right.append((role, f"  {STATUS_WORDS[call.status]}"))
    if call.exit_signal:
        right.append(("tool-failed", f"  {safe_line(call.exit_signal[:_SIGNAL_NAME])}"))
    elif call.exit_code:
        right.append(("tool-failed", f"  {exit_words(call.exit_code)}"))
    ended = call.ended if call.ended is not None else now
    if ended is not None and not asks and call.status not in ("rejected", "cancelled", "interrupted"):
        right.append(("muted", f"  {seconds(max(0.0, ended - call.started)):>6}"))
    return left, right


def _brought(call: ToolCall, styles: Styles) -> list[Piece]:
    """Return the size of a call's result: changed lines, else lines of text."""
    diffs = _diffs_of(call)
    if len(diffs) > _MOST_DIFFS:
        return [("muted", f" {len(diffs):,} changes")]
    texts = [diff for diff in diffs if not diff.has_no_text]
    found = [counts for diff in texts if (counts := counted(diff.before, diff.new_text))]
    if found:
        added, removed = (sum(counts) for counts in zip(*found, strict=True))
        if not (added or removed):
            return []
        return [("added", f" +{added}"), ("removed", f" {styles.symbol('minus')}{removed}")]
    if diffs or call.kind == "execute" or call.status != "completed":
        return []
    text = result_text(call)
    lines = text.count("\n") + 1
    return [("muted", f"{lines} line{'s' if lines > 1 else ''}")] if text else []


def _diffs_of(call: ToolCall) -> list[Diff]:
    return [item for item in call.content if isinstance(item, Diff)]
