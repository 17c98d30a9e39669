"""The least that a Textual application with a place to type can be."""

from textual.app import App, ComposeResult
from textual.widgets import Input, Static

READY = "ready-to-type"


class Echo(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(READY)
        yield Input()


if __name__ == "__main__":
    Echo().run()
