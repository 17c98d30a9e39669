"""The objects of the Agent Client Protocol as pydantic models."""

# No `from __future__ import annotations`: pydantic would compile each of them from its text.

import html
import re
import sys
from types import ModuleType
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, StrictBool

from acp_tui.lazy_regex import regex


def _without_plugins() -> None:
    """Stop pydantic from searching for plugins, which reads the metadata of every installed package.

    With the modules that it imports, that takes half as long as building all models.
    """
    none = ModuleType("pydantic.plugin._loader")
    vars(none)["get_plugins"] = tuple
    sys.modules.setdefault(none.__name__, none)


_without_plugins()


def camel(name: str) -> str:
    """Return a field's name on the wire."""
    # `to_camel` of pydantic takes 3 ms more of the start: it is called for each field of each model.
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


Marker = dict[str, Any] | StrictBool
"""A capability whose presence means yes; some agents send `true`."""


class Model(BaseModel):
    """An object of the protocol: camelCase on the wire, snake_case in Python.

    Unknown fields are kept. `model_fields_set` tells absent from null where that matters.
    """

    model_config = ConfigDict(
        alias_generator=camel,
        # Some agents send snake_case; the protocol's own spelling is tried first.
        validate_by_alias=True,
        validate_by_name=True,
        extra="allow",
        allow_inf_nan=False,
        protected_namespaces=(),
        defer_build=True,
    )

    meta: dict[str, Any] | None = Field(default=None, alias="_meta")
    """Extensions, never read as parameters. Source: ACP, page "extensibility"."""

    def wire(self) -> dict[str, Any]:
        """Return the object for the wire: aliased names, absent instead of null."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Annotations(Model):
    """Hints about a content block; not used."""

    audience: list[str] | None = None
    priority: float | None = None
    last_modified: str | None = None


class TextContent(Model):
    """Text content in Markdown."""

    type: Literal["text"] = "text"
    text: str
    annotations: Annotations | None = None


class ImageContent(Model):
    """A base64-encoded image."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None


class AudioContent(Model):
    """Base64-encoded audio."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str
    annotations: Annotations | None = None


class ResourceLink(Model):
    """A link to a resource; never fetched."""

    type: Literal["resource_link"] = "resource_link"
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


class ResourceContents(Model):
    """A resource with its content: `text`, or base64 in `blob`."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


class EmbeddedResource(Model):
    """A resource embedded in the message."""

    type: Literal["resource"] = "resource"
    resource: ResourceContents
    annotations: Annotations | None = None


class UnknownContent(Model):
    """A content block of an unknown kind."""

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
    """A content block produced by a tool."""

    type: Literal["content"] = "content"
    content: ContentBlock


class DiffItem(Model):
    """A report of one changed file; never a request to write it."""

    type: Literal["diff"] = "diff"
    path: str
    new_text: str
    old_text: str | None = None
    """None, or "" from some agents, for a new file. See `before`."""
    operation: str = ""
    """add, delete, modify, move, copy, or a word of a later version; "" in version 1, which has none."""
    old_path: str = ""
    """The path before a move or a copy."""

    @property
    def before(self) -> str | None:
        """The old text, or None for a new file."""
        return self.old_text or None


class TerminalItem(Model):
    """A terminal embedded in a tool call."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class SessionItem(Model):
    """A link to another session, such as a subagent's; for display only."""

    type: Literal["session"] = "session"
    session_id: str


class UnknownItem(Model):
    """Tool call content of an unknown kind."""

    type: Literal["?"] = "?"
    raw: Any = None


ToolCallContent = Annotated[
    ContentItem | DiffItem | TerminalItem | SessionItem | UnknownItem,
    Field(discriminator="type"),
]


class ToolCallLocation(Model):
    """A file location that a tool call works on."""

    path: str
    line: int | None = None


class ToolCallFields(Model):
    """The fields shared by tool calls and their updates.

    In an update, absent and null leave the stored value unchanged.
    """

    tool_call_id: str
    title: str | None = None
    kind: str | None = None
    """One of `TOOL_KINDS`, or a kind of a later version."""
    status: str | None = None
    """One of `TOOL_STATUSES`, or a status of a later version."""
    content: list[ToolCallContent] | None = None
    locations: list[ToolCallLocation] | None = None
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    """The tool's name in the agent, such as `mcp__docs__search`; not unique."""
    unread: dict[str, Any] | None = None
    """Parts that are not understood, by field; set while reading (not in the protocol)."""


