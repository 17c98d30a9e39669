"""The menu of queued prompts: edit, move and drop them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.conversation.conversation import Conversation
from acp_tui.store.prompts import Prompt
from acp_tui.ui.screens.base.menu import Menu, MenuFilter, MenuItem
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.styles import Styles


class QueueFilter(MenuFilter):
    """A filter that leaves the first letter to the keys of the menu."""

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        return bool(self.value) and super().check_consume_key(key, character)


class QueueMenu(Menu):
    """The queued prompts, the next first; dismissed with the key of the prompt to edit."""

    FILTER = QueueFilter

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+up", "shift(-1)", "Move up", id="queue.earlier", priority=True),
        Binding("ctrl+down", "shift(1)", "Move down", id="queue.later", priority=True),
        Binding("ctrl+d", "drop", "Delete", id="queue.drop", priority=True),
        Binding("s", "steer", "Steer with it", id="queue.steer", priority=True),
    ]

    def __init__(self, conversation: Conversation, styles: Styles) -> None:
        self._conversation = conversation
        super().__init__("Queue", self._queued, None, styles)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        move, drop = pair_of(self, "queue.earlier", "queue.later"), key_of(self, "queue.drop")
        found = [("Enter", "edit"), (move, "move"), (drop, "drop")]
        if self._conversation.is_busy:
            found.append((key_of(self, "queue.steer"), "steer"))
        return [*found, (key_of(self, "menu.close"), "close")]

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "steer":  # a letter that the filter also accepts
            return self._conversation.is_busy and not self.query_one(Input).value
        return super().check_action(action, parameters)

    @override
    def refresh_items(self) -> None:
        if not self._queue and self.is_current:
            self.dismiss(None)
        else:
            super().refresh_items()

    def action_shift(self, step: int) -> None:
        """Move the highlighted prompt."""
        prompt = self.highlighted()
        if prompt is not None:
            self._conversation.prompts.move(self._queue.index(prompt), step)

    def action_drop(self) -> None:
        """Drop the highlighted prompt; the history keeps it."""
        prompt = self.highlighted()
        if prompt is not None:
            left = self.place_without()
            self._conversation.prompts.take(self._queue.index(prompt))
            if self._queue:
                self.move_to(left.key)

    def action_steer(self) -> None:
        """Send the highlighted prompt into the running turn, or unmark a marked one."""
        prompt = self.highlighted()
        if prompt is None:
            return
        index, left, count = self._queue.index(prompt), self.place_without(), len(self._queue)
        if prompt.steers:
            self._conversation.prompts.send_after_turn(index)
        elif problem := self._conversation.prompts.steer(index):
            self.notify(problem, title="Queue")
        if len(self._queue) == count:
            self.refresh_items()
            self.move_to(str(id(self._queue[index])))
        elif self._queue:
            self.move_to(left.key)

    def highlighted(self) -> Prompt | None:
        """Return the highlighted prompt while it is queued."""
        return named(self._queue, self.highlighted_key())

    @property
    def _queue(self) -> list[Prompt]:
        return self._conversation.prompts.queue

    def _queued(self) -> list[MenuItem]:
        return [
            MenuItem(str(id(prompt)), " ".join(prompt.text.split()), _MARKED if prompt.steers else "")
            for prompt in self._queue
        ]


_MARKED: Final = "for the running turn, when the agent asks for it"


def named(queue: Sequence[Prompt], key: str | None) -> Prompt | None:
    """Return the prompt of a menu key, or None once it has left the queue."""
    return next((prompt for prompt in queue if str(id(prompt)) == key), None)


async def show_queue(screen: ConversationScreen) -> None:
    """Open the queue menu; move the chosen prompt back into the prompt box."""
    if not screen.conversation.prompts.queue:
        screen.notify("The queue is empty.")
        return
    prompt = named(
        screen.conversation.prompts.queue,
        await answer_of(screen.app, QueueMenu(screen.conversation, screen.theme_styles)),
    )
    if prompt is not None:
        place = screen.conversation.prompts.queue.index(prompt)
        screen.prompt.give_back(screen.conversation.prompts.take(place))
