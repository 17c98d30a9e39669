"""The table of entry kinds and their blocks. A new kind is a class in this folder and a line here."""

from __future__ import annotations

from typing import Final

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
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.messages import (
    AgentMessageBlock,
    AscribedMessageBlock,
    SteeredMessageBlock,
    UserMessageBlock,
)
from acp_tui.ui.entries.notices import AgentNoticeBlock, NoticeBlock
from acp_tui.ui.entries.subagent import SessionMessageBlock, SubagentBlock
from acp_tui.ui.entries.thought import ThoughtBlock
from acp_tui.ui.entries.tool_call import ToolCallBlock
from acp_tui.ui.entries.unknown import UnknownNewsBlock
from acp_tui.ui.entries.user_command import OwnCommandBlock

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
