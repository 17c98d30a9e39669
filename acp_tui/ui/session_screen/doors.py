"""What a key, the palette or a command behind `/` opens over a session, by name: a row a door."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen


async def open_door(screen: SessionScreen, name: str) -> None:
    """Open what has this name; return when it can take keys, for those that come right after."""
    opening = DOORS[name](screen)
    if opening is not None:
        await opening


def can_open(screen: SessionScreen, name: str) -> bool:
    """Whether there is something behind a door now; most can always be opened, and say what is missing."""
    can = _SOMETIMES.get(name)
    return can is None or can(screen)


def _find(screen: SessionScreen) -> Awaitable[None]:
    from acp_tui.ui.session_screen.finding import find

    return find(screen)


def _fork(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.forking import fork

    screen.run_worker(fork(screen), group="fork", exclusive=True)


def _background(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.left_running import choose_what_to_stop

    screen.run_worker(choose_what_to_stop(screen), group="background", exclusive=True)


def _can_fork(screen: SessionScreen) -> bool:
    from acp_tui.ui.session_screen.forking import can_fork

    return can_fork(screen.conversation)


def _hand_over(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.handing_over import hand_over

    hand_over(screen)


def _can_hand_over(screen: SessionScreen) -> bool:
    return screen.conversation.above is not None


def _log_out(screen: SessionScreen) -> None:
    from acp_tui.conversation.login import log_out

    conversation = screen.conversation
    screen.run_worker(log_out(conversation.agent, conversation.session), group="log-out", exclusive=True)


def _can_log_out(screen: SessionScreen) -> bool:
    from acp_tui.conversation.login import can_log_out

    return can_log_out(screen.conversation.agent)


def _policy(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.policies import choose_policy

    choose_policy(screen)


def _queue(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.queueing import show_queue

    show_queue(screen)


def _range(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.ranging import choose_range

    screen.run_worker(choose_range(screen), group="range", exclusive=True)


def _restore(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.restoring import restore_turn

    screen.run_worker(restore_turn(screen), group="restore", exclusive=True)


DOORS: Final[Mapping[str, Callable[[SessionScreen], Awaitable[None] | None]]] = {
    "answer": lambda screen: screen.asking.reopen(),
    "background": _background,
    "call": lambda screen: screen.rooms.opened.some_call(),
    "decisions": lambda screen: screen.rooms.opened.decisions(),
    "details": lambda screen: screen.rooms.opened.session_details(),
    "export": lambda screen: screen.rooms.exporting.choose(),
    "find": _find,
    "fork": _fork,
    "hand-over": _hand_over,
    "ladder": lambda screen: screen.rooms.unresponsive.choose(),
    "log-out": _log_out,
    "mode": lambda screen: screen.rooms.option_menus.choose("mode"),
    "model": lambda screen: screen.rooms.option_menus.choose("model"),
    "option": lambda screen: screen.rooms.option_menus.choose_option(),
    "policy": _policy,
    "protocol": lambda screen: screen.rooms.opened.protocol(),
    "queue": _queue,
    "range": _range,
    "rename": lambda screen: screen.rooms.naming.ask(),
    "restore": _restore,
    "rules": lambda screen: screen.rooms.ruling.show(),
    "source": lambda screen: screen.rooms.copying.show_source(),
}
_SOMETIMES: Final[Mapping[str, Callable[[SessionScreen], bool]]] = {
    "fork": _can_fork,
    "hand-over": _can_hand_over,
    "log-out": _can_log_out,
}
"""Doors that are not there at all for some agents."""
