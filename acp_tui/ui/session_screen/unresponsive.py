"""What the person can do about an agent that does not answer: wait, stop, kill, restart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from acp_tui.readable import size
from acp_tui.ui.widgets.key_names import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acp_tui.ui.screens.menu import Item
    from acp_tui.ui.session_screen.screen import SessionScreen

IGNORED: Final = 10.0
"""Seconds after a stop in which the turn should have ended."""
_NOTICE: Final = "Not stopped yet"


class Unresponsive:
    """Offers the ladder, and points to it when a stop is not obeyed."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._stopped_at: float | None = None
        self._has_told = False

    def tick(self, now: float) -> None:
        """Say, once for a stop, that the agent does not obey it; `now` is on the monotonic clock."""
        session = self._screen.conversation.session
        if session is None or session.turn_state != "cancelling":
            if self._has_told:
                self._take_notice_away()
            self._stopped_at, self._has_told = None, False
            return
        if self._stopped_at is None:
            self._stopped_at = now
        if now - self._stopped_at >= IGNORED and not self._has_told:
            self._has_told = True
            self._screen.notify(
                f"{self._screen.conversation.agent_name} was told to stop and has not ended its turn. "
                f"{key_of(self._screen, 'session.ladder')}: wait, kill it, or restart it.",
                title=_NOTICE,
                severity="warning",
                timeout=15,
            )

    def _take_notice_away(self) -> None:
        """What it says is over."""
        app = self._screen.app
        for notice in [one for one in app._notifications if one.title == _NOTICE]:
            app._unnotify(notice)

    def choose(self) -> None:
        """Let the person choose what to do."""
        from acp_tui.ui.screens.menu import Menu

        conversation = self._screen.conversation
        if conversation.running is None:
            self._screen.notify("There is no agent running.")
            return
        agent = conversation.running
        menu = Menu(self._heading(), list(self._items()), "wait", self._screen.look)

        def chosen(what: str | None) -> None:
            if conversation.running is not agent:
                return  # it has ended meanwhile
            if what == "stop":
                conversation.stop()
            elif what == "kill":
                self._screen.run_worker(agent.agent.stop(), group="kill")
            elif what == "restart":
                self._screen.rooms.beginning.again()

        self._screen.app.push_screen(menu, chosen)

    def _heading(self) -> str:
        conversation = self._screen.conversation
        assert conversation.agent is not None
        connection = conversation.agent.connection
        heard = f"last heard {time.monotonic() - connection.last_heard:.0f} s ago"
        unread = f", does not read what it is sent ({size(connection.unread)})" if connection.unread else ""
        return f"{conversation.agent_name}: {heard}{unread}"

    def _items(self) -> Iterator[Item]:
        from acp_tui.ui.screens.menu import Item

        running, session = self._screen.conversation.running, self._screen.conversation.session
        others = " and its other sessions here" if running is not None and running.is_shared else ""
        yield Item("wait", "Wait", "do nothing now")
        if session is not None and session.turn_state == "running":
            yield Item("stop", "Stop the turn", "ask the agent to end it")
        yield Item("kill", "Kill the agent", f"end its process{others}; what was said stays")
        yield Item("restart", "Restart the agent", "end it and begin again, below what was said")
