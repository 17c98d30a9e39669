"""Which keys of the session screen what is focused has given another meaning by the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.screen import Screen


def is_taken(screen: Screen[None], action: str, parameters: tuple[object, ...]) -> bool:
    """Return whether what is focused, or what holds it, has the key of a priority action of the screen.

    Only the person's settings bring that about, and then what is nearer to the person wins.
    """
    if not screen.app._keymap:
        return False
    wanted = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
    nearer: set[str] = set()
    for node, bindings in screen._modal_binding_chain:
        if node is screen:
            found = bindings.key_to_bindings.items()
            return any(key in nearer for key, all_of in found if any(one.action == wanted for one in all_of))
        nearer.update(bindings.key_to_bindings)
    return False
