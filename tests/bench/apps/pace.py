"""The least that a Textual application can be that shows a growing text: pipe, JSON, words, rows, keys.

    python -m tests.bench.apps.pace AGENT …

It reads what an agent says, appends the words to one text, wraps the last line of it anew, and asks for the
rows that differ, as often as the program draws growing text. It knows no session, no Markdown and no journal.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from acp_tui.cli import FRAMES, load_asyncio

gc.disable()
load_asyncio()
os.environ["TEXTUAL_FPS"] = FRAMES

from rich.segment import Segment  # noqa: E402
from textual.app import App, ComposeResult  # noqa: E402
from textual.geometry import Region  # noqa: E402
from textual.screen import Screen  # noqa: E402
from textual.strip import Strip  # noqa: E402
from textual.widget import Widget  # noqa: E402
from textual.widgets import Input  # noqa: E402

from acp_tui.agent.connection import GROWTH  # noqa: E402
from acp_tui.ui.widgets.textual_internals import FullStrip, draw_few_rows  # noqa: E402

WIDTH: Final = 78
"""Cells of a row, about as many as those of the chat beside the panes."""


class Words(Widget):
    """One text, of which the last rows are shown."""

    DEFAULT_CSS = "Words { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Strip] = []
        self._open = ""
        """The last line of the text."""
        self._ended = 0
        """Rows of all lines before it."""
        self._drawn: list[Strip] = []

    def add(self, text: str) -> None:
        *ended, self._open = (self._open + text).split("\n")
        del self._rows[self._ended :]
        for line in ended:
            self._rows += map(_strip, _wrapped(line))
        self._ended = len(self._rows)
        self._rows += map(_strip, _wrapped(self._open))
        before, self._drawn = self._drawn, self._rows[-self.size.height :]
        before += [BLANK] * (len(self._drawn) - len(before))
        changed = [y for y, (old, new) in enumerate(zip(before, self._drawn, strict=True)) if old is not new]
        self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        return [self._drawn[y] if y < len(self._drawn) else BLANK for y in crop.line_range]


def _wrapped(line: str) -> Iterator[str]:
    while len(line) > WIDTH:
        end = line.rfind(" ", 0, WIDTH) + 1 or WIDTH
        yield line[:end]
        line = line[end:]
    yield line


def _strip(row: str) -> Strip:
    return FullStrip([Segment(row.ljust(WIDTH))], WIDTH)


BLANK: Final = _strip("")


class Pace(App[None]):
    CSS = "Words { width: 78; }"

    def __init__(self, argv: list[str]) -> None:
        super().__init__()
        self._agent = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._rest = b""
        self._new: list[str] = []
        self._drawn_at = 0.0

    def compose(self) -> ComposeResult:
        yield Words()
        yield Input()

    def get_default_screen(self) -> Screen[Any]:
        screen = super().get_default_screen()
        draw_few_rows(screen)
        return screen

    def on_mount(self) -> None:
        self._words, self._input = self.query_one(Words), self.query_one(Input)
        assert self._agent.stdout is not None
        self._pipe = self._agent.stdout.fileno()
        asyncio.get_running_loop().add_reader(self._pipe, self._read)
        self._send("initialize", {})
        self._send("session/new", {})

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._send("session/prompt", {"prompt": [{"type": "text", "text": event.value}]})
        self._input.clear()

    def _send(self, method: str, params: dict[str, Any]) -> None:
        assert self._agent.stdin is not None
        self._agent.stdin.write(
            json.dumps({"id": method, "method": method, "params": params}).encode() + b"\n"
        )
        self._agent.stdin.flush()

    def _read(self) -> None:
        data = os.read(self._pipe, 65_536)
        if not data:
            asyncio.get_running_loop().remove_reader(self._pipe)
        *lines, self._rest = (self._rest + data).split(b"\n")
        was_empty = not self._new
        for line in lines:
            message = json.loads(line)
            if message.get("method") == "session/update":
                self._new.append(message["params"]["update"]["content"]["text"])
        if was_empty and self._new:
            wait = max(0.0, self._drawn_at + GROWTH - time.perf_counter())
            asyncio.get_running_loop().call_later(wait, self._draw)

    def _draw(self) -> None:
        self._drawn_at = time.perf_counter()
        text = "".join(self._new)
        self._new.clear()
        self._words.add(text)


if __name__ == "__main__":
    Pace(sys.argv[1:]).run()
