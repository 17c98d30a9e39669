"""Start options: the command line and the settings of one start, and the start of an agent by them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.store.agents import KnownAgent, Launch, agent_behind
from acp_tui.store.folders import state_folder
from acp_tui.store.mcp import McpServer
from acp_tui.store.preferences import SandboxedWorkspaces
from acp_tui.store.settings import Policy, Settings
from acp_tui.store.toml_check import Problem
from acp_tui.workspace.guard import Guard

SandboxOption = Literal["", "on", "off", "strict", "partial"]
"""The sandbox option of the command line; "" for none."""


def sandboxed_workspaces() -> SandboxedWorkspaces:
    """Return the workspaces in which the user wants a sandbox."""
    return SandboxedWorkspaces(state_folder() / "sandboxed-workspaces")


@dataclass
class Start:
    """A start of the program: its command line, and the settings in force."""

    cwd: str
    """The workspace: an absolute, existing folder with links as the user wrote them."""
    settings: Settings
    guard: Guard
    """Ends all processes if the program is killed; `cli` closes it after the interface."""
    known: Mapping[str, KnownAgent] = field(default_factory=dict)
    """The agents that can be started by name."""
    launch: Launch | None = None
    """The command of the agent; None opens the start screen."""
    process: Process | None = None
    """The agent, already starting; None without `launch` or after a failure."""
    spawn_error: SpawnFailed | None = None
    """The reason why the agent could not be started although its program exists."""
    extra_roots: tuple[str, ...] = ()
    """Additional folders of the agent: absolute, without `cwd`, each once."""
    mode: str | None = None
    """The mode to set in a new session."""
    mcp_servers: tuple[McpServer, ...] = ()
    """The MCP servers for agents, with their references resolved."""
    theme: str | None = None
    """The theme of this run; None: that of the settings."""
    misplaced: tuple[str, ...] = ()
    """Options of acp-tui that stood behind the agent's name and were passed to it; to be shown once."""
    problems: tuple[Problem, ...] = ()
    """Problems of the user's files, to be shown once."""
    settings_file: Path | None = None
    """The settings file, which is read again when it is saved; None if the settings are from elsewhere."""
    continues: bool = False
    """True to resume the newest session of this folder."""
    resume: str | None = None
    """The id of the session to resume, or its start; "" to choose one from the list."""
    prompt: str = ""
    """The first prompt; sent as soon as there is a session."""
    piped: str = ""
    """Text from a pipe, which is added to the prompt; it is untrusted, so it attaches no files."""
    policy: Policy | None = None
    """The policy of the session; None: that of the settings."""
    sandbox: SandboxOption = ""
    """The sandbox option of the command line."""
    opened: dict[str, Literal["write", "read"]] = field(default_factory=dict)
    """Places that the user has opened in the sandbox, by path; they stay open when the agent is restarted."""

    def wants_sandbox(self, launch: Launch) -> bool:
        """Return whether an agent is started in a sandbox.

        The command line comes first, then the user's choice for this workspace, then the agent's own
        setting, then that for all agents.
        """
        if self.sandbox:
            return self.sandbox != "off"
        if sandboxed_workspaces().state(self.cwd) == "on":
            return True
        agent = agent_behind(launch, self.known)
        own = agent.sandbox if agent is not None else None
        return self.settings.sandbox.use != "off" if own is None else own

    def spawn(self, launch: Launch) -> Process:
        """Start an agent in the workspace, in a sandbox if the user wants one; needs no event loop.

        Raises:
            SpawnFailed: nothing was started; also if a sandbox is wanted but not possible.
        """
        if not self.wants_sandbox(launch):
            return Process.spawn(launch.argv, cwd=self.cwd, env=launch.env, guard=self.guard)
        # these take a few ms, which agents without a sandbox need not wait for
        from acp_tui.sandbox.choice import sandbox_for
        from acp_tui.sandbox.fence import NoFence

        try:
            sandbox = sandbox_for(
                self.settings.sandbox,
                launch,
                self.known,
                (self.cwd, *self.extra_roots),
                {**os.environ, **launch.env},
                partial=self.sandbox == "partial",
                strict=self.sandbox == "strict",
            )
        except NoFence as error:
            raise SpawnFailed(error.title, error.advice) from error
        sandbox.fence.opened.update(self.opened)
        try:
            return Process.spawn(launch.argv, cwd=self.cwd, env=launch.env, guard=self.guard, sandbox=sandbox)
        except BaseException:
            sandbox.close()
            raise

    def for_another_tab(self, launch: Launch | None = None) -> Self:
        """Return the start without the options that only the first tab uses.

        A new session of the agent of the command line (`launch`) begins in its mode, too: the agent's own
        first mode may ask less.
        """
        return replace(
            self,
            launch=None,
            process=None,
            spawn_error=None,
            mode=self.mode if launch is not None and launch == self.launch else None,
            continues=False,
            resume=None,
            prompt="",
            opened={},
        )
