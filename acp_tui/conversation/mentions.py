"""Mentions: the words of a prompt that name files, written or being typed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex

Lines = tuple[int, int]
"""The first and the last line, counted from 1."""

_BEGIN: Final = r"(?<![^\s(\[{])@"


_MENTION: Final = regex(_BEGIN + r'(?:"(?P<quoted>[^"\n]+)"(?P<range>:\d+(?:-\d+)?)?|(?P<bare>[^\s"]+))')


_TYPED: Final = regex(_BEGIN + r'(?P<quote>"?)(?P<needle>(?<=")[^"\n]*|(?<!")[^\s"]*)$')


_RANGE: Final = regex(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")


_RANGE_TYPED: Final = regex(r".+:\d*(-\d*)?")


_AFTER_A_WORD: Final = ".,;:!?)]}'"


_PLAIN: Final = regex(r"[^\s\"]+")


@dataclass(frozen=True)
class MentionReading:
    """A reading of a mention."""

    path: str
    lines: Lines | None = None


@dataclass(frozen=True)
class TypedMention:
    """A mention that is being typed at the end of a text."""

    start: int
    """The position of its `@`."""
    needle: str


def mentions(text: str) -> list[list[MentionReading]]:
    """Return the mentions of a text, each as a list of readings, the likeliest first.

    A sentence may continue after a mention (`see @a.py, please`), and a colon may be part of a name.
    """
    found = []
    for match in _MENTION.finditer(text):
        if match["bare"] is not None:
            found.append(list(_readings(match["bare"])))
        else:
            found.append(list(_ranged(f"{match['quoted']}{match['range'] or ''}", match["range"] is None)))
    return found


def names_outside(text: str, folder: str) -> bool:
    """Return whether a text mentions an absolute path outside a folder: only the user may attach such a file.

    Links are not followed, so a path that leads into the folder by a link counts as outside.
    """
    named = (expand_home(one[0].path) for one in mentions(text))
    return any(path[:1] == "/" and not Path(os.path.normpath(path)).is_relative_to(folder) for path in named)


def typed_mention(before: str) -> TypedMention | None:
    """Return the mention at the end of a text; None without one, or while its line numbers are typed."""
    match = _TYPED.search(before) if "@" in before else None
    if match is None or _RANGE_TYPED.fullmatch(match["needle"]):
        return None
    return TypedMention(match.start(), match["needle"])


def mention_of(path: str) -> str:
    """Return the mention of a path; one of a folder, which ends with `/`, has no closing quote.

    A path with a quote has none: it could be read as another file. It is returned as plain text.
    """
    if '"' in path:
        return path.replace("@", r"\@")
    if _PLAIN.fullmatch(path):
        return f"@{path}"
    return f'@"{path}' if path.endswith("/") else f'@"{path}"'


def _readings(word: str) -> Iterator[MentionReading]:
    while word:
        yield from _ranged(word, True)
        if word[-1] not in _AFTER_A_WORD:
            return
        word = word[:-1]


def _ranged(word: str, may_be_whole: bool) -> Iterator[MentionReading]:
    if may_be_whole:
        yield MentionReading(word)
    match = _RANGE.fullmatch(word)
    if match is not None:
        first = max(1, int(match["first"]))
        yield MentionReading(match["path"], (first, max(first, int(match["last"] or first))))
