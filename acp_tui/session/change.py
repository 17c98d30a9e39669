"""A change of a session: places, not values.

A view compares itself with the session.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Field = Literal["turn", "plan", "options", "commands", "usage", "title", "questions", "files", "connection"]


class SessionChange(NamedTuple):
    """Changed entries by index, and changed fields by name."""

    entries: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()
