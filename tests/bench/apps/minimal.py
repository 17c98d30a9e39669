"""The least that a Textual application can be, started with the tricks of ours."""

from __future__ import annotations

import gc
import os

from acp_tui import lazy_annotations, lazy_dataclasses
from acp_tui.cli import FRAMES, load_asyncio

gc.disable()
lazy_annotations.install()
lazy_dataclasses.install()
load_asyncio()
os.environ["TEXTUAL_FPS"] = FRAMES

from textual.app import App, ComposeResult  # noqa: E402
from textual.widgets import Static  # noqa: E402

FIRST_FRAME = "the-first-frame"


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(FIRST_FRAME)


if __name__ == "__main__":
    Minimal().run()
