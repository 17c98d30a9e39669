"""Old texts: the contents of files that an agent would replace, for its questions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from acp_tui.session.entries import absolute
from acp_tui.session.questions import OldText
from acp_tui.workspace.files import (
    FileError,
    Files,
    OutsideRoots,
)

_MAX_SHOWN: Final = 1 << 20
"""Most characters of one text that are shown."""


_MAX_SHOWN_IN_ALL: Final = 4 << 20
"""Most characters of all texts of one question."""


_MAX_READ: Final = 1_000
"""Most files that are read for one question."""


def old_texts(files: Files, paths: Iterable[str], cwd: str) -> dict[str, OldText]:
    """Return the texts of files that a permission request would replace, or why they are not shown.

    Blocking: call it in a thread. The files do not count as read by the agent.
    """
    return dict(_old_texts(files, dict.fromkeys(paths), cwd))


def _old_texts(files: Files, paths: Iterable[str], cwd: str) -> Iterator[tuple[str, OldText]]:
    left = _MAX_SHOWN_IN_ALL
    for number, path in enumerate(paths):
        is_read = left > 0 and number < _MAX_READ
        found = _old_text(files, absolute(path, cwd)) if is_read else OldText(why_not="not examined")
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
        return OldText(why_not="it is not readable text")
    if len(there.now) > _MAX_SHOWN:
        return OldText(why_not=f"{len(there.now.splitlines()):,} lines, too long to show")
    return OldText(there.now)


def _is_taken(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # no valid path on this machine
        return False
