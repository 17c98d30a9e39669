"""The name of a session, for its tab, lists and exports."""

from __future__ import annotations

from typing import Final

from acp_tui.agent.capabilities import AgentError
from acp_tui.conversation.conversation import Conversation
from acp_tui.ui.screens.base import menu
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import safe_line

LONGEST: Final = 80
"""Most characters of a name."""
_NONE: Final = "There is no session yet."


def title_of(screen: ConversationScreen) -> str:
    """Return the user's name of a session, else the agent's title, the first prompt, or the agent's name."""
    session, own = screen.conversation.session, own_name(screen)
    fork = "fork: " if session is not None and session.is_fork and not own else ""
    return fork + (own or _without_name(screen.conversation))


def own_name(screen: ConversationScreen) -> str:
    """Return the user's name of a session, or ""."""
    session = screen.conversation.session
    return screen.tabs.names.get(_agent(screen.conversation), session.id) if session is not None else ""


def ask_for_name(screen: ConversationScreen) -> None:
    """Ask the user for a name."""
    if screen.conversation.session is None:
        screen.notify(_NONE)
        return
    dialog = menu.LineDialog(
        "Name of this session",
        own_name(screen),
        screen.theme_styles,
        placeholder="new name",
        does="save",
        below=f"Leave empty for {_without_name(screen.conversation)}",
        longest=LONGEST,
    )
    screen.app.push_screen(dialog, lambda name: None if name is None else rename(screen, name))


def rename(screen: ConversationScreen, name: str) -> None:
    """Rename a session; an empty name restores its own title."""
    session = screen.conversation.session
    if session is None:
        screen.notify(_NONE)
        return
    name = " ".join(safe_line(name).split())[:LONGEST]
    problem = screen.tabs.names.put(_agent(screen.conversation), session.id, name)
    if problem is not None:
        screen.notify(str(problem), title="Names", severity="warning")
    screen.show_status()
    said = f"Renamed to “{name}”." if name else "Name removed: the session shows its own title."
    screen.notify(said)
    screen.run_worker(_tell_agent(screen, session.id, name), group="names")


async def _tell_agent(screen: ConversationScreen, session_id: str, name: str) -> None:
    """Set the name as the agent's title, if it supports that; show the title that it stores."""
    try:
        title = await screen.conversation.set_title(name)
    except AgentError as error:
        screen.notify(f"The agent keeps its own title: {error}", title="Names", severity="warning")
        return
    title = " ".join(safe_line(title).split())[:LONGEST]
    if title and title != name:
        screen.tabs.names.put(_agent(screen.conversation), session_id, title)
        screen.show_status()
        screen.notify(f"The agent calls it “{title}”.")


def _without_name(conversation: Conversation) -> str:
    """Return the agent's title of a session, else its first prompt, else the name of the agent."""
    session = conversation.session
    return (session.subject if session is not None else "") or conversation.agent_name


def _agent(conversation: Conversation) -> str:
    """Return the name of the agent under which the names of its sessions are stored."""
    if conversation.recorded is not None:
        return conversation.recorded.agent
    return conversation.launch.name if conversation.launch is not None else ""
