"""The lines above the prompt: what waits to be said, and what goes with it, as it will be sent."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from acp_tui.ui.widgets.lines import Line
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation

_QUEUED: Final = 4
"""Prompts shown at most."""


def unsaid(conversation: Conversation, width: int) -> list[Line]:
    """Return all lines of the note, which is shown whole, and a line for each of the newest that wait."""
    note = conversation.rejections.note()
    lines: list[Line] = []
    if note:
        lines.append(([("muted", "with the next prompt")], [("muted", "alt+t drops it")]))
    for line in note.splitlines():
        parts = wrap(safe_line(line), max(10, width - 4), subsequent_indent="  ")
        lines += [([("muted", "  "), ("notice", part)], []) for part in parts]
    queued: list[Line] = [
        ([("muted", "queued "), ("text", safe_line(prompt.text))], [])
        for prompt in conversation.queue[-_QUEUED:]
    ]
    if queued:
        queued[-1] = (queued[-1][0], [("muted", "alt+q orders, alt+up edits, alt+g sends now")])
    return [*lines, *queued]
