"""The help screen: current keys, answers to questions, and the places of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from string import digits
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui.ui.application.key_settings import actions_of
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of, key_of_kind
from acp_tui.ui.widgets.rows.keys import KeyLine
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.textual_internals import ExactLayout

_KEYS: Final = 11
"""Cells for the keys in a column."""
_GAP: Final = 3
"""Cells between columns."""
_FRAME_ROWS: Final = 6
"""Rows of the border, the filter, and above and below the box."""
_FRAME: Final = 7
"""Cells of the border, the padding and the scrollbar."""

_QUESTIONS: Final = (
    ("permission.allow-once", "allow once"),
    ("permission.allow-always", "allow always"),
    ("permission.reject-once", "reject once"),
    ("permission.reject-always", "reject always"),
    ("permission.up", "select the option above"),
    ("permission.down", "select the option below"),
    ("permission.choose", "confirm the selected option"),
    ("permission.reject-with-reason", "reject with a reason"),
    ("permission.next", "next pending question"),
    ("dialog.put-aside", "decide later"),
)
"""Keys of permission dialogs, with their actions."""


class HelpScreen(ExactLayout, ModalScreen[None]):
    """Shows the keys of the screen below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "close", "Close", id="help.close"),
        Binding("up", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("down", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("pageup", "scroll(-20)", "Page up", show=False, id="help.page-up"),
        Binding("pagedown", "scroll(20)", "Page down", show=False, id="help.page-down"),
    ]
    AUTO_FOCUS = "Input"

    def __init__(
        self,
        styles: Styles | None = None,
        places: Mapping[str, str] | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        """Show the help.

        Args:
            styles: the theme's styles.
            places: paths by name, such as {"settings": "…/settings.toml"}.
            problems: mistakes in the user's own keys.
        """
        super().__init__()
        self.theme_styles = styles or Styles()
        self._places = places or {}
        self._problems = problems
        self._lines: Sequence[KeyLine] = ()
        self._words = ""
        self._width = 0.0
        """Largest width of the box so far, in cells: filtering does not make it narrower."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield InputLine(placeholder="type to filter", id="filter")
            with VerticalScroll(id="body", can_focus=False):
                yield Static(id="keys")

    def on_mount(self) -> None:
        """Read the keys of the screen below."""
        box = self.query_one("#help")
        box.border_title = Content("help")
        box.border_subtitle = Content(f"{key_of(self, 'help.close')} closes")
        below = [screen for screen in self.app.screen_stack if screen is not self]
        self._lines = actions_of(below[-1])
        self._show()

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._words = event.value
        self._show()

    def on_resize(self) -> None:
        """Lay out the columns that fit."""
        self._show()

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows, or by a page for many."""
        body = self.query_one("#body")
        body.scroll_relative(y=max(-body.size.height, min(body.size.height, rows)), animate=False)

    def _show(self) -> None:
        box = self.query_one("#help")
        files, problems = places(self._places), wrong(self._problems)
        if self._words.strip():
            files, problems = [], []
            found = [line for line in self._lines if _matches(line, self._words)]
            parts = [*sections(found, named=True), *matching_parts([self._questions()], self._words)]
        else:
            parts = [*sections(self._lines), self._questions()]
        keys = laid_out(parts, self.size.width - _FRAME) if parts else [Content(_NO_MATCH)]
        width = max(line.cell_length for line in (*problems, *keys, *files))
        box.styles.width = min(self.size.width, max(self._width, width + _FRAME))
        self._width = box.styles.width.value if box.styles.width is not None else 0
        self.query_one("#body").styles.max_height = max(3, self.size.height - _FRAME_ROWS)
        self.query_one("#keys", Static).update(Content("\n").join([*problems, *keys, *files]))

    def _questions(self) -> list[Content]:
        keys = [key_of_kind(self.app, PermissionDialog, name) for name, _ in _QUESTIONS]
        lines = [_line(key, what) for key, (_, what) in zip(keys, _QUESTIONS, strict=True)]
        return [Content.styled("Questions of the agent", "bold $heading"), *lines]


_NO_MATCH: Final = "No key matches."


def _matches(line: KeyLine, words: str) -> bool:
    """Return whether an action has all words; a word with a dot may be part of its name."""
    text = f"{line.group} {' '.join(line.keys)} {line.description}".casefold()
    return all(word in text or ("." in word and word in line.name) for word in words.casefold().split())


def matching_parts(parts: Sequence[Sequence[Content]], words: str) -> list[list[Content]]:
    """Return the lines with all words, below their headings."""
    wanted = words.casefold().split()
    found: list[list[Content]] = []
    for heading, *lines in parts:
        text = heading.plain.casefold()
        kept = [line for line in lines if all(word in f"{text} {line.plain.casefold()}" for word in wanted)]
        if kept:
            found.append([heading, *kept])
    return found


def sections(lines: Sequence[KeyLine], *, named: bool = False) -> list[list[Content]]:
    """Return the groups of actions, each a heading with its lines; `named` adds the names in the settings."""
    return [
        [Content.styled(heading, "bold $heading"), *(_named(group) if named else _folded(group))]
        for heading, group in groupby(lines, key=lambda line: line.group)
    ]


def _folded(lines: Iterable[KeyLine]) -> Iterator[Content]:
    return (_line(keys, what) for keys, what in folded(lines))


def _named(lines: Iterable[KeyLine]) -> Iterator[Content]:
    for line in lines:
        yield Content.assemble(_line(" ".join(line.keys), line.description), (f"  {line.name}", "$muted"))


def folded(lines: Iterable[KeyLine]) -> list[tuple[str, str]]:
    """Return (keys, description) of each line; numbered ones, such as Session 1 to 9, are joined."""
    words = [(" ".join(line.keys), line.description) for line in lines]
    found: list[tuple[str, str]] = []
    for _, group in groupby(words, key=lambda pair: tuple(map(_uncounted, pair))):
        run = list(group)
        (first, what), (last, last_what) = run[0], run[-1]
        if len(run) > 2:
            run = [(f"{first}-{_number(last)}", f"{what} to {_number(last_what)}")]
        found += run
    return found


def _uncounted(text: str) -> str:
    return text.rstrip(digits)


def _number(text: str) -> str:
    return text.removeprefix(_uncounted(text))


def laid_out(parts: Sequence[Sequence[Content]], width: int) -> list[Content]:
    """Lay out all parts in as many columns, up to three, as fit into `width` cells."""
    for count in (3, 2):
        rows = beside(columns(parts, count))
        if all(row.cell_length <= width for row in rows):
            return rows
    return beside(columns(parts, 1))


def columns(parts: Sequence[Sequence[Content]], count: int) -> list[list[Content]]:
    """Split the lines of all parts into `count` columns of about equal height, a blank line between parts.

    A part may continue in the next column, but its heading is never alone.
    """
    lines = [line for part in parts for line in (*part, Content(""))][:-1]
    headings = {id(part[0]) for part in parts if part}
    height = -(-len(lines) // count)
    found: list[list[Content]] = []
    while lines:
        cut = min(height, len(lines))
        if id(lines[cut - 1]) in headings and len(found) < count - 1:
            cut -= 1
        cut = len(lines) if len(found) == count - 1 else max(1, cut)
        found.append(lines[:cut])
        lines = lines[cut:]
        while lines and not lines[0].plain:
            lines.pop(0)
    return found


def beside(given: Sequence[Sequence[Content]]) -> list[Content]:
    """Return columns side by side, each as wide as its longest line."""
    widths = [max((line.cell_length for line in column), default=0) + _GAP for column in given]
    widths[-1:] = [0]  # nothing follows the last column
    rows = []
    for number in range(max(map(len, given), default=0)):
        cells = [column[number] if number < len(column) else Content("") for column in given]
        padded = (
            cell.pad_right(max(0, width - cell.cell_length))
            for cell, width in zip(cells, widths, strict=True)
        )
        rows.append(Content.assemble(*padded))
    return rows


def wrong(problems: Sequence[str]) -> list[Content]:
    """Return the mistakes in the user's own keys, one a line."""
    if not problems:
        return []
    lines = [Content.styled(safe_line(problem), "$warning") for problem in problems]
    return [Content.styled("Keys in your settings", "bold $heading"), *lines, Content("")]


def places(files: Mapping[str, str]) -> list[Content]:
    """Return the places of files, one a line."""
    if not files:
        return []
    lines = [_line(safe_line(name), safe_line(path)) for name, path in files.items()]
    return [Content(""), Content.styled("Files", "bold $heading"), *lines]


def _line(keys: str, text: str) -> Content:
    wide = cell_len(keys) >= _KEYS
    return Content.assemble((f"{keys} " if wide else set_cell_size(keys, _KEYS), "$accent"), text)
