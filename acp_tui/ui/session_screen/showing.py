"""What a session screen shows of its conversation, when the conversation tells of a change."""

from __future__ import annotations

from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.session_screen.lost_frame import draws_for_agent
from acp_tui.ui.session_screen.writing import Writing
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from acp_tui.conversation.start import Start
    from acp_tui.session.changes import Change
    from acp_tui.session.session import Session
    from acp_tui.store.prompt import Prompt
    from acp_tui.ui.session_screen.drawing import Drawing
    from acp_tui.ui.session_screen.screen import SessionScreen


class Showing:
    """Hears the conversation (it is a `Listener`) and makes the parts of the screen equal to it."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start

    @cached_property
    def _drawing(self) -> Drawing:
        from acp_tui.ui.session_screen.drawing import Drawing

        conversation = self._screen.conversation
        return Drawing(self._screen, self._furnish, self.draw, lambda: conversation.phase == "starting")

    def catch_up(self) -> None:
        """Draw what waits now: the screen is seen again, or not through a dialog any more."""
        if "_drawing" in self.__dict__:
            self._drawing.flush()

    @draws_for_agent
    def phase_changed(self) -> None:
        """The agent is starting, ready, or gone."""
        screen = self._screen
        if not screen.is_running:
            return
        self.catch_up()
        screen.show_status()
        screen.rooms.ruling.look()
        if screen.conversation.phase in ("failed", "ended"):
            screen.asking.close()
            screen.presence.when_seen(screen.rooms.beginning.explain_soon)
        elif screen.conversation.phase != "recorded":
            screen.rooms.beginning.stop_explaining()

    def session_changed(self, change: Change) -> None:
        """Draw what changed, soon."""
        session = self._screen.conversation.session
        if self._screen.is_running and session is not None:
            self._drawing.add(session, change)

    @draws_for_agent
    def session_dropped(self) -> None:
        """Show nothing of a session that did not come about, or that is told anew."""
        from acp_tui.ui.panes.chat import ChatPane
        from acp_tui.ui.panes.welcome import welcome

        if not self._screen.is_running:
            return
        self._drawing.forget()
        for pane in self._screen.query(Pane):
            if isinstance(pane, ChatPane):
                pane.forget(welcome(self._start.cwd, lambda name: key_of(self._screen, name)))
            else:
                pane.begin()

    @draws_for_agent
    def questions_changed(self) -> None:
        """Bring up a question that belongs to no session."""
        if self._screen.is_running:
            self._screen.asking.show_next()

    @draws_for_agent
    def queue_changed(self) -> None:
        """Show what waits to be said."""
        screen = self._screen
        if not screen.is_running or not screen.is_complete:
            return
        from acp_tui.ui.session_screen.unsaid import unsaid

        screen.query_one("#queue", Lines).set_lines(
            unsaid(screen.conversation, screen.size.width, lambda name: key_of(screen, name))
        )
        screen.show_status()

    def prompt_failed(self, prompt: Prompt) -> None:
        """Give the person back what could not be said."""
        if self._screen.is_running:
            self._screen.prompt.give_back(prompt)

    @draws_for_agent
    def tick(self) -> None:
        """Count seconds where something runs; called once a second."""
        screen, conversation = self._screen, self._screen.conversation
        screen.rooms.unresponsive.tick(monotonic())
        screen.show_status()
        if conversation.waits_too_long and not screen.rooms.beginning.has_told_of_waiting:
            screen.rooms.beginning.explain_soon()
        self._show_unread()
        for pane in screen.query(Pane):
            pane.look_on()
        agent = conversation.agent
        if agent is not None and (conversation.is_busy or screen.rooms.own_shell.is_running):
            now = agent.now
            for pane in screen.query(Pane):
                pane.tick(now)
            screen.rooms.opened.refresh(now)

    def _show_unread(self) -> None:
        """Show what the agent prints that is no message, where a message is waited for."""
        from acp_tui.ui.panes.chat import ChatPane

        conversation = self._screen.conversation
        conversation.tell_unread()
        if conversation.phase in ("starting", "logging-in", "ready"):
            unread = conversation.unread if conversation.phase != "ready" else ""
            for chat in self._screen.query(ChatPane):
                chat.say_unread(unread)

    def draw(self, session: Session, change: Change, more: bool = False) -> None:
        """Draw what changed in a session; called by `Drawing`. `more`: it is a part, and the rest follows."""
        screen = self._screen
        if not screen.query(StatusLine):
            return  # the screen is being taken away, its parts first
        for pane in screen.query(Pane):
            pane.holds = more
            pane.show(session, change)
        if change.entries:
            screen.rooms.opened.refresh()
            screen.asking.refresh()
        if change.fields:
            screen.show_status()
            screen.arranging.show_tabs()
        if "turn" in change.fields and not screen.presence.is_seen:
            screen.presence.has_news = session.turn_state == "idle"
            screen.tabs.show()
        if "questions" in change.fields:
            screen.asking.show_next()
        if "commands" in change.fields:
            screen.query_one(Writing).commands_changed()
            screen.rooms.slash.tell_unprintable()

    def _furnish(self, session: Session) -> None:
        from acp_tui.ui.session_screen.furnishing import furnish

        furnish(self._screen, session, self._start.settings)
