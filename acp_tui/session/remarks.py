"""Remarks of a reviewing agent on lines, in the form `path:line: remark`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from acp_tui.formatting import inside
from acp_tui.lazy_regex import regex

_LEAD: Final = r"^[ \t]*(?:(?:[-*+•]|\d+[.)]|#+)[ \t]+)?(?:\[[ xX]?\][ \t]+)?"
"""The bullet, number or heading before a remark."""
_PLACE: Final = (
    r"(?P<quote>[`*_\[(]*)(?P<path>[^\s:`*\[\]()|<>]+):[Ll]?(?P<first>\d{1,7})"
    r"(?:(?:[-–—]|\.\.)[Ll]?(?P<last>\d{1,7})|:\d{1,7})?(?P<end>[`*_\])]*)"
)
_REMARK: Final = regex(_LEAD + _PLACE + r"[ \t]*(?:[:–—-]+[ \t]*|[ \t]+)(?P<text>\S.*)$")
_BARE: Final = regex(_LEAD + _PLACE + r"[ \t]*:?[ \t]*$")
"""A place whose remark follows on the next lines."""
_FENCE: Final = regex(r"^[ \t]*(```|~~~)")
_NAMES: Final = regex(r"[A-Za-z]")
_MOST: Final = 200
"""Maximum remarks of one answer."""


class Remark(NamedTuple):
    """A remark on lines of a file."""

    path: str
    """The path as written, relative to the workspace if it is in it."""
    first: int
    """The first line, from 1."""
    last: int
    text: str


def remarks_in(answer: str, cwd: str) -> list[Remark]:
    """Return the remarks of an answer in order, each once."""
    found: dict[Remark, None] = {}
    for remark in _remarks(answer, cwd):
        if len(found) < _MOST:
            found.setdefault(remark)
    return list(found)


def _remarks(answer: str, cwd: str) -> Iterator[Remark]:
    place: re.Match[str] | None = None
    words: list[str] = []
    is_code = False
    for line in [*answer.split("\n"), ""]:
        if _FENCE.match(line):
            is_code = not is_code
        begun = None if is_code else _REMARK.match(line) or _BARE.match(line)
        if begun is not None and not _NAMES.search(begun["path"]):
            begun = None  # a time such as 12:30
        is_over = begun is not None or not line.strip() or line.lstrip()[:1] == "#"
        if place is not None and is_over and words:
            yield _remark(place, words, cwd)
            place, words = None, []
        if begun is not None:
            place, words = begun, [begun["text"]] if "text" in begun.re.groupindex else []
        elif place is not None and line.strip() and not is_code and not _FENCE.match(line):
            words.append(line.strip())


def _remark(place: re.Match[str], words: list[str], cwd: str) -> Remark:
    first = max(1, int(place["first"]))
    last = max(first, int(place["last"] or first))
    path = place["path"].removeprefix("./")
    return Remark(inside(path, cwd), first, last, " ".join(words).strip("*_ "))
