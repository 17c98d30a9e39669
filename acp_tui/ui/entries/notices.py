"""Blocks of notices: those of acp-tui, and those of the agent."""

from __future__ import annotations

from typing import Final

from typing_extensions import override

from acp_tui.session.entries import AgentNotice, Notice
from acp_tui.ui.entries.entry import INDENT, EntryBlock, indented
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

_ROLES: Final = {"info": "notice", "warning": "warning", "error": "error"}
_DETAIL_LINES: Final = 12


class NoticeBlock(EntryBlock):
    """One notice; the end of its detail below it."""

    __slots__ = ()
    entry: Notice
    parts: list[Block]

    @override
    def sync(self) -> None:
        role = _ROLES[self.entry.severity]
        self.parts = [
            TextBlock(
                [(role, _one_line(self.entry.text))],
                first=[(role, f"{self.context.symbol('dot')} ")],
                rest=INDENT,
                above=1,
                is_prose=True,
            )
        ]
        if self.entry.detail:
            lines = self.entry.detail.rstrip().splitlines()
            detail = "\n".join(lines[-_DETAIL_LINES:])
            self.parts.append(indented(detail, "muted"))


def _one_line(text: str) -> str:
    """Return a text on one line: the names and errors of an agent in a notice could draw further ones."""
    return " ".join(safe_line(text).split())


_MARKS: Final = {"info": "dot", "warning": "warning", "error": "failed"}
_DESCRIPTION: Final = 500
"""Maximum characters of a description that are shown; searches and copies use all of it."""
_SEVERITY: Final = 20


class AgentNoticeBlock(EntryBlock):
    """A notice of the agent, with the mark of its severity; its description below it."""

    __slots__ = ()
    entry: AgentNotice
    parts: list[Block]

    @override
    def sync(self) -> None:
        entry, symbol = self.entry, self.context.symbol
        role = _ROLES.get(entry.severity, "notice")
        mark = f"{symbol(_MARKS.get(entry.severity, 'dot'))} "
        words = "Agent: " if entry.severity in _ROLES else f"Agent, {safe_line(entry.severity[:_SEVERITY])}: "
        blank = [("text", " " * len(mark))]
        text = [(role, f"{words}{_one_line(entry.title)}")]
        self.parts = [TextBlock(text, first=[(role, mark)], rest=blank, above=1)]
        if entry.description:
            cut = symbol("cut") if len(entry.description) > _DESCRIPTION else ""
            below = [("muted", f"{entry.description[:_DESCRIPTION]}{cut}")]
            self.parts.append(TextBlock(below, first=blank, rest=blank))

    @override
    def source(self) -> str:
        return "\n".join(filter(None, (self.entry.title, self.entry.description)))
