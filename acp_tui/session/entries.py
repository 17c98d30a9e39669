"""The entries of a session's transcript, in the order of their first appearance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from acp_tui.protocol import schema as tools
from acp_tui.protocol.schema import ContentBlock, TextContent, TurnUsage, UsageUpdate
from acp_tui.session.shell_command import StatedCommand, shell_command, worded_command
from acp_tui.session.text_buffer import TextBuffer


@dataclass(slots=True)
class Text:
    """Text produced by a tool: Markdown or program output."""

    text: str


@dataclass(slots=True)
class Diff:
    """A report of one changed file; never a request to write it."""

    path: str
    new_text: str
    old_text: str | None = None
    operation: str = ""
    """add, delete, modify, move, copy or another word; "" if the agent sends none."""
    old_path: str = ""
    """The path before a move or a copy."""

    @property
    def before(self) -> str | None:
        """The old text, or None for a new file."""
        return self.old_text if self.operation else self.old_text or None

    @property
    def has_no_text(self) -> bool:
        """True if the agent sends only the operation, and no text."""
        return bool(self.operation) and self.old_text is None and not self.new_text


@dataclass(slots=True)
class Location:
    """A file location that a tool call works on."""

    path: str
    line: int | None = None


Item = Text | Diff | tools.ContentItem | tools.TerminalItem | tools.SessionItem | tools.UnknownItem
"""A part of a tool call's content; a `ContentItem` is never text."""

NO_ITEMS: Final[tuple[Item, ...]] = ()
NO_PLACES: Final[tuple[Location, ...]] = ()


def absolute(path: str, cwd: str) -> str:
    """Return an agent's path as an absolute one, read against `cwd`."""
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def items_of(content: Iterable[tools.ToolCallContent]) -> tuple[Item, ...]:
    """Return the content of a tool call as stored items."""
    return tuple([_item(word) for word in content])


def places_of(locations: Iterable[tools.ToolCallLocation]) -> tuple[Location, ...]:
    """Return the locations of a tool call as stored ones."""
    return tuple([Location(place.path, place.line) for place in locations])


def _item(word: tools.ToolCallContent) -> Item:
    if isinstance(word, tools.DiffItem):
        return Diff(word.path, word.new_text, word.old_text, word.operation, word.old_path)
    if isinstance(word, tools.ContentItem) and isinstance(word.content, TextContent):
        return Text(word.content.text)
    return word


Part = TextBuffer | ContentBlock
"""A part of a message: growing text, or a block of another kind."""

Severity = Literal["info", "warning", "error"]

NOTE: Final = "\n\nSince your last turn I have changed files on disk:"
"""Start of the client's note in a prompt."""
LINE_NOTES: Final = "\n\nMy notes on lines:"
"""Start of the user's notes on lines in a prompt."""
ADDED: Final = (NOTE, LINE_NOTES)
"""Starts of the parts that the client adds to a prompt."""

FINAL: Final = frozenset(("completed", "failed", "cancelled", "rejected", "interrupted"))
"""Final statuses of a tool call; the last three are the client's, not the agent's."""


@dataclass(slots=True)
class UserMessage:
    """A message of the user."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    """Seconds, on the clock of the session's events."""
    dropped: bool = False
    """True if the agent refused and so does not keep this in its context."""
    is_reworded: bool = False
    """True if the agent reports a prompt with another text than the one that was sent (version 2)."""
    sent: list[Part] | None = None
    """The parts that were sent, where the agent tells them in other words."""


@dataclass(slots=True)
class AscribedMessage:
    """A message that the agent ascribes to the user outside a replay.

    The user did not send it.
    """

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class SteeredMessage:
    """Text of the user that was sent into a running turn."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    before_stop: bool = False
    """True if the turn was stopped before the agent confirmed the text."""
    dropped: bool = False


@dataclass(slots=True)
class AgentMessage:
    """A message of the agent: Markdown and blocks of other kinds."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    """True once complete; a late chunk may still extend it."""
    dropped: bool = False


@dataclass(slots=True)
class Thought:
    """The agent's reasoning."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    last: float = 0.0
    """Time of the latest chunk."""
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class ToolCall:
    """A tool call, pending, running or final."""

    tool_call_id: str
    title: str = ""
    """Empty until the agent gives one."""
    kind: str = "other"
    status: str = "pending"
    """The agent's status, or the client's: cancelled, rejected (by the user), interrupted (no result)."""
    content: Sequence[Item] = NO_ITEMS
    locations: Sequence[Location] = NO_PLACES
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    unread: Mapping[str, Any] = field(default_factory=dict)
    """Parts that were not understood, by field."""
    plan: str = ""
    """The last plan in its input, if it asks to leave the planning mode."""
    meta: Mapping[str, Any] | None = None
    """The `_meta` of all updates, merged key by key."""
    output: TextBuffer | None = None
    """Latest output of a command run by the agent itself."""
    exit_code: int | None = None
    exit_signal: str | None = None
    """Name of the signal that ended that command."""
    started: float = 0.0
    """Time of its announcement or permission."""
    ended: float | None = None
    decision: str = ""
    """The answer to its permission request, for display."""
    waits: bool = False
    """True until it starts: pending, or awaiting permission."""
    in_background: bool = False
    """True if it continued after its turn had ended."""
    has_left: bool = False
    """True while a process that it left running continues, even if the call itself has ended."""
    can_cancel: bool = False
    """True while the agent offers to cancel it alone."""
    title_is_command: bool = field(default=False, compare=False)
    """True if the agent states commands only in the title."""
    dropped: bool = False

    @property
    def is_final(self) -> bool:
        """True once no more results are expected."""
        return self.status in FINAL

    @property
    def named_paths(self) -> list[str]:
        """The paths of its locations and diffs, as written, each once."""
        diffs = [item for item in self.content if isinstance(item, Diff)]
        changed = [path for item in diffs for path in (item.old_path, item.path) if path]
        return list(dict.fromkeys([*(place.path for place in self.locations), *changed]))

    @property
    def command(self) -> str | None:
        """The command it runs, or None."""
        said = self.stated_command
        return said.text if said is not None else None

    @property
    def stated_command(self) -> StatedCommand | None:
        """The command and the input keys that state it, or None."""
        if self.raw_input is None and self.title_is_command and self.kind == "execute":
            return StatedCommand(self.title) if self.title else None
        return shell_command(self.kind, self.raw_input)

    @property
    def worded_command(self) -> str | None:
        """A command that only its texts mention, which do not bind the agent; or None."""
        if self.kind not in ("execute", "other") or self.command is not None:
            return None
        return worded_command((self.title, *(item.text for item in self.content if isinstance(item, Text))))

    @property
    def is_empty(self) -> bool:
        """True if only the id is known."""
        has_content = self.title or self.content or self.locations or self.decision or self.output is not None
        return not has_content and self.raw_input is None and self.raw_output is None and self.kind == "other"