class PlanEntry(Model):
    """One step of a plan.

    `priority` is high, medium or low; `status` is pending, in_progress or completed.
    """

    content: str
    priority: str = "medium"
    status: str = "pending"


class AvailableCommandInput(Model):
    """A hint for the text after a command's name."""

    hint: str = ""


class AvailableCommand(Model):
    """A slash command of the agent, without its slash."""

    name: str
    description: str = ""
    input: AvailableCommandInput | None = None


class SessionMode(Model):
    """A mode of the session."""

    id: str
    name: str
    description: str | None = None


class SessionModeState(Model):
    """The available modes and the current one."""

    current_mode_id: str
    available_modes: list[SessionMode] = []


class ModelInfo(Model):
    """A language model, as offered before config options (removed from the protocol, still common)."""

    model_id: str
    name: str
    description: str | None = None


class SessionModelState(Model):
    """The available models and the current one (removed from the protocol, still common)."""

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
    """The common fields of config options."""

    id: str
    name: str
    description: str | None = None
    category: str | None = None
    """A hint; may be missing."""

    @property
    def is_mode(self) -> bool:
        """True if the option sets the agent's mode."""
        return self.category == "mode" or self.id == "mode"


class SelectOption(_Option):
    """A config option with one of several values, flat or grouped."""

    type: Literal["select"] = "select"
    current_value: str
    options: list[OptionValueGroup | OptionValue] = []

    def choices(self) -> list[OptionValue]:
        """Return the values of all groups, in order."""
        flat: list[OptionValue] = []
        for option in self.options:
            flat.extend(option.options if isinstance(option, OptionValueGroup) else [option])
        return flat


class BooleanOption(_Option):
    """A config option that is on or off."""

    type: Literal["boolean"] = "boolean"
    current_value: bool

    def choices(self) -> list[OptionValue]:
        """Return an empty list: on and off have no names."""
        return []


class UnknownOption(Model):
    """A config option of an unknown kind; not shown."""

    type: Literal["?"] = "?"
    raw: Any = None


ConfigOption = Annotated[SelectOption | BooleanOption | UnknownOption, Field(discriminator="type")]


class PermissionOption(Model):
    """An answer to a permission request.

    `kind` is allow_once, allow_always, reject_once or reject_always; an unknown kind is neutral.
    """

    option_id: str
    name: str
    kind: str


class PermissionRequest(Model):
    """A request to allow a tool call."""

    whole: ClassVar[frozenset[str]] = frozenset({"options"})

    session_id: str
    tool_call: ToolCallFields
    options: list[PermissionOption]
    title: str = ""
    """The question, if it differs from the title of the call (version 2)."""
    description: str | None = None


class PromptRequest(Model):
    """A prompt of the user; the request stays open for the whole turn."""

    session_id: str
    prompt: list[ContentBlock]


class TurnUsage(Model):
    """Tokens of the model calls of one turn (unstable); unlike the text, agents send no totals."""

    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    total_tokens: NonNegativeInt | None = None
    thought_tokens: NonNegativeInt | None = None
    cached_read_tokens: NonNegativeInt | None = None
    cached_write_tokens: NonNegativeInt | None = None


TAKEN_BACK: Final = "taken_back"
"""The stop reason of a prompt that was cancelled before the agent took it (version 2)."""


class PromptResponse(Model):
    """The end of a turn.

    `stop_reason` is end_turn, max_tokens, max_turn_requests, refusal, cancelled, or unknown.
    """

    stop_reason: str = "end_turn"
    content: list[ContentBlock] = []
    """Content that some agents send only here (not in the protocol)."""
    usage: TurnUsage | None = None


class NewSessionRequest(Model):
    """A request for a new session; the list of MCP servers is always sent."""

    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: dict[str, Any] | None = None
    """Content blocks to add to the agent's system prompt (unstable)."""


class SessionSetup(Model):
    """Modes and options in the answer to `session/new`, `session/load` and `session/resume`."""

    modes: SessionModeState | None = None
    config_options: list[ConfigOption] | None = None
    models: SessionModelState | None = None


