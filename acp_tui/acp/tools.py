"""Tool calls: what the agent does. Source: ACP, page "tool calls"."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from acp_tui.acp.content import ContentBlock
from acp_tui.acp.word import Word

TOOL_KINDS: Final = (
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
)
TOOL_STATUSES: Final = ("pending", "in_progress", "completed", "failed")


class ContentItem(Word):
    """A content block that a tool produced."""

    type: Literal["content"] = "content"
    content: ContentBlock


class Diff(Word):
    """A report of one changed file; never a request to write it."""

    type: Literal["diff"] = "diff"
    path: str
    new_text: str
    old_text: str | None = None
    """Null, absent and, for some agents, empty: a new file. See `before`."""

    @property
    def before(self) -> str | None:
        """The text before the change; None for a new file, however the agent says it."""
        return self.old_text or None


class TerminalItem(Word):
    """The live output of a terminal."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class UnknownItem(Word):
    """Tool content of a kind that this version does not know, kept as it came."""

    type: Literal["?"] = "?"
    raw: Any = None


ToolCallContent = Annotated[
    ContentItem | Diff | TerminalItem | UnknownItem,
    Field(discriminator="type"),
]


class Location(Word):
    """A place that a tool call works on."""

    path: str
    line: int | None = None


class ToolCallFields(Word):
    """What a tool call and its updates share. In an update, absent and null leave the stored value."""

    tool_call_id: str
    title: str | None = None
    kind: str | None = None
    """One of `TOOL_KINDS`, or a word of tomorrow."""
    status: str | None = None
    """One of `TOOL_STATUSES`, or a word of tomorrow."""
    content: list[ToolCallContent] | None = None
    locations: list[Location] | None = None
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    """The tool's programmatic name (draft)."""
