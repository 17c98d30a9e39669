"""Unfinished work of sessions, and the question before it is ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from acp_tui.ui.screens.base.menu import MenuItem, choose
from acp_tui.ui.session_screen.parts import SessionParts

_STAY: Final = "stay"


def unfinished(sessions: Sequence[SessionParts]) -> str:
    """Describe the running, pending and queued work of sessions; "" for none."""
    conversations = [parts.screen.conversation for parts in sessions]
    counts = (
        (sum(one.is_busy for one in conversations), "running turn"),
        (sum(one.background_work for one in conversations), "background task"),
        (sum(parts.shell.commands.is_running for parts in sessions), "running command"),
        (sum(len(one.questions) for one in conversations), "open question"),
        (sum(len(one.prompts.queue) for one in conversations), "queued prompt"),
    )
    shown = [f"{count} {what}{'s' * (count > 1)}" for count, what in counts if count]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def _effects(sessions: Sequence[SessionParts]) -> str:
    conversations = [parts.screen.conversation for parts in sessions]
    runs = any(one.is_busy or one.background_work for one in conversations) or any(
        parts.shell.commands.is_running for parts in sessions
    )
    effects = [
        "stops what runs" * runs,
        "cancels open questions" * any(one.questions for one in conversations),
        "keeps queued prompts as your draft" * any(one.prompts.queue for one in conversations),
    ]
    return ", ".join(filter(None, effects))


async def may_end(parts: SessionParts, sessions: Sequence[SessionParts], verb: str) -> bool:
    """Return True if sessions have no unfinished work, or the user wants to end them anyway.

    Args:
        parts: the session in view, over which the question is asked.
        sessions: the sessions that would end.
        verb: the act in one word, such as `Quit`.
    """
    left = unfinished(sessions)
    if not left:
        return True
    items = [MenuItem("end", verb, _effects(sessions)), MenuItem(_STAY, "Stay", "nothing ends")]
    return await choose(parts.screen, f"{verb} with {left}?", items, _STAY) == "end"
