"""The state of a conversation, and the listener of its changes."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess, NotGranted
from acp_tui.changes import tracker as tracking
from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.start_options import Start
from acp_tui.sandbox import sandbox as sandboxes
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.prompts import Prompt
from acp_tui.workspace.files import Files

Phase = Literal["starting", "logging-in", "ready", "failed", "ended", "reading", "recorded", "ending"]

_OVER: Final = ("failed", "ended", "reading", "recorded", "ending")
"""Phases in which no agent can receive prompts."""


_QUIET: Final = 10.0
"""Seconds of silence after which work outside a turn counts as finished."""


class ConversationState:
    """The agent and session of a conversation. Its parts read this; only the conversation sets it."""

    def __init__(self, start: Start, launch: Launch | None) -> None:
        self.phase: Phase = "starting"
        self.round = 0
        """The number of starts and ends so far: work for an earlier round must stop."""
        self.session: Session | None = None
        self.launch = launch
        """The command of the agent, for every start."""
        self.running: RunningAgent | None = None
        """The agent with its connection, access and journal, while there is one."""
        self.tracker: tracking.ChangeTracker | None = None
        """The tracker of changed files, while there is a session."""
        self._start = start
        self._edits: tuple[Session, EditPlaces] | None = None

    @property
    def edits(self) -> EditPlaces | None:
        """Finds the places of the edits of the session; None without one."""
        session = self.session
        if session is None:
            return None
        if self._edits is None or self._edits[0] is not session:
            self._edits = session, EditPlaces(lambda: self._files_of(session), session.cwd)
        return self._edits[1]

    def _files_of(self, session: Session) -> Files | None:
        """Return the files that a session may reach; None without a running agent."""
        try:
            return self.access.files(session.id) if self.access is not None else None
        except NotGranted:
            return None

    @property
    def agent(self) -> Agent | None:
        """The agent, while there is one."""
        return self.running.agent if self.running is not None else None

    @property
    def access(self) -> AgentAccess | None:
        """The access of the agent, while there is one."""
        return self.running.access if self.running is not None else None

    @property
    def cwd(self) -> str:
        """The folder of the session; an earlier session may have another one than the program."""
        cwd = self.session.cwd if self.session is not None else ""
        return cwd or self._start.cwd

    @property
    def roots(self) -> list[str]:
        """The folders of the session: its working directory, then the additional ones."""
        return [self.cwd, *self._start.extra_roots]

    @property
    def sandbox(self) -> sandboxes.Sandbox | None:
        """The sandbox around the agent, or None."""
        return self.running.sandbox if self.running is not None else None

    def outside(self, path: str) -> str:
        """Translate a path of the agent to the path outside its sandbox, which has a /tmp of its own."""
        return self.sandbox.outside(path) if self.sandbox is not None else path

    @property
    def is_over(self) -> bool:
        """True if no agent can receive prompts."""
        return self.phase in _OVER

    @property
    def is_busy(self) -> bool:
        """True if a turn is running."""
        return self.session is not None and self.session.turn_state != "idle"

    @property
    def background_work(self) -> int:
        """The number of subagents, calls and terminals that continue although no turn runs."""
        if self.session is None or self.is_busy:
            return 0
        session = self.session
        calls, terminals = session.background_calls, session.background_terminals
        return len(session.working) + len(calls) + len(terminals) + len(session.background_others)

    @property
    def works_by_itself(self) -> bool:
        """True if the agent works though no turn runs: it says so, or has said something a moment ago."""
        session = self.session
        if session is None or self.agent is None or self.phase != "ready" or self.is_busy:
            return False
        is_late = session.unprompted_at is not None and self.agent.now - session.unprompted_at < _QUIET
        return session.works_unprompted or (is_late and not session.reported_state)

    @property
    def is_active(self) -> bool:
        """True if a turn runs, the agent works by itself, or something works in the background."""
        if self.session is None or self.agent is None or self.phase != "ready":
            return self.is_busy
        return self.is_busy or self.works_by_itself or self.background_work > 0

    def note(self, event: tracking.WorkspaceEvent) -> None:
        """Apply an event to the session that does not come from the agent."""
        if self.agent is not None and self.session is not None:
            self.agent.note(self.session.id, event)


class ConversationListener(Protocol):
    """The view of a conversation."""

    def phase_changed(self) -> None:
        """Show the new phase."""

    def session_changed(self, change: SessionChange) -> None:
        """Show a change of the session."""

    def child_changed(self, child: Session, change: SessionChange) -> None:
        """Show a change of a subagent of the session."""

    def session_dropped(self) -> None:
        """Clear the session: it was not opened, or will be replayed."""

    def questions_changed(self) -> None:
        """Show the questions outside any session, one of which was asked or answered."""

    def comparison_changed(self) -> None:
        """Show that the workspace is being compared, or the results other than changes."""

    def queue_changed(self) -> None:
        """Show the queued prompts, or the note for the next one."""

    def prompt_failed(self, prompt: Prompt) -> None:
        """Give an unsent prompt back to the user."""
