"""The table of entry kinds and their blocks. A new kind is a class in this folder and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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
from acp_tui.ui.entries import compaction, subagent, thought, tool_call, unknown, user_command
from acp_tui.ui.entries.entry import BlockContext, EntryBlock
from acp_tui.ui.entries.messages import (
    AgentMessageBlock,
    AscribedMessageBlock,
    SteeredMessageBlock,
    UserMessageBlock,
)
from acp_tui.ui.entries.notices import AgentNoticeBlock, NoticeBlock

VIEWS: Final[dict[type[Entry], Callable[[Any, BlockContext], EntryBlock]]] = {
    UserMessage: UserMessageBlock,
    AscribedMessage: AscribedMessageBlock,
    SteeredMessage: SteeredMessageBlock,
    AgentMessage: AgentMessageBlock,
    Thought: lambda entry, context: thought.ThoughtBlock(entry, context),
    ToolCall: lambda entry, context: tool_call.ToolCallBlock(entry, context),
    Notice: NoticeBlock,
    AgentNotice: AgentNoticeBlock,
    UnknownNews: lambda entry, context: unknown.UnknownNewsBlock(entry, context),
    Compaction: lambda entry, context: compaction.CompactionBlock(entry, context),
    Subagent: lambda entry, context: subagent.SubagentBlock(entry, context),
    SessionMessage: lambda entry, context: subagent.SessionMessageBlock(entry, context),
    UserCommand: lambda entry, context: user_command.OwnCommandBlock(entry, context),
}
"""The maker of the block of an entry; modules of kinds that few sessions begin with come late."""
