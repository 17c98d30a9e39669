"""A menu: a titled list that narrows while the person types; for modes, models, sessions and themes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.store.prompts import Prompt
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line, start_of

_LABEL_CELLS = 36
"""Widest column of labels; a longer label moves its own description to the right."""
_LONGEST: Final = 200
"""Cells of a label or a description that are drawn, however much of it an agent sends."""

_NO_MATCH = "nothing matches"


@dataclass(frozen=True)
class Item:
    """One thing to choose."""

    key: str
    """What the menu dismisses with; any text."""
    label: str
    description: str = ""
    group: str = ""
    """Heading that it stands under; items of one group follow each other."""


def matching(items: Iterable[Item], words: str) -> list[Item]:
    """Return the items that contain every word somewhere, in whichever case."""
    wanted = words.casefold().split()
    return [
        item
        for item in items
        if all(word in f"{item.label} {item.description} {item.group}".casefold() for word in wanted)
    ]


class Place(NamedTuple):
    """Where somebody was in a menu, for the next one of its kind."""

    words: str = ""
    """What stood in the filter."""
    key: str | None = None
    """The key of the item that was moved to."""


class MenuList(OptionList, can_focus=False):
    """The items of a menu; the line above has the focus."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return a row for each item: none is wrapped, and none has to be measured."""
        return self.option_count

    def on_resize(self) -> None:
        """Keep the chosen item in view: the list may have become lower since it was scrolled to."""
        self.scroll_to_highlight()


class Menu(Dialog[str]):
    """Lets the person choose one item; dismisses with its key, or None."""

    IS_GUARDED = False
    FRAME_ROWS = 6
    PAGE_DOWN = "menu.page-down"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Close", id="menu.close"),
        Binding("up", "move('cursor_up')", "Up", show=False, id="menu.up"),
        Binding("down", "move('cursor_down')", "Down", show=False, id="menu.down"),
        Binding("pageup", "move('page_up')", "Page up", show=False, id="menu.page-up"),
        Binding("pagedown", "move('page_down')", "Page down", show=False, id="menu.page-down"),
    ]

    def __init__(self, title: str, items: Sequence[Item], current: str | None, look: Look) -> None:
        super().__init__(title, look)
        self._items = list(items)
        self._shown: dict[Option, Item] = {}
        self._made: dict[Item, Option] = {}
        """The rows of all items that were listed before: narrowing a long list makes none anew."""
        self._made_for = -1
        """How wide their labels are."""
        self._current = current
        self.place = Place()
        """Where to begin."""
        self.nothing = _NO_MATCH
        """What it says while there is nothing to choose."""

    def compose(self) -> ComposeResult:
        """Yield the filter and the items below it."""
        with Vertical(id="box"):
            yield InputLine(
                self.place.words, placeholder="type to filter", id="filter", select_on_focus=False
            )
            yield MenuList(id="body", markup=False)
            yield Static(id="nothing")
            yield Static(id="below")
            yield Vertical(id="answers")
            yield Static(id="hints")

    def on_mount(self) -> None:
        """List everything, with the current item chosen."""
        self._list(self.place.words)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        move = pair_of(self, "menu.up", "menu.down")
        return [(move, "move"), ("Enter", "choose"), (key_of(self, "menu.close"), "close")]

    def fit(self) -> None:
        """Keep the chosen item in view, however high the list has become."""
        super().fit()
        self.call_after_refresh(self.body.scroll_to_highlight)

    def first_focus(self) -> Widget | None:
        """Return the filter."""
        return self.query_one(Input)

    def action_move(self, how: str) -> None:
        """Move to another item."""
        getattr(self.body, f"action_{how}")()

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._list(event.value)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.body.action_select()

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._shown[event.option].key)

    @property
    def body(self) -> MenuList:
        """The list, which scrolls by itself."""
        return self.query_one(MenuList)

    def _list(self, words: str) -> None:
        """Show what matches, keeping the item that was moved to if it still does."""
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
            option = self._made.get(item) or Option(self._row(item, column))
            self._made[item] = option
            self._shown[option] = item
            options.append(option)
        self.body.set_options(options)
        nothing = self.query_one("#nothing", Static)
        nothing.display = not found
        nothing.update(Content(_NO_MATCH if self._items else self.nothing))
        self.body.display = bool(found)
        self._highlight(options, kept)
        self.after_refresh(self.fit)

    def set_items(self, items: Sequence[Item]) -> None:
        """List other items from now on; the one that was moved to stays so while it is among them.

        Else none is moved to: a key that was meant for the one that is gone does nothing to another.
        """
        self._items = list(items)
        self._made_for = -1
        self.__dict__.pop("_column", None)
        if not self.is_mounted:
            return
        moved_to = self.highlighted_key()
        self._list(self.query_one(Input).value)
        if moved_to is not None and all(item.key != moved_to for item in items):
            self.body.highlighted = None

    def move_to(self, key: str | None) -> None:
        """Move to an item by its key; to the first where it is not listed."""
        self._highlight(self.body.options, key)

    @cached_property
    def _column(self) -> int:
        """Cells of the column of labels."""
        widest = max((cell_len(safe_line(item.label)) for item in self._items), default=0)
        return min(widest, _LABEL_CELLS)

    def highlighted_key(self) -> str | None:
        """Return the key of the item that was moved to."""
        highlighted = self.body.highlighted
        return None if highlighted is None else self._shown[self.body.options[highlighted]].key

    def place_without(self) -> Place:
        """Return where to go on once the item that was moved to is gone: the one after it, else before it."""
        keys = [self._shown[option].key for option in self.body.options if option in self._shown]
        key = self.highlighted_key()
        at = keys.index(key) if key in keys else 0
        others = [*keys[at + 1 : at + 2], *keys[max(0, at - 1) : at]]
        return Place(self.query_one(Input).value, next(iter(others), None))

    def matching(self, words: str) -> list[Item]:
        """Return the items that are listed while `words` stand in the filter."""
        return matching(self._items, words)

    def _highlight(self, options: Sequence[Option], key: str | None) -> None:
        choosable = [number for number, option in enumerate(options) if option in self._shown]
        same = [number for number in choosable if self._shown[options[number]].key == key]
        self.body.highlighted = next(iter(same or choosable), None)

    def _row(self, item: Item, column: int) -> Content:
        mark = self.look.glyph("current") if item.key == self._current else " "
        label, about = (safe_line(start_of(text, _LONGEST)) for text in (item.label, item.description))
        gap = " " * max(0, column - cell_len(label))
        return Content.assemble((f"{mark} ", "$accent"), label, (f"{gap}  {about}", "$muted"))


