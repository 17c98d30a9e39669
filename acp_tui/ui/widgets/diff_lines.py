"""Which lines two texts have in common, at about linear cost and within a time.

Common ends are cut, lines that are unique on both sides become anchors, and only small gaps between anchors
are compared in full. When the time is over, what is left counts as replaced.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_SMALL_GAP: Final = 200 * 200
_LARGEST_GAP: Final = 32_000_000
"""Pairs of lines in a gap: up to the first all are compared, beyond the second only anchors count."""


class Block(NamedTuple):
    """Lines `old_start:old_stop` against lines `new_start:new_stop`, counted from 0; equal or replaced."""

    equal: bool
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


class _Gap(NamedTuple):
    """A part of both texts that is still to be compared."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def pairs(self) -> int:
        return (self.old_stop - self.old_start) * (self.new_stop - self.new_start)


class _Match(NamedTuple):
    """A run of equal lines."""

    old: int
    new: int
    length: int


def compare(
    old: Sequence[str], new: Sequence[str], deadline: float | None = None
) -> tuple[list[Block], bool]:
    """Return the blocks that cover both texts, and whether the time ran out before all was compared.

    `deadline` is a value of `time.monotonic()`.
    """
    numbers: dict[str, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    matches: list[_Match] = []
    gaps = [_Gap(0, len(before), 0, len(after))]
    while gaps:
        if deadline is not None and time.monotonic() > deadline and matches:
            return _blocks(matches, len(old), len(new)), True
        gap = _cut_ends(before, after, gaps.pop(), matches)
        if gap.pairs:
            gaps.extend(_narrow(before, after, gap, matches))
    return _blocks(matches, len(old), len(new)), False


def _cut_ends(old: list[int], new: list[int], gap: _Gap, matches: list[_Match]) -> _Gap:
    old_start, old_stop, new_start, new_stop = gap
    while old_start < old_stop and new_start < new_stop and old[old_start] == new[new_start]:
        old_start += 1
        new_start += 1
    while old_start < old_stop and new_start < new_stop and old[old_stop - 1] == new[new_stop - 1]:
        old_stop -= 1
        new_stop -= 1
    if old_start > gap.old_start:
        matches.append(_Match(gap.old_start, gap.new_start, old_start - gap.old_start))
    if old_stop < gap.old_stop:
        matches.append(_Match(old_stop, new_stop, gap.old_stop - old_stop))
    return _Gap(old_start, old_stop, new_start, new_stop)


def _narrow(old: list[int], new: list[int], gap: _Gap, matches: list[_Match]) -> Iterator[_Gap]:
    """Find equal lines within a gap and yield the smaller gaps between them."""
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
        matches.append(_Match(old_line, new_line, 1))
        old_start, new_start = old_line + 1, new_line + 1
    yield _Gap(old_start, gap.old_stop, new_start, gap.new_stop)


def _all_pairs(old: list[int], new: list[int], gap: _Gap) -> Iterator[_Match]:
    from rapidfuzz.distance import Indel

    codes = Indel.opcodes(old[gap.old_start : gap.old_stop], new[gap.new_start : gap.new_stop])
    for code in codes:
        if code.tag == "equal":
            length = code.src_end - code.src_start
            yield _Match(gap.old_start + code.src_start, gap.new_start + code.dest_start, length)


def _anchors(old: list[int], new: list[int], gap: _Gap) -> list[tuple[int, int]]:
    """Return the lines unique to both sides of a gap, the longest series of them that is in order."""
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
    """Return the longest subsequence of pairs whose second numbers rise, too (patience sorting)."""
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


def _blocks(matches: list[_Match], old_length: int, new_length: int) -> list[Block]:
    """Return matches joined where they touch, with replaced blocks between them."""
    blocks: list[Block] = []
    old_at = new_at = 0
    for old, new, length in [*sorted(matches), _Match(old_length, new_length, 0)]:
        if old > old_at or new > new_at:
            blocks.append(Block(False, old_at, old, new_at, new))
        if length:
            if blocks and blocks[-1].equal:
                last = blocks.pop()
                blocks.append(Block(True, last.old_start, old + length, last.new_start, new + length))
            else:
                blocks.append(Block(True, old, old + length, new, new + length))
        old_at, new_at = old + length, new + length
    return blocks
