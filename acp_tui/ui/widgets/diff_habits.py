"""How the person wants differences to be laid out, in all views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App


class DiffHabits:
    """What was chosen last; whoever keeps it for the next run is a subclass."""

    wraps: bool = False
    """Whether long lines take several rows."""
    sides: bool | None = None
    """Whether both sides stand beside each other; None: the width decides."""

    def keep(self) -> None:
        """Something was chosen."""


def habits_of(app: App[object]) -> DiffHabits:
    """Return the habits of an app; of one without any, those that everybody begins with."""
    found = getattr(app, "diff_habits", None)
    return found if isinstance(found, DiffHabits) else DiffHabits()
