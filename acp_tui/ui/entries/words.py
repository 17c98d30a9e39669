"""Tool calls in the words and marks of the interface."""

from __future__ import annotations

from typing import Final

from acp_tui.session.entries import ToolCall
from acp_tui.ui.widgets.text import exact

STATUS_ROLES: Final = {
    "pending": "tool-pending",
    "in_progress": "tool-running",
    "completed": "tool-completed",
    "failed": "tool-failed",
    "cancelled": "tool-cancelled",
    "rejected": "tool-cancelled",
    "interrupted": "tool-cancelled",
}
STATUS_GLYPHS: Final = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "rejected": "cancelled",
    "interrupted": "interrupted",
}
STATUS_WORDS: Final = {
    "in_progress": "running",
    "failed": "failed",
    "cancelled": "cancelled",
    "rejected": "rejected",
    "interrupted": "no result",
}
KIND_WORDS: Final = {"execute": "run", "switch_mode": "mode", "other": "tool"}
"""Tool kinds that have a shorter word; the others are their own."""


def kind_word(kind: str) -> str:
    """Return a tool kind as a short word; a kind of tomorrow is a tool."""
    known = ("read", "edit", "delete", "move", "search", "think", "fetch")
    return KIND_WORDS.get(kind, kind if kind in known else "tool")


def call_title(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return what a tool call is about: the command that it runs, its title, or what else is known of it.

    `most`: characters that are enough, for a line that is drawn again and again.
    """
    title, command = call_words(call, cwd, most), call_command(call, cwd, most)
    return command if command and command not in title else title


def call_sentence(call: ToolCall, cwd: str) -> str:
    """Return what a tool call does and what it is about, without saying `fetch Fetch …`."""
    kind, title = kind_word(call.kind), call_title(call, cwd)
    return title if title.casefold().startswith(f"{kind} ") else f"{kind} {title}"


def call_words(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return what the agent calls a tool call, or what else is known of it; `most`: see `call_title`."""
    title = call.title or call.name or (call.locations[0].path if call.locations else "")
    title = " ".join(title[:most].split()).strip("`")
    title = title.replace(cwd.rstrip("/") + "/", "") if cwd else title
    is_exact = call.kind == "execute" or not (call.title or call.name)
    return exact(title) if is_exact else title


def call_command(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return the command that a call runs, on one line: some agents say only what it is good for.

    `most`: see `call_title`.
    """
    command = " ".join((call.command or "")[:most].split()) if call.kind == "execute" else ""
    return exact(command.replace(cwd.rstrip("/") + "/", "") if cwd else command)
