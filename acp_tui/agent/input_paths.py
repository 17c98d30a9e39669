"""Which files the input of a tool names, by the names of its fields: every agent has its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Set
from itertools import islice
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
_LONGEST_JSON: Final = 100_000
_DEEPEST: Final = 6
_MOST: Final = 1_000


def named_in(raw_input: Any, *, narrow: bool = False) -> list[str]:
    """Return the paths that an input names, as written, each once.

    This finds too much rather than too little: what is found can forbid, and make a question of what would
    have been allowed.

    Args:
        raw_input: what the agent gives its tool, of any shape.
        narrow: it is the input of a command: only fields that name a file, and none inside others.
    """
    if isinstance(raw_input, str):
        raw_input = _read(raw_input)
    if not isinstance(raw_input, dict | list) or (narrow and isinstance(raw_input, list)):
        return []
    found = _narrow(raw_input) if isinstance(raw_input, dict) and narrow else _wide(raw_input, _DEEPEST)
    return list(dict.fromkeys(islice(found, _MOST)))


def hinted_in(raw_input: Any, without: Set[str] = frozenset()) -> list[str]:
    """Return all that may be a path in an input, whatever its fields are called, as written.

    Args:
        raw_input: what the agent gives its tool, of any shape.
        without: fields of the outermost object that are known to be something else.
    """
    if isinstance(raw_input, dict):
        raw_input = {key: value for key, value in raw_input.items() if key not in without}
    return list(dict.fromkeys(islice(_words(raw_input), _MOST)))


def _narrow(raw_input: dict[Any, Any]) -> Iterator[str]:
    for key, value in raw_input.items():
        if _plain(key) in _OF_COMMANDS:
            yield from _values(value)


def _wide(value: Any, depth: int) -> Iterator[str]:
    """Yield what fields of any depth name; the name of a field may be the path itself."""
    if depth and isinstance(value, str):
        value = _read(value)
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


def _words(value: Any) -> Iterator[str]:
    """Yield the texts of an input that are one line, at any depth; no recursion, since an agent nests it."""
    waiting = [(value, _DEEPEST * 4)]
    while waiting:
        value, depth = waiting.pop()
        if not depth:
            continue
        if isinstance(value, str):
            read = _read(value)
            if read is not None:
                waiting.append((read, depth - 1))
            else:
                yield from _values(value)
        elif isinstance(value, list):
            waiting += [(item, depth - 1) for item in value[:_MOST]]
        elif isinstance(value, dict):
            waiting += [(item, depth - 1) for item in islice(value.values(), _MOST)]
            waiting += [(key, depth - 1) for key in islice(value, _MOST) if isinstance(key, str)]


def _read(text: str) -> Any:
    """Return the object or list that a text is, as some agents hand on their arguments; else None."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST_JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _values(value: Any) -> Iterator[str]:
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and text and "\n" not in text and len(text) <= _LONGEST:
            yield unquote(text.removeprefix("file://")) if text.startswith("file://") else text


def _plain(key: Any) -> str:
    """Return the name of a field in small letters, its words joined by `_`."""
    return _WORD.sub("_", str(key)).lower()
