"""The past of a resumed session: turns, plan, changes, snapshots and undo steps of earlier runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_tui.protocol.schema import PlanContent
from acp_tui.session.file_changes import FileChange, Origin
from acp_tui.session.turns import Turn


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """A snapshot of the workspace from before a turn."""

    turn: int
    """Turn (from 1), or 0 for the start, which replaces all earlier snapshots."""
    id: str
    at: float
    """Seconds since the epoch."""
    late: bool = False
    """True if the agent may have started before it."""
    cwd: str = ""
    """The workspace at that time."""
    since: int = 0
    """Number of finished turns at the start."""


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A restored or rejected change that can be undone."""

    back: str
    """Snapshot before the step."""
    after: str
    """Snapshot right after the step."""
    paths: tuple[str, ...]
    """Paths relative to the workspace."""


@dataclass(frozen=True, slots=True)
class UndoStepRemoved:
    """A step was removed from the undo stack: undone, replaced, or without its snapshots."""

    place: int
    """Index of the step at that time, from 0."""


@dataclass(frozen=True, slots=True)
class Past:
    """The state of a session at the end of its earlier runs."""

    cwd: str
    turns: tuple[tuple[Turn, str], ...]
    """Turns, each with its prompt on one line."""
    plans: tuple[PlanContent, ...]
    files: tuple[FileChange, ...]
    origins: Mapping[tuple[str, str], tuple[Origin, ...]]
    """Origins of every file state seen, by path and content id."""
    restored: frozenset[str]
    """Paths of files that are back to their original state."""
    snapshots: tuple[KeptSnapshot, ...]
    undo_steps: tuple[UndoStep, ...]
