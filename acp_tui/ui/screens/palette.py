"""The command palette: every command, the agent's commands and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

import frizbee
from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.screen import Screen
from typing_extensions import override

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.ui.application.command_table import COMMANDS, agent_word
from acp_tui.ui.application.key_settings import actions_of
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.rows.keys import KeyLine
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, start_of

Kind = Literal["command", "action", "slash", "theme"]
"""A command of the table, an action of a widget, a command of the agent, or a theme."""

_OF_AGENT: Final = "Commands of the agent"
_THEMES: Final = "Themes"
_KEYS: Final = 13
"""Cells of the column of keys."""
_LONGEST: Final = 200
"""Most cells of a label or a description: an agent may send megabytes."""


class Palette(Menu):
    """Lets the user choose a command; dismisses with the key of an item, see `chosen`."""

    FILTER = InputLine

    def __init__(self, items: Sequence[MenuItem], styles: Styles) -> None:
        super().__init__("Commands", items, None, styles)

    @override
    def matching(self, words: str) -> list[MenuItem]:
        """Return the items for the words, the best first; themes only if there are words."""
        if not words.strip():
            return [item for item in self.items if item.group != _THEMES]
        return ranked(self.items, words)

    @override
    def row(self, item: MenuItem, column: int) -> Content:
        label, about = (safe_line(start_of(text, _LONGEST)) for text in (item.label, item.description))
        gap = " " * max(0, column - cell_len(label))
        keys = set_cell_size(item.keys, _KEYS)
        return Content.assemble("  ", label, gap, (f"  {keys}", "$accent"), (about, "$muted"))


def ranked(items: Sequence[MenuItem], words: str) -> list[MenuItem]:
    """Return the items that have all words, the best match first, without headings.

    If there are none, items with a similar label: a letter may be wrong or missing.
    """
    wanted = words.casefold().split()
    found = [(rank, item) for item in items if (rank := _rank(item, wanted)) is not None]
    if not found:
        matcher = frizbee.Matcher.from_patterns(wanted, max_items=_NEAR)
        return [
            items[match.index]
            for match in matcher.match_list(frizbee.Haystacks([one.label for one in items]))
        ]
    return [_bare(item) for _, item in sorted(found, key=lambda pair: pair[0])]


_NEAR: Final = 8
"""Most items that are listed although they have none of the words."""


def _bare(item: MenuItem) -> MenuItem:
    """Return an item without its heading."""
    return MenuItem(item.key, item.label, item.description, "", item.synonyms, item.keys)


def _rank(item: MenuItem, wanted: Sequence[str]) -> int | None:
    """Return 0 for the best match; None if a word is missing."""
    label, others = item.label.casefold(), item.synonyms.casefold().split()
    rest = f"{label} {item.description} {item.group} {item.synonyms}".casefold()
    total = 0
    for word in wanted:
        if others[:1] == [word]:
            rank = -1  # the word of the command itself
        elif label.startswith(word) or word in others:
            rank = 0
        elif f" {word}" in label or f"/{word}" in label:
            rank = 1
        elif any(other.startswith(word) for other in others):
            rank = 2
        elif word in label:
            rank = 3
        elif word in rest:
            rank = 4
        else:
            return None
        total += rank
    return total


def palette_items(
    screen: Screen[Any],
    can_run: Callable[[str], bool],
    of_agent: Sequence[AvailableCommand],
    themes: Sequence[str],
) -> list[MenuItem]:
    """Return every command that is available on a screen.

    Args:
        screen: the screen below the palette.
        can_run: returns whether a command of the table has something to act on.
        of_agent: the agent's slash commands.
        themes: the names of the themes.
    """
    lines = actions_of(screen)
    keys = {line.name: " ".join(line.keys[:2]) for line in lines}
    return [
        *_commands(keys, can_run),
        *_actions(lines, screen),
        *(
            MenuItem(f"slash:{word}", f"/{word}", one.description.partition("\n")[0], _OF_AGENT)
            for one in of_agent
            for word in [agent_word(one.name)]
        ),
        *(MenuItem(f"theme:{name}", f"Theme: {name}", "", _THEMES) for name in themes),
    ]


def chosen(key: str) -> tuple[Kind, str]:
    """Return the kind and the name of an item by its key."""
    kind, _, name = key.partition(":")
    return kind, name  # type: ignore[return-value]  # the keys are made above


def _commands(keys: dict[str, str], can_run: Callable[[str], bool]) -> Iterator[MenuItem]:
    """Yield the commands of the table, by task; those with the same title are joined."""
    groups = dict.fromkeys(command.group for command in COMMANDS)
    titles: set[str] = set()
    for command in sorted(COMMANDS, key=lambda one: list(groups).index(one.group)):
        is_number = command.name.startswith("app.go-")
        if is_number or command.title in titles or command.name == "app.palette" or not can_run(command.name):
            continue
        titles.add(command.title)
        words = " ".join((*command.slash, command.synonyms))
        shown = keys.get(command.name, "") or (f"/{command.slash[0]}" if command.slash else "")
        yield MenuItem(f"command:{command.name}", command.title, command.summary, command.group, words, shown)


def _actions(lines: Sequence[KeyLine], screen: Screen[Any]) -> Iterator[MenuItem]:
    """Yield the actions of the prompt, and those of the focused widget."""
    ours = {command.name for command in COMMANDS}
    for line in lines:
        if line.name not in ours and (line.node is screen.focused or line.name.startswith("prompt.")):
            yield MenuItem(
                f"action:{line.name}", line.description, "", line.group, "", " ".join(line.keys[:2])
            )
