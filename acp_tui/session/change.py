"""What an event changed: where, not what. A view reads the session and makes itself equal."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Field = Literal["turn", "plan", "options", "commands", "usage", "title", "questions", "files", "connection"]


class SessionChange(NamedTuple):
    """Entries by index, whether new or grown, and fields by name."""

    entries: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()


def everything(entries: int) -> SessionChange:
    """Return the change of a session with so many entries in which all is new."""
    every: tuple[Field, ...] = get_args(Field)
    return SessionChange(tuple(range(entries)), every)
