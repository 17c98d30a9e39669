"""`session/update`: the agent's news. Source: ACP, page "prompt turn", and one page for each kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt

from acp_tui.acp.commands import Command
from acp_tui.acp.content import ContentBlock
from acp_tui.acp.modes import ConfigOption
from acp_tui.acp.plan import PlanEntry
from acp_tui.acp.tools import ToolCallFields
from acp_tui.acp.word import Word


class UserMessageChunk(Word):
    """A piece of what the person said: an echo, or a replay."""

    session_update: Literal["user_message_chunk"] = "user_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentMessageChunk(Word):
    """A piece of the answer."""

    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentThoughtChunk(Word):
    """A piece of the agent's reasoning."""

    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    content: ContentBlock
    message_id: str | None = None


class ToolCall(ToolCallFields):
    """A tool call exists."""

    session_update: Literal["tool_call"] = "tool_call"


class ToolCallUpdate(ToolCallFields):
    """A tool call changed; also the shape of a permission request's tool call."""

    session_update: Literal["tool_call_update"] = "tool_call_update"


class Plan(Word):
    """The whole plan."""

    session_update: Literal["plan"] = "plan"
    entries: list[PlanEntry]


class AvailableCommandsUpdate(Word):
    """The whole list of commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: list[Command]


class CurrentModeUpdate(Word):
    """The mode changed."""

    session_update: Literal["current_mode_update"] = "current_mode_update"
    current_mode_id: str


class ConfigOptionUpdate(Word):
    """The whole list of config options."""

    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: list[ConfigOption]


class SessionInfoUpdate(Word):
    """Title or time changed: absent keeps, null clears."""

    session_update: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    updated_at: str | None = None


class Cost(Word):
    """What the session has cost so far."""

    amount: float
    currency: str


class UsageUpdate(Word):
    """How full the context is, in tokens, and the cost so far. An unusable number is read as absent."""

    session_update: Literal["usage_update"] = "usage_update"
    used: NonNegativeInt | None = None
    size: NonNegativeInt | None = None
    cost: Cost | None = None


class Notice(Word):
    """A word of the agent about itself, live only (draft)."""

    session_update: Literal["notice"] = "notice"
    severity: str = "info"
    title: str
    description: str | None = None


class UnknownUpdate(Word):
    """News of a kind that this version does not know, or that cannot be read: kept as it came."""

    session_update: Literal["?"] = "?"
    raw: Any = None


Update = Annotated[
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | UnknownUpdate,
    Field(discriminator="session_update"),
]

Chunk = UserMessageChunk | AgentMessageChunk | AgentThoughtChunk
