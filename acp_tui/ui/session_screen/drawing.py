"""When changes of a session are drawn: many at once, the first after a pause at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Final

from acp_tui.session.changes import Change
from acp_tui.ui.session_screen.lost_frame import lost_frame
from acp_tui.ui.widgets.delay import after, draws

if TYPE_CHECKING:
    from textual.screen import Screen

    from acp_tui.session.changes import Field
    from acp_tui.session.session import Session

_PACE: Final = 0.033
"""Seconds between two drawings."""
_SELDOM: Final = 0.25
"""The same while a dialog lies over the screen, for each frame then costs that of the whole screen, dimmed;
and while an agent tells an earlier session, of which only the end stays in view.
"""

_SLICE: Final = 500
"""Entries that are handed on at once, about ten milliseconds of work: keys have a turn before the next."""

_URGENT: Final = "turn"
"""A field that matters to a dialog at once: questions only add to those that it lists."""


class Drawing:
    """Collects the changes of one session after the other and hands them on."""

    def __init__(
        self,
        screen: Screen[None],
        furnish: Callable[[Session], None],
        draw: Callable[[Session, Change, bool], None],
        passes_by: Callable[[], bool],
    ) -> None:
        """Take whom to tell.

        Args:
            screen: whose loop draws.
            furnish: told when another session than before is shown from now on.
            draw: told what changed in the session, and whether more of the same follows at once.
            passes_by: whether an earlier session is being told.
        """
        self._screen = screen
        self._furnish = furnish
        self._draw = draw
        self._passes_by = passes_by
        self._session: Session | None = None
        self._entries: set[int] = set()
        self._fields: set[Field] = set()
        self._due = inf
        """When what is collected is drawn."""
        self._drawn_at = 0.0

    def add(self, session: Session, change: Change) -> None:
        """Draw a change soon."""
        if session is not self._session:
            self.flush(whole=True)  # what is left to draw belongs to the session before
            self._session = session
            self._furnish(session)
        self._entries.update(change.entries)
        self._fields.update(change.fields)
        can_wait = _URGENT not in self._fields and (self._is_below_dialog or self._passes_by())
        due = self._drawn_at + (_SELDOM if can_wait else _PACE)
        if due < self._due:
            self._due = due
            wait = due - time.perf_counter()
            if wait > 0:
                after(self._screen, wait, self.flush)
            else:
                self._screen.call_next(self.flush)

    @property
    def _is_below_dialog(self) -> bool:
        stack = self._screen.app.screen_stack
        return bool(stack) and stack[-1] is not self._screen and stack[-1].is_modal

    def forget(self) -> None:
        """Draw nothing more of the session that was shown; the next one is furnished for."""
        self._session = None
        self._entries.clear()
        self._fields.clear()

    def flush(self, *, whole: bool = False) -> None:
        """Draw what is collected: of very much, such as a recording, a part now and the rest soon."""
        self._due = inf
        if self._session is None or not (self._entries or self._fields) or not draws(self._screen):
            return
        self._drawn_at = time.perf_counter()
        entries = sorted(self._entries)
        room = len(entries) if whole else _SLICE
        change, later = Change(tuple(entries[:room]), ()), entries[room:]
        if not later:
            change = change._replace(fields=tuple(self._fields))
            self._fields.clear()
        self._entries.difference_update(change.entries)
        with lost_frame(self._screen.app):
            self._draw(self._session, change, bool(later))
        if later:
            self._due = 0.0
            after(self._screen, 0.001, self.flush)