class LiveMenu(Menu):
    """A menu of what there is now, also once it is open; what the keys are on stays so."""

    def __init__(
        self, title: str, items: Callable[[], Sequence[Item]], current: Callable[[], str | None], look: Look
    ) -> None:
        super().__init__(title, items(), current(), look)
        self._items_now, self._current_now = items, current

    def refresh_items(self) -> None:
        """List what there is by now."""
        items, current = list(self._items_now()), self._current_now()
        if (items, current) != (self._items, self._current) and self.is_mounted:
            self._current = current
            self.set_items(items)


class NameDialog(Dialog[str]):
    """Takes a name; dismisses with it, or None. An empty one stands for the agent's own title."""

    IS_GUARDED = False

    def __init__(self, name: str, title: str, longest: int, look: Look) -> None:
        """Begin with the name of now; `title` is what the tab says without one."""
        super().__init__("Name of this session", look)
        self._name_now = name
        self._own_title = title
        self._longest = longest

    def compose_body(self) -> ComposeResult:
        """Yield the field, and what comes without a name."""
        yield InputLine(self._name_now, placeholder="a name of your own", max_length=self._longest, id="name")
        yield Static(
            Content.styled(f"Empty: {safe_line(self._own_title)}", "$muted"), id="without", markup=False
        )

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [("Enter", "keep"), (key_of(self, "dialog.put-aside"), "close")]

    def first_focus(self) -> Widget | None:
        """Return the field."""
        return self.query_one(Input)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)


_SHOWN: Final = 200
"""Prompts that are listed at most; letters find all."""

_SEARCHED: Final = 400
"""Characters of a prompt in which letters are looked for."""


class PastPrompts(Menu):
    """Lets the person choose a prompt, the newest first; dismisses with its place as text, or None."""

    def __init__(self, prompts: Sequence[Prompt], look: Look) -> None:
        """Take the prompts, the newest last; of equal ones the newest is shown."""
        newest: dict[str, Item] = {}
        for place, prompt in reversed(list(enumerate(prompts))):
            text = " ".join(prompt.text[:_SEARCHED].split())
            newest.setdefault(text, Item(str(place), text))
        super().__init__("History", list(newest.values()), None, look)

    def matching(self, words: str) -> list[Item]:
        """Return the prompts that hold the letters in order; a word's letters may be apart."""
        from frizbee import Haystacks, Matcher

        if not words.strip():
            return self._items[:_SHOWN]
        labels = Haystacks([item.label for item in self._items])
        matcher = Matcher.from_patterns(words.split(), max_items=_SHOWN)
        return [self._items[match.index] for match in matcher.match_list(labels)]


class ThemeMenu(Menu):
    """Lets the person choose a theme; `show` draws everything in the one that was moved to."""

    def __init__(self, names: Sequence[str], current: str, look: Look, show: Callable[[str], object]) -> None:
        super().__init__("Theme", [Item(name, name) for name in names], current, look)
        self._show_theme = show
        self._seen = current

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme, once the keys are on another one."""
        event.stop()
        name = self.highlighted_key()
        if name is not None and name != self._seen and self.is_current:
            self._seen = name
            self._show_theme(name)


READ: Final = "read"
HERE: Final = "here"
OTHER: Final = "other"


def folder_menu(gone: str, here: str, look: Look) -> Menu:
    """Return the menu of what can be done; a key that comes by itself does nothing but read on."""
    items = [
        Item(READ, "Read only", "nothing is started", gone),
        Item(HERE, "Go on here", here, gone),
        Item(OTHER, "Choose a folder", "type where the session goes on", gone),
    ]
    return Menu("The folder of this session is not there any more", items, READ, look)


class FolderDialog(Dialog[str]):
    """Takes the path of a folder; dismisses with it, or None."""

    IS_GUARDED = False

    def __init__(self, path: str, title: str, look: Look) -> None:
        super().__init__(title, look)
        self._path = path

    def compose_body(self) -> ComposeResult:
        """Yield the field."""
        yield InputLine(self._path, placeholder="a folder that is there", id="folder")

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [("Enter", "go on there"), (key_of(self, "dialog.put-aside"), "close")]

    def first_focus(self) -> Widget | None:
        """Return the field."""
        return self.query_one(Input)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)
