"""The field for a line note, a growing line of text below the view, and lists whose lines take notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol, TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult
from typing_extensions import override

from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import RowList, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.text_area import PlainTextArea

LONGEST: Final = 20_000
"""Most characters of a note."""


class NotedLines(Protocol):
    """The lines of a note that is being written."""

    def place_of_note(self) -> str:
        """Return the place of the lines, for display."""

    def move(self, step: int) -> None:
        """Go to the next line (1) or the previous one (-1)."""

    def cross(self) -> None:
        """Go to the other side of a changed line."""

    def extend(self, step: int) -> None:
        """Add a line at the end, or remove one."""

    def keep(self, text: str) -> None:
        """Keep the note, or drop it if the text is blank."""

    def close(self) -> None:
        """Remove the marks: the field is closed."""


class NoteField(PlainTextArea):
    """A text area that Enter submits; Up and Down choose other lines while it has one line itself."""

    DEFAULT_CSS = """
    NoteField { height: auto; max-height: 6; border: none; padding: 0 1; }
    """
    # All with priority: otherwise Enter would overtake earlier keys for other lines.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep the note", show=False, id="note.keep", priority=True),
        Binding(
            "ctrl+j,shift+enter,alt+enter",
            "new_line",
            "New line",
            show=False,
            id="note.new-line",
            priority=True,
        ),
        Binding("up", "line(-1)", "Previous line", show=False, id="note.up", priority=True),
        Binding("down", "line(1)", "Next line", show=False, id="note.down", priority=True),
        Binding("shift+up", "more(-1)", "One line less", show=False, id="note.less", priority=True),
        Binding("shift+down", "more(1)", "One line more", show=False, id="note.more", priority=True),
        Binding("left", "side('left')", "The other side", show=False, id="note.left"),
        Binding("right", "side('right')", "The other side", show=False, id="note.right"),
        Binding("escape", "close", "Close without a note", show=False, id="note.close", priority=True),
    ]

    class NoteSubmitted(Message):
        """The user keeps the note."""

    class NoteClosed(Message):
        """The user closes the field."""

    @dataclass
    class LinesChanged(Message):
        """The user wants the note on other lines."""

        step: int
        """1 for the line below, -1 for the one above, 0 for the other side of a changed line."""
        takes_more: bool = False
        """True to change the number of lines instead of going to others."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(
            text,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            highlight_cursor_line=False,
            id=id,
        )
        self.move_cursor(self.document.end)

    def on_mount(self) -> None:
        """Let the cursor blink if motion is allowed."""
        self.cursor_blink = self.app.animation_level != "none"

    @override
    def edit(self, edit: Edit) -> EditResult:
        edit.text = edit.text[: max(0, LONGEST - len(self.document.text))]
        return super().edit(edit)

    def action_submit(self) -> None:
        """Keep the note."""
        self.post_message(self.NoteSubmitted())

    def action_close(self) -> None:
        """Close without a note."""
        self.post_message(self.NoteClosed())

    def action_new_line(self) -> None:
        """Insert a line."""
        self.insert("\n")

    def action_line(self, step: int) -> None:
        """Choose another line, or move in a text of several lines."""
        if self.document.line_count == 1:
            self.post_message(self.LinesChanged(step))
        elif step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()

    def action_side(self, way: str) -> None:
        """Go to the other side of a changed line, or move in a text."""
        if not self.text:
            self.post_message(self.LinesChanged(0))
        elif way == "left":
            self.action_cursor_left()
        else:
            self.action_cursor_right()

    def action_more(self, step: int) -> None:
        """Take a line more or less, or select in a text of several lines."""
        if self.document.line_count == 1:
            self.post_message(self.LinesChanged(step, takes_more=True))
        elif step < 0:
            self.action_cursor_up(select=True)
        else:
            self.action_cursor_down(select=True)


