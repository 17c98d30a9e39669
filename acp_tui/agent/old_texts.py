"""The texts of files that a question would have written over, where the agent does not tell them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from acp_tui.session.entries import absolute
from acp_tui.session.questions import OldText
from acp_tui.workspace.files import FileError, Files, OutsideRoots

_LONGEST: Final = 1 << 20
"""Characters of a text that is shown."""
_MOST: Final = 4 << 20
"""Characters of all of them."""


def old_texts(files: Files, paths: Iterable[str], cwd: str) -> dict[str, OldText]:
    """Return what stands in some files, as far as that is shown. Blocking: call it in a thread.

    To the agent it stays unseen.
    """
    return dict(_found(files, dict.fromkeys(paths), cwd))


def _found(files: Files, paths: Iterable[str], cwd: str) -> Iterator[tuple[str, OldText]]:
    left = _MOST
    for path in paths:
        found = _old_text(files, absolute(path, cwd)) if left > 0 else OldText(why_not="not looked at")
        left -= len(found.text or "")
        yield path, found


def _old_text(files: Files, path: str) -> OldText:
    try:
        there, _ = files.compare(path, "")
    except OutsideRoots:
        return OldText(why_not="it lies outside the workspace") if _is_taken(path) else OldText()
    except FileError as error:
        return OldText(why_not=str(error).removesuffix("."))
    if there.version is None:
        return OldText()
    if there.now is None:
        return OldText(why_not="it is no text that can be read")
    if len(there.now) > _LONGEST:
        return OldText(why_not=f"{len(there.now.splitlines()):,} lines, too long to be shown")
    return OldText(there.now)


def _is_taken(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # no path of this machine
        return False
