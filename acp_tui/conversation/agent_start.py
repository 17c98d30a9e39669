"""Agent start: spawns the process of an agent, in a sandbox if the user wants one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.store.agents import KnownAgent, agent_behind
from acp_tui.store.folders import state_folder
from acp_tui.store.launch import Launch
from acp_tui.store.preferences import SandboxedWorkspaces
from acp_tui.store.settings import SandboxSettings
from acp_tui.workspace.guard import Guard

SandboxOption = Literal["", "on", "off", "strict", "partial"]
"""The sandbox option of the command line; "" for none."""


def sandboxed_workspaces() -> SandboxedWorkspaces:
    """Return the workspaces in which the user wants a sandbox."""
    return SandboxedWorkspaces(state_folder() / "sandboxed-workspaces")


def wants_sandbox(
    option: SandboxOption,
    workspace: str,
    settings: SandboxSettings,
    launch: Launch,
    known: Mapping[str, KnownAgent],
) -> bool:
    """Return whether an agent is started in a sandbox.

    The command line comes first, then the user's choice for this workspace, then the agent's own
    setting, then that for all agents.
    """
    if option:
        return option != "off"
    if sandboxed_workspaces().state(workspace) == "on":
        return True
    agent = agent_behind(launch, known)
    own = agent.sandbox if agent is not None else None
    return settings.use != "off" if own is None else own


def spawn_agent(
    launch: Launch,
    roots: Sequence[str],
    guard: Guard,
    *,
    option: SandboxOption,
    settings: SandboxSettings,
    known: Mapping[str, KnownAgent],
    opened: Mapping[str, Literal["write", "read"]] = MappingProxyType({}),
) -> Process:
    """Start an agent, in a sandbox if the user wants one; needs no event loop.

    Args:
        launch: its command.
        roots: its folders, the workspace first.
        guard: ends it if this program is killed.
        option: the option of the command line.
        settings: the sandbox settings.
        known: all known agents.
        opened: places that the user has opened in its sandbox, by path.

    Raises:
        SpawnFailed: nothing was started; also if a sandbox is wanted but not possible.
    """
    cwd = roots[0]
    if not wants_sandbox(option, cwd, settings, launch, known):
        return Process.spawn(launch.argv, cwd=cwd, env=launch.env, guard=guard)
    # these take a few ms, which agents without a sandbox need not wait for
    from acp_tui.sandbox.choice import sandbox_for
    from acp_tui.sandbox.fence import NoFence

    environment = {**os.environ, **launch.env}
    try:
        sandbox = sandbox_for(
            settings,
            launch,
            known,
            roots,
            environment,
            partial=option == "partial",
            strict=option == "strict",
        )
    except NoFence as error:
        raise SpawnFailed(error.title, error.advice) from error
    sandbox.fence.opened.update(opened)
    try:
        return Process.spawn(launch.argv, cwd=cwd, env=launch.env, guard=guard, sandbox=sandbox)
    except BaseException:
        sandbox.close()
        raise
