"""Every action of a screen with the keys it has now: for the help and the command palette."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget


@dataclass(frozen=True)
class KeyLine:
    """One action of one widget, screen or app."""

    group: str
    """Where its keys work, for people."""
    keys: tuple[str, ...]
    """As they are shown, such as `^q`."""
    description: str
    action: str
    node: DOMNode
    """Whose action it is."""


def key_map(screen: Screen[Any]) -> list[KeyLine]:
    """Return the actions of a screen: its own, those of its widgets by kind, and those of the app."""
    found: dict[tuple[str, str], KeyLine] = {}
    for node in _nodes(screen):
        for line in _lines(node, screen.app):
            before = found.setdefault((line.group, line.description), line)
            if before is not line:
                keys = tuple(dict.fromkeys((*before.keys, *line.keys)))
                found[line.group, line.description] = KeyLine(
                    before.group, keys, before.description, before.action, before.node
                )
    return list(found.values())


def _nodes(screen: Screen[Any]) -> Iterator[DOMNode]:
    """Go from the screen to its widgets, one of each kind, the focused one first, and to the app."""
    yield screen
    kinds: dict[type[Widget], Widget] = {}
    focused = (screen.focused,) if screen.focused else ()
    for widget in (*focused, *screen.walk_children(Widget)):
        if widget.can_focus or widget in focused:
            kinds.setdefault(type(widget), widget)
    yield from kinds.values()
    yield screen.app


def _lines(node: DOMNode, app: App[Any]) -> Iterator[KeyLine]:
    # Textual tells bindings after rebinding only for the focused widget; it makes them in this way itself.
    bindings = node._bindings.copy()
    bindings.apply_keymap(app._keymap)
    for _, binding in bindings:
        # What has no name of ours comes with Textual's widgets: moving in a text, and so on.
        if binding.description and (binding.id or binding.show):
            key = app.get_key_display(binding)
            yield KeyLine(_group(node), (key,), binding.description, binding.action, node)


def _group(node: DOMNode) -> str:
    if isinstance(node, App):
        return "Everywhere"
    if isinstance(node, Screen):
        return "This screen"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).capitalize()
