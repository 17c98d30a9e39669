"""The sessions of one connection: whatever happens finds its own, live or read back from a journal."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from acp_tui.agent.history import OUTSIDE, Continued, Forked, Happening, Known, Opened, Opening
from acp_tui.session import events
from acp_tui.session.changes import Change
from acp_tui.session.past import Past
from acp_tui.session.session import Session

log = logging.getLogger(__name__)

EARLY: Final = 16
"""Sessions whose news may come before the answer that names them."""


class Sessions:
    """Makes sessions as they are asked for, and applies to each what happens in it."""

    def __init__(self, on_change: Callable[[str, Change], None], *, title_is_command: bool = False) -> None:
        self.by_id: dict[str, Session] = {}
        self.outside = Session(OUTSIDE)
        """What belongs to no session, such as a form during a login."""
        self._on_change = on_change
        self.title_is_command = title_is_command
        """See `ToolCall.title_is_command`; for the sessions that are made from now on."""
        self._makings = 0
        self._early: dict[str, Session] = {}
        self._before: dict[str, Session | None] = {}
        """What stood in the place of a session that is being taken up."""
        self._pasts: dict[str, Past] = {}
        """What is known here of sessions that are being taken up and told anew."""

    def find(self, session_id: str) -> Session | None:
        """Return a session by its id, also one that the agent has only hinted at."""
        if session_id == OUTSIDE:
            return self.outside
        return self.by_id.get(session_id) or self._early.get(session_id)

    def note(self, session_id: str, event: Happening, at: float) -> None:
        """Take in an event at `at` (seconds). One that cannot be applied is logged and harms nothing else."""
        try:
            self._note(session_id, event, at)
        except Exception:  # a mistake in one session must not end the connection of all
            log.exception("%s in session %r", type(event).__name__, session_id)

    def disconnect(self, reason: str, detail: str, at: float, *, is_wanted: bool = False) -> None:
        """The agent is gone: end what is open in every session; `is_wanted` by us."""
        self._makings = 0
        self._early.clear()
        for session_id in list(self._before):
            self._opened(session_id, False, at)
        for session in [self.outside, *self.by_id.values()]:
            if session.connected:
                self.note(session.id, events.Disconnected(reason, detail, is_wanted), at)

    def _note(self, session_id: str, event: Happening, at: float) -> None:
        match event:
            case Opening():
                self._opening(session_id, event)
            case Continued():
                self._before[session_id] = None
                self.by_id[session_id] = event.session
                self._apply(event.session, events.TakenUp(), at)
            case Known():
                self._pasts[session_id] = event.past
            case Opened():
                self._opened(session_id, event.ok, at)
            case Forked():
                source = self.by_id.get(event.source)
                entries = tuple(source.entries) if source is not None else ()
                subject = source.subject if source is not None else ""
                self._apply(self.by_id[session_id], events.Inherited(entries, subject), at)
            case events.Completed():
                # It names no session: an address may have been asked for in any.
                for session in [self.outside, *self.by_id.values(), *self._early.values()]:
                    self._apply(session, event, at)
            case _:
                known = self._made(session_id, event)
                if known is None:
                    log.info("news of a session that nobody asked for: %s", session_id)
                else:
                    self._apply(known, event, at)

    def _opening(self, session_id: str, event: Opening) -> None:
        if session_id == OUTSIDE:
            self._makings += 1
            return
        before = self.by_id.get(session_id)
        self._before.setdefault(session_id, before)
        if event.replays or before is None:
            if before is not None:
                self._pasts.setdefault(session_id, before.past())
            self.by_id[session_id] = self._new(session_id, event.cwd)

    def _opened(self, session_id: str, ok: bool, at: float) -> None:
        if session_id == OUTSIDE:
            self._makings = max(0, self._makings - 1)
            if not self._makings:
                self._early.clear()
        elif session_id in self._before:
            before, past = self._before.pop(session_id), self._pasts.pop(session_id, None)
            if ok and past is not None:
                self._apply(self.by_id[session_id], events.Recalled(past), at)
            elif not ok:
                self._put_back(session_id, before)

    def _put_back(self, session_id: str, before: Session | None) -> None:
        """Leave nothing of a replay that failed."""
        if before is None:
            self.by_id.pop(session_id, None)
        else:
            self.by_id[session_id] = before

    def _made(self, session_id: str, event: events.Event) -> Session | None:
        """Return the session of an event; make it if the agent may tell of one that we do not know yet."""
        if isinstance(event, events.SetUp) and session_id not in self.by_id and self._makings:
            self.by_id[session_id] = self._early.pop(session_id, self._new(session_id))
        session = self.find(session_id)
        if session is None and self._makings and len(self._early) < EARLY:
            session = self._early[session_id] = self._new(session_id)
        return session

    def _new(self, session_id: str, cwd: str = "") -> Session:
        return Session(session_id, cwd, title_is_command=self.title_is_command)

    def _apply(self, session: Session, event: events.Event, at: float) -> None:
        change = session.apply(event, at)
        if change is not None and session.id not in self._early:
            self._on_change(session.id, change)
