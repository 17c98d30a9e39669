"""The sessions of one connection, changed by the events of its frames."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from acp_tui.agent.session_events import (
    OUTSIDE,
    PastKnown,
    SessionContinued,
    SessionEvent,
    SessionForked,
    SessionReady,
    SessionRequested,
)
from acp_tui.protocol import schema
from acp_tui.session import events
from acp_tui.session.earlier_runs import Past
from acp_tui.session.entries import AgentNotice
from acp_tui.session.events import SessionChange
from acp_tui.session.replay_differences import difference_notice
from acp_tui.session.session import Session

MOST_SUBAGENTS: Final = 2_000
"""Most subagents of one agent: all are searched when another one comes."""
log = logging.getLogger(__name__)


@dataclass
class _ShadowReplay:
    """The replay of a session that continues unchanged: it is compared with it and not shown."""

    session: Session
    is_answered: bool = False
    last: float = 0.0
    """The time of the answer, or of the last update after it."""


_REPLAYED: Final = (
    schema.UserMessageChunk,
    schema.AgentMessageChunk,
    schema.AgentThoughtChunk,
    schema.MessageUpdate,
    schema.NewToolCall,
    schema.ToolCallUpdate,
    schema.ToolCallPatch,
    schema.ToolCallContentChunk,
    schema.AgentTerminal,
    schema.Plan,
    schema.PlanUpdate,
    schema.PlanRemoved,
    schema.CompactionUpdate,
    schema.CompactionSummaryChunk,
    schema.SubagentUpdate,
    schema.SessionMessageUpdate,
    schema.SessionMessageChunk,
)
"""Updates that belong to a replay; all others report the current state."""
_LATE: Final = 2.0
"""Most seconds between two updates of a replay that come after the answer."""

_OF_A_CHILD: Final = (*_REPLAYED, schema.ConfigOptionUpdate, schema.UsageUpdate)
"""Updates that may come before their subagent's session is announced."""
_HELD: Final = 200  # most held updates of one such session
_HELD_FOR: Final = 5.0  # seconds
_DEEPEST: Final = 20  # most levels of nested subagents

EARLY: Final = 16
"""Most new sessions whose updates are kept before the answer that names them."""


