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

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.workspace.terminals import Terminals

READY = "ready-for-the-command"


class TerminalApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(READY)
        yield Input()
        yield TerminalView(styles_of(choose("acp-dark")[0]))

    def on_input_submitted(self) -> None:
        self.run_command()

    @work
    async def run_command(self) -> None:
        _, command, *args = sys.argv[1:]
        self.taken = 0
        self.began = time.perf_counter()
        terminal = await Terminals().create("bench", command, args, cwd="/")
        self.taken = len(terminal.attach(self.listen))
        self.query_one(TerminalView).attach(terminal)

    def listen(self, data: bytes) -> None:
        self.taken += len(data)

    def on_terminal_view_ended(self) -> None:
        """Report how long it took until all was drawn."""
        seconds = time.perf_counter() - self.began
        unfinished = Path(f"{sys.argv[1]}.new")
        unfinished.write_text(json.dumps({"bytes": self.taken, "seconds": seconds}))
        unfinished.rename(sys.argv[1])


if __name__ == "__main__":
    TerminalApp().run()
