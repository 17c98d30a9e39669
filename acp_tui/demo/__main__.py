"""Run the demo agent on stdin and stdout: `python -m acp_tui.demo [--speed X]`."""

from __future__ import annotations

import argparse
import os

from acp_tui.demo.agent import DemoAgent
from acp_tui.demo.connection import DemoConnection

SPEED_VARIABLE = "ACP_TUI_DEMO_SPEED"


def main() -> None:
    """Serve the client until it closes its end."""
    parser = argparse.ArgumentParser(prog="acp_tui.demo", description="An agent that plays scenes, over ACP.")
    parser.add_argument(
        "--speed",
        type=float,
        default=os.environ.get(SPEED_VARIABLE, "1"),
        help="1 is the pace of a person reading, 2 twice as fast, 0 without any pause",
    )
    DemoAgent(DemoConnection(0, 1), parser.parse_args().speed).serve()


main()