class NewSessionResponse(SessionSetup):
    """The id and setup of a new session."""

    session_id: str


class AttachRequest(Model):
    """A request to load (with replay) or resume (without) a session."""

    session_id: str
    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: dict[str, Any] | None = None


class SessionInfo(Model):
    """A session in the agent's list; `updated_at` is ISO 8601."""

    session_id: str
    cwd: str = ""
    title: str | None = None
    updated_at: str | None = None
    additional_directories: list[str] = []
    archived: StrictBool = False
    """True if it is left out of lists unless they ask for it (unstable)."""


class SessionStatusResponse(Model):
    """The status of a session: `open` in the agent's memory, or `saved`; other words count as saved."""

    status: str = "saved"


class ListSessionsResponse(Model):
    """A page of the agent's sessions."""

    sessions: list[SessionInfo] = []
    next_cursor: str | None = None


class SetTitleResponse(Model):
    """The title that the agent has stored, which may differ from the requested one."""

    title: str


class SetConfigOptionResponse(Model):
    """All options after one was set."""

    config_options: list[ConfigOption] = []


class ReadTextFileRequest(Model):
    """A request for a file, or `limit` lines of it from line `line` (from 1)."""

    whole: ClassVar[frozenset[str]] = frozenset({"line", "limit"})
    """Never repaired: without them the request would mean the whole file."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


class WriteTextFileRequest(Model):
    """A request to create or replace a file."""

    session_id: str
    path: str
    content: str


class EnvVariable(Model):
    """A variable of a command's environment."""

    name: str
    value: str


class CreateTerminalRequest(Model):
    """A request to run a command; `output_byte_limit` bounds the kept output in UTF-8 bytes."""

    whole: ClassVar[frozenset[str]] = frozenset({"args", "env", "cwd"})
    """Never repaired: a command without them would be a different one."""

    session_id: str
    command: str
    args: list[str] = []
    env: list[EnvVariable] = []
    cwd: str | None = None
    output_byte_limit: int | None = None


class TerminalRequest(Model):
    """A request about a terminal: output, wait, kill or release."""

    session_id: str
    terminal_id: str


class AuthMethod(Model):
    """A login method. An unknown or missing type counts as `agent`."""

    id: str
    name: str
    description: str | None = None
    type: str = "agent"
    args: list[str] = []
    """For type `terminal`: arguments after the agent's own."""
    env: dict[str, str] = {}
    """For type `terminal`: variables added to the agent's own."""
    vars: list[dict[str, Any]] = []
    """For the removed type `env_var`: variables read by the agent."""


class ElicitationRequest(Model):
    """A form or a URL for the user, about a session or a running request."""

    mode: str
    message: str = ""
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: int | str | None = None
    requested_schema: dict[str, Any] | None = None
    elicitation_id: str | None = None
    url: str | None = None


LOGIN_REQUIRED: Final = -32000
RESOURCE_NOT_FOUND: Final = -32002
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REQUEST_CANCELLED: Final = -32800
"""Equivalent to the stop reason `cancelled`. Source: ACP, page "cancellation"."""

_TEXTS: Final = ("details", "error", "message", "reason")
"""Keys of an error's data that agents use for readable text."""


_LOOKED_AT: Final = 2_000
_LONGEST: Final = 200_000
_PAGE: Final = regex(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_UNSEEN: Final = regex(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.I | re.S)
_TAG: Final = regex(r"<[^<>]*>")
_LOGIN: Final = regex(
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


def error_text(data: Any) -> str:
    """Return the readable part of an error's data, or ""."""
    if isinstance(data, dict):
        return as_text(next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), ""))
    return as_text(data) if isinstance(data, str) else ""


def asks_for_login(said: str) -> bool:
    """Return whether an error message asks for a login."""
    return _LOGIN.search(said[:_LOOKED_AT]) is not None


def as_text(said: str) -> str:
    """Return the text of an HTML page, such as a gateway's error page; return other text unchanged."""
    if not _PAGE.search(said[:_LOOKED_AT]):
        return said
    plain = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", said[:_LONGEST])))
    return "\n".join(line for line in (" ".join(row.split()) for row in plain.splitlines()) if line)


PROTOCOL_VERSION: Final = 1

_NAME: Final = 80  # characters
_DATE: Final = regex(r"20[0-9]{2}-[01][0-9]-[0-3][0-9]")


