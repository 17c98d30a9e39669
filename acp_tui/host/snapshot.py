"""What a snapshot of a workspace is, and what differs between two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acp_tui.host.successor import Reason

Status = Literal["A", "M", "D", "R", "T"]


@dataclass(frozen=True)
class LeftOut:
    """A file, or a folder, that is not in a snapshot."""

    path: str
    reason: Reason


@dataclass(frozen=True)
class Snapshot:
    """The files of a workspace at a moment."""

    id: str
    at: float
    """Seconds since the epoch."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Changed:
    """One file that differs between two moments; paths are relative to the workspace."""

    path: str
    """As the file is called at the later moment; bytes that are no UTF-8 as lone surrogates."""
    status: Status
    """Added, modified, deleted, renamed, or of another type (file, link)."""
    old_path: str
    """As the file was called at the earlier moment."""
    old_mode: int
    new_mode: int
    """As git knows them: 0o100644, 0o100755 (executable), 0o120000 (link); 0 where there is no file."""
    old_id: str
    new_id: str
    """Content by its hash; empty where there is no file, or one that is too large."""
    binary: bool = False
    added: int = 0
    removed: int = 0
    """Lines."""

    @property
    def state(self) -> tuple[str, int]:
        """What the file is at the later moment."""
        return self.new_id, self.new_mode


@dataclass(frozen=True)
class Restored:
    """What came of going back."""

    way_back: Snapshot
    """How all files were just before."""
    done: tuple[Changed, ...]
    problems: tuple[str, ...]
    """Why the other files stay as they are, for people."""
