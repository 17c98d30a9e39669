"""The least that a client of an agent can be: started with the tricks of ours, and with our models.

It starts the agent before Textual is loaded, asks it for a session as soon as the models are there, mounts
a screen of as many widgets as ours meanwhile, and shows what the agent says. A program that only speaks to
the agent takes three fifths of its processor time: the models and the screen are the rest.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_tui import lazy_annotations, lazy_dataclasses
from acp_tui.cli import FRAMES, load_asyncio

gc.disable()
lazy_annotations.install()
lazy_dataclasses.install()
load_asyncio()
os.environ["TEXTUAL_FPS"] = FRAMES
AGENT = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

from textual.app import App, ComposeResult  # noqa: E402
from textual.screen import Screen  # noqa: E402
from textual.widgets import Static  # noqa: E402

FIRST_FRAME = "the-first-frame"
WIDGETS = 23
"""Widgets of our session screen, beside the prompt."""


class Session(Screen[None]):
    def compose(self) -> ComposeResult:
        from textual.widgets import TextArea  # loaded by now

        for _ in range(WIDGETS):
            yield Static()
        yield TextArea()


class LeastClient(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(FIRST_FRAME)

    def on_mount(self) -> None:
        self.call_after_refresh(lambda: self.run_worker(self.connect()))

    async def connect(self) -> None:
        models = await asyncio.to_thread(importlib.import_module, "acp_tui.protocol.validation")
        opening = asyncio.to_thread(self.open_session)
        await asyncio.to_thread(importlib.import_module, "textual.widgets._text_area")
        said, _ = await asyncio.gather(opening, self.push_screen(Session()))
        update = models.read_update(said["params"]["update"])
        self.screen.query(Static).first().update(update.content.text)

    def open_session(self) -> dict[str, Any]:
        """Return the first update of a new session."""
        self.ask("initialize", protocolVersion=1, clientCapabilities={})
        self.ask("session/new", cwd=str(Path.cwd()), mcpServers=[])
        return self.next_message()

    def ask(self, method: str, **params: Any) -> None:
        assert AGENT.stdin is not None
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        AGENT.stdin.write(json.dumps(message).encode() + b"\n")
        assert self.next_message()["id"] == method

    def next_message(self) -> dict[str, Any]:
        assert AGENT.stdout is not None
        message: dict[str, Any] = json.loads(AGENT.stdout.readline())
        return message


if __name__ == "__main__":
    LeastClient().run()
