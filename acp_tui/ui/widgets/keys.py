"""The keys of a screen in one row: those that fit, and where all of them are told."""

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

from acp_tui.ui.textual_internals import bindings_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.transcript.blocks import Piece


def _is_way_out(binding: Binding) -> bool:
    """Whether a key stands at the end of the row, whatever fits before it: back, and to all keys."""
    is_close = binding.id is not None and binding.id.endswith(".close")  # also where its key is another one
    return binding.id == "app.help" or binding.key == "escape" or is_close


class Keys(StatusRows):
    """The keys that the screen and what has the focus hear now. A click on one is like the key.

    Textual's own footer runs out of the screen where there are more than fit.
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
        look: Look | None = None,
        later: Collection[str] = (),
        short: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Show keys.

        Args:
            look: the styles.
            later: actions of what has the focus that stand behind those of the screen.
            short: by action, what is said of it where not all that is wanted fits.
        """
        super().__init__(look)
        self._later = later
        self._short = short
        self._is_short = False

    def on_mount(self) -> None:
        """Follow the focus, and what can be done."""
        self.screen.bindings_updated_signal.subscribe(self, self._updated)
        self._show()

    def on_resize(self) -> None:
        """Show as many as fit now."""
        self._show()

    def on_status_rows_clicked(self, event: StatusRows.Clicked) -> None:
        """Do what the key does."""
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
        """Return one binding an action, in the order of the screen."""
        found: dict[str, tuple[int, Binding]] = {}
        for owner, binding, enabled, _ in self.screen.active_bindings.values():
            if binding.show and enabled:
                place = 2 if owner is self.app else int(binding.action in self._later)
                found.setdefault(binding.action, (place, binding))
        return [binding for _, binding in sorted(found.values(), key=lambda one: one[0])]

    def _fitting(self, heard: list[Binding]) -> list[Binding]:
        """Return the keys that fit, with short words if these make room for more of those that have any."""
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
    for _, binding in bindings_of(node):
        # What has no name of ours comes with Textual's widgets: moving in a text, and so on.
        if binding.description and (binding.id or binding.show):
            key = app.get_key_display(binding)
            name = binding.id or f"app.{binding.description}"
            yield name, KeyLine(_group(name), (key,), binding.description, binding.action, node)


def _group(name: str) -> str:
    """Return where an action belongs, by the first part of its name."""
    first = name.partition(".")[0]
    return _EVERYWHERE if first == "app" else first.replace("-", " ").capitalize()
