"""Private parts of Textual that the interface needs, one function each.

Textual has no public way to these. Nothing else in the package touches them, so a new version of Textual that
moves one is fixed here. `tests/ui/widgets/test_textual_internals.py` tests each of them, and
lists the private methods that classes of acp-tui override.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

from rich.console import Console, RenderableType
from rich.segment import Segment
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS as ANSI_SEQUENCES_KEYS
from textual._ansi_sequences import SYNC_END as SYNC_END
from textual._ansi_sequences import SYNC_START as SYNC_START
from textual._compositor import Compositor, CompositorMap, CompositorUpdate, ReflowResult
from textual._xterm_parser import BRACKETED_PASTE_END as BRACKETED_PASTE_END
from textual._xterm_parser import BRACKETED_PASTE_START as BRACKETED_PASTE_START
from textual._xterm_parser import XTermParser as XTermParser
from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.cache import FIFOCache, LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.events import Event, Mount
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

ScreenType = TypeVar("ScreenType", bound=Screen[Any])
Work = TypeVar("Work", bound=Awaitable[Any])

_CACHED: Final = 16
"""Entries in one cache of a strip, as in Textual's own."""


_SHEETS: Final = 1_000
"""Number of style sheets whose rules are cached; there are about 100, one for each class of widgets."""


class KeptStylesheet(Stylesheet):
    """A style sheet that parses each source once for one set of variables.

    Textual keeps the rules of 64 sources, so that with more of them each new class of widgets has all sources
    parsed again, as has each new screen after a theme was chosen: a tenth of a second, in which no key is
    answered.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = self.rules_for(self._variables)

    def rules_for(self, variables: Mapping[str, str]) -> LRUCache[Any, list[RuleSet]]:
        """Return the cache of rules for a set of variables."""
        return LRUCache(_SHEETS)

    @override
    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # Textual clears it
            super().set_variables(variables)
            self._parse_cache = self.rules_for(variables)

    @override
    def reparse(self) -> None:
        self.parse()  # with new variables nothing is kept


def keymap_of(app: App[Any]) -> Mapping[str, str]:
    """Return the keys of the settings by the ids of their bindings."""
    return app._keymap


def has_screens(app: App[Any]) -> bool:
    """Return True while an application has a screen."""
    return bool(app._screen_stack)


def screen_stacks(app: App[Any]) -> list[list[Screen[Any]]]:
    """Return the screen stacks of all of Textual's modes, not copies."""
    return list(app._screen_stacks.values())


def in_present_style(app: App[Any], screen: ScreenType) -> ScreenType:
    """Return a screen that is about to be mounted, and so gets its styles then: they need no second look.

    Textual takes each new screen for one of an earlier theme. It would style all widgets again and lay the
    screen out anew, twice at the start, in which no key is answered.
    """
    screen._css_update_count = app._css_update_count
    return screen


def is_in_present_style(screen: Screen[Any]) -> bool:
    """Return True if no other theme was chosen since a screen got its styles."""
    return screen._css_update_count == screen.app._css_update_count


async def mount_mode(app: App[Any], mode: str) -> None:
    """Mount the first screen of a mode that is not in view yet; the application takes keys meanwhile."""
    await _without(app, app._init_mode(mode))


async def take_mode_away(app: App[Any], mode: str) -> None:
    """Remove a mode that is not in view, and its screens; the application takes keys meanwhile."""
    await _without(app, app.remove_mode(mode))


def _without(app: App[Any], work: Work) -> Work:
    """Return the awaitable, after removing it from what the application waits for.

    Textual would have it do so: a tenth of a second for a large screen, in which no key is handled.
    """
    waiting = app._next_callbacks
    waiting[:] = [one for one in waiting if getattr(one.callback, "func", None) is not work]
    return work


def binding_chain(screen: Screen[Any]) -> Sequence[tuple[DOMNode, BindingsMap]]:
    """Return (node, bindings) from the focused node up to the modal screen."""
    return screen._modal_binding_chain


def bindings_of(node: DOMNode) -> BindingsMap:
    """Return the bindings of a node with the keys of the settings."""
    bindings = node._bindings.copy()
    bindings.apply_keymap(node.app._keymap)
    return bindings


def default_bindings_of(node: DOMNode) -> Iterator[tuple[str, Binding]]:
    """Yield the keys of a node with their bindings, without the keys of the settings."""
    return iter(node._bindings)


def drop_keys(node: DOMNode, *keys: str) -> None:
    """Remove keys from one node, which keeps the other keys of its class and of the settings."""
    for key in keys:
        node._bindings.key_to_bindings.pop(key, None)


def class_bindings_of(kind: type[DOMNode]) -> Iterator[tuple[str, Binding]]:
    """Yield the keys of a class and its bases with their bindings."""
    return iter(kind._merged_bindings or BindingsMap())


def forward_event(target: Widget, event: Event) -> None:
    """Forward an event to a screen or a widget."""
    target._forward_event(event)