class Implementation(Model):
    """The name and version of a client or an agent."""

    name: str
    version: str = ""
    title: str | None = None

    @property
    def display_name(self) -> str:
        """The display name, shortened to fit a sentence."""
        name = self.title or self.name
        return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


class FileCapabilities(Model):
    """File methods of the client."""

    read_text_file: bool = False
    write_text_file: bool = False


class ClientCapabilities(Model):
    """Capabilities of the client; the presence of an optional object means yes."""

    fs: FileCapabilities = Field(default_factory=FileCapabilities)
    terminal: bool = False
    auth: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    subagents: dict[str, Any] | None = None
    session: dict[str, Any] | None = None
    elicitation: dict[str, Any] | None = None


class InitializeRequest(Model):
    """The first message of a connection."""

    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: ClientCapabilities
    client_info: Implementation


class PromptCapabilities(Model):
    """Content blocks accepted in prompts, apart from text and links."""

    image: StrictBool = False
    audio: StrictBool = False
    embedded_context: StrictBool = False


class McpCapabilities(Model):
    """MCP transports supported by the agent, apart from stdio."""

    http: StrictBool = False
    sse: StrictBool = False


class SessionCapabilities(Model):
    """Session methods supported by the agent."""

    list: Marker | None = None
    delete: Marker | None = None
    resume: Marker | None = None
    close: Marker | None = None
    fork: Marker | None = None
    additional_directories: Marker | None = None
    title: Marker | None = None
    """Titles may be set (unstable)."""
    archive: Marker | None = None
    """Sessions may be archived, and lists may include archived ones (unstable)."""
    status: Marker | None = None
    """The status of a session may be requested (unstable)."""
    system_prompt: Marker | None = None
    """Text may be added to the system prompt (unstable)."""


class AuthCapabilities(Model):
    """Login methods supported by the agent, apart from `authenticate`."""

    logout: Marker | None = None
    status: Marker | None = None
    """The state of the login may be requested (unstable)."""


class Account(Model):
    """An account of the agent's user, for display only."""

    label: str = ""
    active: StrictBool = False


class AuthStatus(Model):
    """The state of the login: `authenticated`, `unauthenticated`, `not_required`; others are unknown."""

    state: str = "unknown"
    accounts: list[Account] = []

    @property
    def is_logged_out(self) -> bool:
        """True if a login is needed; `authenticated` promises nothing."""
        return self.state == "unauthenticated"


class ProviderAddress(Model):
    """The API and the address of a model provider."""

    api_type: str = ""
    base_url: str = ""


class Provider(Model):
    """A model provider that the agent can use."""

    provider_id: str
    supported: list[str] = []
    """The APIs that it supports."""
    required: StrictBool = False
    """True if it cannot be disabled."""
    current: ProviderAddress | None = None
    """None: disabled."""


class ListProvidersResponse(Model):
    """The providers of the agent."""

    providers: list[Provider] = []


def _absent() -> Any:
    """Return the default of a field: an object without fields."""
    # Read by the validator of the whole: the class as `default_factory` takes 5 ms more at each start,
    # since an object that is not read needs a validator of its own.
    return Field(default_factory=dict, validate_default=True)


class AgentCapabilities(Model):
    """Capabilities of the agent; absent means no."""

    load_session: StrictBool = False
    prompt_capabilities: PromptCapabilities = _absent()
    mcp_capabilities: McpCapabilities = _absent()
    session_capabilities: SessionCapabilities = _absent()
    auth: AuthCapabilities = _absent()
    providers: Marker | None = None
    """Model providers may be listed and chosen (unstable)."""

    @property
    def can_resume(self) -> bool:
        """True if earlier sessions can be loaded or resumed."""
        return self.load_session or has(self.session_capabilities.resume)


class InitializeResponse(Model):
    """The agent's answer to `initialize`."""

    protocol_version: Any
    agent_capabilities: AgentCapabilities = _absent()
    auth_methods: list[AuthMethod] = []
    agent_info: Implementation | None = None

    @property
    def is_supported(self) -> bool:
        """True if the agent speaks this major version, also as text; dates are early drafts of it."""
        version = str(self.protocol_version)
        return version.split(".")[0] == str(PROTOCOL_VERSION) or _DATE.fullmatch(version) is not None


