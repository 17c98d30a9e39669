"""Line steps: which lines each change of a file has replaced, written down when the change is seen.

Blame is read from them. So it needs no content, and outlives the snapshots, which are kept for two weeks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.tree import ChangedFile
from acp_tui.patterns import regex
from acp_tui.session.events import Hunk, LineStep

_AT_ONCE: Final = 50
"""Files compared at a time; of others only the contents are noted."""
_MOST: Final = 2_000
"""Hunks of one step: a change with more was written anew."""
_PART: Final = regex(
    rb"^diff --git a/(\d+) .*\n|^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|^(Binary) ", re.MULTILINE
)


class LineSteps:
    """The latest step of each changed file of a session."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._seen: dict[str, str] = {}
        """The content that was seen last, by relative path."""

    def recall(self, contents: Mapping[str, str]) -> None:
        """Continue with the contents at the end of an earlier run, by relative path."""
        self._seen = dict(contents)

    async def learn(self, changes: Iterable[ChangedFile]) -> dict[str, LineStep]:
        """Return the steps since the last call, by relative path; `changes` are all since the start.

        Raises:
            SnapshotError.
        """
        seen, self._seen = self._seen, {}
        steps: dict[str, LineStep] = {}
        for change in changes:
            self._seen[change.path] = change.new_id
            came_from = change.path if change.path in seen else change.old_path
            was = seen.get(came_from, change.old_id)
            if was != change.new_id:
                moved = came_from if came_from != change.path else ""
                steps[change.path] = LineStep(was, change.new_id, None, moved)
        compared = [step for step in steps.values() if step.id][:_AT_ONCE]
        if compared:
            hunks = await hunks_of(self._snapshots, [(step.was, step.id) for step in compared])
            by_pair = {(step.was, step.id): found for step, found in zip(compared, hunks, strict=True)}
            steps = {
                path: step._replace(hunks=by_pair.get((step.was, step.id))) for path, step in steps.items()
            }
        return steps


async def hunks_of(snapshots: Snapshots, pairs: Sequence[tuple[str, str]]) -> list[tuple[Hunk, ...] | None]:
    """Return what differs in the lines of pairs of contents, given by their hashes; "" is no file.

    None stands for a content that is lost or binary, and for too many hunks.

    Raises:
        SnapshotError.
    """
    out = await snapshots.line_differences(pairs)
    found: list[tuple[Hunk, ...] | None] = [() if old == new else None for old, new in pairs]
    told: dict[int, list[Hunk]] = {}
    number = 0
    for part in _PART.finditer(out):
        if part[1] is not None:
            number = int(part[1])
            told[number] = []
        elif part[6] is not None:
            told.pop(number, None)
        elif number in told:
            old, old_count, new, new_count = (int(part[group] or 1) for group in (2, 3, 4, 5))
            told[number].append(_hunk(old, old_count, new, new_count))
    for number, hunks in told.items():
        found[number] = tuple(hunks) if len(hunks) <= _MOST else None
    return found


def _hunk(old: int, old_count: int, new: int, new_count: int) -> Hunk:
    """Return lines counted from 0; for no lines git names the one before."""
    old_start = old - 1 if old_count else old
    new_start = new - 1 if new_count else new
    return (old_start, old_start + old_count, new_start, new_start + new_count)
