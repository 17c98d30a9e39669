"""Choosing the policy of a session: what is allowed where no rule matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.host.policy import Policy
    from acp_tui.ui.session_screen.screen import SessionScreen

_OFFERS: Final[dict[Policy, tuple[str, str]]] = {
    "ask": ("Ask for all", "nothing is allowed unasked"),
    "ask-edits-and-commands": ("Ask for edits and commands", "reads and searches in the workspace go on"),
    "allow-edits": ("Allow edits in the workspace", "not in .git; commands are asked for"),
    "allow-everything": ("Allow everything", "no question at all, for anything"),
}


def choose_policy(screen: SessionScreen) -> None:
    """Let the person choose from a menu; it counts for this session, and no longer than it is open."""
    from acp_tui.ui.screens.menu import Item, Menu

    current = screen.conversation.choosing.policy
    if current is None:
        screen.notify("A policy needs a session to count in.", severity="warning")
        return
    items = [Item(policy, *words) for policy, words in _OFFERS.items()]

    def chosen(policy: str | None) -> None:
        if policy is not None and policy != screen.conversation.choosing.policy:
            screen.conversation.choosing.set_policy(policy)  # type: ignore[arg-type]  # one of the offers
            screen.show_status()

    menu = Menu("Where no rule of yours matches", items, current, screen.look)
    screen.app.push_screen(menu, chosen)
