"""Three-way merges of texts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from acp_tui.changes.git import Git, git_program
from acp_tui.workspace.short_programs import Stalled

_LABELS: Final = {"now": "on disk", "base": "as the agent read it", "wanted": "the agent"}
OPENING: Final = f"<<<<<<< {_LABELS['now']}"
"""The line with which a conflict begins."""
_MOST: Final = 127
"""Exit codes up to this one are counts of conflicts, says git's manual."""
_LARGEST: Final = 4_000_000
"""Most characters of a text that is merged."""


class Merge(NamedTuple):
    """The changes of two sides in one text."""

    text: str
    conflicts: int
    """Number of conflicts; the text has conflict marks for each."""


async def merge_texts(base: str, now: str, wanted: str) -> Merge | None:
    """Merge two texts that come from `base`; None if that is impossible, for example without git."""
    texts = {"now": now, "base": base, "wanted": wanted}
    if git_program() is None or max(map(len, texts.values())) > _LARGEST:
        return None
    try:
        with TemporaryDirectory(prefix="acp-tui-") as folder:
            await asyncio.to_thread(_write, Path(folder), texts)
            labels = [word for name in texts for word in ("-L", _LABELS[name])]
            git = Git(Path(folder), Path(folder))
            done = await git.run("merge-file", "-p", "-q", *labels, *texts)
        if done.code > _MOST or done.code < 0:
            return None
        return Merge(done.out.decode(), done.code)
    except (OSError, Stalled, UnicodeError):
        return None


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
