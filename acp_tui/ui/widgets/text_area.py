"""A text area in which invisible characters are seen."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult
from typing_extensions import override

from acp_tui.ui.widgets.input_line import drawn, original, stand_in


class PlainTextArea(TextArea):
    """A text area that holds stand-ins for invisible characters, and gives its text without them."""

    @property
    @override
    def text(self) -> str:
        return original(self.document.text)

    @text.setter
    def text(self, text: str) -> None:
        self.load_text(text)

    def line_at(self, row: int) -> str:
        """Return a line of the text, from 0."""
        return original(self.document.get_line(row))

    @override
    def get_text_range(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        return original(super().get_text_range(start, end))

    @override
    def edit(self, edit: Edit) -> EditResult:
        edit.text = stand_in(edit.text)
        return super().edit(edit)

    @override
    def _set_document(self, text: str, language: str | None) -> None:
        super()._set_document(stand_in(text), language)

    @override
    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        line.plain = drawn(line.plain)
        return line
