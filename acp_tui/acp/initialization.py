"""`initialize`: who we are and what both sides can do. Source: ACP, page "initialization"."""

from __future__ import annotations

from typing import Any, Final

from pydantic import StrictBool

from acp_tui.acp.authentication import AuthMethod
from acp_tui.acp.word import Word

PROTOCOL_VERSION: Final = 1

_NAME: Final = 80  # characters

Marker = dict[str, Any] | StrictBool
"""A capability that is an object: present (even empty) means yes. Some agents send `true`."""


class Implementation(Word):
    """The name and version of a client or an agent."""

    name: str
    version: str = ""
    title: str | None = None

    @property
    def shown(self) -> str:
        """The name for people, of a length that fits into a sentence."""
        name = self.title or self.name
        return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


class FileCapabilities(Word):
    """Which file methods the client serves."""

    read_text_file: bool = False
    write_text_file: bool = False


class ClientCapabilities(Word):
    """What we offer. The optional parts are objects whose presence means yes."""

    fs: FileCapabilities = FileCapabilities()
    terminal: bool = False
    auth: dict[str, Any] | None = None
    session: dict[str, Any] | None = None
    elicitation: dict[str, Any] | None = None


class InitializeRequest(Word):
    """Our first message."""

    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: ClientCapabilities
    client_info: Implementation


class PromptCapabilities(Word):
    """Which blocks a prompt may hold beside text and links."""

    image: StrictBool = False
    audio: StrictBool = False
    embedded_context: StrictBool = False


class McpCapabilities(Word):
    """Which MCP transports the agent takes beside stdio."""

    http: StrictBool = False
    sse: StrictBool = False


class SessionCapabilities(Word):
    """Which session methods the agent has."""

    list: Marker | None = None
    delete: Marker | None = None
    resume: Marker | None = None
    close: Marker | None = None
    fork: Marker | None = None
    additional_directories: Marker | None = None


class AuthCapabilities(Word):
    """Which login methods the agent has beside `authenticate`."""

    logout: Marker | None = None


class AgentCapabilities(Word):
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


class InitializeResponse(Word):
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
