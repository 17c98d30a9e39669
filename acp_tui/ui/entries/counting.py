"""How much an edit changes, counted once for everybody who shows it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_MOST: Final = 4_000_000
"""Characters of an edit up to which its lines are counted."""


def counted(old: str | None, new: str) -> tuple[int, int] | None:
    """Return (added, removed) lines of an edit; None for one that is too large to count in passing."""
    return _counts(old, new) if len(old or "") + len(new) <= _MOST else None


@lru_cache(maxsize=64)
def _counts(old: str | None, new: str) -> tuple[int, int]:
    from acp_tui.ui.widgets.diff import counts

    return counts(old, new)
