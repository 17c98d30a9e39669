"""How a notice looks: a fact about the session, between its entries."""

from __future__ import annotations

from typing import Final

from acp_tui.session.entries import Notice
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.widgets.blocks import Block, TextBlock

_ROLES: Final = {"info": "notice", "warning": "warning", "error": "error"}
_DETAIL_LINES: Final = 12


class NoticeBlock(EntryBlock):
    """One notice; the end of its detail below it."""

    __slots__ = ()
    entry: Notice
    parts: list[Block]

    def sync(self) -> None:
        """Show the notice."""
        role = _ROLES[self.entry.severity]
        self.parts = [
            TextBlock(
                [(role, self.entry.text)],
                first=[(role, f"{self.setting.glyph('dot')} ")],
                rest=[("text", "  ")],
                above=1,
            )
        ]
        if self.entry.detail:
            lines = self.entry.detail.rstrip().splitlines()
            detail = "\n".join(lines[-_DETAIL_LINES:])
            self.parts.append(TextBlock([("muted", detail)], first=[("text", "  ")], rest=[("text", "  ")]))
