"""What an empty chat says."""

from __future__ import annotations


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
