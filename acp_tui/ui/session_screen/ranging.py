"""Choosing what the changes pane shows: all of the session, this turn, or what came since a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.session.range import THIS_TURN
from acp_tui.ui.screens.menu import Item, Menu
from acp_tui.ui.session_screen.withdrawing import answer_of

if TYPE_CHECKING:
    from acp_tui.session.session import Session
    from acp_tui.ui.session_screen.screen import SessionScreen


async def choose_range(screen: SessionScreen) -> None:
    """Let the person choose; the pane follows."""
    conversation = screen.conversation
    session = conversation.session
    if session is None:
        screen.notify("There is no session yet.", severity="warning")
        return
    menu = Menu("Show changes of", choices(session), str(session.since), screen.look)
    chosen = await answer_of(screen.app, menu)
    if chosen is None or session is not conversation.session:
        return
    if conversation.tracking is not None:
        await conversation.tracking.show_since(int(chosen))
    else:
        from acp_tui.session.events import Ranged

        change = session.apply(Ranged(int(chosen)))
        if change is not None:
            screen.showing.session_changed(change)


def choices(session: Session) -> list[Item]:
    """Return what there is to choose from, the newest turn first."""
    return [
        Item("0", "the whole session"),
        Item(str(THIS_TURN), "this turn", "the newest one, whichever that is"),
        *(
            Item(str(number), f"since turn {number}", session.prompt_of(number), "since a turn")
            for number in range(len(session.turns), 0, -1)
        ),
    ]
