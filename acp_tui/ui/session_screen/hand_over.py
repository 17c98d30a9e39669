"""The hand-over of an earlier session to an agent that does not know it."""

from __future__ import annotations

from typing import Final

from acp_tui.session.session import Session
from acp_tui.ui.session_screen.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.export import talk

MOST: Final = 60_000
"""Maximum of characters handed over, the newest ones."""

_HEAD: Final = "This is an earlier conversation that you do not know. Continue from here.\n\n"
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


def handed_over(session: Session) -> str:
    """Return a session for an agent: the talk, and a line for each tool call."""
    text = talk(session)
    if len(text) > MOST:
        newest = text[-MOST:]
        text = _CUT + newest[newest.find("\n") + 1 :]
    return _HEAD + text
