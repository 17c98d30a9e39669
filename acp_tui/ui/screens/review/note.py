"""The dialog for one note: its lines and its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static
from typing_extensions import override

from acp_tui.ui.screens.base.dialog import Dialog
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.note_field import NoteField
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line

_QUOTED: Final = 8
"""Most quoted lines that are shown."""


class NoteDialog(Dialog[str]):
    """Takes the text of a note; dismisses with it, or None."""

    IS_GUARDED = False

    def __init__(self, place: str, quoted: Sequence[str], text: str, styles: Styles) -> None:
        """Show a note; `place` names its lines, `quoted` has their text."""
        super().__init__(f"Note on {place}", styles)
        self._quoted = quoted
        self._text = text

    @override
    def compose_body(self) -> ComposeResult:
        shown = [safe_line(line) for line in self._quoted[:_QUOTED]]
        if len(self._quoted) > _QUOTED:
            shown.append(f"{self.theme_styles.symbol('cut')} {len(self._quoted) - _QUOTED} more lines")
        yield Static(Content("\n").join(Content.styled(line, "$muted") for line in shown))
        yield NoteField(self._text)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        field = self.query_one(NoteField)
        names = (("note.keep", "keep"), ("note.new-line", "new line"), ("note.close", "close"))
        return [(key_of(field, name), does) for name, does in names]

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one(NoteField)

    @on(NoteField.NoteSubmitted)
    def _submit(self, event: NoteField.NoteSubmitted) -> None:
        event.stop()
        self.dismiss(self.query_one(NoteField).text.strip())

    @on(NoteField.NoteClosed)
    def _close_wanted(self, event: NoteField.NoteClosed) -> None:
        event.stop()
        self.dismiss(None)
