"""The blame screen: a file, with the turn and the tool call that wrote each line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.changes.blame import Author, RecordedStep, blame, in_words
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.session.line_notes import note_on
from acp_tui.ui.screens.base.full_screens import ListScreen, list_keys
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.rows.note_field import NotedList
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Piece

_WIDE: Final = 110
"""Width from which a row shows time and agent."""
_AGENT: Final = 12
"""Cells of the name of an agent."""
_WHO: Final = 34
"""Cells of the origin of a line."""


@dataclass(frozen=True)
class BlamedLine:
    """A line of a file with its origin."""

    number: int
    """Counted from 1."""
    text: str
    author: Author
    is_first: bool
    """True if the line before it has another origin."""


class BlameList(NotedList[BlamedLine]):
    """The lines of a file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *list_keys("blame-list", opens="Open in chat"),
        Binding("n", "go_to_run(1)", "Next origin", id="blame-list.next"),
        Binding("p", "go_to_run(-1)", "Previous origin", show=False, id="blame-list.previous"),
    ]

    @override
    def pieces(self, item: BlamedLine) -> tuple[list[Piece], list[Piece]]:
        step, is_known = item.author.step, _is_known(item)
        role = "accent" if is_known and item.is_first else "muted"
        left: list[Piece] = []
        if self.row_width >= _WIDE:
            when = f"{datetime.fromtimestamp(step.at):%m-%d %H:%M}" if is_known and step is not None else ""
            agent = safe_line(step.agent)[:_AGENT] if is_known and step is not None else ""
            left.append(("muted", f" {when:11} {agent:{_AGENT}}"))
        who = shortened(safe_line(in_words(item.author)), _WHO)
        left += [
            (role, f" {who:{_WHO}} "),
            ("muted", f"{item.number:>6} "),
            ("text", safe_line(item.text.replace("\t", "    "))),
        ]
        return left, []

    def action_go_to_run(self, step: int) -> None:
        """Go to the next or previous line whose origin differs from that of the line before it."""
        line = self.current
        if line is None:
            return
        starts = [one.number for one in self._items if one.is_first]
        if step > 0:
            found = next((number for number in starts if number > line.number), None)
        else:
            found = next((number for number in reversed(starts) if number < line.number), None)
        if found is not None:
            self.action_move_to(found - 1)


class BlameScreen(ListScreen):
    """Shows who wrote each line of a file, over all recorded sessions."""

    NOTHING = "The recorded sessions are read …"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", "Close", id="blame.close")]

    def __init__(
        self,
        path: Path,
        line: int,
        folders: tuple[Path, Path],
        opens: Callable[[RecordedStep], None],
        styles: Styles | None = None,
        notes: LineNotes | None = None,
    ) -> None:
        """Show a file.

        Args:
            path: the file.
            line: the first line to show, from 1; 0 for the first one that a turn wrote.
            folders: the folder of the journals, and that of the snapshot stores.
            opens: called with the step of the line that the user opens.
            styles: the theme's styles.
            notes: the user's notes on lines; None: notes are not possible.
        """
        super().__init__(styles)
        self._notes = notes
        self._texts: list[str] = []
        self._path = path
        self._line = line
        self._folders = folders
        self._opens = opens

    @override
    def make_list(self) -> BlameList:
        writes = self._write if self._notes is not None else None
        return BlameList(self.theme_styles, writes=writes, place_of=self._place, id="lines")

    def _place(self, first: int, last: int) -> str:
        return f"{self._path.name}:{first + 1}" + (f"-{last + 1}" if last > first else "")

    def _write(self, first: int, last: int, text: str) -> None:
        """Write a note on lines from 0."""
        if self._notes is not None:
            self._notes.add(note_on(self._texts, first, last, text, path=str(self._path)))
            self.notify(f"Note on {self._place(first, last)}: it goes with the next prompt.")

    def on_mount(self) -> None:
        """Start reading."""
        self.show_nothing(True)
        self._show_title("")
        self.rows.focus()
        self.run_worker(self._read(), group="blame")

    def on_row_list_opened(self, event: BlameList.Opened) -> None:
        """Close, and go to the origin of a line in the chat."""
        step = event.item.author.step
        if step is not None and _is_known(event.item):
            self.dismiss(None)
            self._opens(step)
        else:
            self.notify("No turn of a recorded session wrote this line.")

    async def _read(self) -> None:
        try:
            found = await blame(self._path, *self._folders)
        except OSError as error:
            if draws(self):
                self.show_nothing(True, safe_line(f"{self._path} cannot be read: {error.strerror or error}"))
            return
        if not draws(self):
            return
        self._texts = texts = [line.decode("utf-8", "replace") for line in found.lines]
        lines = [
            BlamedLine(number + 1, texts[number], run.author, number == run.start)
            for run in found.runs
            for number in range(run.start, run.stop)
        ]
        self.show_nothing(not lines, "The file is empty.")
        self.rows.show(lines)
        begin = self._line or next((line.number for line in lines if _is_known(line)), 1)
        self.rows.action_move_to(max(0, min(begin, len(lines)) - 1))
        known = _count_known(lines)
        self._show_title(f"{known:,} of {len(lines):,} lines written in turns of recorded sessions ")

    def _show_title(self, told: str) -> None:
        self.show_title(([("strong", f" {safe_line(str(self._path))}")], [("muted", told)]))


def _count_known(lines: Sequence[BlamedLine]) -> int:
    return sum(map(_is_known, lines))


def _is_known(line: BlamedLine) -> bool:
    """Return whether a turn of a recorded session wrote a line."""
    step = line.author.step
    return line.author.kind == "step" and step is not None and bool(step.turn)
