"""Menus: titled lists that narrow while the user types; for modes, models, sessions and themes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from acp_tui.ui.screens.base.dialog import Dialog
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, start_of
from acp_tui.ui.widgets.textual_internals import move_highlight

_LABEL_CELLS = 36
"""Most cells of the column of labels; a longer label moves its description to the right."""
_LONGEST: Final = 200
"""Most cells of a label or a description: an agent may send megabytes."""

_FEW: Final = 5
"""Items that fit at a glance; with more, or once the user types, the filter is shown."""
_NO_MATCH = "no matches"
_NUMBERS: Final = "123456789"
_ROW_PADDING: Final = 2
"""Cells left and right of a row, which the style sheet gives it."""
_MEASURED: Final = 500
"""Rows whose cells are counted, from the top."""


@dataclass(frozen=True)
class MenuItem:
    """One item to choose."""

    key: str
    """Result of the menu; any text."""
    label: str
    description: str = ""
    group: str = ""
    """Heading above it; the items of a group are adjacent."""
    synonyms: str = ""
    """Other words that find it."""
    keys: str = ""
    """The keys that do the same, shown at the right end."""


Items = Sequence[MenuItem] | Callable[[], Sequence[MenuItem]]
"""The items of a menu, or a function if they change while the menu is open."""
Current = str | Callable[[], str | None] | None
"""Key of the current item, in the same two forms."""


class MenuOwner(Protocol):
    """A screen that opens a menu."""

    theme_styles: Styles

    @property
    def app(self) -> App[Any]:
        """The application of the screen."""


async def choose(
    owner: MenuOwner, title: str, items: Items, current: Current = None, *, nothing: str = _NO_MATCH
) -> str | None:
    """Let the user choose from a menu; return the key of the item, or None.

    Run it in a worker: Textual handles no other message of the caller until it returns.

    Args:
        owner: the screen that asks.
        title: shown above the menu.
        items: the items.
        current: the key of the marked item, which Enter chooses at first.
        nothing: shown in place of the items if there are none.
    """
    menu = Menu(title, items, current, owner.theme_styles)
    menu.nothing = nothing
    return await answer_of(owner.app, menu)


def matching(items: Iterable[MenuItem], words: str) -> list[MenuItem]:
    """Return the items that contain every word, in any case."""
    wanted = words.casefold().split()
    return [
        item
        for item in items
        if all(word in f"{item.label} {item.description} {item.group}".casefold() for word in wanted)
    ]


class MenuPlace(NamedTuple):
    """Position in a menu, for the next menu of its kind."""

    words: str = ""
    """Text of the filter."""
    key: str | None = None
    """Key of the highlighted item."""


class MenuRow(Option):
    """The row of an item; unlike its place, it still names the item when the list has changed."""

    def __init__(self, item: MenuItem, prompt: Content) -> None:
        super().__init__(prompt)
        self.item = item


class MenuFilter(InputLine):
    """The filter of a menu; while it is empty, a number chooses an item instead."""

    @dataclass
    class Numbered(Message):
        """The user wants the item with a number, from 1."""

        number: int
        row: Option | None
        """The row that had this number when the key was read."""

    def on_key(self, event: Key) -> None:
        """Handle a number as the first character, here so that keys of one read keep their order."""
        if not self.value and event.key in _NUMBERS:
            event.stop()
            event.prevent_default()
            rows = (row for row in self.screen.query_one(OptionList).options if not row.disabled)
            number = int(event.key)
            self.post_message(self.Numbered(number, next(islice(rows, number - 1, None), None)))


def number_of(number: int, words: str) -> str:
    """Return the start of an item's row: its number, from 1, if that chooses it.

    With text in the filter, a digit is part of that.
    """
    return f"{number} " if number <= len(_NUMBERS) and not words else "  "


class MenuList(OptionList, can_focus=False):
    """Items of a menu; the filter above keeps the focus."""

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.option_count

    def on_resize(self) -> None:
        """Keep the highlighted item in view when the list becomes lower."""
        self.scroll_to_highlight()


class Menu(Dialog[str]):
    """Lets the user choose one item; dismisses with its key, or None.

    If the items are given as a function, `refresh_items` calls it again.
    """

    IS_GUARDED = False
    FRAME_ROWS = 6
    PAGE_DOWN = "menu.page-down"
    FILTER: ClassVar[type[InputLine]] = MenuFilter
    """The filter; only with a `MenuFilter` the first items have numbers."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Close", id="menu.close"),
        Binding("up", "move('cursor_up')", "Up", show=False, id="menu.up"),
        Binding("down", "move('cursor_down')", "Down", show=False, id="menu.down"),
        Binding("pageup", "move('page_up')", "Page up", show=False, id="menu.page-up"),
        Binding("pagedown", "move('page_down')", "Page down", show=False, id="menu.page-down"),
    ]

    def __init__(self, title: str, items: Items, current: Current, styles: Styles) -> None:
        super().__init__(title, styles)
        self._find_items = items if callable(items) else lambda: items
        self._find_current = current if callable(current) else lambda: current
        self.items: list[MenuItem] = list(self._find_items())
        """All items."""
        self._current = self._find_current()
        self._shown: dict[Option, MenuItem] = {}
        self._made: dict[tuple[MenuItem, str], MenuRow] = {}
        """Rows of all items listed so far, so that narrowing a long list creates none again."""
        self._listed = ""
        """Text of the filter for the listed items."""
        self._made_for = -1
        """Width of the column of labels in these rows."""
        self.place = MenuPlace()
        """Position to start at."""
        self.nothing = _NO_MATCH
        """Text in place of missing items."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield self.FILTER(
                self.place.words, placeholder="type to filter", id="filter", select_on_focus=False
            )
            yield MenuList(id="body", markup=False)
            yield Static(id="nothing")
            yield Static(id="below")
            with Vertical(id="answers"):
                yield Static(id="about")
            yield Static(id="hints")

    def on_mount(self) -> None:
        """List all items, with the current one highlighted."""
        self._list(self.place.words)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        move = pair_of(self, "menu.up", "menu.down")
        return [(move, "move"), ("Enter", "choose"), (key_of(self, "menu.close"), "close")]

    @property
    @override
    def has_parts(self) -> bool:
        return super().has_parts and bool(self.query("#about"))

    @override
    def fit(self) -> None:
        self._show_about()
        super().fit()
        self.call_after_refresh(self.body.scroll_to_highlight)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.has_parts:
            self._show_about()

    def _show_about(self) -> None:
        """Show the whole of what is said of the highlighted item below a list in which some rows are cut."""
        about, place = self.query_one("#about", Static), self.body.highlighted
        room = self.body.scrollable_content_region.width - _ROW_PADDING
        prompts = (option.prompt for option in self.body.options[:_MEASURED])
        rows = [one.cell_length if isinstance(one, Content) else 0 for one in prompts]
        if (room > 0 and any(cells > room for cells in rows)) != about.display:
            about.display = not about.display
            self.after_refresh(self.fit)
        text = ""
        if place is not None and place < len(rows) and rows[place] > room:
            item = self._shown[self.body.options[place]]
            text = safe_line(start_of(item.description or item.label, _LONGEST))
        about.update(Content(text))

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one(Input)

    def action_move(self, how: str) -> None:
        """Highlight another item."""
        move_highlight(self.body, how)

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._list(event.value)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self._listed:  # Enter came in the same read as letters
            self._list(event.value)
        self.body.action_select()

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(event.option)

    @on(MenuFilter.Numbered)
    def _choose_number(self, event: MenuFilter.Numbered) -> None:
        event.stop()
        if event.row is not None:
            self._take(event.row)
        else:
            self.query_one(Input).insert(str(event.number), 0)

    def _take(self, row: Option) -> None:
        """Dismiss with the item of a row; the list may have changed since, and may have lost the item."""
        if isinstance(row, MenuRow) and any(item.key == row.item.key for item in self.items):
            self.dismiss(row.item.key)

    def _number(self, words: str) -> str:
        """Return the number of the next item, as its row begins."""
        return number_of(len(self._shown) + 1, words) if issubclass(self.FILTER, MenuFilter) else ""

    @property
    @override
    def body(self) -> MenuList:
        return self.query_one(MenuList)

    def _list(self, words: str) -> None:
        """List the matching items; keep the highlighted one if it is among them."""
        self._listed = words
        found = self.matching(words)
        if self._made_for != self._column:
            self._made.clear()
            self._made_for = self._column
        kept = self.highlighted_key() or self.place.key or self._current
        self._shown = {}
        options: list[Option] = []
        group, column = "", self._column
        for item in found:
            if item.group != group:
                group = item.group
                options.append(Option(Content.styled(safe_line(group), "bold $muted"), disabled=True))
            number = self._number(words)
            option = self._made.get((item, number)) or MenuRow(
                item, Content.assemble((number, "$muted"), self.row(item, column))
            )
            self._made[item, number] = option
            self._shown[option] = item
            options.append(option)
        self.body.set_options(options)
        nothing = self.query_one("#nothing", Static)
        nothing.display = not found
        nothing.update(Content(_NO_MATCH if self.items else self.nothing))
        self.body.display = bool(found)
        self.query_one("#filter").set_class(not words and len(self.items) <= _FEW, "-unseen")
        self._highlight(options, kept)
        self.after_refresh(self.fit)

    def set_items(self, items: Sequence[MenuItem]) -> None:
        """List other items; keep the highlighted one if it is among them.

        Otherwise none is highlighted: Enter for a removed item must not choose another one.
        """
        self.items = list(items)
        self._made_for = -1
        self.__dict__.pop("_column", None)
        if not self.is_mounted:
            return
        moved_to = self.highlighted_key()
        self._list(self.query_one(Input).value)
        if moved_to is not None and all(item.key != moved_to for item in items):
            self.body.highlighted = None

    def refresh_items(self) -> None:
        """List the current items."""
        items, current = list(self._find_items()), self._find_current()
        if (items, current) != (self.items, self._current):
            self._current = current
            self.set_items(items)

    def move_to(self, key: str | None) -> None:
        """Highlight an item by its key, or the first."""
        self._highlight(self.body.options, key)

    @cached_property
    def _column(self) -> int:
        """Cells of the column of labels."""
        widest = max((cell_len(safe_line(item.label)) for item in self.items), default=0)
        return min(widest, _LABEL_CELLS)

    def highlighted_key(self) -> str | None:
        """Return the key of the highlighted item."""
        highlighted = self.body.highlighted
        return None if highlighted is None else self._shown[self.body.options[highlighted]].key

    def place_without(self) -> MenuPlace:
        """Return the position without the highlighted item: the next item, else the one before."""
        keys = [self._shown[option].key for option in self.body.options if option in self._shown]
        key = self.highlighted_key()
        at = keys.index(key) if key in keys else 0
        others = [*keys[at + 1 : at + 2], *keys[max(0, at - 1) : at]]
        return MenuPlace(self.query_one(Input).value, next(iter(others), None))

    def matching(self, words: str) -> list[MenuItem]:
        """Return the items that match the words of the filter."""
        return matching(self.items, words)

    def _highlight(self, options: Sequence[Option], key: str | None) -> None:
        choosable = [number for number, option in enumerate(options) if option in self._shown]
        same = [number for number in choosable if self._shown[options[number]].key == key]
        self.body.highlighted = next(iter(same or choosable), None)

    def row(self, item: MenuItem, column: int) -> Content:
        """Return the row of an item, with labels in a column of `column` cells."""
        mark = self.theme_styles.symbol("current") if item.key == self._current else " "
        label, about = (safe_line(start_of(text, _LONGEST)) for text in (item.label, item.description))
        gap = " " * max(0, column - cell_len(label))
        return Content.assemble((f"{mark} ", "$accent"), label, (f"{gap}  {about}", "$muted"))


class LineDialog(Dialog[str]):
    """Takes one line of text; dismisses with it, or None."""

    IS_GUARDED = False

    def __init__(
        self,
        heading: str,
        text: str,
        styles: Styles,
        *,
        placeholder: str,
        does: str,
        below: str = "",
        longest: int = 0,
    ) -> None:
        """Ask for a line, with a text to start with.

        Args:
            heading: shown in the frame.
            text: the first content of the field.
            styles: the theme's styles.
            placeholder: shown in the empty field.
            does: the effect of Enter.
            below: shown below the field.
            longest: maximum characters; 0 for no limit.
        """
        super().__init__(heading, styles)
        self._text = text
        self._placeholder = placeholder
        self._does = does
        self._below = below
        self._longest = longest

    @override
    def compose_body(self) -> ComposeResult:
        yield InputLine(self._text, placeholder=self._placeholder, max_length=self._longest)
        if self._below:
            yield Static(Content.styled(safe_line(self._below), "$muted"))

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        return [("Enter", self._does), (key_of(self, "dialog.put-aside"), "close")]

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one(Input)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)
