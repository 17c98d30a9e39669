"""The theme that was chosen last, kept for the next run: two lines, for it is read before the first frame."""

from __future__ import annotations

from pathlib import Path

from acp_tui.store.problem import Problem
from acp_tui.store.shared_json import write_whole


def last_theme(path: Path, in_settings: str) -> str | None:
    """Return the theme that was chosen while the settings named this one; None once they name another."""
    try:
        before, chosen = path.read_text("utf-8").splitlines()
    except (OSError, ValueError):  # there is none, or it is no such file: the settings count
        return None
    return chosen if before == in_settings else None


def keep_theme(path: Path, in_settings: str, chosen: str) -> Problem | None:
    """Keep a choice, whole or not at all; return why it could not be kept."""
    try:
        write_whole(path, f"{in_settings}\n{chosen}\n".encode(), durable=False)
    except OSError as error:
        return Problem(path, None, f"the theme is not kept: {error.strerror}")
    return None
