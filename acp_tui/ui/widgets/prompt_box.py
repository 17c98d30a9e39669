"""The box in which the person writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.widgets import TextArea


class PromptBox(TextArea):
    """Several lines of plain text: Enter sends, other keys make a line; up and down recall old ones."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Send", id="prompt.send"),
        Binding("shift+enter,ctrl+j,alt+enter", "other_enter", "New line", id="prompt.new-line"),
        Binding("tab", "complete", "Complete", id="prompt.complete", show=False),
    ]

    @dataclass
    class Submitted(Message):
        """The person sent the text; the box is empty now."""

        box: PromptBox
        text: str

        @property
        def control(self) -> PromptBox:
            """The box."""
            return self.box

    @dataclass
    class CompletionMoved(Message):
        """Another completion is wanted: the one `step` further."""

        step: int

    @dataclass
    class CompletionTaken(Message):
        """The marked completion is wanted."""

    def __init__(self, *, enter_sends: bool = True, id: str | None = None) -> None:
        super().__init__(
            "", soft_wrap=True, show_line_numbers=False, id=id, compact=True, highlight_cursor_line=False
        )
        self.enter_sends = enter_sends
        self.completing = False
        """Whether completions are shown: then up, down, Tab and Enter are theirs."""
        self._history: list[str] = []
        self._place = 0
        self._draft = ""

    async def _on_key(self, event: Key) -> None:
        """Act on our keys in their turn: found by the application, Enter would overtake earlier keys."""
        bindings = self._bindings.copy()
        bindings.apply_keymap(self.app._keymap)  # the person's own keys
        for binding in bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)
            return

    def action_enter(self) -> None:
        """Send, or make a line, as the person has set it."""
        if self.completing:
            self.post_message(self.CompletionTaken())
        elif self.enter_sends:
            self.action_send()
        else:
            self.insert("\n")

    def action_other_enter(self) -> None:
        """Do what Enter does not."""
        if self.enter_sends:
            self.insert("\n")
        else:
            self.action_send()

    def action_complete(self) -> None:
        """Take the marked completion, or go to the next pane."""
        if self.completing:
            self.post_message(self.CompletionTaken())
        else:
            self.screen.focus_next()

    def action_cursor_up(self, select: bool = False) -> None:
        """Go up a line; on the first one, to the prompt before."""
        if self.completing and not select:
            self.post_message(self.CompletionMoved(-1))
        elif not select and self.cursor_at_first_line and self._place > 0:
            self._recall(self._place - 1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Go down a line; on the last one, to the prompt after, and back to the draft."""
        if self.completing and not select:
            self.post_message(self.CompletionMoved(1))
        elif not select and self.cursor_at_last_line and self._place < len(self._history):
            self._recall(self._place + 1)
        else:
            super().action_cursor_down(select)

    def give_back(self, text: str) -> None:
        """Put a text that could not be sent before what stands here."""
        self.load_text(f"{text}\n{self.text}" if self.text.strip() else text)
        self.move_cursor(self.document.end)

    def replace_all(self, text: str) -> None:
        """Put a text in place of what stands here, the cursor at its end; undo brings the old one back."""
        self.replace(text, self.document.start, self.document.end)
        self.move_cursor(self.document.end)

    def action_send(self) -> None:
        """Send what stands here; nothing if it is blank."""
        text = self.text.strip()
        if not text:
            return
        if not self._history or self._history[-1] != text:
            self._history.append(text)
        self._place = len(self._history)
        self._draft = ""
        self.load_text("")
        self.post_message(self.Submitted(self, text))

    def _recall(self, place: int) -> None:
        if self._place == len(self._history):
            self._draft = self.text
        self._place = place
        self.replace_all(self._history[place] if place < len(self._history) else self._draft)
