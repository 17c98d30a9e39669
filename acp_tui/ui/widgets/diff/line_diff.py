"""Line diff of two texts: blocks, hunks, counts, changed words, and unified patches."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import rapidfuzz.distance

from acp_tui.lazy_regex import regex
from acp_tui.workspace.encodings import is_data

_SMALL_GAP: Final = 200 * 200
_LARGEST_GAP: Final = 32_000_000
"""Pairs of lines in a gap: up to the first number all are compared, beyond the second only anchors."""


class DiffBlock(NamedTuple):
    """Old lines `old_start:old_stop`, equal to or replaced by new lines `new_start:new_stop`."""

    equal: bool
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


class _Gap(NamedTuple):
    """A part of both texts that is not compared yet."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def pairs(self) -> int:
        return (self.old_stop - self.old_start) * (self.new_stop - self.new_start)


class _EqualRun(NamedTuple):
    """A run of equal lines."""

    old: int
    new: int
    length: int


# Patience diff with exact comparison of small gaps: equal ends of a gap are cut off, a gap of up to 200 ×
# 200 lines is compared exactly (rapidfuzz, C++), a larger one is split at the lines that occur once on both
# sides, in their longest common order. 50,000 lines take 84 ms; difflib needs 19 s.
def compare(
    old: Sequence[str], new: Sequence[str], deadline: float | None = None
) -> tuple[list[DiffBlock], bool]:
    """Return the blocks that cover both texts, and True if the time ran out first.

    `deadline` is a value of `time.monotonic()`.
    """
    numbers: dict[str, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    matches: list[_EqualRun] = []
    gaps = [_Gap(0, len(before), 0, len(after))]
    while gaps:
        if deadline is not None and time.monotonic() > deadline and matches:
            return _blocks(matches, len(old), len(new)), True
        gap = _cut_ends(before, after, gaps.pop(), matches)
        if gap.pairs:
            gaps.extend(_narrow(before, after, gap, matches))
    return _blocks(matches, len(old), len(new)), False


def _cut_ends(old: list[int], new: list[int], gap: _Gap, matches: list[_EqualRun]) -> _Gap:
    old_start, old_stop, new_start, new_stop = gap
    while old_start < old_stop and new_start < new_stop and old[old_start] == new[new_start]:
        old_start += 1
        new_start += 1
    while old_start < old_stop and new_start < new_stop and old[old_stop - 1] == new[new_stop - 1]:
        old_stop -= 1
        new_stop -= 1
    if old_start > gap.old_start:
        matches.append(_EqualRun(gap.old_start, gap.new_start, old_start - gap.old_start))
    if old_stop < gap.old_stop:
        matches.append(_EqualRun(old_stop, new_stop, gap.old_stop - old_stop))
    return _Gap(old_start, old_stop, new_start, new_stop)


def _narrow(old: list[int], new: list[int], gap: _Gap, matches: list[_EqualRun]) -> Iterator[_Gap]:
    """Find equal lines in a gap and yield the smaller gaps between them."""
    if gap.pairs <= _SMALL_GAP:
        matches.extend(_all_pairs(old, new, gap))
        return
    anchors = _anchors(old, new, gap)
    if not anchors:
        if gap.pairs <= _LARGEST_GAP:
            matches.extend(_all_pairs(old, new, gap))
        return
    old_start, new_start = gap.old_start, gap.new_start
    for old_line, new_line in anchors:
        if old_line > old_start or new_line > new_start:
            yield _Gap(old_start, old_line, new_start, new_line)
        matches.append(_EqualRun(old_line, new_line, 1))
        old_start, new_start = old_line + 1, new_line + 1
    yield _Gap(old_start, gap.old_stop, new_start, gap.new_stop)


def _all_pairs(old: list[int], new: list[int], gap: _Gap) -> Iterator[_EqualRun]:
    codes = rapidfuzz.distance.Indel.opcodes(
        old[gap.old_start : gap.old_stop], new[gap.new_start : gap.new_stop]
    )
    for code in codes:
        if code.tag == "equal":
            length = code.src_end - code.src_start
            yield _EqualRun(gap.old_start + code.src_start, gap.new_start + code.dest_start, length)


def _anchors(old: list[int], new: list[int], gap: _Gap) -> list[tuple[int, int]]:
    """Return the longest ordered series of lines that are unique on both sides of a gap."""
    in_old = Counter(old[gap.old_start : gap.old_stop])
    in_new = Counter(new[gap.new_start : gap.new_stop])
    place = {new[at]: at for at in range(gap.new_start, gap.new_stop) if in_new[new[at]] == 1}
    pairs = [
        (at, place[old[at]])
        for at in range(gap.old_start, gap.old_stop)
        if in_old[old[at]] == 1 and old[at] in place
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs whose second numbers rise as well (patience sorting)."""
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(value)
            top_pairs.append(index)
        else:
            tops[pile] = value
            top_pairs[pile] = index
    rising: list[tuple[int, int]] = []
    at = top_pairs[-1] if top_pairs else -1
    while at >= 0:
        rising.append(pairs[at])
        at = before[at]
    return rising[::-1]


def _blocks(matches: list[_EqualRun], old_length: int, new_length: int) -> list[DiffBlock]:
    """Join adjacent matches and put replaced blocks between them."""
    blocks: list[DiffBlock] = []
    old_at = new_at = 0
    for old, new, length in [*sorted(matches), _EqualRun(old_length, new_length, 0)]:
        if old > old_at or new > new_at:
            blocks.append(DiffBlock(False, old_at, old, new_at, new))
        if length:
            if blocks and blocks[-1].equal:
                last = blocks.pop()
                blocks.append(DiffBlock(True, last.old_start, old + length, last.new_start, new + length))
            else:
                blocks.append(DiffBlock(True, old, old + length, new, new + length))
        old_at, new_at = old + length, new + length
    return blocks


LineKind = Literal["equal", "removed", "added"]
DiffStatus = Literal["new", "deleted", "changed", "unchanged", "binary"]

CONTEXT: Final = 3
"""Unchanged lines shown around a change."""


class DiffLine(NamedTuple):
    """A line of a hunk with its numbers from 1, None on a side without it."""

    kind: LineKind
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of two texts: blocks over their lines, and changes that no line shows."""

    old: Sequence[str]
    """Lines without their ends; `\\r` is kept if the line ends of a side are mixed."""
    new: Sequence[str]
    blocks: Sequence[DiffBlock]
    """Equal and replaced blocks that cover both sides."""
    added: int
    removed: int
    status: DiffStatus
    line_ends: tuple[str, str] | None = None
    """Old and new line ends ("LF", "CRLF", "mixed") if they differ."""
    carriage: tuple[str, str] = ("", "")
    """Text removed from the end of each line of a side: `\r` if all lines have it."""
    final_newline: tuple[bool, bool] = (True, True)
    """True for a text that is empty or ends with a newline, as (old, new)."""
    byte_order_mark: tuple[bool, bool] = (False, False)
    coarse: bool = False
    """True if time ran out: replaced blocks may contain equal lines."""
    first_line: int | None = 1
    """Number of the first line of both texts; None for a snippet at an unknown place."""
    data: str = ""
    """Note about new content that is binary."""

    def facts(self) -> list[str]:
        """Return sentences about changes that no line shows."""
        found = list(_status_facts(self))
        if self.line_ends:
            found.append(f"line ends changed: {self.line_ends[0]} → {self.line_ends[1]}")
        if self.final_newline == (True, False):
            found.append("no newline at end" if self.status == "new" else "newline at end removed")
        elif self.final_newline == (False, True) and self.new:
            found.append("newline at end added")
        if self.byte_order_mark[0] != self.byte_order_mark[1]:
            found.append(f"byte order mark {'added' if self.byte_order_mark[1] else 'removed'}")
        if self.coarse:
            found.append("compared roughly: the texts are very large or very different")
        return found

    def hunks(self, context: int = CONTEXT) -> list[list[DiffLine]]:
        """Return the changed lines with `context` unchanged ones around them; close hunks are joined."""
        hunks: list[list[DiffLine]] = []
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

    def lines_of(self, block: DiffBlock) -> Iterator[DiffLine]:
        """Yield the lines of a block; of a replaced one, the removed lines come first."""
        shift = 1 if self.first_line is None else self.first_line
        if block.equal:
            for old, new in zip(
                range(block.old_start, block.old_stop), range(block.new_start, block.new_stop), strict=True
            ):
                yield DiffLine("equal", old + shift, new + shift, self.new[new])
            return
        for old in range(block.old_start, block.old_stop):
            yield DiffLine("removed", old + shift, None, self.old[old])
        for new in range(block.new_start, block.new_stop):
            yield DiffLine("added", None, new + shift, self.new[new])


def compute(
    old: str | None, new: str | None, deadline: float | None = None, *, first_line: int | None = 1
) -> Difference:
    """Return the difference of two texts; `old` is None for a new file, `new` for a deleted one.

    After `deadline` (a value of `time.monotonic()`) the rest counts as replaced.
    """
    before, after = old or "", new or ""
    if is_data(before) or is_data(after):
        status: DiffStatus = "unchanged" if old == new else "binary"
        return Difference((), (), (), 0, 0, status, first_line=first_line, data=_data_words(after))
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
    """Return the numbers of added and removed lines, cached by the pair of texts.

    Takes at most about 30 ms, and then counts the rough comparison.
    """
    key = _key(old, new)
    if key not in _COUNTS:
        _COMPARED.clear()
        _COMPARED[key] = difference = compute(old, new, time.monotonic() + 0.03)
        _remember_counts(key, difference)
    return _COUNTS[key]


def known_counts(old: str | None, new: str | None) -> tuple[int, int] | None:
    """Return the numbers of added and removed lines if the texts were compared before; else None."""
    return _COUNTS.get(_key(old, new))


def glance(old: str | None, new: str | None, *, first_line: int | None = 1) -> Difference:
    """Return the difference of two texts, reusing the comparison of an immediately preceding `counts`."""
    difference = _COMPARED.pop(_key(old, new), None)
    if difference is None:
        return compute(old, new, time.monotonic() + 0.03, first_line=first_line)
    return replace(difference, first_line=first_line)


_COMPARED: Final[dict[int, Difference]] = {}
"""The last counted difference, until it is used."""


_COUNTS: Final[dict[int, tuple[int, int]]] = {}
_COUNTS_KEPT: Final = 2_000


def _key(old: str | None, new: str | None) -> int:
    """Return a key for two texts that does not keep them alive."""
    return hash((old, new))


def _remember_counts(key: int, difference: Difference) -> None:
    if len(_COUNTS) >= _COUNTS_KEPT:
        _COUNTS.pop(next(iter(_COUNTS)), None)
    _COUNTS[key] = (difference.added, difference.removed)


def _status(old: str | None, new: str | None) -> DiffStatus:
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
        yield f"binary content, not shown{difference.data}"
    elif difference.status == "unchanged":
        yield "same text"
    elif difference.old and not difference.new:
        yield "file emptied"


def _data_words(new: str) -> str:
    """Return the size and the first bytes of data; "" for a placeholder."""
    if len(new) < _LEAST_DATA:
        return ""
    data = new.encode("utf-8", "replace")
    return f": {len(data):,} bytes that begin with {data[:_FIRST_BYTES].hex(' ')}"


def _line_end(text: str) -> str:
    """Return "LF", "CRLF", "mixed", or "" for a text without line ends."""
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


CharSpan: TypeAlias = tuple[int, int]
"""Start and end of a run of characters in a line."""

_TOKEN: Final = regex(r"\w+|\s+|.", re.DOTALL)
_LONGEST: Final = 2_000
"""Most characters of a line in which changed words are searched."""
_LEAST_ALIKE: Final = 0.35
"""Minimum equal share of a pair of lines for marking changed words: below it nearly all would be marked."""


@lru_cache(maxsize=2_000)
def changed_words(old: str, new: str) -> tuple[tuple[CharSpan, ...], tuple[CharSpan, ...]]:
    """Return the changed characters of a removed and an added line; none if nearly all changed."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    codes = [code for code in rapidfuzz.distance.Indel.opcodes(before, after) if code.tag != "equal"]
    removed = _spans(before, [(code.src_start, code.src_end) for code in codes])
    added = _spans(after, [(code.dest_start, code.dest_end) for code in codes])
    equal = len(old) - sum(stop - start for start, stop in removed)
    if equal < _LEAST_ALIKE * max(len(old), len(new)):
        return (), ()
    return removed, added


def _spans(tokens: list[str], runs: list[CharSpan]) -> tuple[CharSpan, ...]:
    """Return runs of tokens as runs of characters, joined across spaces."""
    places = [0]
    for token in tokens:
        places.append(places[-1] + len(token))
    text = "".join(tokens)
    spans: list[CharSpan] = []
    for start, stop in runs:
        if start == stop:
            continue
        if spans and not text[spans[-1][1] : places[start]].strip():
            spans[-1] = (spans[-1][0], places[stop])
        else:
            spans.append((places[start], places[stop]))
    return tuple(spans)


_LEAST_DATA: Final = 3
"""Minimum characters of content shown as data; shorter content is a placeholder."""
_FIRST_BYTES: Final = 8
_MARKS: Final = {"equal": " ", "removed": "-", "added": "+"}


def patch_of(difference: Difference, path: str, old: tuple[int, int] | None = None) -> str:
    """Return the difference of one file as a unified patch; empty for binary content.

    Args:
        difference: of whole texts.
        path: relative to the workspace for a file inside it.
        old: only the hunks that touch these lines of the old text (from 0, the last not included).
    """
    if difference.status in ("binary", "unchanged"):
        return ""
    name = path.lstrip("/")
    before = "/dev/null" if difference.status == "new" else f"a/{name}"
    after = "/dev/null" if difference.status == "deleted" else f"b/{name}"
    lines = [f"diff --git a/{name} b/{name}"]
    lines += {"new": ["new file mode 100644"], "deleted": ["deleted file mode 100644"]}.get(
        difference.status, []
    )
    hunks = [hunk for hunk in _hunks(difference) if old is None or _touches(hunk, *old)]
    if hunks:
        lines += [f"--- {before}", f"+++ {after}"]
    for hunk in hunks:
        lines += _hunk(difference, hunk)
    return "\n".join(lines) + "\n"


def _touches(hunk: Sequence[DiffLine], start: int, stop: int) -> bool:
    """Return True if a hunk has old lines from `start` to `stop`, or next to an empty range."""
    numbers = [line.old - 1 for line in hunk if line.old is not None]
    return not numbers or (numbers[0] <= stop and start <= numbers[-1] + 1)


def _hunk(difference: Difference, hunk: Sequence[DiffLine]) -> Iterator[str]:
    olds = [line.old for line in hunk if line.old is not None]
    news = [line.new for line in hunk if line.new is not None]
    yield f"@@ -{_range(olds, hunk, old=True)} +{_range(news, hunk, old=False)} @@"
    for line in hunk:
        side = 0 if line.kind == "removed" else 1
        number = line.old if side == 0 else line.new
        mark = "\ufeff" if number == 1 and difference.byte_order_mark[side] else ""
        is_last = number == len(difference.new if side else difference.old)
        end = "" if is_last and not difference.final_newline[side] else difference.carriage[side]
        yield f"{_MARKS[line.kind]}{mark}{line.text}{end}"
        if is_last and not difference.final_newline[side]:
            yield "\\ No newline at end of file"


def _hunks(difference: Difference) -> list[list[DiffLine]]:
    """Return the hunks; one hunk of all lines if line ends or the byte order mark changed."""
    ends_differ = any(
        old != new for old, new in (difference.carriage, difference.byte_order_mark) if difference.old
    )
    newline_differs = difference.final_newline[0] != difference.final_newline[1]
    if not ends_differ and not newline_differs:
        return difference.hunks()
    removed = [DiffLine("removed", number, None, text) for number, text in enumerate(difference.old, 1)]
    added = [DiffLine("added", None, number, text) for number, text in enumerate(difference.new, 1)]
    return [[*removed, *added]]


def _range(numbers: Sequence[int], hunk: Sequence[DiffLine], *, old: bool) -> str:
    if numbers:
        return f"{numbers[0]},{len(numbers)}"
    others = [line.new if old else line.old for line in hunk]
    first = next((number for number in others if number is not None), 1)
    return f"{first - 1},0"
