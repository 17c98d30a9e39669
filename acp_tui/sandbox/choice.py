"""The choice of a sandbox by the command line, the settings and the table of known agents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from acp_tui.sandbox.fence import Wanted
from acp_tui.sandbox.installed_programs import program_places
from acp_tui.sandbox.machine import best_means
from acp_tui.sandbox.sandbox import Network, Sandbox
from acp_tui.store.agents import DEMO, KnownAgent, Launch, agent_behind
from acp_tui.store.folders import config_folder, data_folder, state_folder
from acp_tui.store.settings import SandboxSettings
from acp_tui.trusted_programs import expose

_MEMORY: Final = "sandbox"
"""Name of the file that records which fence worked."""


def sandbox_for(
    settings: SandboxSettings,
    launch: Launch | None,
    known: Mapping[str, KnownAgent],
    roots: Sequence[str],
    environment: Mapping[str, str],
    *,
    partial: bool = False,
    strict: bool = False,
    network: Network | None = None,
) -> Sandbox:
    """Return a sandbox around the folders of a session.

    Args:
        settings: the user's settings.
        launch: the command of the agent, or None.
        known: all known agents; the files of the others are hidden from this one.
        roots: the workspace first.
        environment: the user's environment.
        partial: accept a partial fence if there is no other.
        strict: hide the home except what the session needs, whatever the settings say.
        network: the network; None: as in the settings.

    Raises:
        NoFence: it is not possible.
    """
    agent = agent_behind(launch, known) if launch is not None else None
    own = agent.state if agent is not None else ()
    chosen = network or (agent.network if agent is not None else None) or settings.network
    home = str(Path.home())
    # Before any program of ours is run: one of an earlier session could be on PATH.
    expose([*roots, *(os.path.join(home, name.removeprefix("~/")) for name in (*own, *settings.write))])  # noqa: PTH118
    if launch is not None and launch.name == DEMO:  # it keeps sessions in acp-tui's data folder
        own = (*own, str(data_folder() / DEMO))
    return Sandbox.make(
        roots,
        means=best_means(state_folder() / _MEMORY, partial=partial or settings.partial),
        wanted=Wanted(settings.write, settings.read, settings.hide, settings.sockets, settings.protect),
        network=chosen,
        state=own,
        others=[name for each in known.values() for name in each.state if name not in own],
        ours=[str(folder) for folder in (config_folder(), data_folder(), state_folder())],
        environment=environment,
        strict=strict or settings.use == "strict",
        programs=program_places(
            launch.argv if launch is not None else (),
            environment.get("PATH", os.defpath),
            os.path.realpath(home),
        ),
    )
