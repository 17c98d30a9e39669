"""The base of every word of the protocol."""

from __future__ import annotations

import html
import re
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, StrictBool
from pydantic.alias_generators import to_camel


class Model(BaseModel):
    """One object of the protocol: camelCase on the wire, snake_case here; what it does not know it keeps.

    `model_fields_set` tells an absent field from a null one where that matters.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        # Some agents send snake_case; the protocol's own spelling is tried first.
        validate_by_alias=True,
        validate_by_name=True,
        extra="allow",
        allow_inf_nan=False,
        protected_namespaces=(),
        defer_build=True,
    )

    meta: dict[str, Any] | None = Field(default=None, alias="_meta")
    """Extensions. Never read as parameters. Source: ACP, page "extensibility"."""

    def wire(self) -> dict[str, Any]:
        """Return the object as it goes out: protocol's names, absent instead of null."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Annotations(Model):
    """Hints about a block; nothing depends on them."""

    audience: list[str] | None = None
    priority: float | None = None
    last_modified: str | None = None


class TextContent(Model):
    """Markdown, or a part of it."""

    type: Literal["text"] = "text"
    text: str
    annotations: Annotations | None = None


class ImageContent(Model):
    """A picture, as base64."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None


class AudioContent(Model):
    """A sound, as base64."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str
    annotations: Annotations | None = None


class ResourceLink(Model):
    """A pointer to something that the reader may open; never fetched by us."""

    type: Literal["resource_link"] = "resource_link"
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


class ResourceContents(Model):
    """A resource with its content: `text`, or `blob` in base64."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


class EmbeddedResource(Model):
    """A resource that travels with the message."""

    type: Literal["resource"] = "resource"
    resource: ResourceContents
    annotations: Annotations | None = None


class UnknownContent(Model):
    """A block of a kind that this version does not know, kept as it came."""

    type: Literal["?"] = "?"
    raw: Any = None


ContentBlock = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContent,
    Field(discriminator="type"),
]


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


class ContentItem(Model):
    """A content block that a tool produced."""

    type: Literal["content"] = "content"
    content: ContentBlock


class DiffItem(Model):
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


class TerminalItem(Model):
    """The live output of a terminal."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class UnknownItem(Model):
    """Tool content of a kind that this version does not know, kept as it came."""

    type: Literal["?"] = "?"
    raw: Any = None


ToolCallContent = Annotated[
    ContentItem | DiffItem | TerminalItem | UnknownItem,
    Field(discriminator="type"),
]


class ToolCallLocation(Model):
    """A place that a tool call works on."""

    path: str
    line: int | None = None


class ToolCallFields(Model):
    """What a tool call and its updates share. In an update, absent and null leave the stored value."""

    tool_call_id: str
    title: str | None = None
    kind: str | None = None
    """One of `TOOL_KINDS`, or a word of tomorrow."""
    status: str | None = None
    """One of `TOOL_STATUSES`, or a word of tomorrow."""
    content: list[ToolCallContent] | None = None
    locations: list[ToolCallLocation] | None = None
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    """The tool's programmatic name (draft)."""


class PlanEntry(Model):
    """One step: `priority` is high, medium or low; `status` pending, in_progress or completed."""

    content: str
    priority: str = "medium"
    status: str = "pending"


class AvailableCommandInput(Model):
    """What may follow a command's name."""

    hint: str = ""


class AvailableCommand(Model):
    """A command of the agent, without its slash."""

    name: str
    description: str = ""
    input: AvailableCommandInput | None = None


class SessionMode(Model):
    """A mode the session can be in."""

    id: str
    name: str
    description: str | None = None


class SessionModeState(Model):
    """The modes of a session and the one it is in."""

    current_mode_id: str
    available_modes: list[SessionMode] = []


class ModelInfo(Model):
    """A model, as agents offered it before config options (removed from the protocol, still common)."""

    model_id: str
    name: str
    description: str | None = None


class SessionModelState(Model):
    """The models of a session and the one it uses (removed from the protocol, still common)."""

    current_model_id: str
    available_models: list[ModelInfo] = []


class OptionValue(Model):
    """A value of a select option."""

    value: str
    name: str
    description: str | None = None


