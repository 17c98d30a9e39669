"""Hand-over: gives a session to an agent that does not know it, an earlier one or this one."""

from __future__ import annotations

import asyncio
from typing import Final

from acp_tui.conversation.start_options import Start
from acp_tui.session.briefs import handoff_brief
from acp_tui.session.session import Session
from acp_tui.store.agents import DEMO, Launch, LaunchError, resolve
from acp_tui.store.prompts import Prompt
from acp_tui.ui.screens.base import menu
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.export import talk

MOST: Final = 60_000
"""Most characters that are handed over, the newest ones."""

_WHOSE: Final = "My words are those quoted below “Prompt” and “During the turn”."
_HEAD: Final = f"This is an earlier conversation that you do not know. Continue from here. {_WHOSE}\n\n"
_BEFORE: Final = (
    "This is the conversation up to here, which you do not know. "
    f"What was said and done after it was taken back. {_WHOSE}"
)
_CUT: Final = "[… earlier parts are left out …]\n\n"


def hand_over(screen: ConversationScreen) -> None:
    """Put the earlier session into the prompt, as a chip."""
    above = screen.conversation.above
    if above is None:
        screen.notify("The agent already knows this conversation.")
        return
    turns = len(above.turns)
    screen.prompt.add_chip(
        f"earlier conversation, {turns} turn{'s' if turns > 1 else ''}", handed_over(above)
    )
    screen.focus_prompt()


async def hand_off(screen: ConversationScreen, start: Start, agent: str = "") -> None:
    """Open a tab with another agent, with a brief on this session in its prompt; nothing is sent.

    `agent` is its name or command; empty: the user chooses.
    """
    conversation, session = screen.conversation, screen.conversation.session
    if session is None or not session.turns:
        screen.notify("Nothing to hand off yet.")
        return
    agent = agent or await _choose_agent(screen, start)
    launch = launch_of(screen, start, agent) if agent else None
    if launch is None:
        return
    brief = handoff_brief(session, conversation.agent_name, conversation.rejections.steps)
    other = await screen.tabs.open(launch=launch, cwd=conversation.cwd)
    other.call_after_refresh(lambda: other.prompt.give_back(Prompt(brief)))


async def _choose_agent(screen: ConversationScreen, start: Start) -> str:
    """Let the user choose one of the installed agents; return its name, or ""."""
    known = await asyncio.to_thread(lambda: [agent for agent in start.known.values() if agent.installed()])
    items = [menu.MenuItem(agent.name, agent.title or agent.name) for agent in known]
    items.append(menu.MenuItem(DEMO, "Demo agent", "bundled, no key, no network"))
    return await menu.choose(screen, "Hand off to", items) or ""


def launch_of(screen: ConversationScreen, start: Start, agent: str) -> Launch | None:
    """Return the launch of an agent, or notify the user of its problem; empty: that of the session."""
    own = screen.conversation.launch
    if own is not None and agent in ("", own.name):
        return own
    try:
        return resolve(agent, (), start.known)
    except LaunchError as error:
        screen.notify(error.advice, title=error.title, severity="error", timeout=10)
        return None


def handed_over(session: Session) -> str:
    """Return a session as text for an agent: messages, and a line for each tool call."""
    return _HEAD + _newest(talk(session))


def brief_before(session: Session, turn: int, files: str) -> str:
    """Return the conversation before a turn (from 1), for an agent that continues from there, or "".

    `files` is a sentence about the state of the files.
    """
    until = session.begin_of(turn)
    text = talk(session, until=until) if until else ""
    if not text.strip():  # resumed without a replay
        earlier = (session.prompt_of(number) for number in range(1, turn))
        text = "".join(f"> {prompt}\n\n" for prompt in earlier if prompt)
    return f"{_BEFORE} {files}\n\n{_newest(text)}" if text.strip() else ""


def _newest(text: str) -> str:
    """Return the newest part of a text, if it is too long."""
    if len(text) <= MOST:
        return text
    newest = text[-MOST:]
    return _CUT + newest[newest.find("\n") + 1 :]
