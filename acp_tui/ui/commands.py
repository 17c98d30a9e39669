"""What the command palette offers: every action, every theme, and the agent's own commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import set_cell_size
from textual.actions import parse
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher
from textual.types import IgnoreReturnCallbackType

from acp_tui.ui.widgets.key_map import KeyLine, key_map
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.acp.commands import Command

_NAME: Final = 30
"""Cells of the column of names."""


class Offer(NamedTuple):
    """One line of the palette."""

    name: str
    help: str
    run: IgnoreReturnCallbackType


class Palette(CommandPalette):
    """The command palette; pages are turned only in a list that is laid out."""

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError, IndexError):  # Textual asks where a row is that has no place yet
            super()._action_command_list(action)


def commands(
    slash_commands: Callable[[], Sequence[Command]],
    use_command: Callable[[str], object],
    themes: Callable[[], Sequence[str]],
    use_theme: Callable[[str], object],
) -> type[Provider]:
    """Return a provider for the command palette of the app.

    Args:
        slash_commands: the agent's commands as of now.
        use_command: what to do with the name of one that was chosen, without its slash.
        themes: the names of the themes.
        use_theme: what to do with the one that was chosen.
    """

    class Commands(Provider):
        """Lists what can be done."""

        async def discover(self) -> Hits:
            """Offer everything."""
            for offer in self._offers():
                yield DiscoveryHit(_shown(Content(offer.name), offer), offer.run, text=offer.name)

        async def search(self, query: str) -> Hits:
            """Offer what matches."""
            matcher = self.matcher(query)
            for offer in self._offers():
                score = matcher.match(offer.name)
                if score > 0:
                    name = _highlighted(matcher, offer.name)
                    yield Hit(score, _shown(name, offer), offer.run, text=offer.name)

        def _offers(self) -> Iterator[Offer]:
            for line in filter(_can_be_done, key_map(self.screen)):
                keys = set_cell_size(" ".join(line.keys), 12)
                run = partial(self.app.run_action, line.action, line.node)
                yield Offer(line.description, f"{keys}{line.group}", run)
            for command in slash_commands():
                name = safe_line(command.name)
                yield Offer(f"/{name}", safe_line(command.description), partial(use_command, command.name))
            for theme in themes():
                yield Offer(f"Theme: {safe_line(theme)}", "", partial(use_theme, theme))

    return Commands


def _can_be_done(line: KeyLine) -> bool:
    """Whether there is something for an action to act on now."""
    _, action, parameters = parse(line.action)
    return line.node.check_action(action, parameters) is not False


def _shown(name: Content, offer: Offer) -> Content:
    """Put the help beside the name; Textual would read it as markup, and take a second row for it."""
    gap = max(2, _NAME - name.cell_length)
    return Content.assemble(name, " " * gap, (offer.help, "not bold $muted")) if offer.help else name


def _highlighted(matcher: Matcher, name: str) -> Content:
    """Mark what matched; the matcher's own way would read the name as markup."""
    shown = Content(name)
    for offset in matcher.fuzzy_search.match(matcher.query, name)[1]:
        shown = shown.stylize(matcher.match_style, offset, offset + 1)
    return shown