class OptionValueGroup(Model):
    """A named group of values."""

    group: str
    name: str
    options: list[OptionValue] = []


class _Option(Model):
    """What config options of the kinds that we know have in common."""

    id: str
    name: str
    description: str | None = None
    category: str | None = None
    """A hint, which may be missing."""

    @property
    def is_mode(self) -> bool:
        """Whether it says how the agent behaves, as modes do."""
        return self.category == "mode" or self.id == "mode"


class SelectOption(_Option):
    """A config option with one of several values, plain or in groups."""

    type: Literal["select"] = "select"
    current_value: str
    options: list[OptionValueGroup | OptionValue] = []

    def choices(self) -> list[OptionValue]:
        """Return the values without their groups, in order."""
        flat: list[OptionValue] = []
        for option in self.options:
            flat.extend(option.options if isinstance(option, OptionValueGroup) else [option])
        return flat


class BooleanOption(_Option):
    """A config option that is on or off."""

    type: Literal["boolean"] = "boolean"
    current_value: bool

    def choices(self) -> list[OptionValue]:
        """Return no values: on and off need no names of the agent's."""
        return []


class UnknownOption(Model):
    """An option of a kind that this version does not know; not shown."""

    type: Literal["?"] = "?"
    raw: Any = None


ConfigOption = Annotated[SelectOption | BooleanOption | UnknownOption, Field(discriminator="type")]


class PermissionOption(Model):
    """An answer; `kind` is allow_once, allow_always, reject_once, reject_always, or new and then neutral."""

    option_id: str
    name: str
    kind: str


class PermissionRequest(Model):
    """May this tool call go on?"""

    whole: ClassVar[frozenset[str]] = frozenset({"options"})

    session_id: str
    tool_call: ToolCallFields
    options: list[PermissionOption]


class PromptRequest(Model):
    """What the person says. The request stays open for the whole turn."""

    session_id: str
    prompt: list[ContentBlock]


class PromptResponse(Model):
    """The end of a turn: end_turn, max_tokens, max_turn_requests, refusal, cancelled, or a new word."""

    stop_reason: str = "end_turn"
    content: list[ContentBlock] = []
    """What some agents say only here (not in the protocol)."""
    usage: dict[str, Any] | None = None


class NewSessionRequest(Model):
    """A new session in a folder; the list of MCP servers is always sent, in the protocol's shape."""

    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None


class SessionSetup(Model):
    """What `session/new`, `session/load` and `session/resume` answer about modes and options."""

    modes: SessionModeState | None = None
    config_options: list[ConfigOption] | None = None
    models: SessionModelState | None = None


class NewSessionResponse(SessionSetup):
    """The new session."""

    session_id: str


class AttachRequest(Model):
    """Load (with replay) or resume (without) a session that the agent has."""

    session_id: str
    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None


class SessionInfo(Model):
    """A session in the agent's list; `updated_at` is ISO 8601."""

    session_id: str
    cwd: str = ""
    title: str | None = None
    updated_at: str | None = None
    additional_directories: list[str] = []


class ListSessionsResponse(Model):
    """One page of the agent's sessions."""

    sessions: list[SessionInfo] = []
    next_cursor: str | None = None


class SetConfigOptionResponse(Model):
    """All options, after one was set."""

    config_options: list[ConfigOption] = []


class ReadTextFileRequest(Model):
    """Read a file, or `limit` lines of it from line `line` (the first is 1)."""

    whole: ClassVar[frozenset[str]] = frozenset({"line", "limit"})
    """The schema would read them as absent: the whole file, which nobody asked for."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


class WriteTextFileRequest(Model):
    """Replace or create a file."""

    session_id: str
    path: str
    content: str


class EnvVariable(Model):
    """One variable of a command's environment."""

    name: str
    value: str


class CreateTerminalRequest(Model):
    """Run a command; `output_byte_limit` bounds what is kept, in bytes of UTF-8."""

    whole: ClassVar[frozenset[str]] = frozenset({"args", "env", "cwd"})
    """The schema would leave out what is malformed: another command than the one that was asked for."""

    session_id: str
    command: str
    args: list[str] = []
    env: list[EnvVariable] = []
    cwd: str | None = None
    output_byte_limit: int | None = None


