"""Snippet edits: edits of a part of a file, located in its text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

CONTEXT: Final = 3
"""Lines of the file shown around an edit."""
_NOT_FOUND: Final = "its old text is not in the file"
_MOST: Final = 100
"""Number of places after which counting stops."""


class PlacedEdit(NamedTuple):
    """An edit as shown: whole lines, with lines of the file around them."""

    old: str
    new: str
    first_line: int | None
    """Number of the first line in the file, from 1; None if the place is unknown."""
    note: str = ""
    """The reason why it is unknown, for the user."""

    @property
    def is_placed(self) -> bool:
        """True if the place is known."""
        return self.first_line is not None


def placed(old: str, new: str, now: str, *, may_be_done: bool = False) -> PlacedEdit:
    """Return an edit with the lines around it in the current text of its file.

    `may_be_done`: the edit may already be made, so that the file contains the new part.
    """
    if "\r\n" in now and "\r\n" not in old + new:  # agents see files with plain line ends
        now = now.replace("\r\n", "\n")
    if old == now or (may_be_done and new == now):
        return PlacedEdit(old, new, 1)
    count = _count(now, old)
    if may_be_done and new and not (count == 1 and new in old):
        count_of_new = _count(now, new)
        if count_of_new == 1:
            return _around(old, new, now, now.find(new), len(new))
        count = count or count_of_new
    if count == 1 and now.find(old) >= 0:
        return _around(old, new, now, now.find(old), len(old))
    if count:
        times = f"{count} times" if count < _MOST else f"at least {_MOST} times"
        return PlacedEdit(old, new, None, f"found {times} in the file")
    return PlacedEdit(old, new, None, "not found in the file")


def whole_text(edits: Iterable[tuple[str | None, str]], now: str | None) -> tuple[str, str]:
    """Return (the text of a file after edits, the reason why it is unknown).

    Args:
        edits: (old part, new part) pairs; an old part of None means the whole file.
        now: the current text; None for no file.
    """
    text = now or ""
    ends = "\r\n" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else ""
    edits = list(edits)
    if ends and any(ends in f"{old}{new}" for old, new in edits):
        ends = ""
    text = text.replace(ends, "\n") if ends else text
    for old, new in edits:
        if old is None or old == text:
            text = new
            continue
        count = _count(text, old)
        if count != 1:
            times = f"{count if count < _MOST else f'at least {_MOST}'} times"
            return "", f"its old text is found {times} in the file" if count else _NOT_FOUND
        text = text.replace(old, new)
    return (text.replace("\n", ends) if ends else text), ""


def _count(text: str, part: str) -> int:
    """Return how often a text contains a part, overlaps included; at most `_MOST`."""
    found, at = 0, text.find(part)
    while at >= 0 and found < _MOST:
        found += 1
        at = text.find(part, at + 1)
    return found


def _around(old: str, new: str, now: str, at: int, length: int) -> PlacedEdit:
    """Return an edit, whose old or new part is at `at`, extended to whole lines and context."""
    start = now.rfind("\n", 0, at) + 1
    for _ in range(CONTEXT):
        if not start:
            break
        start = now.rfind("\n", 0, start - 1) + 1
    stop = at + length
    if now[stop - 1 : stop] != "\n":
        stop = _line_end(now, stop)
    for _ in range(CONTEXT):
        stop = _line_end(now, stop)
    above, below = now[start:at], now[at + length : stop]
    return PlacedEdit(f"{above}{old}{below}", f"{above}{new}{below}", now.count("\n", 0, start) + 1)


def _line_end(text: str, start: int) -> int:
    """Return the offset after the end of a line."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1
