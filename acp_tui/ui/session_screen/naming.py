"""Giving a session a name of the person's own, which no title of the agent takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.session.session import Session
    from acp_tui.ui.session_screen.screen import SessionScreen

LONGEST: Final = 80
"""Characters of a name."""


class Naming:
    """Names one session: in its tab, in lists and in exports."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    @property
    def title(self) -> str:
        """What the session is about, in a few words: a name, its title, its first prompt, or the agent."""
        conversation = self._screen.conversation
        session = conversation.session
        fork = "fork: " if session is not None and session.is_fork and not self.own else ""
        return fork + (self.own or title_of(self._screen) or conversation.agent_name)

    def ask(self) -> None:
        """Let the person write a name."""
        from acp_tui.ui.screens.name_dialog import NameDialog

        if self._screen.conversation.session is None:
            self._screen.notify("There is no session to name yet.")
            return
        without = title_of(self._screen) or self._screen.conversation.agent_name
        dialog = NameDialog(self.own, without, LONGEST, self._screen.look)
        self._screen.app.push_screen(dialog, lambda name: None if name is None else self.rename(name))

    def rename(self, name: str) -> None:
        """Call the session by this name from now on; an empty one gives its own title back."""
        session = self._screen.conversation.session
        if session is None:
            self._screen.notify("There is no session to name yet.")
            return
        name = " ".join(safe_line(name).split())[:LONGEST]
        problem = self._screen.tabs.names.put(self.agent, session.id, name)
        if problem is not None:
            self._screen.notify(str(problem), title="Names", severity="warning")
        self._screen.show_status()
        said = f"This session is called {name} now." if name else "This session has its own title again."
        self._screen.notify(said)

    @property
    def agent(self) -> str:
        """What the person calls the agent, by which names of its sessions are kept."""
        conversation = self._screen.conversation
        if conversation.recorded is not None:
            return conversation.recorded.agent
        return conversation.launch.name if conversation.launch is not None else ""

    @property
    def own(self) -> str:
        """The person's name for the session; an empty text if there is none."""
        session = self._screen.conversation.session
        return self._screen.tabs.names.get(self.agent, session.id) if session is not None else ""


def title_of(screen: SessionScreen) -> str:
    """Return what a session is called without the person: the agent's title, else the first prompt."""
    session = screen.conversation.session
    return session.subject if session is not None else ""


def last_said(session: Session | None) -> str:
    """Return the newest prompt of a session, in a line."""
    from acp_tui.session.entries import UserMessage, line_of

    entries = reversed(session.entries) if session is not None else ()
    said = next((entry for entry in entries if isinstance(entry, UserMessage)), None)
    return line_of(said) if said is not None else ""
