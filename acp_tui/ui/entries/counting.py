"""How much an edit changes, counted once for everybody who shows it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.session.files import Edit

_MOST: Final = 4_000_000
"""Characters of an edit up to which its lines are counted."""


def counted(old: str | None, new: str) -> tuple[int, int] | None:
    """Return (added, removed) lines of an edit; None for one that is too large to count in passing."""
    return _counts(old, new) if len(old or "") + len(new) <= _MOST else None


@lru_cache(maxsize=64)
def _counts(old: str | None, new: str) -> tuple[int, int]:
    from acp_tui.ui.widgets.diff import counts

    return counts(old, new)


class EditCounts:
    """The counts of the edits of one file, which become more: each is counted once."""

    def __init__(self) -> None:
        self._known: list[tuple[Edit, tuple[int, int] | None]] = []

    def of(self, edits: Sequence[Edit]) -> list[tuple[int, int] | None]:
        """Return what `counted` says of each edit."""
        known = self._known
        self._known = [
            known[place]
            if place < len(known) and known[place][0] is edit
            else (edit, counted(edit.old, edit.new))
            for place, edit in enumerate(edits)
        ]
        return [counts for _, counts in self._known]
