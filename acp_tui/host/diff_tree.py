"""What git tells of two trees, read as changes of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from acp_tui.host.snapshot import Changed, LeftOut
from acp_tui.host.snapshot_store import NO_FILE

_RENAMES: Final = 1_000  # files up to which renames are looked for
QUESTION: Final = (
    "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", "-M", f"-l{_RENAMES}", "--ignore-cr-at-eol",
)  # fmt: skip
"""The command whose answer `changes_in` reads; the two trees follow.

A line of which only the end changed is not counted, as the view of a difference says it of the whole file.
"""


def changes_in(answer: bytes, left_out: Iterable[LeftOut]) -> list[Changed]:
    """Return what differs; `left_out`: what is not in the later tree, though it may be there."""
    large = {each.path for each in left_out if each.reason == "large"}
    return list(_with_large(_parsed(answer), large))


def _parsed(out: bytes) -> Iterator[Changed]:
    """Read `--raw --numstat -z`: first a row `:modes ids status` and its paths for each file, then counts."""
    words = iter(out.split(b"\0")[:-1])
    found: dict[str, Changed] = {}
    for word in words:
        if word.startswith(b":"):
            change = _change(word, words)
            found[change.path] = change
        else:
            _count_in(found, word, words)
    yield from found.values()


def _change(word: bytes, words: Iterator[bytes]) -> Changed:
    old_mode, new_mode, old_id, new_id, status = word[1:].decode().split()
    first = os.fsdecode(next(words))
    path = os.fsdecode(next(words)) if status[0] in "RC" else first
    return Changed(
        path,
        status[0],  # type: ignore[arg-type]  # git is not asked for others
        first,
        int(old_mode, 8),
        int(new_mode, 8),
        "" if old_id == NO_FILE else old_id,
        "" if new_id == NO_FILE else new_id,
    )


def _count_in(found: dict[str, Changed], word: bytes, words: Iterator[bytes]) -> None:
    added, removed, name = word.split(b"\t", 2)
    if not name:  # a rename: the old and the new name follow
        next(words)
        name = next(words)
    path = os.fsdecode(name)
    binary = added == b"-"
    counts = {} if binary else {"added": int(added), "removed": int(removed)}
    found[path] = Changed(**{**vars(found[path]), "binary": binary, **counts})


def _with_large(changes: Iterable[Changed], large: set[str]) -> Iterator[Changed]:
    """A file that grew too large is not deleted: its content is unknown."""
    for change in changes:
        if change.status == "D" and change.path in large:
            yield Changed(**{**vars(change), "status": "M", "binary": True, "new_mode": change.old_mode})
        else:
            yield change