class Sessions:
    """The sessions of one connection, created on request and changed by their events."""

    def __init__(
        self,
        on_change: Callable[[str, SessionChange], None],
        *,
        title_is_command: bool = False,
        unsaid: Sequence[str] = (),
    ) -> None:
        self.by_id: dict[str, Session] = {}
        self.outside = Session(OUTSIDE)
        """Events outside any session, such as a form during a login."""
        self._on_change = on_change
        self.title_is_command = title_is_command
        """See `ToolCall.title_is_command`; applies to sessions created after it is set."""
        self.unsaid = unsaid
        """See `Messages`; applies to sessions created after it is set."""
        self._requests = 0
        self.ids: set[str] = set()
        """The ids of all sessions so far, closed ones included."""
        self._misnamed = ""
        """The id of a known session that the agent has just wrongly given to a new one."""
        self._early: dict[str, Session] = {}
        self._before: dict[str, Session | None] = {}
        """The earlier state of each session that is being loaded, to be restored on failure."""
        self._pasts: dict[str, Past] = {}
        """The client's knowledge of each session that is being loaded with a replay."""
        self._continued: set[str] = set()
        """Sessions that are being loaded and continue unchanged."""
        self._shadow_replays: dict[str, _ShadowReplay] = {}
        self._parents: dict[str, str] = {}
        """The parent of each subagent's session, by id."""
        self._held: dict[str, list[tuple[events.Event, float]]] = {}
        """Events of sessions that are not announced yet."""

    def find(self, session_id: str) -> Session | None:
        """Return a session by its id, even before the agent's answer has named it."""
        if session_id == OUTSIDE:
            return self.outside
        known = self.by_id.get(session_id) or self._early.get(session_id)
        if known is None and (parent := self._parents.get(session_id)) is not None:
            above = self.find(parent)
            return above.children.get(session_id) if above is not None else None
        return known

    def root_of(self, session_id: str) -> str:
        """Return the id of the top session that a subagent's session belongs to; other ids are their own."""
        while (parent := self._parents.get(session_id)) is not None:
            session_id = parent
        return session_id

    def shadow_replay(self, session_id: str) -> Session | None:
        """Return the replay that is compared with a session and not shown; None if there is none."""
        replay = self._shadow_replays.get(session_id)
        return replay.session if replay is not None else None

    def note(self, session_id: str, event: SessionEvent, at: float) -> None:
        """Apply an event at `at` (seconds). One that cannot be applied is logged and changes nothing."""
        try:
            self._note(session_id, event, at)
        except Exception:  # a bug in one session must not end the connection of all
            log.exception("%s in session %r", type(event).__name__, session_id)

    def disconnect(self, reason: str, detail: str, at: float, *, is_wanted: bool = False) -> None:
        """End all open work of every session, since the agent is gone; `is_wanted`: the client ended it."""
        self._requests = 0
        self._early.clear()
        self._shadow_replays.clear()
        for session_id in list(self._before):
            self._ready(session_id, False, at)
        for session in [self.outside, *self.by_id.values()]:
            if session.connected:
                self.note(session.id, events.Disconnected(reason, detail, is_wanted), at)

    def _note(self, session_id: str, event: SessionEvent, at: float) -> None:
        if isinstance(event, schema.SubagentUpdate):
            home = self._home_of(event.session_id, session_id)
            if home is None:
                log.warning("a subagent with an id that is taken, or one too many: %s", event.session_id)
                return
            session_id = home
        match event:
            case SessionRequested():
                self._requested(session_id, event)
            case SessionContinued():
                self._before[session_id] = self.by_id.get(session_id)
                self._continued.add(session_id)
                self.by_id[session_id] = event.session
                self._apply(event.session, events.Resumed(), at)
            case PastKnown():
                self._pasts[session_id] = event.past
            case SessionReady():
                self._ready(session_id, event.ok, at)
            case events.SetUp(is_made=True) if session_id in {
                OUTSIDE,
                *self.ids,
                *self.by_id,
                *self._parents,
            }:
                # The new session would get the policy, rules and folders of the other one; the request fails.
                log.warning("the agent names a session again instead of a new one: %s", session_id)
                self._misnamed = session_id
            case SessionForked() if session_id == self._misnamed:
                pass
            case SessionForked():
                self._forked(self.by_id[session_id], self.by_id.get(event.source), at)
            case events.Completed():
                # It names no session: the address may belong to any.
                for session in [self.outside, *self.by_id.values(), *self._early.values()]:
                    self._apply(session, event, at)
            case _:
                if isinstance(event, events.Wrote):
                    session_id = self.root_of(session_id)
                root = self.root_of(session_id)
                if root in self._shadow_replays and self._is_replayed(root, session_id, event, at):
                    return
                if isinstance(event, events.SetUp):
                    self.ids.add(session_id)
                known = self._session_of(session_id, event)
                if known is not None:
                    self._apply(known, event, at)
                else:
                    self._hold(session_id, event, at)
                if isinstance(event, schema.SubagentUpdate):
                    self._release(event.session_id, at)

    def _forked(self, forked: Session, source: Session | None, at: float) -> None:
        """Show the source's conversation in a fork, unless the agent's replay has more of it."""
        if source is None or not source.has_all_of(forked):
            subject = source.subject if source is not None else ""
            self._apply(forked, events.Inherited((), subject), at)
            return
        notice = difference_notice(source, forked)
        past = replace(source.past(), undo_steps=())
        self._apply(forked, events.Inherited(tuple(source.entries), source.subject, past), at)
        if notice is not None:
            self._apply(forked, notice, at)

    def _requested(self, session_id: str, event: SessionRequested) -> None:
        if session_id == OUTSIDE:
            self._requests += 1
            return
        before = self.by_id.get(session_id)
        self._before.setdefault(session_id, before)
        if session_id in self._continued:
            if event.replays:
                self._shadow_replays[session_id] = _ShadowReplay(self._new(session_id, event.cwd))
            return
        if event.replays or before is None:
            if before is not None:
                self._pasts.setdefault(session_id, before.past())
            self.by_id[session_id] = self._new(session_id, event.cwd)

    def _ready(self, session_id: str, ok: bool, at: float) -> None:
        if session_id == OUTSIDE:
            self._requests = max(0, self._requests - 1)
            if not self._requests:
                self._early.clear()
        elif session_id in self._before:
            before, past = self._before.pop(session_id), self._pasts.pop(session_id, None)
            self._continued.discard(session_id)
            if not ok:
                self._shadow_replays.pop(session_id, None)
            elif session_id in self._shadow_replays:
                self._answered(session_id, at)
            if ok and past is not None:
                self._apply(self.by_id[session_id], events.PastLoaded(past), at)
            elif not ok:
                self._put_back(session_id, before)

    def _answered(self, session_id: str, at: float) -> None:
        """End a replay with the answer to its request; some agents send it only after that."""
        replay = self._shadow_replays[session_id]
        replay.is_answered, replay.last = True, at
        if replay.session.entries:
            self._end_replay(session_id, at)

    def _home_of(self, child_id: str, session_id: str) -> str | None:
        """Return the parent of a subagent: the first one that announced it.

        None for an id that is taken, and if there are too many subagents.
        """
        if child_id not in self._parents and len(self._parents) >= MOST_SUBAGENTS:
            return None
        if child_id in {OUTSIDE, session_id, self.root_of(session_id), *self.ids, *self.by_id, *self._early}:
            return None
        above, depth = session_id, 0
        while (parent := self._parents.get(above)) is not None:
            if parent == child_id or depth == _DEEPEST:
                return None
            above, depth = parent, depth + 1
        known = self._parents.get(child_id)
        if known is None or self.find(known) is None:
            known = self._parents[child_id] = session_id
        return known

    def _hold(self, session_id: str, event: events.Event, at: float) -> None:
        """Hold an update of a session that may be announced soon; the number is bounded."""
        for late in [name for name, held in self._held.items() if at - held[0][1] > _HELD_FOR]:
            del self._held[late]
        held = self._held.setdefault(session_id, [])
        if self.by_id and isinstance(event, _OF_A_CHILD) and len(self._held) <= EARLY and len(held) < _HELD:
            held.append((event, at))
            return
        if not held:
            del self._held[session_id]
        log.info("an update of a session that nobody asked for: %s", session_id)

    def _release(self, session_id: str, at: float) -> None:
        """Apply the held updates of a session that was just announced."""
        for event, then in self._held.pop(session_id, ()):
            if at - then <= _HELD_FOR:
                self._note(session_id, event, at)

    def _is_replayed(self, session_id: str, event_session: str, event: events.Event, at: float) -> bool:
        """Apply an event to the hidden replay if it belongs to it; otherwise the replay may be over.

        Args:
            session_id: the session that continues.
            event_session: the session of the event, which may be a subagent's.
            event: the event.
            at: its time.
        """
        replay = self._shadow_replays[session_id]
        if isinstance(event, schema.NoticeUpdate):
            return self._is_known(event, self.by_id[session_id])
        is_late = replay.is_answered and at - replay.last > _LATE
        if isinstance(event, _REPLAYED) and not is_late:
            replayed = {session_id: replay.session} | {each.id: each for each in replay.session.descendants()}
            if event_session in replayed:
                replayed[event_session].apply(event, at)
            replay.last = at
            return True
        if is_late or isinstance(event, events.Prompted):
            self._end_replay(session_id, at)
        return False

    def _is_known(self, notice: schema.NoticeUpdate, seen: Session) -> bool:
        """Return whether a notice was seen before: some agents repeat notices in a replay."""
        fields = (notice.title, notice.severity, notice.description or "")
        known = (entry for entry in seen.entries if isinstance(entry, AgentNotice))
        return any((entry.title, entry.severity, entry.description) == fields for entry in known)

    def _end_replay(self, session_id: str, at: float) -> None:
        """Keep the earlier state, with a notice if the agent's replay differs."""
        replayed, seen = self._shadow_replays.pop(session_id).session, self.by_id[session_id]
        if (notice := difference_notice(seen, replayed)) is not None:
            self._apply(seen, notice, at)

    def _put_back(self, session_id: str, before: Session | None) -> None:
        """Restore the state before a failed load."""
        if before is None:
            self.by_id.pop(session_id, None)
        else:
            self.by_id[session_id] = before

    def _session_of(self, session_id: str, event: events.Event) -> Session | None:
        """Return the session of an event; create it if its answer may still be on the way."""
        if isinstance(event, events.SetUp) and session_id not in self.by_id and self._requests:
            self.by_id[session_id] = self._early.pop(session_id, self._new(session_id))
        session = self.find(session_id)
        if session is None and self._requests and len(self._early) < EARLY:
            session = self._early[session_id] = self._new(session_id)
        return session

    def _new(self, session_id: str, cwd: str = "") -> Session:
        return Session(session_id, cwd, title_is_command=self.title_is_command, unsaid=self.unsaid)

    def _apply(self, session: Session, event: events.Event, at: float) -> None:
        change = session.apply(event, at)
        if change is None or session.root.id in self._early:
            return
        self._on_change(session.id, change)
        fields = tuple(field for field in change.fields if field in ("questions", "files", "turn"))
        while (parent := session.parent) is not None:
            self._on_change(parent.id, SessionChange((parent.child_changed(session),), fields))
            session = parent
