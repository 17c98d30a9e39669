"""Words and symbols of the interface for tool calls."""

from __future__ import annotations

from typing import Final

from acp_tui.formatting import inside
from acp_tui.session.entries import Diff, ToolCall
from acp_tui.ui.widgets.text import exact

STATUS_ROLES: Final = {
    "pending": "tool-pending",
    "in_progress": "tool-running",
    "paused": "tool-pending",
    "completed": "tool-completed",
    "failed": "tool-failed",
    "cancelled": "tool-cancelled",
    "rejected": "tool-cancelled",
    "interrupted": "tool-cancelled",
}
STATUS_SYMBOLS: Final = {
    "pending": "pending",
    "in_progress": "running",
    "paused": "pending",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "rejected": "cancelled",
    "interrupted": "interrupted",
}
STATUS_WORDS: Final = {
    "in_progress": "running",
    "paused": "paused",
    "failed": "failed",
    "cancelled": "cancelled",
    "rejected": "rejected",
    "interrupted": "no result",
}
KIND_WORDS: Final = {"execute": "run", "switch_mode": "mode", "other": "tool"}
"""Tool kinds with a shorter word; the others are shown as they are."""


def kind_word(kind: str) -> str:
    """Return a short word for a tool kind; a kind of a later version is `tool`."""
    known = ("read", "edit", "delete", "move", "search", "think", "fetch")
    return KIND_WORDS.get(kind, kind if kind in known else "tool")


def operation_words(diff: Diff, cwd: str) -> str:
    """Return the operation of a change, if its text does not show it; else ""."""
    words = {"delete": "deleted", "add": "new"}.get(diff.operation, "")
    if diff.old_path:
        words = f"{'copied' if diff.operation == 'copy' else 'moved'} from {inside(diff.old_path, cwd)}"
    if not diff.has_no_text or diff.operation == "delete":
        return words if diff.operation != "add" else ""
    return f"{words}, its text was not sent" if words else "changed, its text was not sent"


def call_title(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return the title of a tool call: its command, the agent's title, or its path.

    `most` limits the characters that are read, for a line that is redrawn often.
    """
    title, command = call_words(call, cwd, most), call_command(call, cwd, most)
    return command if command and command not in title else title


def call_sentence(call: ToolCall, cwd: str) -> str:
    """Return the kind and title of a tool call, without repetitions such as `fetch Fetch …`."""
    kind, title = kind_word(call.kind), call_title(call, cwd)
    return title if title.casefold().startswith(f"{kind} ") else f"{kind} {title}"


def call_words(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return the agent's title of a tool call, or its name or path; `most`: see `call_title`."""
    title = call.title or call.name or ""
    path = _path_behind(call, title)
    title = " ".join((path or title)[:most].split()).strip("`")
    title = title.replace(cwd.rstrip("/") + "/", "") if cwd else title
    return exact(title) if call.kind == "execute" or path else title


def _path_behind(call: ToolCall, title: str) -> str:
    """Return the path of a call whose title is missing or only repeats the kind or the path.

    Some agents title an edit "edit" until it is done, or a file with its path without the first slash.
    """
    if not call.locations:
        return ""
    path = call.locations[0].path
    says_kind = call.kind != "execute" and title.casefold() in (call.kind, kind_word(call.kind))
    return path if not title or says_kind or path == f"/{title}" else ""


def call_command(call: ToolCall, cwd: str, most: int | None = None) -> str:
    """Return the command of a call on one line; some agents give it a title that does not contain it.

    `most`: see `call_title`.
    """
    command = " ".join((call.command or "")[:most].split()) if call.kind == "execute" else ""
    return exact(command.replace(cwd.rstrip("/") + "/", "") if cwd else command)
