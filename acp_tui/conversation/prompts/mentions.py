"""Mentions of files in a prompt: `@path`, `@path:10-20`, `@"a path with blanks"`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

Lines = tuple[int, int]
"""The first and the last line, the first of a file being 1."""

_BEGIN: Final = r"(?<![^\s(\[{])@"
_MENTION: Final = re.compile(_BEGIN + r'(?:"(?P<quoted>[^"\n]+)"(?P<range>:\d+(?:-\d+)?)?|(?P<bare>[^\s"]+))')
_TYPED: Final = re.compile(_BEGIN + r'(?P<quote>"?)(?P<needle>(?<=")[^"\n]*|(?<!")[^\s"]*)$')
_RANGE: Final = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")
_RANGE_TYPED: Final = re.compile(r".+:\d*(-\d*)?")
_AFTER_A_WORD: Final = ".,;:!?)]}'"
_PLAIN: Final = re.compile(r"[^\s\"]+")


@dataclass(frozen=True)
class Reading:
    """One way to read a mention."""

    path: str
    lines: Lines | None = None


@dataclass(frozen=True)
class Typed:
    """A mention that is being typed at the end of a text."""

    start: int
    """Where its `@` stands."""
    needle: str


def mentions(text: str) -> list[list[Reading]]:
    """Return the mentions of a text, each as the ways to read it, the likeliest first.

    A sentence may go on behind a mention (`see @a.py, please`), and a colon may be part of a name.
    """
    found = []
    for match in _MENTION.finditer(text):
        if match["bare"] is not None:
            found.append(list(_readings(match["bare"])))
        else:
            found.append(list(_ranged(f"{match['quoted']}{match['range'] or ''}", match["range"] is None)))
    return found


def typed(before: str) -> Typed | None:
    """Return the mention that ends where the cursor is, `before` being the text up to there.

    None where there is none, and where its line numbers are being typed.
    """
    match = _TYPED.search(before)
    if match is None or _RANGE_TYPED.fullmatch(match["needle"]):
        return None
    return Typed(match.start(), match["needle"])


def written(path: str) -> str:
    """Return how a path is mentioned; a folder, which ends with `/`, can be gone on with."""
    if _PLAIN.fullmatch(path):
        return f"@{path}"
    return f'@"{path}' if path.endswith("/") else f'@"{path}"'


def _readings(word: str) -> Iterator[Reading]:
    while word:
        yield from _ranged(word, True)
        if word[-1] not in _AFTER_A_WORD:
            return
        word = word[:-1]


def _ranged(word: str, may_be_whole: bool) -> Iterator[Reading]:
    if may_be_whole:
        yield Reading(word)
    match = _RANGE.fullmatch(word)
    if match is not None:
        first = max(1, int(match["first"]))
        yield Reading(match["path"], (first, max(first, int(match["last"] or first))))
