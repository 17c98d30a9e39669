"""What an event changed: where, not what. A view reads the session and makes itself equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Field = Literal["turn", "plan", "options", "commands", "usage", "title", "questions", "files", "connection"]


@dataclass(frozen=True, slots=True)
class Change:
    """Entries by index, whether new or grown, and fields by name."""

    entries: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()
