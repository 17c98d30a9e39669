"""The list of what commands of a session left running in the background, with a way to stop it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.screens.menu import Item, Menu

if TYPE_CHECKING:
    from acp_tui.host.terminals import Terminal
    from acp_tui.ui.session_screen.screen import SessionScreen

_ALL = "all"


async def choose_what_to_stop(screen: SessionScreen) -> None:
    """Let the user stop something that goes on in the background, or all of it."""
    left = left_running(screen)
    if not left:
        screen.notify("Nothing goes on in the background.")
        return
    title = "In the background: Enter stops it"
    chosen = await screen.app.push_screen_wait(Menu(title, _items(left), None, screen.look))
    for number, terminal in enumerate(left):
        if chosen in (_ALL, str(number)):
            await terminal.kill()
    screen.show_status()


def left_running(screen: SessionScreen) -> list[Terminal]:
    """Return the terminals of commands that ended and left something running, the agent's and the user's."""
    return [*screen.conversation.background, *screen.rooms.own_shell.background]


def _items(left: Sequence[Terminal]) -> list[Item]:
    items = [Item(str(number), one.command_line, _processes(one)) for number, one in enumerate(left)]
    return [*items, Item(_ALL, "all of them", "")] if len(left) > 1 else items


def _processes(terminal: Terminal) -> str:
    pids = terminal.outlived
    return f"process{'es' if len(pids) > 1 else ''} {', '.join(map(str, pids))}"
