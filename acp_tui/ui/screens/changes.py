"""The changes screen: every file that the session changed, as differences, full screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer

from acp_tui.ui.widgets.diff import counts
from acp_tui.ui.widgets.diff_view import DiffView, FileDiff
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import Piece
from acp_tui.ui.words import inside

if TYPE_CHECKING:
    from acp_tui.session.files import FileChange


class ChangesScreen(Screen[None]):
    """Shows the differences of changed files, beginning with the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="changes.close"),
    ]

    def __init__(
        self, files: Sequence[FileChange], first: str = "", cwd: str = "", look: Look | None = None
    ) -> None:
        """Show the changes.

        Args:
            files: the changed files, in the order of the session.
            first: the path of the file to begin with.
            cwd: the workspace, by which paths are shortened.
            look: the styles.
        """
        super().__init__()
        self._files = in_order(files, first)
        self._diffs = list(differences(self._files, cwd))
        self._look = look or Look()

    def compose(self) -> ComposeResult:
        """Lay out a title above the differences."""
        yield Lines(self._look, id="title")
        yield DiffView(self._diffs, self._look, id="diffs")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Count, once the view is there."""
        self._show_title()
        if self._files:
            self.run_worker(self._count(), group="count")
        self.query_one(DiffView).focus()

    def set_look(self, look: Look) -> None:
        """Draw in another look from now on."""
        self._look = look
        self.query_one(DiffView).set_look(look)
        self.query_one(Lines).set_look(look)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def _show_title(self, lines: tuple[int, int] | None = None) -> None:
        count = len(self._files)
        if not count:
            self.query_one(Lines).set_lines([([("muted", " This session has changed no files.")], [])])
            return
        said = " 1 changed file" if count == 1 else f" {count} changed files"
        right: list[Piece] = []
        if lines is not None:
            minus = self._look.glyph("minus")
            right = [("added", f"+{lines[0]} "), ("removed", f"{minus}{lines[1]} ")]
        self.query_one(Lines).set_lines([([("strong", said)], right)])

    async def _count(self) -> None:
        """Add up the lines file by file, so that keys get their turn."""
        added = removed = 0
        for diff in self._diffs:
            plus, minus = counts(diff.old, diff.new)
            added, removed = added + plus, removed + minus
            await asyncio.sleep(0)
        self._show_title((added, removed))


def in_order(files: Sequence[FileChange], first: str) -> list[FileChange]:
    """Return the files with the one whose path is `first` before the others."""
    return sorted(files, key=lambda file: file.path != first)


def differences(files: Sequence[FileChange], cwd: str) -> Iterator[FileDiff]:
    """Return what to show: whole files as we know them, or the snippets that the agent reported."""
    for file in files:
        edits = file.edits
        for number, edit in enumerate(edits, start=1):
            note = "" if file.written is not None else "as the agent reported"
            if len(edits) > 1:
                note = f"edit {number} of {len(edits)}, {note}"
            whole = file.written is not None or edit.old is None
            yield FileDiff(inside(file.path, cwd), edit.old, edit.new, note, 1 if whole else None)
