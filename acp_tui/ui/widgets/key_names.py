"""Names of keys for display, and the current keys of actions."""

from __future__ import annotations

from typing import Any, Final

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key

from acp_tui.ui.widgets.textual_internals import class_bindings_of, default_bindings_of, keymap_of

_NAMES: Final = {
    "backspace": "Backspace",
    "delete": "Del",
    "end": "End",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "insert": "Ins",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "space": "Space",
    "tab": "Tab",
}
_ARROWS: Final = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


def key_text(key: str, *, ascii: bool = False) -> str:
    """Return the display name of a Textual key: `Ctrl+G`, `Esc`, `F1`, `z`."""
    *modifiers, name = key.split("+") if len(key) > 1 else (key,)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), _name(name, bool(modifiers), ascii)])


def _name(name: str, is_modified: bool, ascii: bool) -> str:
    if name in _ARROWS:
        return name.capitalize() if ascii else _ARROWS[name]
    if name in _NAMES:
        return _NAMES[name]
    shown = format_key(name)
    if len(shown) == 1:
        return shown.upper() if is_modified else shown
    return shown.capitalize()


def is_ascii(node: DOMNode) -> bool:
    """Return True if only ASCII is drawn."""
    return node.app.has_class("-ascii")


def keys_of(node: DOMNode, name: str) -> list[str]:
    """Return the current keys of an action by the name of its binding.

    The action belongs to the node, one of its ancestors, or the app.

    Raises:
    KeyError: no such action.
    """
    app = node.app
    own = keymap_of(app).get(name)
    if own is not None:
        return [key.strip() for key in own.split(",")]
    for owner in (*node.ancestors_with_self, app):
        # `active_bindings` would know only what has the focus.
        found = [key for key, binding in default_bindings_of(owner) if binding.id == name]
        if found:
            return found
    raise KeyError(name)


def key_of_kind(app: App[Any], kind: type[DOMNode], name: str) -> str:
    """Return the display name of an action's first key, for a class without an instance."""
    own = keymap_of(app).get(name)
    key = own or next(key for key, binding in class_bindings_of(kind) if binding.id == name)
    return key_text(key.split(",")[0].strip(), ascii=is_ascii(app))


def key_of(node: DOMNode, name: str) -> str:
    """Return the display name of an action's first key."""
    return key_text(keys_of(node, name)[0], ascii=is_ascii(node))


def pair_of(node: DOMNode, first: str, second: str) -> str:
    """Return the keys of a pair of actions: `↑↓`, `Ctrl+↑↓`, `n p`, `Up/Down`."""
    one, other = key_of(node, first), key_of(node, second)
    modifiers, _, last = other.rpartition("+")
    if modifiers and one.startswith(f"{modifiers}+"):
        other = last
    if one[-1:] in _ARROWS.values() and other in _ARROWS.values():
        return one + other
    return f"{one} {other}" if len(one) == len(other) == 1 else f"{one}/{other}"


def shown_key(binding: Binding, *, ascii: bool) -> str:
    """Return the display name of a binding's key."""
    return binding.key_display or key_text(binding.key, ascii=ascii)
