"""Journals that were last used some days ago."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from acp_tui.store.disk_space import (
    DAY,
)

NOW = time.time()


def journal(folder: Path, name: str, days: float, size: int = 1000, session: str = "") -> Path:
    """Write a journal last used some days ago."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.ndjson"
    rows = [
        {"t": 0, "dir": "note", "msg": {"start": ["a"], "agent": "a", "cwd": "/w", "version": "1", "at": ""}},
        {"t": 0, "dir": "out", "msg": {"id": 1, "method": "session/load", "params": {"sessionId": session}}},
        {"t": 0, "dir": "in", "msg": {"id": 1, "result": {}}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[: 3 if session else 1]))
    path.write_bytes(path.read_bytes().ljust(size, b"\n"))
    os.utime(path, (NOW - days * DAY,) * 2)
    return path
