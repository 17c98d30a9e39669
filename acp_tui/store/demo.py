"""How the bundled demo agent is started: like any other agent, as a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from acp_tui.store.folders import data_folder
from acp_tui.store.launch import Launch


def demo_launch() -> Launch:
    """Return how to start the demo agent, with a folder in which its sessions outlive its process."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    # -P: a file of the workspace that has the name of a module must not be run in its place.
    argv = (sys.executable, "-P", "-m", "acp_tui.demo")
    env = {"PYTHONPATH": path, "ACP_TUI_DEMO_SESSIONS": str(data_folder() / "demo")}
    return Launch("demo", "Demo agent", argv, env)
