"""The least that a Textual application can be."""

from textual.app import App, ComposeResult
from textual.widgets import Static

FIRST_FRAME = "the-first-frame"


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(FIRST_FRAME)


if __name__ == "__main__":
    Minimal().run()
