"""Fixtures of snapshots and undo."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from acp_tui.changes.snapshots import Snapshots
from tests.changes.watched import Watched


@pytest_asyncio.fixture
async def watching(tmp_path: Path) -> AsyncIterator[Snapshots]:
    """Snapshots of a small workspace with a watcher."""
    root = tmp_path / "work"
    for name in ("a", "b", "src/c", "src/deep/d"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n" * 9)
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "build").mkdir()
    snapshots = Snapshots(tmp_path / "stores", root)
    await snapshots.take()
    assert await snapshots.watch()
    yield snapshots
    snapshots.close()


@pytest_asyncio.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    made = Watched(tmp_path)
    yield made
    await made.tracking.close()
