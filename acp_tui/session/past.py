"""The past of a session that is taken up: turns, plan, changes, snapshots and ways back of earlier runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_tui.protocol.schema import PlanEntry
from acp_tui.session.files import FileChange, Origin
from acp_tui.session.turns import Turn


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """There is a snapshot of the workspace from before a turn, or from the beginning of the session."""

    turn: int
    """From 1; 0: the beginning, and all that was kept before does not count any more."""
    id: str
    at: float
    """Seconds since the epoch."""
    late: bool = False
    """The agent may have begun already."""
    cwd: str = ""
    """The folder that it is of."""
    since: int = 0
    """How many turns were over when it was taken as the beginning."""


@dataclass(frozen=True, slots=True)
class UndoStep:
    """The user has rejected or restored something, which can be taken back."""

    back: str
    """The snapshot from before that."""
    after: str
    """The snapshot from right after that."""
    paths: tuple[str, ...]
    """Relative to the workspace."""


@dataclass(frozen=True, slots=True)
class UndoStepTaken:
    """The user has taken that back."""

    place: int
    """Among those that there were, from 0."""


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of a session when it is taken up."""

    cwd: str
    turns: tuple[tuple[Turn, str], ...]
    """Each with what the user said to begin it, in one line."""
    plan: tuple[PlanEntry, ...]
    files: tuple[FileChange, ...]
    origins: Mapping[tuple[str, str], tuple[Origin, ...]]
    """Where files came from that were seen, by path and content: an undoing may bring one back."""
    over: frozenset[str]
    """Paths of files that tool calls changed and that are what they were again."""
    kept: tuple[KeptSnapshot, ...]
    undid: tuple[UndoStep, ...]
