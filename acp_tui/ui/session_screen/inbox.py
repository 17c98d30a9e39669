"""The inbox: what waits in all sessions, to be answered without leaving a draft behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.screens.menu import Item, LiveMenu
from acp_tui.ui.session_screen.waiting import WORDS, Waiting, waiting
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.text import shortened

if TYPE_CHECKING:
    from acp_tui.ui.tabs import Tabs
    from acp_tui.ui.widgets.look import Look


class InboxMenu(LiveMenu):
    """Lists what waits, as of now; dismisses with its key."""

    def __init__(self, items: Callable[[], Sequence[Item]], current: str | None, look: Look) -> None:
        super().__init__("Inbox", items, lambda: current, look)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [("Enter", "answer it and come back, or go to it"), (key_of(self, "menu.close"), "close")]


class Inbox:
    """Opens the inbox over the session that is seen, and leads to what is chosen in it."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs

    async def open(self) -> None:
        """Let the person choose what waits, and go to it."""
        if not self._items():
            self._tabs.current.notify("Nothing waits for you.")
            return
        screen = self._tabs.current
        key = await screen.presence.ask(InboxMenu(self._items, self._shown(), screen.look))
        if key is None:
            return
        one = next((one for one in waiting(self._tabs.screens) if self._key(one) == key), None)
        if one is None:
            self._tabs.current.notify("That does not wait any more.")
        elif one.question is not None:
            await self._tabs.visit(one.screen, one.question)
        else:
            await self._tabs.go_to(self._tabs.screens.index(one.screen))

    def _items(self) -> list[Item]:
        return [self._item(one) for one in waiting(self._tabs.screens)]

    def _shown(self) -> str | None:
        """Return the key of the question that is before the person already."""
        screen = self._tabs.current
        found = (one for one in waiting([screen]) if one.question is not None)
        return next((self._key(one) for one in found if one.question == screen.asking.shown), None)

    def _item(self, one: Waiting) -> Item:
        number = self._tabs.screens.index(one.screen) + 1
        here = ", this session" if self._tabs.is_current(one.screen) else ""
        label = shortened(f"{number} {one.screen.title_of_tab}", 30)
        about = f"{WORDS[one.kind]}: {one.what}" if one.what else WORDS[one.kind]
        return Item(self._key(one), label, f"{about}{here}")

    def _key(self, one: Waiting) -> str:
        """Name what waits, for as long as it does."""
        return f"{self._tabs.screens.index(one.screen)} {one.kind} {one.question}"
