"""Line steps: the lines that each change of a file replaced, recorded when the change is seen.

Blame reads them. So it needs no contents, and outlives the snapshots, which are kept for two weeks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from acp_tui.changes.git_tree import ChangedFile
from acp_tui.changes.snapshots import Snapshots
from acp_tui.lazy_regex import regex
from acp_tui.session.events import Hunk, LineStep

_AT_ONCE: Final = 50
"""Most files compared at a time; of the others only the hashes are recorded."""
_MOST: Final = 2_000
"""Most hunks of one step: with more, the file counts as rewritten."""
_PART: Final = regex(
    rb"^diff --git a/(\d+) .*\n|^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|^(Binary) ", re.MULTILINE
)


class LineSteps:
    """The latest step of each changed file of a session."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._seen: dict[str, str] = {}
        """The latest content, by relative path."""

    def recall(self, contents: Mapping[str, str]) -> None:
        """Continue with the contents at the end of an earlier run, by relative path."""
        self._seen = dict(contents)

    async def learn(self, changes: Iterable[ChangedFile]) -> dict[str, LineStep]:
        """Return the steps since the last call, by relative path; `changes` are all changes since the start.

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
    """Return the hunks between pairs of contents, given by their hashes; "" is no file.

    A pair gets None if a content is lost or binary, or if there are too many hunks.

    Raises:
        SnapshotError.
    """
    out = await snapshots.line_differences(pairs)
    found: list[tuple[Hunk, ...] | None] = [() if old == new else None for old, new in pairs]
    hunks_by_pair: dict[int, list[Hunk]] = {}
    number = 0
    for part in _PART.finditer(out):
        if part[1] is not None:
            number = int(part[1])
            hunks_by_pair[number] = []
        elif part[6] is not None:
            hunks_by_pair.pop(number, None)
        elif number in hunks_by_pair:
            old, old_count, new, new_count = (int(part[group] or 1) for group in (2, 3, 4, 5))
            hunks_by_pair[number].append(_hunk(old, old_count, new, new_count))
    for number, hunks in hunks_by_pair.items():
        found[number] = tuple(hunks) if len(hunks) <= _MOST else None
    return found


def _hunk(old: int, old_count: int, new: int, new_count: int) -> Hunk:
    """Return a hunk with lines counted from 0; for an empty range git gives the line before it."""
    old_start = old - 1 if old_count else old
    new_start = new - 1 if new_count else new
    return (old_start, old_start + old_count, new_start, new_start + new_count)