class TerminalRequest(Model):
    """Anything else about a terminal: its output, its end, kill, release."""

    session_id: str
    terminal_id: str


class AuthMethod(Model):
    """A way to log in. A type that is absent or unknown is handled as `agent`."""

    id: str
    name: str
    description: str | None = None
    type: str = "agent"
    args: list[str] = []
    """For type `terminal`: arguments after the agent's own."""
    env: dict[str, str] = {}
    """For type `terminal`: variables over the agent's own."""
    vars: list[dict[str, Any]] = []
    """For the removed type `env_var`: variables that the agent reads."""


class ElicitationRequest(Model):
    """A form to fill in, or an address to visit; about a session, or about a running request of ours."""

    mode: str
    message: str = ""
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: int | str | None = None
    requested_schema: dict[str, Any] | None = None
    elicitation_id: str | None = None
    url: str | None = None


LOGIN_REQUIRED: Final = -32000
NOT_FOUND: Final = -32002
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL: Final = -32603
CANCELLED: Final = -32800
"""Means what the stop reason `cancelled` means. Source: ACP, page "cancellation"."""

_TEXTS: Final = ("details", "error", "message", "reason")
"""Where agents put words into an error's data."""


_LOOKED_AT: Final = 2_000
_LONGEST: Final = 200_000
_PAGE: Final = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_UNSEEN: Final = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.I | re.S)
_TAG: Final = re.compile(r"<[^<>]*>")
_LOGIN: Final = re.compile(
    r"""\b(?:not|n't|isn't|aren't)\s+(?:been\s+|yet\s+|currently\s+)?(?:logged|signed)[ -]?in\b
    | \b(?:logged|signed)[ -]?out\b
    | \b(?:please|must|need\s+to|have\s+to|required?\s+to)\s+(?:first\s+)?(?:re-?)?
      (?:log|sign|authenticate)(?:[ -]?(?:in|on))?\b
    | \b(?:log|sign)[ -]?in\s+(?:again|first|is\s+(?:required|needed)|required|needed|expired)\b
    | \b(?:run|use|with)\s+\S{0,3}\S*\s?/?(?:log|sign)-?in\b
    | \bauthenti?cation\s+(?:is\s+)?(?:required|needed|failed|missing|expired)\b
    | \b(?:un|not\s+)authenticated\b | \bunauthori[sz]ed\b
    | \b(?:no|missing|invalid|expired)\s+(?:valid\s+)?(?:api[ -]?key|credentials?|access\s+token)\b
    | \b(?:credentials?|tokens?|login)\s+(?:has|have|is|are)\s+(?:expired|missing|invalid)\b""",
    re.I | re.X,
)


def said_in(data: Any) -> str:
    """Return what an error's data says beside its message, which often is all that helps; may be nothing."""
    if isinstance(data, dict):
        return as_text(next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), ""))
    return as_text(data) if isinstance(data, str) else ""


def speaks_of_login(said: str) -> bool:
    """Return whether the words of an error ask for a login."""
    return _LOGIN.search(said[:_LOOKED_AT]) is not None


def as_text(said: str) -> str:
    """Return the words of what may be a page of HTML, as gateways answer with; other text as it is."""
    if not _PAGE.search(said[:_LOOKED_AT]):
        return said
    plain = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", said[:_LONGEST])))
    return "\n".join(line for line in (" ".join(row.split()) for row in plain.splitlines()) if line)


PROTOCOL_VERSION: Final = 1

_NAME: Final = 80  # characters

Marker = dict[str, Any] | StrictBool
"""A capability that is an object: present (even empty) means yes. Some agents send `true`."""


class Implementation(Model):
    """The name and version of a client or an agent."""

    name: str
    version: str = ""
    title: str | None = None

    @property
    def shown(self) -> str:
        """The name for people, of a length that fits into a sentence."""
        name = self.title or self.name
        return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


class FileCapabilities(Model):
    """Which file methods the client serves."""

    read_text_file: bool = False
    write_text_file: bool = False


class ClientCapabilities(Model):
    """What we offer. The optional parts are objects whose presence means yes."""

    fs: FileCapabilities = FileCapabilities()
    terminal: bool = False
    auth: dict[str, Any] | None = None
    session: dict[str, Any] | None = None
    elicitation: dict[str, Any] | None = None


