"""Another process of the agent takes the place of the one before, since only a new one knows of a login."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.conversation.running import RunningAgent
    from acp_tui.session.session import Session


async def reconnect(conversation: Conversation) -> Agent:
    """Start the agent of a conversation anew; the others with it follow.

    Raises:
        AgentGone: it cannot be started, or the conversation ends meanwhile.
    """
    from acp_tui.agent.errors import AgentGone, gone

    this, connecting = conversation.round, conversation.connecting
    assert connecting.running is not None
    others = [hearer for hearer in connecting.running.hearers if hearer is not conversation]
    await connecting.leave(connecting.running, conversation.session)
    if this == conversation.round:
        connecting.forget()
    running = conversation.started() if this == conversation.round else None
    if running is None:
        raise AgentGone(gone())
    await running.introduce()
    for other in others:
        other.follow(running)
    return running.agent


async def follow(conversation: Conversation, running: RunningAgent, session: Session) -> None:
    """Take a session to another process; the last conversation to leave the process before ends it."""
    from acp_tui.agent.errors import AgentError

    this, before = conversation.round, conversation.running
    conversation.enter("starting")
    conversation.connecting.let_go()
    conversation.connecting.join(running)
    if before is not None:
        before.agent.sessions.pop(session.id, None)  # its end is none of the session
    try:
        await conversation.beginning.open_again(running.agent, session)
    except AgentError as error:
        conversation.fail(running.agent, error)
    finally:
        if before is not None and conversation in before.hearers:
            before.hearers.remove(conversation)
            if not before.hearers:
                await before.end()
    if this == conversation.round and conversation.phase == "starting":
        conversation.go_on()
