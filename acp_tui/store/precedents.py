"""What was decided before about the same thing in the same workspace, as the decision log knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final

from acp_tui.store.decisions import Decision, Decisions

MOST: Final = 300
"""Decisions that are looked at: what is older says little, and the person waits."""


@dataclass(frozen=True)
class Precedents:
    """How often something was allowed or rejected; what was cancelled does not count."""

    allowed: int
    rejected: int
    last: datetime
    """When it was decided last."""
    beginning: str = ""
    """For commands that only begin alike: how. Empty: it was exactly the same."""


def precedents(
    path: Path, workspace: str, kind: str, command: str | None, paths: Iterable[str], beginning: str = ""
) -> Precedents | None:
    """Return what was decided about this command, or about a call of this kind with these paths.

    Args:
        path: the log.
        workspace: only decisions of sessions in this folder count.
        kind: the kind of the tool call.
        command: as it stands in the log; None: the paths count.
        paths: all of them, absolute.
        beginning: words that count if the whole command was never asked for; empty: none do.

    Raises:
        OSError: the log cannot be read.
    """
    if command is not None:
        same = _found(path, command, workspace, lambda one: one.command == command)
        if same or not beginning:
            return _counted(same)
        begins = f"{beginning} "
        alike = _found(path, beginning, workspace, lambda one: f"{one.command} ".startswith(begins))
        return _counted(alike, beginning)
    named = tuple(paths)
    if not named:
        return None
    return _counted(_found(path, named[0], workspace, lambda one: one.kind == kind and one.paths == named))


def _found(path: Path, holding: str, workspace: str, fits: Callable[[Decision], bool]) -> list[Decision]:
    recent = islice(Decisions(path, holding), MOST)
    return [one for one in recent if one.workspace == workspace and one.chosen is not None and fits(one)]


def _counted(found: list[Decision], beginning: str = "") -> Precedents | None:
    if not found:
        return None
    allowed = sum(one.is_allowed for one in found)
    return Precedents(allowed, len(found) - allowed, found[0].time, beginning)
