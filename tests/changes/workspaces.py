"""Workspaces with snapshots, for tests."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from acp_tui.changes.git_tree import ChangedFile
from acp_tui.changes.snapshots import Snapshots


def workspace(tmp_path: Path, **files: str) -> tuple[Path, Snapshots]:
    root = tmp_path / "work"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text)
    return root, Snapshots(tmp_path / "stores", root)


def repository(root: Path, *, add: tuple[str, ...] = (".",)) -> None:
    """Create a git repository with a commit, a hook and a staged file."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-f", *add], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)


def bytes_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return mode, time and hash of each file."""
    return {
        str(path): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def told(changes: list[ChangedFile]) -> list[tuple[str, str]]:
    return sorted((change.status, change.path) for change in changes)


async def objects_of(snapshots: Snapshots) -> dict[str, int]:
    """Return git's counts of the store: loose objects (`count`), those `in-pack`, and `packs`."""
    out = await snapshots.store.git("count-objects", "-v")
    rows = (line.partition(": ") for line in out.decode().splitlines())
    return {name: int(count) for name, _, count in rows if count.isdigit()}