class InitializeRequest(Model):
    """Our first message."""

    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: ClientCapabilities
    client_info: Implementation


class PromptCapabilities(Model):
    """Which blocks a prompt may hold beside text and links."""

    image: StrictBool = False
    audio: StrictBool = False
    embedded_context: StrictBool = False


class McpCapabilities(Model):
    """Which MCP transports the agent takes beside stdio."""

    http: StrictBool = False
    sse: StrictBool = False


class SessionCapabilities(Model):
    """Which session methods the agent has."""

    list: Marker | None = None
    delete: Marker | None = None
    resume: Marker | None = None
    close: Marker | None = None
    fork: Marker | None = None
    additional_directories: Marker | None = None


class AuthCapabilities(Model):
    """Which login methods the agent has beside `authenticate`."""

    logout: Marker | None = None


class AgentCapabilities(Model):
    """What the agent offers; all that is absent is not there."""

    load_session: StrictBool = False
    prompt_capabilities: PromptCapabilities = PromptCapabilities()
    mcp_capabilities: McpCapabilities = McpCapabilities()
    session_capabilities: SessionCapabilities = SessionCapabilities()
    auth: AuthCapabilities = AuthCapabilities()

    @property
    def takes_up(self) -> bool:
        """Whether an earlier session can be gone on with, told anew or not."""
        return self.load_session or has(self.session_capabilities.resume)


class InitializeResponse(Model):
    """The agent's first answer."""

    protocol_version: Any
    agent_capabilities: AgentCapabilities = AgentCapabilities()
    auth_methods: list[AuthMethod] = []
    agent_info: Implementation | None = None

    @property
    def speaks_ours(self) -> bool:
        """Whether the version is ours; text with our major number counts."""
        return str(self.protocol_version).split(".")[0] == str(PROTOCOL_VERSION)


def has(marker: Marker | None) -> bool:
    """Return whether an object capability is there."""
    return marker is not None and marker is not False


class UserMessageChunk(Model):
    """A piece of what the person said: an echo, or a replay."""

    session_update: Literal["user_message_chunk"] = "user_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentMessageChunk(Model):
    """A piece of the answer."""

    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentThoughtChunk(Model):
    """A piece of the agent's reasoning."""

    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    content: ContentBlock
    message_id: str | None = None


class NewToolCall(ToolCallFields):
    """A tool call exists."""

    session_update: Literal["tool_call"] = "tool_call"


class ToolCallUpdate(ToolCallFields):
    """A tool call changed; also the shape of a permission request's tool call."""

    session_update: Literal["tool_call_update"] = "tool_call_update"


class Plan(Model):
    """The whole plan."""

    session_update: Literal["plan"] = "plan"
    entries: list[PlanEntry]


class AvailableCommandsUpdate(Model):
    """The whole list of commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: list[AvailableCommand]


class CurrentModeUpdate(Model):
    """The mode changed."""

    session_update: Literal["current_mode_update"] = "current_mode_update"
    current_mode_id: str


class ConfigOptionUpdate(Model):
    """The whole list of config options."""

    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: list[ConfigOption]


class SessionInfoUpdate(Model):
    """Title or time changed: absent keeps, null clears."""

    session_update: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    updated_at: str | None = None


class Cost(Model):
    """What the session has cost so far."""

    amount: float
    currency: str


class UsageUpdate(Model):
    """How full the context is, in tokens, and the cost so far. An unusable number is read as absent."""

    session_update: Literal["usage_update"] = "usage_update"
    used: NonNegativeInt | None = None
    size: NonNegativeInt | None = None
    cost: Cost | None = None


class NoticeUpdate(Model):
    """A word of the agent about itself, live only (draft)."""

    session_update: Literal["notice"] = "notice"
    severity: str = "info"
    title: str
    description: str | None = None


class UnknownUpdate(Model):
    """News of a kind that this version does not know, or that cannot be read: kept as it came."""

    session_update: Literal["?"] = "?"
    raw: Any = None


Update = Annotated[
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | NewToolCall
    | ToolCallUpdate
    | Plan
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | NoticeUpdate
    | UnknownUpdate,
    Field(discriminator="session_update"),
]

Chunk = UserMessageChunk | AgentMessageChunk | AgentThoughtChunk
