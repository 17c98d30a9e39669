"""The row of keys of a screen, and the map of all its keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from rich.cells import cell_len
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import bindings_of
from acp_tui.ui.widgets.transcript.blocks import Piece


def _is_way_out(binding: Binding) -> bool:
    """Return True for keys that always have a place, at the end of the row: close, and help."""
    is_close = binding.id is not None and binding.id.endswith(".close")  # also where its key is another one
    return binding.id == "app.help" or binding.key == "escape" or is_close


class Keys(StatusRows):
    """The active keys of the screen and the focused widget; a click on one acts like the key.

    Textual's footer scrolls if they do not fit; this row shows those that do.
    """

    DEFAULT_CSS = """
    Keys {
        dock: bottom;
        height: 1;
        padding: 0 1;
    }
    """

    def __init__(
        self,
        styles: Styles | None = None,
        later: Collection[str] = (),
        short: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Show keys.

        Args:
            styles: the theme's styles.
            later: actions of the focused widget to show after those of the screen.
            short: short descriptions by action, for a narrow row.
        """
        super().__init__(styles)
        self._later = later
        self._short = short
        self._is_short = False

    def on_mount(self) -> None:
        """Follow the active bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._updated)
        self._show()

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        self._show()

    def on_status_rows_clicked(self, event: StatusRows.Clicked) -> None:
        """Press the clicked key."""
        event.stop()
        shown = self._fitting(self._heard())
        if 0 <= event.piece < 2 * len(shown):
            self.app.simulate_key(shown[event.piece // 2].key)

    def _updated(self, _: Screen[object]) -> None:
        self._show()

    def _show(self) -> None:
        if not self.size.width:
            return
        heard = self._heard()
        left = [piece for binding in self._fitting(heard) for piece in self._pieces(binding)]
        right = [piece for binding in heard if _is_way_out(binding) for piece in self._pieces(binding)]
        line: StatusRow = (left, [*right[:-1], ("muted", right[-1][1].rstrip())] if right else ())
        self.set_rows([line])

    def _heard(self) -> list[Binding]:
        """Return one binding per action, in the order of the screen."""
        found: dict[str, tuple[int, Binding]] = {}
        for owner, binding, enabled, _ in self.screen.active_bindings.values():
            if binding.show and enabled:
                place = 2 if owner is self.app else int(binding.action in self._later)
                found.setdefault(binding.action, (place, binding))
        return [binding for _, binding in sorted(found.values(), key=lambda one: one[0])]

    def _fitting(self, heard: list[Binding]) -> list[Binding]:
        """Return the keys that fit, with short descriptions if that makes room for more."""
        self._is_short = False
        fitting = self._that_fit(heard)
        wanted = {binding.action for binding in heard} & self._short.keys()
        if wanted <= {binding.action for binding in fitting}:
            return fitting
        self._is_short = True
        return self._that_fit(heard)

    def _that_fit(self, heard: list[Binding]) -> list[Binding]:
        room = self.size.width - sum(self._width(binding) for binding in heard if _is_way_out(binding))
        fitting = []
        for binding in heard:
            if _is_way_out(binding):
                continue
            room -= self._width(binding)
            if room < 0:
                break
            fitting.append(binding)
        return fitting

    def _width(self, binding: Binding) -> int:
        return sum(cell_len(text) for _, text in self._pieces(binding))

    def _pieces(self, binding: Binding) -> list[Piece]:
        words = self._short.get(binding.action) if self._is_short else None
        return [
            ("accent", self.app.get_key_display(binding)),
            ("muted", f" {words or binding.description}  "),
        ]


_EVERYWHERE: Final = "Everywhere"


@dataclass(frozen=True)
class KeyLine:
    """An action of a widget, screen or app, for display."""

    name: str
    """The name in the settings."""
    group: str
    """The heading that it is listed under."""
    keys: tuple[str, ...]
    """Display names, such as `^q`."""
    description: str
    action: str
    node: DOMNode
    """The owner of the action."""


def key_map(screen: Screen[Any]) -> list[KeyLine]:
    """Return the actions of a screen, of its widgets by kind, and of the app."""
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
    """Yield the screen, one widget of each kind with the focused one first, and the app."""
    yield screen
    kinds: dict[type[Widget], Widget] = {}
    focused = (screen.focused,) if screen.focused else ()
    for widget in (*focused, *screen.walk_children(Widget)):
        if widget.can_focus or widget in focused:
            kinds.setdefault(type(widget), widget)
    yield from kinds.values()
    yield screen.app


def _lines(node: DOMNode, app: App[Any]) -> Iterator[tuple[str, KeyLine]]:
    """Yield the actions of a node by name; subclasses share the names they inherit."""
    # Textual tells bindings after rebinding only for the focused widget; it makes them in this way itself.
    # It keeps a key of a base class in its place; an action of the class itself belongs to the others of it.
    own = [binding.id for binding in vars(type(node)).get("BINDINGS", ()) if isinstance(binding, Binding)]
    places = {name: place for place, name in enumerate(own)}
    for _, binding in sorted(bindings_of(node), key=lambda pair: places.get(pair[1].id, len(own))):
        # What has no name of ours comes with Textual's widgets: moving in a text, and so on.
        if binding.description and (binding.id or binding.show):
            key = app.get_key_display(binding)
            name = binding.id or f"app.{binding.description}"
            yield name, KeyLine(name, _group(name), (key,), binding.description, binding.action, node)


def _group(name: str) -> str:
    """Return the heading of an action, by the first part of its name."""
    first = name.partition(".")[0]
    return _EVERYWHERE if first == "app" else first.replace("-", " ").capitalize()
