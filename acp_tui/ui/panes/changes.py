"""The changes pane: every file that the session changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final

from typing_extensions import override

from acp_tui.changes import untracked as untracked_files
from acp_tui.formatting import inside
from acp_tui.session.events import SessionChange
from acp_tui.session.file_changes import FileChange, Origin
from acp_tui.session.session import Session
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.panes.pane import DETAILED_FROM, Pane
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock, Piece, TextBlock, one_row

SLICE: Final = 0.03
"""Seconds of counting before other tasks run."""

_NAMED: Final = 20
"""Maximum number of untracked changes that are named."""

LONG: Final = 3.0
"""Seconds of scanning the workspace after which the user is told."""

STATUS_ROLES: Final = {"A": "success", "M": "warning", "D": "error", "R": "warning", "T": "warning"}
"""Added, modified, deleted, renamed, type changed."""


class FileLine(OneRowBlock):
    """One changed file."""

    def __init__(self, path: str) -> None:
        super().__init__(is_action=True)
        self.path = path
        self._origin = ""

    def show(self, left: Sequence[Piece], right: Sequence[Piece], origin: str) -> bool:
        """Replace the text; return True if it differs. The origin is shown if there is room."""
        is_other, self._origin = origin != self._origin, origin
        return self.set_pieces(left, right) or is_other

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        if width < DETAILED_FROM or not self._origin or not self._left:
            return super().rows(width, styles)
        self.stable_rows = 0
        return [one_row([*self._left, ("muted", f"  {self._origin}")], self._right, width, styles)]


class ChangesPane(Pane):
    """Changed files with their line counts; Enter opens the differences."""

    NAME = "changes"
    EMPTY = "No changes yet"

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[str, FileLine] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._edits: dict[str, call_entry.EditCounts] = {}
        self.is_kept: Callable[[str], bool] = lambda path: False
        """Returns True if the user has accepted all changes of a file, by absolute path."""
        self.looking_for: Callable[[], float] = lambda: 0.0
        """Returns the seconds that the current comparison of the workspace has taken."""
        self.seen: Callable[[], None] = lambda: None
        """Called when the user goes to the pane, or it comes into view."""
        self.beside: Callable[[], list[str]] = list
        """Returns lines: reasons why changes are not shown, and changes in untracked files."""
        self._beside: list[tuple[str, TextBlock]] = []
        self._said = ""
        self._unshown: dict[str, FileChange] = {}
        self._cwd, self._since = "", 0

    def on_focus(self) -> None:
        """Report that the user goes to the pane."""
        super().on_focus()
        self.seen()

    def on_show(self) -> None:
        """Report that the pane is in view."""
        self.seen()

    @override
    def begin(self) -> None:
        self._lines.clear()
        self._counts.clear()
        self._edits.clear()
        self._unshown.clear()
        self._said = ""
        self._beside.clear()
        super().begin()

    @override
    def show(self, session: Session, change: SessionChange) -> None:
        files = session.files if "files" in change.fields else {}
        if "files" not in change.fields or not (files or self._lines or session.since):
            return
        self.take_placeholder_away()
        for path in self._lines.keys() - files.keys():
            self.remove_block(self._lines.pop(path))
            del self._counts[path]
            self._edits.pop(path, None)
        self._unshown, self._cwd, self._since = dict(files), session.cwd, session.since
        self._show_some()
        if not files:
            self.on_mount()  # no changes: show the placeholder

    def _show_some(self) -> None:
        """Show files in slices, so that keys are handled: opening a long session counts all its edits."""
        until = perf_counter() + SLICE
        while self._unshown:
            path = next(iter(self._unshown))
            self._show(path, self._unshown.pop(path), self._cwd)
            if self._unshown and perf_counter() > until:
                after(self, 0.001, self._show_some)
                break
        added = sum(plus for plus, _ in self._counts.values())
        removed = sum(minus for _, minus in self._counts.values())
        counts = f"+{added} {self.theme_styles.symbol('minus')}{removed}" if added or removed else ""
        self._said = f"{range_of(self._since)} {counts}".strip()
        self.look_on()

    @override
    def look_on(self) -> None:
        self._show_beside()
        seconds = self.looking_for()
        slow = f"looking at the files, {seconds:.0f} s" if seconds >= LONG else ""
        self.set_fact(f"{self._said}  {slow}".strip())

    def _show_beside(self) -> None:
        lines = self.beside()
        if lines == [said for said, _ in self._beside]:
            return
        for _, line in self._beside:
            self.remove_block(line)
        self._beside = [(said, TextBlock([("warning", safe_line(said))])) for said in lines]
        if lines:
            self.take_placeholder_away()
        for place, (_, line) in enumerate(self._beside):  # the cursor starts on the last line
            self.insert(place, line)

    def _show(self, path: str, file: FileChange, cwd: str) -> None:
        status = status_of(file)
        left = [(STATUS_ROLES[status], f"{status} "), ("text", exact_line(inside(path, cwd)))]
        kept = self.is_kept(path)
        if kept:
            mark = self.theme_styles.symbol("completed")
            left = [("muted", f"{status} {exact_line(inside(path, cwd))}"), ("success", f"  {mark} kept")]
        left += [("muted", f"  {fact}") for fact in facts(file, cwd)]
        right = self._count(path, file)
        if kept:
            self._counts[path] = 0, 0
        line, newest = self._lines.get(path), file.origins[-1] if file.origins else None
        origin = ", ".join(origin_facts(newest)) if newest is not None and newest.turn else ""
        if line is None:
            line = self._lines[path] = FileLine(path)
            line.show(left, right, origin)
            self.append(line)
        elif line.show(left, right, origin):
            self.changed(line)

    def _count(self, path: str, file: FileChange) -> list[Piece]:
        """Count the changed lines of a file; return the counts as pieces."""
        seen = file.seen
        if seen is None:
            edits = self._edits.setdefault(path, call_entry.EditCounts()).of(file.edits)
            pairs = [counts for counts in edits if counts is not None]
            added, removed = sum(plus for plus, _ in pairs), sum(minus for _, minus in pairs)
            unknown = "large" if len(pairs) < len(edits) else ""
        else:
            added, removed = seen.added, seen.removed
            unknown = "binary" if seen.binary else ""
        self._counts[path] = added, removed
        if unknown:
            return [("muted", unknown)]
        if not (added or removed):
            return []
        return [("added", f"+{added}"), ("removed", f" {self.theme_styles.symbol('minus')}{removed}")]


def untracked_lines(untracked: Sequence[untracked_files.Untracked]) -> list[str]:
    """Return the number of changes in untracked files, and their names."""
    count = len(untracked)
    names = [f"  {each.path}  {each.what}" for each in untracked[:_NAMED]]
    more = [f"  and {count - _NAMED:,} more"] if count > _NAMED else []
    return [f"{count:,} change{'s' * (count > 1)} in files that are not tracked:", *names, *more]


def status_of(file: FileChange) -> str:
    """Return the status of a file as one letter."""
    if file.seen is not None:
        return file.seen.status
    return "A" if file.edits and file.edits[0].old is None else "M"


def range_of(since: int) -> str:
    """Return the range of the shown changes; "" for the whole session."""
    if not since:
        return ""
    return "this turn" if since < 0 else f"since turn {since}"


def origin_facts(origin: Origin) -> list[str]:
    """Return the origin of a change: turn, agent, tool call, plan step."""
    plan = f"plan: {origin.plan_entry}" if origin.plan_entry else ""
    return [*filter(None, (f"turn {origin.turn}", origin.agent, origin.title, plan))]


def facts(file: FileChange, cwd: str) -> list[str]:
    """Return other facts about a change: old name, mode, and author."""
    seen, found = file.seen, []
    if seen is not None and seen.status == "R":
        found.append(f"was {inside(seen.old_path, cwd)}")
    if seen is not None and seen.status in "MR" and seen.old_mode != seen.new_mode:
        found.append("executable" if seen.new_mode & 0o111 else "no longer executable")
    if file.by:
        found.append(file.by)
    return found
