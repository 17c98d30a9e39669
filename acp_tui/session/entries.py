"""What is remembered of a conversation, in the order in which it was first seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from acp_tui.acp.content import ContentBlock
from acp_tui.session.growing import GrowingText
from acp_tui.session.items import NO_ITEMS, NO_PLACES, Diff, Item, Location, Text
from acp_tui.session.shell_command import Said, shell_command, worded_command

Part = GrowingText | ContentBlock
"""A piece of a message: text that may still grow, or a block of another kind."""

Severity = Literal["info", "warning", "error"]

NOTE: Final = "\n\nSince your last turn I have changed files on disk:"
"""How a block of a prompt begins that is a note of ours and not the user's own words."""

FINAL: Final = frozenset(("completed", "failed", "cancelled", "rejected", "interrupted"))
"""Statuses after which nothing more is expected of a tool call; the last three are ours, not the agent's."""


@dataclass(slots=True)
class UserMessage:
    """What the person said."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    """Seconds, on the clock of the session's events."""
    dropped: bool = False
    """The agent refused, and does not keep this in its context."""


@dataclass(slots=True)
class AgentMessage:
    """What the agent said: Markdown, and blocks of other kinds."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    """No more of it is expected. It may still grow if the agent thinks otherwise."""
    dropped: bool = False


@dataclass(slots=True)
class Thought:
    """The agent's reasoning."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    last: float = 0.0
    """When the newest piece came."""
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class ToolCall:
    """Something the agent does, or wants to do."""

    tool_call_id: str
    title: str = ""
    """Empty until the agent gives one."""
    kind: str = "other"
    status: str = "pending"
    """The agent's word, or ours: cancelled, rejected (by the person), interrupted (no result reported)."""
    content: Sequence[Item] = NO_ITEMS
    locations: Sequence[Location] = NO_PLACES
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    meta: Mapping[str, Any] | None = None
    """The `_meta` of all its updates, merged key by key."""
    output: GrowingText | None = None
    """What a command printed that the agent runs by itself: the newest of it."""
    exit_code: int | None = None
    exit_signal: str | None = None
    """How that command ended, once it has."""
    started: float = 0.0
    """When it came, or was allowed."""
    ended: float | None = None
    decision: str = ""
    """How its permission was answered, for people."""
    waits: bool = False
    """It has not begun: the agent says so, or has asked for permission."""
    title_is_command: bool = field(default=False, compare=False)
    """Whether its agent tells the command by the title alone, when it is going to `execute` one."""
    dropped: bool = False

    @property
    def is_final(self) -> bool:
        """Whether nothing more is expected."""
        return self.status in FINAL

    @property
    def named_paths(self) -> list[str]:
        """The paths that it names, as written, each once: where it works, and what it changes."""
        changed = (item.path for item in self.content if isinstance(item, Diff))
        return list(dict.fromkeys([*(place.path for place in self.locations), *changed]))

    @property
    def command(self) -> str | None:
        """The command that it runs or wants to run, if it says so."""
        said = self.said_command
        return said.text if said is not None else None

    @property
    def said_command(self) -> Said | None:
        """The command, and where its input says it."""
        if self.raw_input is None and self.title_is_command and self.kind == "execute":
            return Said(self.title) if self.title else None
        return shell_command(self.kind, self.raw_input)

    @property
    def worded_command(self) -> str | None:
        """The command that only its words ask for, which nothing holds its agent to."""
        if self.kind not in ("execute", "other") or self.command is not None:
            return None
        return worded_command((self.title, *(item.text for item in self.content if isinstance(item, Text))))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known but the id: not worth a line."""
        told = self.title or self.content or self.locations or self.decision or self.output is not None
        return not told and self.raw_input is None and self.raw_output is None and self.kind == "other"


@dataclass(slots=True)
class Notice:
    """A fact about the session itself: a mode changed, a turn stopped early, the agent died."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class OwnCommand:
    """A command that the person ran beside the conversation."""

    terminal_id: str
    command: str
    at: float = 0.0
    ended: float | None = None
    exit_code: int | None = None
    """None while it runs, and when a signal has ended it."""
    output: GrowingText | None = None
    """The newest of what it printed, once it has ended."""
    dropped: bool = False


Message = UserMessage | AgentMessage | Thought
Entry = UserMessage | AgentMessage | Thought | ToolCall | Notice | OwnCommand


def line_of(message: Message) -> str:
    """Return a message's text on one line, without a note of ours."""
    said = (part for part in message.parts if isinstance(part, GrowingText))
    return " ".join("".join(text for text in map(str, said) if not text.startswith(NOTE)).split())


def text_of(message: Message) -> str:
    """Return a message's text without its other blocks."""
    return "".join(str(part) for part in message.parts if isinstance(part, GrowingText))
