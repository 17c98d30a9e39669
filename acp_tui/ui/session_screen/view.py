"""The view of a conversation: draws its changes on the session screen."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Concatenate, Final, ParamSpec

from textual.timer import Timer

from acp_tui.conversation.start_options import Start
from acp_tui.conversation.state import Phase
from acp_tui.session.entries import AgentNotice
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.prompts import Prompt
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.first_frame import welcome
from acp_tui.ui.entries.entry import BlockContext
from acp_tui.ui.panes.changes import ChangesPane, untracked_lines
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.panes.sidebar import Side
from acp_tui.ui.panes.status_line import StatusLine
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.frame_pacer import FramePacer, lost_frame
from acp_tui.ui.session_screen.parts import SessionParts
from acp_tui.ui.session_screen.prompt.prompt import PromptArea, pending_rows
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import StatusRows
from acp_tui.ui.widgets.textual_internals import draw_now
from acp_tui.ui.widgets.transcript.picture import has_pictures

_SECOND: Final = 1.0
_PASSING: Final[tuple[Phase, ...]] = ("starting", "logging-in", "reading", "ending")
"""Phases whose time is shown."""

P = ParamSpec("P")


def drawing(
    method: Callable[Concatenate[Any, P], None],
) -> Callable[Concatenate[Any, P], None]:
    """Decorate a method that draws: it does nothing before there are panes, and an error costs one frame."""

    @functools.wraps(method)
    def drawn(self: Any, /, *args: P.args, **given: P.kwargs) -> None:
        if self.has_parts:
            with lost_frame(self._screen.app):
                method(self, *args, **given)

    return drawn


class SessionView:
    """The listener of the conversation, which updates the parts of the screen."""

    def __init__(self, parts: SessionParts, start: Start) -> None:
        self._screen = parts.screen
        self._parts = parts
        self._start = start
        self._drawing = FramePacer(self._screen, self._bind, self.draw, self.can_wait)
        self._panes: Sequence[Pane] = ()
        self._clock: Timer | None = None
        """Ticks each second while something is running, and pauses otherwise."""

    def begin(self) -> None:
        """Find the panes once for all frames, and start the clock of running times."""
        self._panes = [*self._screen.query(Pane)]
        self._status = self._screen.query_one(StatusLine)
        self._clock = self._screen.set_interval(_SECOND, self.tick)
        session = self._screen.conversation.session
        if session is not None:
            self._drawing.add(session, session.everything())
        self._show_pending()

    @property
    def has_parts(self) -> bool:
        """True while there is something to draw on: an agent may answer before the screen is mounted."""
        return bool(self._panes) and self._screen.is_running and draws(self._panes[0])

    def _wake(self) -> None:
        """Resume the clock: something has changed, and its time may be running."""
        if self._clock is not None:
            self._clock.resume()

    @property
    def _counts_time(self) -> bool:
        """True while something with shown seconds, or with an unreported end, is running."""
        conversation, shell = self._screen.conversation, self._parts.shell
        return (
            conversation.phase in _PASSING
            or conversation.is_active
            or shell.commands.is_running
            or conversation.has_commands
            or shell.commands.has_any
            or _looking_for(self._screen) > 0
        )

    def catch_up(self) -> None:
        """Draw the changes that were held back."""
        self._drawing.flush()

    def can_wait(self) -> bool:
        """Return True during a replay, and while the user looks elsewhere."""
        screen = self._screen
        is_away = isinstance(screen.app, AcpApp) and screen.app.seat.focus is False
        return is_away or not screen.is_seen or screen.conversation.phase == "starting"

    @drawing
    def phase_changed(self) -> None:
        """Update the screen after a change of the phase."""
        screen = self._screen
        self._wake()
        self.catch_up()
        screen.show_status()
        self._parts.rules.look()
        self._parts.workspace_prompt.look()
        screen.tabs.look_at_files()
        if screen.conversation.phase in ("failed", "ended"):
            self._parts.question_dialogs.close()
            screen.when_seen(self._parts.startup.explain_soon)
        elif screen.conversation.phase != "recorded":
            self._parts.startup.stop_explaining()
        if screen.conversation.phase == "ready":
            self._screen.show_branch()
            self._parts.details.ready()
            screen.run_worker(self._parts.sandbox.offer(), group="sandbox-offer")
            self._parts.sandbox.tell_of_agent()

    def session_changed(self, change: SessionChange) -> None:
        """Draw a change with the next frame."""
        session = self._screen.conversation.session
        if self.has_parts and session is not None:
            self._wake()
            self._drawing.add(session, change)

    @drawing
    def child_changed(self, child: Session, change: SessionChange) -> None:
        """Draw a change of a subagent if its chat is open."""
        self._parts.details.child_changed(child, change)

    @drawing
    def session_dropped(self) -> None:
        """Clear the panes: the session failed or is replayed."""
        self._drawing.forget()
        for pane in self._screen.query(Pane):
            if isinstance(pane, ChatPane):
                pane.forget(welcome(self._start.cwd, lambda name: key_of(self._screen, name)))
            else:
                pane.begin()

    @drawing
    def questions_changed(self) -> None:
        """Show the next question."""
        self._parts.question_dialogs.show_next()

    @drawing
    def comparison_changed(self) -> None:
        """Show that the workspace is being compared, and the results other than changes."""
        self._wake()

    @drawing
    def queue_changed(self) -> None:
        """Show the queue."""
        screen = self._screen
        self._wake()
        self._show_pending()
        screen.query_one(PromptArea).keep_soon()
        screen.show_status()

    def _show_pending(self) -> None:
        screen = self._screen
        screen.query_one("#queue", StatusRows).set_rows(
            pending_rows(
                screen.conversation,
                screen.size.width,
                lambda name: key_of(screen, name),
                screen.theme_styles.symbol("note"),
            )
        )

    @drawing
    def settings_changed(self) -> None:
        """Redraw the chat with the settings."""
        settings = self._start.settings
        self._screen.query_one(ChatPane).use_settings(settings.thoughts, settings.fold_turns)

    @drawing
    def keys_changed(self) -> None:
        """Show the keys of the settings."""
        screen = self._screen
        screen.query_one(ChatPane).renew_welcome(welcome(self._start.cwd, lambda name: key_of(screen, name)))
        self.queue_changed()

    def prompt_failed(self, prompt: Prompt) -> None:
        """Return a failed prompt to the prompt box."""
        if self._screen.is_running:
            self._screen.prompt.give_back(prompt)

    @drawing
    def tick(self) -> None:
        """Update running times; called once a second while something is running, and once after that."""
        screen, conversation = self._screen, self._screen.conversation
        if self._clock is not None and not self._counts_time:
            self._clock.pause()
        self._parts.unresponsive_agent.tick(monotonic())
        screen.show_status()
        if conversation.waits_too_long and not self._parts.startup.is_wait_explained:
            self._parts.startup.explain_soon()
        self._show_strays()
        for pane in self._panes:
            pane.look_on()
        agent = conversation.agent
        works = conversation.is_active or self._parts.shell.commands.is_running
        if agent is not None and works:
            now = agent.now
            for pane in self._panes:
                pane.tick(now)
            self._parts.details.refresh(now)
        draw_now(screen)

    def _show_strays(self) -> None:
        """Show stray lines of the agent while it starts."""
        conversation = self._screen.conversation
        conversation.show_stray_lines()
        if conversation.phase in ("starting", "logging-in", "ready"):
            strays = conversation.strays if conversation.phase != "ready" else ""
            for pane in self._panes:
                if isinstance(pane, ChatPane):
                    pane.say_strays(strays)

    def draw(self, session: Session, change: SessionChange, more: bool = False) -> None:
        """Draw a change of a session; `more`: other parts of it follow."""
        screen = self._screen
        if not all(map(draws, (*self._panes, self._status))):
            return  # the screen is being removed, its children first
        for pane in self._panes:
            pane.paused = True
            pane.show(session, change)
            pane.paused = more
        draw_now(screen)
        if change.entries:
            self._parts.details.refresh()
            self._parts.question_dialogs.refresh()
        if change.fields:
            screen.show_status()
            self._parts.pane_layout.show_tabs()
        if screen.conversation.prompts.queue and not {"turn", "questions"}.isdisjoint(change.fields):
            self._show_pending()  # it shows whether the agent can be steered
        if "turn" in change.fields and session.turn_state == "idle" and not more:
            self._parts.second_opinion.turn_ended(session)
            self._screen.run_worker(self._parts.sandbox.look(), group="sandbox-look")
            self._screen.show_branch()
        if "turn" in change.fields and not screen.is_seen:
            screen.has_news = session.turn_state == "idle"
            screen.tabs.show()
        if not screen.is_seen and not more:
            self._mark_notice(session, change)
        if "questions" in change.fields:
            self._parts.question_dialogs.show_next()
        if "commands" in change.fields:
            screen.query_one(PromptArea).commands_changed()
            self._parts.agent_commands.tell_not_offered()

    def _mark_notice(self, session: Session, change: SessionChange) -> None:
        """Mark the tab of a session whose agent sends a warning or an error."""
        for at in change.entries:
            entry = session.entries[at]
            if isinstance(entry, AgentNotice) and entry.severity in ("warning", "error"):
                self._screen.notice = entry.title
                self._screen.tabs.show()

    def _bind(self, session: Session) -> None:
        """Bind the panes to another session."""
        screen, settings = self._screen, self._start.settings
        for pane in screen.query(Pane):
            pane.begin()
        for side in screen.query(Side):
            side.begin()
        for changes in screen.query(ChangesPane):
            changes.is_kept = lambda path: _is_kept(screen, path)
            changes.looking_for = lambda: _looking_for(screen)
            changes.seen = lambda: _look_soon(screen)
            changes.beside = lambda: _beside(screen)
        chat = screen.query_one(ChatPane)
        chat.context = BlockContext(
            session.cwd,
            terminal=self._parts.shell.terminal,
            redraw=chat.changed,
            symbol=lambda name: screen.theme_styles.symbol(name),
            asks=session.asks,
            name_of=screen.conversation.name_of,
            refused=self._parts.sandbox.refused,
            key=lambda name: key_of(chat if name.startswith("chat.") else screen, name),
            pictures=has_pictures(screen.app, screen.theme_styles),
            edits=screen.conversation.edits,
            thoughts=settings.thoughts,
            fold_turns=settings.fold_turns,
        )


def _is_kept(screen: ConversationScreen, path: str) -> bool:
    tracking = screen.conversation.tracker
    return tracking is not None and tracking.is_kept(path)


def _look_soon(screen: ConversationScreen) -> None:
    if screen.conversation.tracker is not None:
        screen.conversation.tracker.look_soon()


def _looking_for(screen: ConversationScreen) -> float:
    tracking = screen.conversation.tracker
    return tracking.look_seconds if tracking is not None else 0.0


def _beside(screen: ConversationScreen) -> list[str]:
    """Return the obstacles of change tracking and the changes of untracked files."""
    tracking, session = screen.conversation.tracker, screen.conversation.session
    if tracking is None:
        return []
    said = [text for text in (tracking.obstacle, tracking.lost) if text]
    if tracking.untracked and session is not None:
        said += untracked_lines(tracking.untracked)
    return said
