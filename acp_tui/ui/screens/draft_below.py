"""The text below a screen that came unasked: what is typed and not meant for the screen goes on in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from acp_tui.ui.screens.key_guard import Ground

if TYPE_CHECKING:
    from textual.events import Key, Paste
    from textual.screen import Screen
    from textual.widget import Widget
    from textual.widgets import Input, TextArea

_EDITS: Final = ("cursor_", "delete_", "select_", "undo", "redo", "home", "end")
"""What the actions begin with that change a text or move in it."""


class DraftBelow:
    """The field that had the keys before, if any."""

    def __init__(self, screen: Screen[Any] | None) -> None:
        """Take the screen that the field is on."""
        self._screen = screen

    @property
    def ground(self) -> Ground:
        """Whether a text is begun, also while the keys are elsewhere, and whether completions are offered."""
        if self._screen is None:
            return Ground()
        field = self._field
        boxes = [*self._screen.query("#prompt"), *([field] if field is not None else [])]
        texts = (getattr(box, "text", getattr(box, "value", "")) for box in boxes)
        return Ground(any(texts), bool(getattr(field, "completing", False)))

    def write(self, event: Key | Paste) -> None:
        """Let a key or a paste go on in the field, after all that it has not read yet."""
        field = self._field
        if field is not None:
            field.call_later(partial(_take, field, event))

    @property
    def _field(self) -> Input | TextArea | None:
        from textual.widgets import Input, TextArea

        focused = self._screen.focused if self._screen is not None else None
        return focused if isinstance(focused, Input | TextArea) else None


async def _take(field: Input | TextArea, event: Key | Paste) -> None:
    """Have a field act on an event as if it came to it, as far as it writes or moves: nothing is sent."""
    from textual.events import Key

    from acp_tui.ui.widgets.prompt_box import PromptBox

    event.stop()  # what the field does not take is not for what lies above it
    if not isinstance(event, Key) or event.is_printable:
        await field.on_event(event)
    elif isinstance(field, PromptBox) and field.completing and event.key in ("tab", "enter"):
        field.post_message(field.CompletionTaken())
    elif isinstance(field, PromptBox) and event.key in ("enter", "shift+enter", "alt+enter", "ctrl+j"):
        if field.text.strip():
            field.insert("\n")
    elif (action := _edit(field, event.key)) and not _recalls(field, event.key):
        await field.app.run_action(action, field)


def _edit(field: Widget, key: str) -> str:
    """Return the action of a key that edits in a field; nothing where it does something else."""
    bindings = field._bindings.copy()
    bindings.apply_keymap(field.app._keymap)
    actions = [binding.action for binding in bindings.key_to_bindings.get(key, ())]
    return next((action for action in actions if action.startswith(_EDITS)), "")


def _recalls(field: Widget, key: str) -> bool:
    """Return whether a key leaves the text for one that was said before."""
    from acp_tui.ui.widgets.prompt_box import PromptBox

    if not isinstance(field, PromptBox) or field.completing:
        return False
    return (key == "up" and field.cursor_at_first_line) or (key == "down" and field.cursor_at_last_line)
