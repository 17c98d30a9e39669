"""Every action of a screen with the keys it has now: for the help and the command palette."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

_EVERYWHERE: Final = "Everywhere"


@dataclass(frozen=True)
class KeyLine:
    """One action of one widget, screen or app."""

    group: str
    """What it belongs to, for people."""
    keys: tuple[str, ...]
    """As they are shown, such as `^q`."""
    description: str
    action: str
    node: DOMNode
    """Whose action it is."""


def key_map(screen: Screen[Any]) -> list[KeyLine]:
    """Return the actions of a screen: its own, those of its widgets by kind, and those of the app."""
    found: dict[str, KeyLine] = {}
    for node in _nodes(screen):
        for name, line in _lines(node, screen.app):
            before = found.setdefault(name, line)
            if before.node is node and before is not line:
                keys = tuple(dict.fromkeys((*before.keys, *line.keys)))
                found[name] = replace(before, keys=keys)
    groups = list(dict.fromkeys(line.group for line in found.values()))
    return sorted(found.values(), key=lambda line: (line.group == _EVERYWHERE, groups.index(line.group)))


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


def _lines(node: DOMNode, app: App[Any]) -> Iterator[tuple[str, KeyLine]]:
    """Return the actions of a node by name: kinds of a widget share the names of what they inherit."""
    # Textual tells bindings after rebinding only for the focused widget; it makes them in this way itself.
    bindings = node._bindings.copy()
    bindings.apply_keymap(app._keymap)
    for _, binding in bindings:
        # What has no name of ours comes with Textual's widgets: moving in a text, and so on.
        if binding.description and (binding.id or binding.show):
            key = app.get_key_display(binding)
            name = binding.id or f"app.{binding.description}"
            yield name, KeyLine(_group(name), (key,), binding.description, binding.action, node)


def _group(name: str) -> str:
    """Return where an action belongs, by the first part of its name."""
    first = name.partition(".")[0]
    return _EVERYWHERE if first == "app" else first.replace("-", " ").capitalize()