def has(marker: Marker | None) -> bool:
    """Return whether a capability is present."""
    return marker is not None and marker is not False


class UserMessageChunk(Model):
    """A chunk of a user message: an echo or a replay."""

    session_update: Literal["user_message_chunk"] = "user_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentMessageChunk(Model):
    """A chunk of an agent message."""

    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"
    content: ContentBlock
    message_id: str | None = None


class AgentThoughtChunk(Model):
    """A chunk of the agent's reasoning."""

    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    content: ContentBlock
    message_id: str | None = None


class NewToolCall(ToolCallFields):
    """A new tool call."""

    session_update: Literal["tool_call"] = "tool_call"


class ToolCallUpdate(ToolCallFields):
    """A change of a tool call; also the tool call in a permission request."""

    session_update: Literal["tool_call_update"] = "tool_call_update"


class CancelCapabilities(Model):
    """Methods that the client may call for a subagent, a tool call or a terminal; replaced whole."""

    cancel: Marker | None = None


class ToolCallPatch(ToolCallFields):
    """A change of a tool call in version 2: absent keeps, null clears, a value replaces."""

    session_update: Literal["tool_call_patch"] = "tool_call_patch"
    capabilities: CancelCapabilities | None = None


class PatchPermissionRequest(PermissionRequest):
    """A request to allow a tool call in version 2, after its translation."""

    tool_call: ToolCallPatch
    has_no_call: bool = False
    """True if it is about no tool call of the agent: `tool_call` is then its subject."""


class ToolCallContentChunk(Model):
    """Items that are added to the content of a tool call (version 2)."""

    session_update: Literal["tool_call_content_chunk"] = "tool_call_content_chunk"
    tool_call_id: str
    content: list[ToolCallContent]
    unread: dict[str, Any] | None = None
    """Items that are not understood; set while reading (not in the protocol)."""


class MessageUpdate(Model):
    """A message as a whole (version 2): absent content keeps, null clears, a list replaces.

    Without content, a user message gives the prompt that was last sent its id.
    """

    session_update: Literal["user_message", "agent_message", "agent_thought"]
    message_id: str
    content: list[ContentBlock] | None = None
    keeps_place: bool = False
    """True for a prompt that is not moved: the agent has reported it before, at an unknown place."""
    version: int = 2
    """1 if an agent of version 1 sends it: it then names no prompt, and ids may begin again in each turn."""


class AgentTerminal(Model):
    """A change of a terminal that the agent runs itself (version 2): absent keeps, null clears."""

    session_update: Literal["agent_terminal"] = "agent_terminal"
    terminal_id: str
    command: str | None = None
    cwd: str | None = None
    printed: str = ""
    """New output, which follows the output so far."""
    is_anew: bool = False
    """True if `printed` replaces all the output so far."""
    has_ended: bool | None = None
    exit_code: int | None = None
    exit_signal: str | None = None
    capabilities: CancelCapabilities | None = None


class BackgroundWork(Model):
    """Work in the background of a session (version 2): a terminal, a tool_call or a subagent."""

    type: str
    terminal_id: str | None = None
    tool_call_id: str | None = None
    session_id: str | None = None


class StateUpdate(Model):
    """The state of a session (version 2): running, requires_action, idle, unknown, or a later word.

    The end of a prompted turn is not a state here, but the answer to its prompt.
    """

    session_update: Literal["state_update"] = "state_update"
    state: str
    stop_reason: str | None = None
    background: list[BackgroundWork] | None = None
    """All background work; None if the agent does not report it."""


class PlanSteps(Model):
    """The steps of a plan, or those around the current one; see `list_limits`."""

    entries: list[PlanEntry]
    left_out: int = 0
    """Number of steps that were not read."""
    left_out_done: int = 0
    """Number of those that are finished."""


class Plan(PlanSteps):
    """The complete plan."""

    session_update: Literal["plan"] = "plan"


class PlanItems(PlanSteps):
    """A plan as a complete list of steps."""

    type: Literal["items"] = "items"
    plan_id: str


class PlanMarkdown(Model):
    """A plan as Markdown."""

    type: Literal["markdown"] = "markdown"
    plan_id: str
    content: str


class PlanFile(Model):
    """A plan in a file, which is read only when the user asks for it."""

    type: Literal["file"] = "file"
    plan_id: str
    uri: str


