"""What the interface is given; light, so that the command line can make it before Textual loads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from acp_tui.agent.process import Process, SpawnFailed
    from acp_tui.host.guard import Guard
    from acp_tui.store.agents import KnownAgent
    from acp_tui.store.launch import Launch
    from acp_tui.store.mcp import McpServer
    from acp_tui.store.problem import Problem
    from acp_tui.store.settings import Settings


class Start(NamedTuple):
    """One start of the program, as asked for on the command line and in the settings."""

    cwd: str
    """The workspace: absolute, a folder that exists; links in it are kept as the user wrote them."""
    settings: Settings
    guard: Guard
    """Ends all that was started here if we are killed; closed by the command line, after the interface."""
    known: Mapping[str, KnownAgent] = MappingProxyType({})
    """All agents that can be started by name."""
    launch: Launch | None = None
    """How the agent is started, first and again; None opens the start screen."""
    process: Process | None = None
    """The agent, already starting; None without `launch` or when it failed."""
    spawn_error: SpawnFailed | None = None
    """Why the agent could not be started although its program is there."""
    extra_roots: tuple[str, ...] = ()
    """Further folders that the agent may use: absolute, without `cwd` and without doubles."""
    mode: str | None = None
    """The mode to ask the agent for once there is a session."""
    mcp_servers: tuple[McpServer, ...] = ()
    """All that may be lent to an agent: ready to be sent, its references resolved."""
    theme: str | None = None
    """The theme of this run; None is the one in the settings."""
    problems: tuple[Problem, ...] = ()
    """What was wrong with the user's files, to be shown once."""
