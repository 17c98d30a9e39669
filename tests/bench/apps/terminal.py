"""A terminal of the host, its view and a place to type: `… REPORT COMMAND ARGS`; Enter starts the command."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from acp_tui.cli import FRAMES

os.environ["TEXTUAL_FPS"] = FRAMES  # as in the program

from textual import work
from textual.app import App, ComposeResult
from textual.widgets import Input, Static

from acp_tui.ui.theme import choose, look_of
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.workspace.terminals import Terminals

READY = "ready-for-the-command"


class TerminalApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(READY)
        yield Input()
        yield TerminalView(look_of(choose("acp-dark")[0]))

    def on_input_submitted(self) -> None:
        self.run_command()

    @work
    async def run_command(self) -> None:
        report, command, *args = sys.argv[1:]
        taken = 0

        def listen(data: bytes) -> None:
            nonlocal taken
            taken += len(data)

        terminals = Terminals()
        began = time.perf_counter()
        terminal = await terminals.create("bench", command, args, cwd="/")
        taken = len(terminal.attach(listen))
        self.query_one(TerminalView).attach(terminal)
        await terminal.wait()
        seconds = time.perf_counter() - began
        unfinished = Path(f"{report}.new")
        unfinished.write_text(json.dumps({"bytes": taken, "seconds": seconds}))
        unfinished.rename(report)


if __name__ == "__main__":
    TerminalApp().run()
