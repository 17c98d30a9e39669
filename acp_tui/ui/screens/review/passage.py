"""The passage screen: quotes lines of an answer or a plan, to reply to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.widgets.rows.note_field import NotedList
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece

_WIDTH: Final = 96
"""Characters of a row, since a line of prose may be a whole paragraph."""


class PassageList(NotedList[str]):
    """The rows of a text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="passage.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="passage.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="passage.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="passage.page-down"),
        Binding("home", "move_to(0)", "First", show=False, id="passage.first"),
        Binding("end", "move_to(-1)", "Last", show=False, id="passage.last"),
        Binding("enter", "write_note", "Reply", show=False, id="passage.reply"),
    ]

    @override
    def pieces(self, item: str) -> tuple[list[Piece], list[Piece]]:
        return [("text", f" {safe_line(item.replace(chr(9), '    '))}")], []


class PassageScreen(FullScreen[None]):
    """Shows a text whose rows the user can quote and reply to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", "Close", id="passage.close")]

    def __init__(
        self, heading: str, text: str, keep: Callable[[Sequence[str], str], None], styles: Styles
    ) -> None:
        """Show a text; `keep` gets the quoted rows and the reply."""
        super().__init__(styles)
        self._heading = heading
        self._rows = rows_of(text)
        self._keep = keep

    @override
    def compose_content(self) -> ComposeResult:
        yield PassageList(self.theme_styles, writes=self._write, place_of=self._place)

    async def on_mount(self) -> None:
        """Show the rows, and the field for the reply."""
        self.show_title(([("strong", f" {self._heading}")], [("muted", "choose the lines, and reply ")]))
        rows = self.query_one(PassageList)
        rows.show(self._rows)
        rows.focus()
        await rows.action_write_note()

    def _place(self, first: int, last: int) -> str:
        return f"line {first + 1}" if first == last else f"lines {first + 1}-{last + 1}"

    def _write(self, first: int, last: int, text: str) -> None:
        self._keep(self._rows[first : last + 1], text)
        self.dismiss(None)


def rows_of(text: str) -> list[str]:
    """Return a text in rows that can be quoted: its lines, with long ones split."""
    rows: list[str] = []
    for line in text.strip("\n").split("\n"):
        rows += wrap(line, _WIDTH, break_on_hyphens=False) if len(line) > _WIDTH else [line.rstrip()]
    return rows