async def run_bindings(app: App[Any], key: str) -> bool:
    """Run the binding of a key; return False if there is none."""
    return await app._check_bindings(key)


def withdraw_notices(app: App[Any], title: str) -> None:
    """Remove the notifications with this title."""
    for notice in [one for one in app._notifications if one.title == title]:
        app._unnotify(notice)


def set_clipboard(app: App[Any], text: str) -> None:
    """Set the clipboard of an application, but not of the terminal."""
    app._clipboard = text


def driver_of(app: App[Any]) -> Driver | None:
    """Return the driver of the terminal; None before the application runs."""
    return app._driver


def write_raw(app: App[Any], sequence: str) -> None:
    """Write a control sequence to the terminal, if there is a driver."""
    if app._driver is not None:
        app._driver.write(sequence)


def fail_with(app: App[Any], error: Exception, report: RenderableType) -> None:
    """End an application because of an error; the first one is reported on the terminal that it leaves."""
    if app._exception is None:
        app._exception = error
        app._exception_event.set()
        app._exit_renderables.append(report)
    app._close_messages_no_wait()


def is_pruned(pump: MessagePump) -> bool:
    """Return True while a widget or a screen is being removed; its children go first."""
    return bool(getattr(pump, "_pruning", False))


class FullStrip(Strip):
    """A strip that is drawn as a whole and freed without a full garbage collection.

    A strip of Textual's that is divided at its end keeps itself in its own cache, so each strip ever drawn
    waits for a full garbage collection, which is rare. Each also has seven caches, hardly any of which is
    used when the strip is drawn as it is: here they are made on first use.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, segments: list[Segment], width: int) -> None:
        """Take over a list of segments, `width` cells in total."""
        self._segments = segments
        self._cell_length = width
        self._render_cache = self._link_ids = self._cell_count = None

    def __getattr__(self, name: str) -> FIFOCache[Any, Any]:
        """Create a cache on first use."""
        if not name.endswith("_cache") or name not in Strip.__slots__:
            raise AttributeError(name)
        cache: FIFOCache[Any, Any] = FIFOCache(_CACHED)
        setattr(self, name, cache)
        return cache

    @override
    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        cuts = list(cuts)
        return [self] if cuts == [self.cell_length] else super().divide(cuts)


class Piece(NamedTuple):
    """A part of a row of the screen."""

    x: int
    y: int
    strip: Strip


class PiecesUpdate(CompositorUpdate):
    """A frame that draws some parts of the screen."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces

    @override
    def render_segments(self, console: Console) -> str:
        return "".join([f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for x, y, strip in self.pieces])


class PresentCompositor(Compositor):
    """A compositor that leaves out widgets that have gone since the layout.

    A widget loses the styles of its parts when it goes, and its places only with the next layout: Textual
    would draw it until then, which fails for a text area, an input or a list.
    """

    @property
    @override
    def visible_widgets(self) -> dict[Widget, tuple[Region, Region]]:
        visible = super().visible_widgets.items()
        return {widget: place for widget, place in visible if widget.parent is not None}


