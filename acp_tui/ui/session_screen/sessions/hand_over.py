"""Hand-over: gives an earlier session to an agent that does not know it."""

from __future__ import annotations

from typing import Final

from acp_tui.session.session import Session
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
