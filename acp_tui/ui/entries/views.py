"""The table of entry kinds and what draws them. A new kind is a class in this folder and a line here."""

from __future__ import annotations

from typing import Final

from acp_tui.session.entries import AgentMessage, Entry, Notice, OwnCommand, Thought, ToolCall, UserMessage
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.messages import AgentMessageBlock, ThoughtBlock, UserMessageBlock
from acp_tui.ui.entries.notice import NoticeBlock
from acp_tui.ui.entries.own_command import OwnCommandBlock
from acp_tui.ui.entries.tool_call import ToolCallBlock

VIEWS: Final[dict[type[Entry], type[EntryBlock]]] = {
    UserMessage: UserMessageBlock,
    AgentMessage: AgentMessageBlock,
    Thought: ThoughtBlock,
    ToolCall: ToolCallBlock,
    Notice: NoticeBlock,
    OwnCommand: OwnCommandBlock,
}
