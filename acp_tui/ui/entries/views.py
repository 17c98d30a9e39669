"""The table of entry kinds and their blocks. A new kind is a class in this folder and a line here."""

from __future__ import annotations

from typing import Final

from typing_extensions import override

from acp_tui.formatting import exit_words, seconds
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    AscribedMessage,
    Compaction,
    Entry,
    Notice,
    SessionMessage,
    SteeredMessage,
    Subagent,
    Thought,
    ToolCall,
    UnknownNews,
    UserCommand,
    UserMessage,
)
from acp_tui.ui.entries.compaction import CompactionBlock
from acp_tui.ui.entries.entry import INDENT, EntryBlock, indented
from acp_tui.ui.entries.messages import (
    AgentMessageBlock,
    AscribedMessageBlock,
    SteeredMessageBlock,
    UserMessageBlock,
)
from acp_tui.ui.entries.output import TerminalTail, TextTail
from acp_tui.ui.entries.subagent import SessionMessageBlock, SubagentBlock
from acp_tui.ui.entries.thought import ThoughtBlock
from acp_tui.ui.entries.tool_call import ToolCallBlock
from acp_tui.ui.entries.unknown import UnknownNewsBlock
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, Piece, TextBlock

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


_ROWS: Final = 12


class OwnCommandBlock(EntryBlock):
    """A shell command that was typed after `!`; Enter shows its whole output."""

    __slots__ = ("_line",)
    entry: UserCommand
    parts: list[Block]
    is_action = True

    @override
    def sync(self) -> None:
        if not self.parts:
            self._line = OneRowBlock(above=1)
            terminal = self.context.terminal(self.entry.terminal_id)
            self.parts = [self._line]
            if terminal is not None:
                self.parts.append(TerminalTail(terminal, lambda: self.context.redraw(self), _ROWS))
            elif self.entry.output is not None:
                self.parts.append(TextTail(self.entry.output, _ROWS))
        self._show(self.entry.ended)

    @property
    @override
    def is_running(self) -> bool:
        return self.entry.ended is None

    @override
    def tick(self, now: float) -> None:
        self._show(now)

    def _show(self, now: float | None) -> None:
        entry = self.entry
        right: list[Piece] = []
        if entry.ended is None:
            right.append(("tool-running", f"running, {self.context.key('session.stop')} ends it"))
        elif entry.exit_code is None:
            right.append(("tool-failed", "ended by a signal"))
        elif entry.exit_code:
            right.append(("tool-failed", exit_words(entry.exit_code)))
        if now is not None:
            right.append(("muted", f"  {seconds(max(0.0, now - entry.at)):>6}"))
        self._line.set_pieces([("accent", "! "), ("strong", exact_line(entry.command))], right)


VIEWS: Final[dict[type[Entry], type[EntryBlock]]] = {
    UserMessage: UserMessageBlock,
    AscribedMessage: AscribedMessageBlock,
    SteeredMessage: SteeredMessageBlock,
    AgentMessage: AgentMessageBlock,
    Thought: ThoughtBlock,
    ToolCall: ToolCallBlock,
    Notice: NoticeBlock,
    AgentNotice: AgentNoticeBlock,
    UnknownNews: UnknownNewsBlock,
    Compaction: CompactionBlock,
    Subagent: SubagentBlock,
    SessionMessage: SessionMessageBlock,
    UserCommand: OwnCommandBlock,
}
