"""Making, loading and listing sessions. Source: ACP, pages "session setup", "session list"."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.modes import ConfigOption, Models, Modes
from acp_tui.acp.word import Word


class NewSessionRequest(Word):
    """A new session in a folder; the list of MCP servers is always sent, in the protocol's shape."""

    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None


class SessionSetup(Word):
    """What `session/new`, `session/load` and `session/resume` answer about modes and options."""

    modes: Modes | None = None
    config_options: list[ConfigOption] | None = None
    models: Models | None = None


class NewSessionResponse(SessionSetup):
    """The new session."""

    session_id: str


class AttachRequest(Word):
    """Load (with replay) or resume (without) a session that the agent has."""

    session_id: str
    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None


class SessionInfo(Word):
    """A session in the agent's list; `updated_at` is ISO 8601."""

    session_id: str
    cwd: str = ""
    title: str | None = None
    updated_at: str | None = None
    additional_directories: list[str] = []


class ListSessionsResponse(Word):
    """One page of the agent's sessions."""

    sessions: list[SessionInfo] = []
    next_cursor: str | None = None


class SetConfigOptionResponse(Word):
    """All options, after one was set."""

    config_options: list[ConfigOption] = []
