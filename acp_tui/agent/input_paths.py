"""Which files the input of a tool names, by the names of its fields: every agent has its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

_OF_COMMANDS: Final = frozenset({"path", "file_path", "abs_path", "absolute_path", "filename", "file"})
"""Names that count also in the input of a command, whose folder (`cwd`) is not what it works on."""
_PATH: Final = re.compile(
    r"(?:.*_)?(?:paths?|files?|filenames?|dirs?|director(?:y|ies)|folders?|uris?)"
    r"|source|src|destination|dest|target"
)
_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST: Final = 4096  # characters of a path
_DEEPEST: Final = 4
_MOST: Final = 1_000


def named_in(raw_input: Any, *, narrow: bool = False) -> list[str]:
    """Return the paths that an input names, as written, each once.

    This finds too much rather than too little: what is found can forbid, and make a question of what would
    have been allowed.

    Args:
        raw_input: what the agent gives its tool, of any shape.
        narrow: it is the input of a command: only fields that name a file, and none inside others.
    """
    if not isinstance(raw_input, dict):
        return []
    found = _narrow(raw_input) if narrow else _wide(raw_input, _DEEPEST)
    return list(dict.fromkeys(path for _, path in zip(range(_MOST), found, strict=False)))


def _narrow(raw_input: dict[Any, Any]) -> Iterator[str]:
    for key, value in raw_input.items():
        if _plain(key) in _OF_COMMANDS:
            yield from _values(value)


def _wide(value: Any, depth: int) -> Iterator[str]:
    """Yield what fields of any depth name; the name of a field may be the path itself."""
    if depth and isinstance(value, list):
        for item in value:
            yield from _wide(item, depth - 1)
    if not depth or not isinstance(value, dict):
        return
    for key, inner in value.items():
        if isinstance(key, str) and key.startswith("/"):
            yield from _values(key)
        if _PATH.fullmatch(_plain(key)):
            yield from _values(inner)
        yield from _wide(inner, depth - 1)


def _values(value: Any) -> Iterator[str]:
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and text and "\n" not in text and len(text) <= _LONGEST:
            yield unquote(text.removeprefix("file://")) if text.startswith("file://") else text


def _plain(key: Any) -> str:
    """Return the name of a field in small letters, its words joined by `_`."""
    return _WORD.sub("_", str(key)).lower()