class NoteBar(Vertical):
    """The field below a view, with the place of the note; gives the focus back when it closes."""

    DEFAULT_CSS = """
    NoteBar { height: auto; }
    """

    class NoteEnded(Message):
        """The field is closed, with a note or without."""

    def __init__(self, lines: NotedLines, styles: Styles, text: str, focus_back: Widget | None) -> None:
        super().__init__()
        self.lines = lines
        self._theme_styles = styles
        self._text = text
        self._focus_back = focus_back

    @override
    def compose(self) -> ComposeResult:
        yield StatusRows(self._theme_styles, classes="note-place")
        yield NoteField(self._text)

    def on_mount(self) -> None:
        """Show the lines, and wait for text."""
        self.show_place()
        self.focus_field()

    def on_resize(self) -> None:
        """Show the hints that fit."""
        self.show_place()

    def focus_field(self) -> None:
        """Give the focus to the field."""
        self.query_one(NoteField).focus()

    @on(NoteField.NoteSubmitted)
    def _submit(self, event: NoteField.NoteSubmitted) -> None:
        event.stop()
        text = self.query_one(NoteField).text.strip()
        self._close()
        self.lines.keep(text)

    @on(NoteField.NoteClosed)
    def _close_wanted(self, event: NoteField.NoteClosed) -> None:
        event.stop()
        self._close()

    @on(NoteField.LinesChanged)
    def _moved(self, event: NoteField.LinesChanged) -> None:
        event.stop()
        if event.takes_more:
            self.lines.extend(event.step)
        elif event.step:
            self.lines.move(event.step)
        else:
            self.lines.cross()
        self.show_place()

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()  # changes of a prompt below are not for this field

    def _close(self) -> None:
        self.lines.close()
        if self._focus_back is not None and self._focus_back.is_attached:
            self._focus_back.focus()
            self._focus_back.post_message(self.NoteEnded())
        self.remove()

    def show_place(self) -> None:
        """Show the lines, with as many hints as fit beside them."""
        styles = self._theme_styles
        place = f" {styles.symbol('note')} {safe_line(self.lines.place_of_note())}"
        hints = [
            f"{key_of(self.query_one(NoteField), name)} {does}"
            for name, does in (("note.keep", "keep"), ("note.close", "close"), ("note.new-line", "new line"))
        ]
        hints.append("Up/Down other line, Shift+Down more lines")
        while hints and cell_len(place) + cell_len("  ".join(hints)) + 4 > self.size.width:
            hints.pop()
        self.query_one(StatusRows).set_rows([([("accent", place)], [("muted", f"{'  '.join(hints)} ")])])


async def open_note_bar(view: Widget, lines: NotedLines, styles: Styles, text: str = "") -> None:
    """Show the field for a note below a view, in place of one that is open."""
    assert view.parent is not None, "a view with keys is in a screen"
    for bar in view.parent.query(NoteBar):
        bar.focus_field()
        return
    await view.screen.mount(NoteBar(lines, styles, text, view), after=view)


Item = TypeVar("Item")

WriteNote = Callable[[int, int, str], None]
"""Writes a note on the items from the first to the last, counted from 0."""


class NotedList(RowList[Item]):
    """A list with one item per row; without a function that writes notes it is a plain one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "write_note", "Write a note", id="noted-list.note"),
    ]

    def __init__(
        self,
        styles: Styles | None = None,
        *,
        writes: WriteNote | None = None,
        place_of: Callable[[int, int], str] = lambda first, last: "",
        id: str | None = None,
    ) -> None:
        """Make a list; `place_of` describes the place of the items from the first to the last."""
        super().__init__(styles, id=id)
        self._writes = writes
        self._place_of = place_of
        self._start: int | None = None
        """The first item of the note that is being written."""

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._writes is not None if action == "write_note" else True

    async def action_write_note(self) -> None:
        """Write a note on the item under the cursor."""
        if self._writes is not None and self.current is not None:
            self._start = self._cursor
            await open_note_bar(self, self, self.theme_styles)

    @override
    def has_cursor(self, row: int) -> bool:
        first, last = self._lines
        return first <= row <= last and row < len(self._items)

    @property
    def _lines(self) -> tuple[int, int]:
        """The first and the last item of the note that is being written."""
        start = self._cursor if self._start is None else self._start
        return min(start, self._cursor), max(start, self._cursor)

    def place_of_note(self) -> str:
        """Return the place of the note in words."""
        return self._place_of(*self._lines)

    def move(self, step: int) -> None:
        """Write the note on the next item (1) or the previous one (-1)."""
        self.action_move(step)
        self._start = self._cursor
        self.show_rows(self.row_count)

    def cross(self) -> None:
        """Do nothing: there is one side."""

    def extend(self, step: int) -> None:
        """Extend the note by an item, or shorten it by one."""
        self.action_move(step)
        self.show_rows(self.row_count)

    def keep(self, text: str) -> None:
        """Save the note, unless it is empty."""
        if text and self._writes is not None:
            self._writes(*self._kept, text)

    def close(self) -> None:
        """Remove the marks: the field is closed."""
        self._kept, self._start = self._lines, None
        self.show_rows(self.row_count)

    _kept = (0, 0)
    """The first and the last item of the note that is being kept."""
