"""The lines above the prompt: what waits to be said, and what goes with it, as it will be sent."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from acp_tui.ui.widgets.lines import Line
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.conversation.conversation import Conversation

_QUEUED: Final = 4
"""Prompts shown at most."""
_NOTE: Final = 8
"""Rows of the note shown at most."""


def unsaid(conversation: Conversation, width: int, key: Callable[[str], str]) -> list[Line]:
    """Return the lines of the note, cut where it is very long, and a line for each of the newest that wait.

    `key` gives the key of an action by its name.
    """
    note = conversation.rejections.note()
    lines: list[Line] = []
    if note:
        lines.append(
            ([("muted", "with the next prompt")], [("muted", f"{key('session.drop-note')} drops it")])
        )
    for line in note.splitlines():
        parts = wrap(safe_line(line), max(10, width - 4), subsequent_indent="  ")
        lines += [([("muted", "  "), ("notice", part)], []) for part in parts]
    if len(lines) > _NOTE:
        lines[_NOTE - 1 :] = [([("muted", f"  {len(lines) - _NOTE + 1} more lines")], [])]
    queued: list[Line] = [
        ([("muted", "queued "), ("text", safe_line(prompt.text))], [])
        for prompt in conversation.queue[-_QUEUED:]
    ]
    if queued:
        queue, edit, send = map(key, ("session.queue", "session.edit-queue", "session.send-now"))
        queued[-1] = (queued[-1][0], [("muted", f"{queue} orders, {edit} edits, {send} sends now")])
    return [*lines, *queued]
