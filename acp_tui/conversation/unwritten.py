"""Tells when what is said or decided cannot be written down, and when it can again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.session.events import Noted

if TYPE_CHECKING:
    from acp_tui.store.decisions import DecisionLog
    from acp_tui.store.journal import Journal

_FULL = "There is no room left on the disk: nothing is recorded until there is some again."
_ROOM = "There is room on the disk again: what was said meanwhile is recorded, too."


class Unwritten:
    """Looks at the journal of an agent and at the log of decisions."""

    def __init__(self, journal: Journal, decisions: DecisionLog) -> None:
        self._journal = journal
        self._decisions = decisions
        self._kept = (journal, decisions)
        self._told: set[str] = set()
        self._was_full = False

    def news(self) -> list[Noted]:
        """Return what has not been said yet; a full disk is one thing, whatever is not written to it."""
        if not self._was_full and all(one.problem is None for one in self._kept):
            return []
        return [*self._about_room(), *self._about_others()]

    def _about_room(self) -> list[Noted]:
        if self._was_full and not self._journal.lacks_room:
            self._decisions.write_held()
        full = [one.problem for one in self._kept if one.lacks_room and one.problem is not None]
        if bool(full) == self._was_full:
            return []
        self._was_full = bool(full)
        if not full:
            is_whole = all(one.problem is None for one in self._kept)
            return [Noted(_ROOM)] if is_whole else []
        return [Noted(_FULL, "warning", f"Make room for {full[0].path.parent}, and go on working.")]

    def _about_others(self) -> list[Noted]:
        said = [str(one.problem) for one in self._kept if one.problem is not None and not one.lacks_room]
        new = [problem for problem in said if problem not in self._told]
        self._told.update(new)
        return [Noted(problem, "warning") for problem in new]