class UnknownPlan(Model):
    """A plan of an unknown kind."""

    type: Literal["?"] = "?"
    raw: Any = None

    @property
    def plan_id(self) -> str:
        """Its id, or ""."""
        found = self.raw.get("planId") if isinstance(self.raw, dict) else None
        return found if isinstance(found, str) else ""


PlanContent = Annotated[PlanItems | PlanMarkdown | PlanFile | UnknownPlan, Field(discriminator="type")]


class PlanUpdate(Model):
    """A plan with an id, replaced whole."""

    session_update: Literal["plan_update"] = "plan_update"
    plan: PlanContent


class PlanRemoved(Model):
    """The end of a plan with an id."""

    session_update: Literal["plan_removed"] = "plan_removed"
    plan_id: str


class AvailableCommandsUpdate(Model):
    """The complete list of commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: list[AvailableCommand]


class CurrentModeUpdate(Model):
    """A change of the mode."""

    session_update: Literal["current_mode_update"] = "current_mode_update"
    current_mode_id: str


class ConfigOptionUpdate(Model):
    """The complete list of config options."""

    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: list[ConfigOption]


class SessionInfoUpdate(Model):
    """A change of title or time: absent keeps, null clears."""

    session_update: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    updated_at: str | None = None


class Cost(Model):
    """The cumulative cost of the session."""

    amount: float
    currency: str


class UsageUpdate(Model):
    """Context usage in tokens, and the cost so far; unusable numbers count as absent."""

    session_update: Literal["usage_update"] = "usage_update"
    used: NonNegativeInt | None = None
    size: NonNegativeInt | None = None
    cost: Cost | None = None
    clears_cost: bool = False
    """True if the cost is no longer known (version 2); otherwise a missing cost keeps the old one."""


class NoticeUpdate(Model):
    """A live notice of the agent, which is not replayed."""

    session_update: Literal["notice"] = "notice"
    severity: str = "info"
    title: str
    description: str | None = None


class CompactionUpdate(Model):
    """A change of a compaction: absent keeps, null clears, a value replaces.

    `status` is in_progress, completed, failed, cancelled, or a status of a later version.
    """

    session_update: Literal["compaction_update"] = "compaction_update"
    compaction_id: str
    status: str
    summary: list[ContentBlock] | None = None
    error: str | None = None


class CompactionSummaryChunk(Model):
    """A chunk of the summary of a compaction."""

    session_update: Literal["compaction_summary_chunk"] = "compaction_summary_chunk"
    compaction_id: str
    content: ContentBlock


class SubagentState(Model):
    """The state of a subagent: running, requires_action, idle, unknown, or a word of a later version.

    `idle` is not its end: it may run again.
    """

    state: str
    stop_reason: str | None = None
    usage: TurnUsage | None = None
    error: Any = None


class SubagentUpdate(Model):
    """A change of a subagent, sent in its parent's session: absent keeps, null clears."""

    session_update: Literal["subagent_update"] = "subagent_update"
    session_id: str
    title: str | None = None
    description: str | None = None
    capabilities: CancelCapabilities | None = None
    state: SubagentState | None = None
    cwd: str | None = None
    additional_directories: list[str] | None = None


class SessionMessageUpdate(Model):
    """A message between two sessions, sent in both: absent keeps, null clears."""

    session_update: Literal["session_message"] = "session_message"
    message_id: str
    sender_session_id: str | None = None
    recipient_session_id: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None
    content: list[ContentBlock] | None = None


class SessionMessageChunk(Model):
    """A chunk of a message between two sessions."""

    session_update: Literal["session_message_chunk"] = "session_message_chunk"
    message_id: str
    content: ContentBlock


class UnknownUpdate(Model):
    """An update of an unknown kind, or an unreadable one."""

    session_update: Literal["?"] = "?"
    raw: Any = None


Update = Annotated[
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | MessageUpdate
    | NewToolCall
    | ToolCallUpdate
    | ToolCallPatch
    | ToolCallContentChunk
    | AgentTerminal
    | StateUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | NoticeUpdate
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessageUpdate
    | SessionMessageChunk
    | UnknownUpdate,
    Field(discriminator="session_update"),
]

Chunk = UserMessageChunk | AgentMessageChunk | AgentThoughtChunk
