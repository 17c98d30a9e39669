"""Facts in the words and marks of the interface: statuses, durations, sizes, paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.session.entries import ToolCall
    from acp_tui.ui.widgets.look import Look

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


def seconds(duration: float) -> str:
    """Return a duration as people read it: `0.3 s`, `12 s`, `2:05`, `1:02:03`."""
    if duration < 10:
        return f"{duration:.1f} s"
    if duration < 60:
        return f"{duration:.0f} s"
    minutes, rest = divmod(int(duration), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clock(duration: float) -> str:
    """Return a running time: `0:07`, `1:02:03`."""
    minutes, rest = divmod(int(duration), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(count: int) -> str:
    """Return a number of bytes."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"


def tokens(count: int) -> str:
    """Return a number of tokens."""
    return str(count) if count < 1000 else f"{count / 1000:.0f}k"


def inside(path: str, cwd: str) -> str:
    """Return a path as short as it can be said in the workspace."""
    prefix = cwd.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else path


def call_title(call: ToolCall, cwd: str) -> str:
    """Return what a tool call is about: the command that it runs, its title, or what else is known of it."""
    title, command = call_words(call, cwd), call_command(call, cwd)
    return command if command and command not in title else title


def call_words(call: ToolCall, cwd: str) -> str:
    """Return what the agent calls a tool call, or what else is known of it."""
    title = call.title or call.name or (call.locations[0].path if call.locations else "")
    title = " ".join(title.split()).strip("`")
    return title.replace(cwd.rstrip("/") + "/", "") if cwd else title


def call_command(call: ToolCall, cwd: str) -> str:
    """Return the command that a call runs, on one line: some agents say only what it is good for."""
    command = " ".join((call.command or "").split()) if call.kind == "execute" else ""
    return command.replace(cwd.rstrip("/") + "/", "") if cwd else command


def call_glyph(call: ToolCall, look: Look) -> str:
    """Return the mark of a tool call's status."""
    return look.glyph(STATUS_GLYPHS.get(call.status, "pending"))


def welcome(cwd: str) -> list[tuple[str, str]]:
    """Return, as pieces of (role, text), what an empty chat says."""
    keys = (
        ("/", "commands of the agent"),
        ("@", "files of the workspace"),
        ("shift+tab", "next mode"),
        ("esc", "stops the agent"),
        ("ctrl+p", "everything that can be done"),
        ("F1", "all keys"),
    )
    pieces = [("strong", "acp-tui"), ("muted", "  in  "), ("text", f"{cwd}\n\n")]
    for key, what in keys:
        pieces += [("accent", f"{key:<11}"), ("muted", f"{what}\n")]
    return pieces