@dataclass(slots=True)
class Notice:
    """A notice about the session: a mode change, an early end, a dead agent."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class AgentNotice:
    """A notice of the agent: plain text that is no reply."""

    title: str
    severity: str = "info"
    """A `Severity`, or a word of a later version."""
    description: str = ""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class UnknownNews:
    """An unknown update: of a later version, or malformed."""

    name: str
    """Its name in the protocol, or ""."""
    raw: Any = None
    """The latest update, unparsed."""
    count: int = 1
    """Number of consecutive updates with this name."""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class Compaction:
    """A compaction of the agent's context; earlier entries are unchanged."""

    compaction_id: str
    status: str = "in_progress"
    """The agent's status, or `interrupted` if the turn ended without a final one."""
    parts: list[Part] = field(default_factory=list)
    """The summary."""
    error: str = ""
    before: UsageUpdate | None = None
    """The context size when it began."""
    after: UsageUpdate | None = None
    """The context size after it, once known."""
    at: float = 0.0
    ended: float | None = None
    dropped: bool = False


@dataclass(slots=True)
class Subagent:
    """A session that the agent runs as part of this one; its transcript is nested here."""

    session_id: str
    number: int = 1
    """Number among the subagents of its parent, shown if it has no title."""
    title: str = ""
    description: str = ""
    can_cancel: bool = False
    state: str = ""
    """running, requires_action, idle, unknown, or another word of the agent; "" without a report."""
    stop_reason: str = ""
    error: str = ""
    is_lost: bool = False
    """True if its state may be out of date."""
    spent: TurnUsage | None = None
    """Tokens of its latest run, if reported."""
    cwd: str = ""
    """Its folder; "" for its parent's."""
    calls: int = 0
    """Number of its tool calls."""
    entries: list[Entry] = field(default_factory=list)
    """Its transcript, as in its session."""
    at: float = 0.0
    started: float | None = None
    """Start time of its latest run."""
    ended: float | None = None
    dropped: bool = False

    @property
    def name(self) -> str:
        """The name to show."""
        return " ".join(self.title.split()) or f"agent {self.number}"

    @property
    def is_working(self) -> bool:
        """True while it runs or waits for the user."""
        return self.state in ("running", "requires_action") and not self.is_lost


@dataclass(slots=True)
class SessionMessage:
    """A message from one session to another: neither a prompt nor output of the agent."""

    message_id: str | None = None
    sender: str = ""
    """Id of the sending session, if known."""
    recipient: str = ""
    parts: list[Part] = field(default_factory=list)
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class UserCommand:
    """A shell command of the user, unseen by the agent."""

    terminal_id: str
    command: str
    at: float = 0.0
    ended: float | None = None
    exit_code: int | None = None
    """None while it runs, and after a signal."""
    output: TextBuffer | None = None
    """Latest output."""
    dropped: bool = False


@dataclass(slots=True)
class OwnTerminal:
    """A terminal that the agent runs itself; its calls share its output."""

    terminal_id: str
    command: str = ""
    cwd: str = ""
    output: TextBuffer | None = None
    has_ended: bool = False
    exit_code: int | None = None
    exit_signal: str | None = None
    can_cancel: bool = False
    """True while the agent offers to cancel it alone."""


Message = UserMessage | AscribedMessage | SteeredMessage | AgentMessage | Thought
Entry = (
    UserMessage
    | AscribedMessage
    | SteeredMessage
    | AgentMessage
    | Thought
    | ToolCall
    | Notice
    | AgentNotice
    | UnknownNews
    | Compaction
    | Subagent
    | SessionMessage
    | UserCommand
)


def line_of(message: Message) -> str:
    """Return a message's text on one line, without the client's note."""
    return " ".join(words_of(message).split())


def words_of(message: Message) -> str:
    """Return a message's text without the client's note; of a prompt, the words that were sent."""
    sent = message.sent if isinstance(message, UserMessage) else None
    said = (str(part) for part in (message.parts if sent is None else sent) if isinstance(part, TextBuffer))
    return "".join(text for text in said if not text.startswith(ADDED))


def text_of(message: Message) -> str:
    """Return a message's text without blocks of other kinds."""
    return "".join(str(part) for part in message.parts if isinstance(part, TextBuffer))
