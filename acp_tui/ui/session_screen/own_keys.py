"""Which keys of the session screen what is focused has given another meaning by the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.screen import Screen


def is_taken(screen: Screen[None], action: str, parameters: tuple[object, ...]) -> bool:
    """Return whether what is focused, or what holds it, has the key of a priority action of the screen.

    Only the user's settings bring that about, and then what is nearer to the user wins. The keys of Textual's
    own fields do not count: there the settings win.
    """
    if not screen.app._keymap:
        return False
    wanted = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
    nearer: set[str] = set()
    for node, bindings in screen._modal_binding_chain:
        if node is screen:
            found = bindings.key_to_bindings.items()
            return any(key in nearer for key, all_of in found if any(one.action == wanted for one in all_of))
        nearer.update(
            key for key, all_of in bindings.key_to_bindings.items() if any(one.id for one in all_of)
        )
    return False
