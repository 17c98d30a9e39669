"""What an event changed: where, not what. A view reads the session and makes itself equal."""

from __future__ import annotations

from typing import Literal, NamedTuple

Field = Literal["turn", "plan", "options", "commands", "usage", "title", "questions", "files", "connection"]


class SessionChange(NamedTuple):
    """Entries by index, whether new or grown, and fields by name."""

    entries: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()
