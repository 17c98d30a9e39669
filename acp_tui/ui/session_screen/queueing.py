"""The queue as a list: what waits to be said is edited, moved and dropped one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from acp_tui.ui.screens.menu import Item, Menu
from acp_tui.ui.widgets.key_names import key_of, pair_of

if TYPE_CHECKING:
    from acp_tui.store.prompt import Prompt
    from acp_tui.ui.session_screen.screen import SessionScreen


class QueueMenu(Menu):
    """Lists what waits, the next first; dismisses with the key of a prompt that is to be edited."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+up", "shift(-1)", "Say it earlier", id="queue.earlier", priority=True),
        Binding("ctrl+down", "shift(1)", "Say it later", id="queue.later", priority=True),
        Binding("ctrl+d", "drop", "Drop it", id="queue.drop", priority=True),
    ]

    def __init__(self, screen: SessionScreen) -> None:
        self._session_screen = screen
        super().__init__("Queue", self._items_now(), None, screen.look)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        move, drop = pair_of(self, "queue.earlier", "queue.later"), key_of(self, "queue.drop")
        return [("Enter", "edit"), (move, "move"), (drop, "drop"), (key_of(self, "menu.close"), "close")]

    def refresh_items(self) -> None:
        """List what waits by now; with nothing left the list goes away."""
        items = self._items_now()
        if not items and self.is_current:
            self.dismiss(None)
        elif items != self._items and self.is_mounted:
            self.set_items(items)

    def action_shift(self, step: int) -> None:
        """Say the prompt that was moved to earlier or later."""
        queue, prompt = self._queue, self.highlighted()
        if prompt is not None:
            place = queue.index(prompt)
            queue.insert(max(0, place + step), queue.pop(place))
            self._session_screen.showing.queue_changed()

    def action_drop(self) -> None:
        """Forget the prompt that was moved to; the history still has it."""
        prompt = self.highlighted()
        if prompt is not None:
            left = self.place_without()
            self._queue.remove(prompt)
            self._session_screen.showing.queue_changed()
            if self._queue:
                self.move_to(left.key)

    def highlighted(self) -> Prompt | None:
        """Return the prompt that was moved to, while it waits."""
        return named(self._queue, self.highlighted_key())

    @property
    def _queue(self) -> list[Prompt]:
        return self._session_screen.conversation.queue

    def _items_now(self) -> list[Item]:
        return [Item(str(id(prompt)), " ".join(prompt.text.split())) for prompt in self._queue]


def named(queue: Sequence[Prompt], key: str | None) -> Prompt | None:
    """Return the prompt that a key of the list stands for; None once it does not wait any more."""
    return next((prompt for prompt in queue if str(id(prompt)) == key), None)


def show_queue(screen: SessionScreen) -> None:
    """Let the person put the queue in order, and take what they choose back into the prompt."""

    def chosen(key: str | None) -> None:
        prompt = named(screen.conversation.queue, key)
        if prompt is not None:
            screen.prompt.give_back(
                screen.conversation.take_from_queue(screen.conversation.queue.index(prompt))
            )

    if screen.conversation.queue:
        screen.app.push_screen(QueueMenu(screen), chosen)
    else:
        screen.notify("Nothing waits to be said.")
