"""What an empty chat says."""

from __future__ import annotations

from collections.abc import Callable


def welcome(cwd: str, key: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return, as pieces of (role, text), what an empty chat says; `key` gives the key of an action."""
    keys = (
        ("/", "commands of the agent"),
        ("@", "files of the workspace"),
        (key("session.next-mode"), "next mode"),
        (key("session.stop"), "stops the agent"),
        (key("app.palette"), "everything that can be done"),
        (key("app.help"), "all keys"),
    )
    pieces = [("strong", "acp-tui"), ("muted", "  in  "), ("text", f"{cwd}\n\n")]
    column = max(len(shown) for shown, _ in keys) + 2
    for shown, what in keys:
        pieces += [("accent", f"{shown:<{column}}"), ("muted", f"{what}\n")]
    return pieces
