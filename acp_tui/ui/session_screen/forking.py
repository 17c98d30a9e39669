"""Forking: another session, in a tab of its own, goes on from what was said in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.conversation.opening import Attach
from acp_tui.ui.widgets.key_names import key_of

if TYPE_CHECKING:
    from acp_tui.acp.sessions import SessionInfo
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.ui.session_screen.screen import SessionScreen


def can_fork(conversation: Conversation) -> bool:
    """Return whether the agent has said that it forks sessions, and there is one to fork."""
    from acp_tui.acp.initialization import has

    agent = conversation.agent
    if agent is None or conversation.session is None or conversation.phase != "ready":
        return False
    return has(agent.can.session_capabilities.fork)


async def fork(screen: SessionScreen) -> None:
    """Fork the session of a screen; while a turn runs nobody could say where the fork begins."""
    from acp_tui.acp.sessions import SessionInfo

    conversation = screen.conversation
    session = conversation.session
    if session is None or not can_fork(conversation):
        screen.notify("This agent cannot fork sessions.", severity="warning")
    elif conversation.is_busy:
        screen.notify(
            f"Fork the session once the turn is over; {key_of(screen, 'session.stop')} stops it.",
            severity="warning",
        )
    else:
        cwd, *more = conversation.roots
        await fork_listed(screen, SessionInfo(session_id=session.id, cwd=cwd, additional_directories=more))


async def fork_listed(screen: SessionScreen, info: SessionInfo) -> None:
    """Fork a session that the agent has, and show the fork."""
    from acp_tui.agent.errors import AgentError

    try:
        forked = await screen.conversation.fork(info)
    except AgentError as error:
        screen.notify(str(error), title="Not forked", severity="error", timeout=10)
        return
    await screen.tabs.open(running=screen.conversation.running, attach=Attach(forked, is_open=True))
