"""Text screens, to read and copy: the source of a block, a Markdown text, facts by section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.formatting import lines
from acp_tui.ui.screens.base.full_screens import TextScreen
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.rows.row_view import StatusRow
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

_PIECE: Final = 100
"""Lines per block: blocks out of view are not laid out."""


class _LongText(TextScreen):
    """Shows a text of an entry, with the number of its lines."""

    def __init__(self, heading: str, text: str, styles: Styles) -> None:
        super().__init__(styles)
        self._heading = heading
        self._text = text

    @property
    def _lines(self) -> str:
        return lines(self._text.count("\n") + 1)

    @override
    def title_line(self) -> StatusRow:
        return [("strong", f" {self._heading}")], [("muted", f"{self._lines} ")]

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {self._lines}.")


class SourceScreen(_LongText):
    """Shows the source of a text, not as Markdown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "close", "Close", id="source.close"),
        Binding("c", "copy", "Copy", id="source.copy"),
    ]

    def __init__(self, text: str, styles: Styles) -> None:
        super().__init__("source", text, styles)

    @override
    def content(self) -> Iterator[Block]:
        rows = self._text.split("\n")
        for start in range(0, len(rows), _PIECE):
            yield TextBlock([("text", "\n".join(rows[start : start + _PIECE]))])


class MarkdownScreen(_LongText):
    """Shows a text as Markdown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="markdown.close"),
        Binding("c", "copy", "Copy", id="markdown.copy"),
    ]

    @override
    def content(self) -> Iterator[Block]:
        block = MarkdownBlock(self._text)
        block.finish()
        yield block


Fact = tuple[str, str]
"""A name and its value."""
Section = tuple[str, Sequence[Fact]]

_NAME: Final = 16
"""Cells of the column of names."""


class SessionDetailsScreen(TextScreen):
    """Shows facts section by section."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="session-details.close"),
        Binding("c", "copy", "Copy", id="session-details.copy"),
    ]

    def __init__(
        self, sections: Sequence[Section], styles: Styles | None = None, heading: str = "session details"
    ) -> None:
        super().__init__(styles)
        self._heading = heading
        self._sections = sections

    @override
    def title_line(self) -> StatusRow:
        return [("strong", f" {self._heading}")], []

    @override
    def content(self) -> Iterator[Block]:
        for heading, facts in self._sections:
            yield TextBlock([("heading", heading)], above=1)
            for name, value in facts:
                first = [("muted", f"{name:<{_NAME - 1}} ")]
                yield TextBlock([("text", value)], first=first, rest=[("muted", " " * _NAME)])

    def action_copy(self) -> None:
        """Copy the facts."""
        lines: list[str] = []
        for heading, facts in self._sections:
            lines += [heading, *(f"  {name:<{_NAME - 1}} {value}" for name, value in facts)]
        self.app.copy_to_clipboard(safe("\n".join(lines)))
        self.notify("Details copied.")
