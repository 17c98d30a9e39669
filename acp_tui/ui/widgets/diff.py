"""The difference of two texts: its lines, its size, and what no line shows; without a screen."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from acp_tui.ui.widgets.diff_lines import Block, compare

LineKind = Literal["equal", "removed", "added"]
Status = Literal["new", "deleted", "changed", "unchanged", "binary"]

CONTEXT: Final = 3
"""Unchanged lines shown around a change."""
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class Line(NamedTuple):
    """One line of a hunk with its numbers from 1; a side that lacks the line has None."""

    kind: LineKind
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, eq=False)
class Difference:
    """What changed between two texts: blocks over their lines, and facts that no line shows."""

    old: Sequence[str]
    """Lines without their ends; `\\r` stays where the line ends of a side are mixed."""
    new: Sequence[str]
    blocks: Sequence[Block]
    """Equal and replaced blocks in turn, together covering both sides."""
    added: int
    removed: int
    status: Status
    line_ends: tuple[str, str] | None = None
    """Old and new line ends ("LF", "CRLF", "mixed") where they differ."""
    carriage: tuple[str, str] = ("", "")
    """What is cut off the end of each line of a side: `\r` where all of them have it."""
    final_newline: tuple[bool, bool] = (True, True)
    """Whether the old and the new text end with a newline; an empty text counts as if it did."""
    byte_order_mark: tuple[bool, bool] = (False, False)
    coarse: bool = False
    """Whether time ran out: replaced blocks may hold lines that are equal."""
    first_line: int | None = 1
    """Number of the first line of both texts; None for a snippet whose place is not known."""

    def facts(self) -> list[str]:
        """Return in words what the lines do not show, for rows above them."""
        found = list(_status_facts(self))
        if self.line_ends:
            found.append(f"line ends changed: {self.line_ends[0]} → {self.line_ends[1]}")
        if self.final_newline == (True, False):
            found.append("no newline at end" if self.status == "new" else "no newline at end any more")
        elif self.final_newline == (False, True):
            found.append("newline at end added")
        if self.byte_order_mark[0] != self.byte_order_mark[1]:
            found.append(f"byte order mark {'added' if self.byte_order_mark[1] else 'removed'}")
        if self.coarse:
            found.append("compared roughly: the texts are very large or very different")
        return found

    def hunks(self, context: int = CONTEXT) -> list[list[Line]]:
        """Return the changed lines with `context` unchanged ones around them, neighbours joined."""
        hunks: list[list[Line]] = []
        for index, block in enumerate(self.blocks):
            if not block.equal:
                if not hunks:
                    hunks.append([])
                hunks[-1].extend(self.lines_of(block))
                continue
            lines = list(self.lines_of(block))
            first, last = index == 0, index == len(self.blocks) - 1
            if not first and not last and len(lines) <= 2 * context:
                hunks[-1].extend(lines)
                continue
            if not first and context:
                hunks[-1].extend(lines[:context])
            if not last:
                hunks.append(lines[-context:] if context else [])
        return hunks

    def lines_of(self, block: Block) -> Iterator[Line]:
        """Yield the lines of a block, for a replaced one first the removed and then the added."""
        shift = 1 if self.first_line is None else self.first_line
        if block.equal:
            for old, new in zip(
                range(block.old_start, block.old_stop), range(block.new_start, block.new_stop), strict=True
            ):
                yield Line("equal", old + shift, new + shift, self.new[new])
            return
        for old in range(block.old_start, block.old_stop):
            yield Line("removed", old + shift, None, self.old[old])
        for new in range(block.new_start, block.new_stop):
            yield Line("added", None, new + shift, self.new[new])


def compute(
    old: str | None, new: str | None, deadline: float | None = None, *, first_line: int | None = 1
) -> Difference:
    """Return the difference of two texts; None as `old` is a new file, None as `new` a deleted one.

    `deadline` is a value of `time.monotonic()`, after which what is left is taken as replaced.
    """
    before, after = old or "", new or ""
    if _looks_binary(before) or _looks_binary(after):
        status: Status = "unchanged" if old == new else "binary"
        return Difference((), (), (), 0, 0, status, first_line=first_line)
    ends = (_line_end(before), _line_end(after))
    keep_ends = "mixed" in ends
    old_lines, new_lines = _lines(before, keep_ends), _lines(after, keep_ends)
    blocks, coarse = compare(old_lines, new_lines, deadline)
    changed = [block for block in blocks if not block.equal]
    difference = Difference(
        old_lines,
        new_lines,
        blocks,
        added=sum(block.new_stop - block.new_start for block in changed),
        removed=sum(block.old_stop - block.old_start for block in changed),
        status=_status(old, new),
        line_ends=(ends[0], ends[1]) if ends[0] != ends[1] and all(ends) else None,
        carriage=("", "") if keep_ends else (_carriage(ends[0]), _carriage(ends[1])),
        final_newline=(not before or before.endswith("\n"), not after or after.endswith("\n")),
        byte_order_mark=(before.startswith("\ufeff"), after.startswith("\ufeff")),
        coarse=coarse,
        first_line=first_line,
    )
    if not coarse:
        _remember_counts(_key(old, new), difference)
    return difference


def counts(old: str | None, new: str | None) -> tuple[int, int]:
    """Return how many lines are added and removed, kept per pair of texts; for titles and badges.

    At most about 30 ms: where that is not enough the numbers are those of the rough comparison.
    """
    key = _key(old, new)
    if key not in _COUNTS:
        _remember_counts(key, compute(old, new, time.monotonic() + 0.03))
    return _COUNTS[key]


_COUNTS: Final[dict[int, tuple[int, int]]] = {}
_COUNTS_KEPT: Final = 2_000


def _key(old: str | None, new: str | None) -> int:
    """Return what stands for two texts without keeping them."""
    return hash((old, new))


def _remember_counts(key: int, difference: Difference) -> None:
    if len(_COUNTS) >= _COUNTS_KEPT:
        _COUNTS.pop(next(iter(_COUNTS)), None)
    _COUNTS[key] = (difference.added, difference.removed)


def _status(old: str | None, new: str | None) -> Status:
    if old == new:
        return "unchanged"
    if old is None:
        return "new"
    return "deleted" if new is None else "changed"


def _status_facts(difference: Difference) -> Iterator[str]:
    if difference.status == "new":
        yield "new file" if difference.new else "new file, empty"
    elif difference.status == "deleted":
        yield "file deleted"
    elif difference.status == "binary":
        yield "binary content, not shown"
    elif difference.status == "unchanged":
        yield "same text"
    elif difference.old and not difference.new:
        yield "file emptied"


def _looks_binary(text: str) -> bool:
    """Return whether a text is data rather than lines: a NUL or a third of other controls near its start."""
    start = text[:8_000]
    return "\0" in start or len(_CONTROL.findall(start)) * 3 > len(start)


def _line_end(text: str) -> str:
    """Return "LF", "CRLF" or "mixed"; empty for a text without any line end."""
    feeds = text.count("\n")
    if not feeds:
        return ""
    pairs = text.count("\r\n")
    if pairs == 0:
        return "LF"
    return "CRLF" if pairs == feeds else "mixed"


def _carriage(line_end: str) -> str:
    return "\r" if line_end == "CRLF" else ""


def _lines(text: str, keep_ends: bool) -> list[str]:
    text = text.removeprefix("\ufeff")
    if not text:
        return []
    lines = (text if keep_ends else text.replace("\r\n", "\n")).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
