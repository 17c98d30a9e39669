"""The recorded traffic of agents nobody here wrote, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_tui.store.recordings import RecordedSession, head_of
from tests.journals import Line

FOLDER = Path(__file__).parent / "transcripts"
_ALL = sorted(path.stem for path in FOLDER.glob("*.ndjson"))
IN_VERSION_2 = [name for name in _ALL if name.startswith(("claude-v2", "codex-v2"))]
"""Recordings of agents that speak version 2."""
NAMES = [name for name in _ALL if name not in IN_VERSION_2]


def rows(name: str) -> list[Line]:
    """Return the rows of one transcript, such as `gemini-basic`."""
    lines = (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines()
    return [Line(row["t"], row["dir"], row["msg"]) for row in map(json.loads, lines)]


def updates(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the updates that an agent sent, with their session."""
    news = [row.msg for row in rows(name) if row.direction == "in"]
    params = [msg["params"] for msg in news if msg.get("method") == "session/update"]
    return [(each["sessionId"], each["update"]) for each in params]


def recording(path: Path) -> RecordedSession:
    """Return what a list shows of a journal that has one session."""
    head = head_of(path)
    assert head is not None
    return head