class FewRowsCompositor(PresentCompositor):
    """A compositor that asks widgets for the rows that are drawn only, and none that are covered there.

    Textual's asks each widget within the bounds of all changes for all of its rows, and cuts each row at the
    edges of all widgets. Where one row grows, that takes several times as long as to draw it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}
        """The places of the last layout."""

    @override
    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        # Textual replaces its map also when somebody asks where a widget is. If styles have changed by then,
        # the layout that follows would find nothing moved, draw nothing and tell no widget its new size.
        self._full_map = self._laid_out
        changed = super().reflow(parent, size)
        self._laid_out = self._full_map
        return changed

    @override
    def clear(self) -> None:
        super().clear()
        self._laid_out = {}

    @override
    def render_partial_update(self) -> PiecesUpdate | None:  # type: ignore[override]  # another kind of frame
        regions, screen = self._dirty_regions.copy(), self.size.region
        self._dirty_regions.clear()
        within = (region.intersection(screen) for region in regions)
        bands = list(_bands(region for region in within if region))
        pieces: list[Piece] = []
        for widget, (region, clip) in self.visible_widgets.items():  # the front first
            if not bands:
                break
            if region.y < bands[-1].bottom and region.bottom > bands[0].top:  # most widgets are elsewhere
                shown = region.intersection(clip)
                touched = [band for band in bands if band.meets(shown)]
                if touched:
                    pieces += _drawn_by(widget, region, shown, touched)
                    bands = [part for band in bands for part in band.without(shown)]
        return PiecesUpdate(sorted(pieces, key=_place)) if pieces else None


class _Band(NamedTuple):
    """Rows of the screen in which the same columns are to be drawn."""

    top: int
    bottom: int
    spans: Sequence[tuple[int, int]]
    """The columns, each as (first, the one after the last)."""

    def meets(self, shown: Region) -> bool:
        """Return whether a region has some of the cells."""
        left, top, right, bottom = shown.corners
        return (
            self.top < bottom
            and self.bottom > top
            and any(start < right and end > left for start, end in self.spans)
        )

    def without(self, shown: Region) -> Iterator[_Band]:
        """Yield the bands of the cells that a region leaves over, the top first."""
        if not self.meets(shown):
            yield self
            return
        left, top, right, bottom = shown.corners
        if self.top < top:
            yield self._replace(bottom=top)
        outside = (
            cells
            for start, end in self.spans
            for cells in ((start, min(end, left)), (max(start, right), end))
        )
        if beside := [(start, end) for start, end in outside if start < end]:
            yield _Band(max(self.top, top), min(self.bottom, bottom), beside)
        if self.bottom > bottom:
            yield self._replace(top=bottom)


def _bands(regions: Iterable[Region]) -> Iterator[_Band]:
    """Yield the bands of the cells in some regions, the top first."""
    regions = sorted(regions)
    edges = sorted({edge for region in regions for edge in (region.y, region.bottom)})
    for top, bottom in pairwise(edges):
        spans: list[tuple[int, int]] = []
        for x, y, width, height in regions:
            if y <= top and y + height >= bottom:
                if spans and x <= spans[-1][1]:
                    spans[-1] = spans[-1][0], max(spans[-1][1], x + width)
                else:
                    spans.append((x, x + width))
        if spans:
            yield _Band(top, bottom, spans)


def _place(piece: Piece) -> tuple[int, int]:
    return piece.y, piece.x


def _drawn_by(widget: Widget, region: Region, shown: Region, touched: Sequence[_Band]) -> Iterator[Piece]:
    """Yield what a widget draws in bands, the top first."""
    left, top, right, bottom = shown.corners
    first, last = max(top, touched[0].top), min(bottom, touched[-1].bottom)
    strips = widget.render_lines(Region(shown.x - region.x, first - region.y, shown.width, last - first))
    for band in touched:
        begin, end = max(top, band.top), min(bottom, band.bottom)
        for start, stop in band.spans:
            start, stop = max(start, left), min(stop, right)
            is_whole = (start, stop) == (left, right)
            for y, strip in enumerate(strips[begin - first : end - first], begin) if start < stop else ():
                as_is = is_whole and strip.cell_length == shown.width
                yield Piece(start, y, strip if as_is else strip.crop(start - left, stop - left))


class ExactLayout:
    """Mixin of screens that are laid out by the present sizes of their widgets, and know which are there.

    A widget that changes its height twice before it is idle keeps the height that a layout measured in
    between: for Textual both are one change. Under load, dialogs were higher than
    their text.
    """

    _compositor: Compositor

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)  # Textual's `Screen` is the next base
        self._compositor = PresentCompositor()

    async def _on_message(self: Any, message: Message) -> None:
        # A screen that is closed while it gets its parts is mounted all the same, without some of them.
        if not (isinstance(message, Mount) and is_pruned(self)):
            await super()._on_message(message)  # type: ignore[misc]  # as above

    def _refresh_layout(self: Any, size: Size | None = None, scroll: bool = False) -> None:
        if not scroll or self._layout_widgets:  # else nothing is measured
            for widget in self.walk_children(Widget):
                if widget._layout_required:
                    _forget_measured(widget)
        super()._refresh_layout(size, scroll)  # type: ignore[misc]  # Textual's `Screen` is the next base


def _forget_measured(widget: Widget) -> None:
    """Let the next layout measure a widget anew, as Textual does when the widget is idle."""
    widget._layout_required = False
    for ancestor in widget.ancestors:
        if not isinstance(ancestor, Widget):
            break
        ancestor._clear_arrangement_cache()
        ancestor._layout_updates += 1
        if not ancestor.styles.auto_dimensions:
            break


def draw_few_rows(screen: Screen[Any]) -> None:
    """Let a new screen draw rows that have changed, and no others."""
    screen._compositor = FewRowsCompositor()


def mark_rows(widget: Widget, regions: Iterable[Region]) -> None:
    """Mark regions of a mounted widget as changed, for the next `draw_now`.

    `Widget.refresh` takes two messages and a timer to the same end, and empties caches that rows leave valid.
    """
    widget._set_dirty(*regions)
    widget.screen._dirty_widgets.add(widget)


def draw_now(screen: Screen[Any]) -> None:
    """Draw what is marked as changed; where a layout comes first, Textual draws it after that."""
    comes_first = screen._layout_required or screen._scroll_required or screen._repaint_required
    if comes_first or screen.app._batch_count or screen.app.screen is not screen:
        screen.check_idle()
    elif screen._dirty_widgets:
        screen._compositor.update_widgets(screen._dirty_widgets)
        screen._compositor_refresh()


def move_highlight(options: Widget, how: str) -> None:
    """Highlight another row of an OptionList by the action `how`, as `page_down`."""
    if options.scrollable_content_region.area:  # without room for a row it has no lines, and a page fails
        getattr(options, f"action_{how}")()
