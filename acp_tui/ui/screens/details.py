"""Text in a dialog: blocks one below the other, as high as they are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size

from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import Row


class Details(LineView, can_focus=False):
    """Shows blocks; however long they are, only rows in view are painted."""

    def __init__(self, blocks: Sequence[TextBlock], look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._blocks = blocks
        self._laid_out: list[Row] = []

    def show(self, blocks: Sequence[TextBlock]) -> None:
        """Show other blocks."""
        self._blocks = blocks
        self.lay_out_rows()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows at a width."""
        return sum(len(block.rows(width - 1, self.look)) for block in self._blocks)

    def lay_out_rows(self) -> None:
        """Wrap the text for the width there is."""
        self._laid_out = [row for block in self._blocks for row in block.rows(self.row_width, self.look)]
        self.show_rows(len(self._laid_out))

    def paint_row(self, row: int) -> list[Segment]:
        """Return a row on the ground of the dialog."""
        base = self.look.base
        segments = [Segment(text, base + style if style else base) for text, style, _ in self._laid_out[row]]
        return fit(segments, 0, self.row_width, base, self.look)
