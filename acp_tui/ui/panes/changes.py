"""The changes pane: every file that the session changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.one_line import OneLine
from acp_tui.ui.words import inside

if TYPE_CHECKING:
    from acp_tui.session.changes import Change
    from acp_tui.session.files import FileChange
    from acp_tui.session.session import Session


class FileLine(OneLine):
    """One changed file."""

    def __init__(self, path: str) -> None:
        super().__init__(is_action=True)
        self.path = path


class ChangesPane(Pane):
    """Files with their counts; enter opens the differences."""

    NAME = "changes"
    EMPTY = "Changed files will be here."

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[str, FileLine] = {}
        self._counts: dict[str, tuple[int, int]] = {}

    def begin(self) -> None:
        """Another session is shown from now on."""
        self._lines.clear()
        self._counts.clear()
        super().begin()

    def show(self, session: Session, change: Change) -> None:
        """Show the changed files."""
        if "files" not in change.fields or not session.files:
            return
        self.take_placeholder_away()
        for path, file in session.files.items():
            self._show(path, file, session.cwd)
        added = sum(plus for plus, _ in self._counts.values())
        removed = sum(minus for _, minus in self._counts.values())
        self.set_fact(f"+{added} {self.look.glyph('minus')}{removed}")

    def _show(self, path: str, file: FileChange, cwd: str) -> None:
        from acp_tui.ui.entries.counting import counted

        pairs = [counts for edit in file.edits if (counts := counted(edit.old, edit.new))]
        added, removed = sum(plus for plus, _ in pairs), sum(minus for _, minus in pairs)
        self._counts[path] = added, removed
        is_new = bool(file.edits) and file.edits[0].old is None
        left = [("success" if is_new else "warning", "A " if is_new else "M "), ("text", inside(path, cwd))]
        right = [("added", f"+{added}"), ("removed", f" {self.look.glyph('minus')}{removed}")]
        if len(pairs) < len(file.edits):
            right = [("muted", "large")]
        line = self._lines.get(path)
        if line is None:
            line = self._lines[path] = FileLine(path)
            line.set_pieces(left, right)
            self.append(line)
        elif line.set_pieces(left, right):
            self.changed(line)
