"""Start options: the command line and the settings of one start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.store.agents import KnownAgent
from acp_tui.store.folders import Problem
from acp_tui.store.launch import Launch
from acp_tui.store.mcp import McpServer
from acp_tui.store.settings import Settings
from acp_tui.workspace.guard import Guard


@dataclass
class Start:
    """A start of the program: its command line, and the settings as they count now."""

    cwd: str
    """The workspace: an absolute, existing folder with links as the user wrote them."""
    settings: Settings
    guard: Guard
    """Ends all processes if the program is killed; closed by the command line, after the interface."""
    known: Mapping[str, KnownAgent] = field(default_factory=dict)
    """The agents that can be started by name."""
    launch: Launch | None = None
    """The command of the agent; None opens the start screen."""
    process: Process | None = None
    """The agent, already starting; None without `launch` or after a failure."""
    spawn_error: SpawnFailed | None = None
    """The reason that the agent could not be started although its program exists."""
    extra_roots: tuple[str, ...] = ()
    """Further folders of the agent: absolute, without `cwd` and without doubles."""
    mode: str | None = None
    """The mode to set in a new session."""
    mcp_servers: tuple[McpServer, ...] = ()
    """The MCP servers for agents, with their references resolved."""
    theme: str | None = None
    """The theme of this run; None: that of the settings."""
    problems: tuple[Problem, ...] = ()
    """Problems of the user's files, to be shown once."""
    settings_file: Path | None = None
    """The file of the settings, to be read again when it is saved; None if they are from elsewhere."""
