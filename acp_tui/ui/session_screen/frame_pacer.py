"""Frames of the session screen: changes are collected and drawn together, and an error costs one frame."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, Final

from textual.app import App
from textual.screen import Screen

from acp_tui.session.events import Field, SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.widgets.delay import after, draws

log = logging.getLogger(__name__)

_MOST: Final = 100
"""Most different errors that are logged; an error in every frame is logged once."""
_logged: set[str] = set()


@contextmanager
def lost_frame(app: App[Any]) -> Iterator[None]:
    """Log a drawing error and continue; without a terminal, as in tests, raise it."""
    try:
        yield
    except Exception as error:
        if app.is_headless:
            raise
        what = f"{type(error).__name__}: {error}"
        if what not in _logged and len(_logged) < _MOST:
            _logged.add(what)
            log.error("a drawing failed", exc_info=error)


PACE: Final = 0.06
"""Seconds between two frames; keys are drawn at once. Growing text is read less often
(`GROWTH` in `agent/connection.py`), so that what was read is drawn at once."""
SLOW_PACE: Final = 0.25
"""Seconds between two frames below a dialog, which redraws the whole dimmed screen; during a replay, of which
only the end stays in view; and while the user looks elsewhere.
"""

_SLICE: Final = 500
"""Entries drawn at once, about ten milliseconds of work, so that keys are handled in between."""

_URGENT: Final = "turn"
"""The field that a dialog needs at once; more questions only extend its list."""


class FramePacer:
    """Collects changes of a session and draws them with the next frame."""

    def __init__(
        self,
        screen: Screen[None],
        bind: Callable[[Session], None],
        draw: Callable[[Session, SessionChange, bool], None],
        can_wait: Callable[[], bool],
    ) -> None:
        """Set the callbacks.

        Args:
            screen: the screen that draws.
            bind: called with a session before its first change is drawn.
            draw: called with a session, a change, and True if more of it follows.
            can_wait: returns True while frames may be few.
        """
        self._screen = screen
        self._bind = bind
        self._draw = draw
        self._can_wait = can_wait
        self._session: Session | None = None
        self._entries: set[int] = set()
        self._fields: set[Field] = set()
        self._due = inf
        """Time of the next frame."""
        self._is_soon = False
        """True if that is the earliest time that the pace allows."""
        self._drawn_at = 0.0

    def add(self, session: Session, change: SessionChange) -> None:
        """Draw a change with the next frame."""
        if session is not self._session:
            self.flush(whole=True)  # the pending changes belong to the previous session
            self._session = session
            self._bind(session)
        elif self._is_soon and not change.fields and self._entries.issuperset(change.entries):
            return  # growing text reports each word
        self._entries.update(change.entries)
        self._fields.update(change.fields)
        can_wait = _URGENT not in self._fields and (self._is_below_dialog or self._can_wait())
        due = self._drawn_at + (SLOW_PACE if can_wait else PACE)
        self._is_soon = not can_wait
        if due < self._due:
            self._due = due
            after(self._screen, due - time.perf_counter(), self.flush)

    @property
    def _is_below_dialog(self) -> bool:
        stack = self._screen.app.screen_stack
        return bool(stack) and stack[-1] is not self._screen and stack[-1].is_modal

    def forget(self) -> None:
        """Drop the changes of the session; the next one is bound first."""
        self._session = None
        self._entries.clear()
        self._fields.clear()

    def flush(self, *, whole: bool = False) -> None:
        """Draw the collected changes, many of them in several slices."""
        self._due, self._is_soon = inf, False
        if self._session is None or not (self._entries or self._fields) or not draws(self._screen):
            return
        self._drawn_at = time.perf_counter()
        entries = sorted(self._entries)
        room = len(entries) if whole else _SLICE
        change, later = SessionChange(tuple(entries[:room]), ()), entries[room:]
        if not later:
            change = change._replace(fields=tuple(self._fields))
            self._fields.clear()
        self._entries.difference_update(change.entries)
        with lost_frame(self._screen.app):
            self._draw(self._session, change, bool(later))
        if later:
            self._due = 0.0
            after(self._screen, 0.001, self.flush)
