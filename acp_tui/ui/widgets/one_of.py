"""A control of one row that chooses one of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from acp_tui.ui.widgets.look import Look


class OneOf(Widget, can_focus=True):
    """Words beside each other, of which one is chosen: by left and right, space, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Choice before", show=False, id="one-of.before"),
        Binding("right,space", "step(1)", "Next choice", show=False, id="one-of.next"),
    ]
    chosen = reactive(0)
    """The position of the chosen word."""

    @dataclass
    class Changed(Message):
        """Another word is chosen."""

        sender: OneOf

    def __init__(self, words: Sequence[str], look: Look, *, chosen: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words = list(words)
        self._look = look
        self.set_reactive(OneOf.chosen, chosen)

    def render(self) -> Content:
        """Draw the words, with the chosen one marked."""
        mark = self._look.glyph("current")
        parts: list[tuple[str, str]] = []
        for place, word in enumerate(self._words):
            is_chosen = place == self.chosen
            parts.append((f"{mark if is_chosen else ' '}{word} ", "bold $accent" if is_chosen else "$muted"))
        return Content.assemble(*parts)

    def watch_chosen(self) -> None:
        """Tell that another word is chosen."""
        if self.is_mounted:
            self.post_message(self.Changed(self))

    def action_step(self, step: int) -> None:
        """Choose a neighbour, the first after the last."""
        self.chosen = (self.chosen + step) % len(self._words)

    def on_click(self, event: Click) -> None:
        """Choose the word that was clicked."""
        left = 0
        for place, word in enumerate(self._words):
            left += Content(f" {word} ").cell_length
            if event.x < left:
                self.chosen = place
                return
