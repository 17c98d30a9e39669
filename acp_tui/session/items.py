"""What a tool call brought, as small values: a long session holds thousands, and a word takes much more room.

What the words hold beside that (annotations, extensions) is of no use to any view; the journal has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from acp_tui.acp import tools
from acp_tui.acp.content import TextContent


@dataclass(slots=True)
class Text:
    """A text that a tool produced: Markdown, or what a program printed."""

    text: str


@dataclass(slots=True)
class Diff:
    """A report of one changed file; never a request to write it."""

    path: str
    new_text: str
    old_text: str | None = None

    @property
    def before(self) -> str | None:
        """The text before the change; None for a new file, however the agent says it."""
        return self.old_text or None


@dataclass(slots=True)
class Location:
    """A place that a tool call works on."""

    path: str
    line: int | None = None


Item = Text | Diff | tools.ContentItem | tools.TerminalItem | tools.UnknownItem
"""A piece of what a tool call brought; a `ContentItem` is anything but text."""

NO_ITEMS: Final[tuple[Item, ...]] = ()
NO_PLACES: Final[tuple[Location, ...]] = ()


def absolute(path: str, cwd: str) -> str:
    """Return a path that an agent names as it is meant in a folder."""
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def items_of(content: Iterable[tools.ToolCallContent]) -> tuple[Item, ...]:
    """Return the content of a tool call as it is kept."""
    return tuple([_item(word) for word in content])


def places_of(locations: Iterable[tools.Location]) -> tuple[Location, ...]:
    """Return the locations of a tool call as they are kept."""
    return tuple([Location(place.path, place.line) for place in locations])


def _item(word: tools.ToolCallContent) -> Item:
    if isinstance(word, tools.Diff):
        return Diff(word.path, word.new_text, word.old_text)
    if isinstance(word, tools.ContentItem) and isinstance(word.content, TextContent):
        return Text(word.content.text)
    return word
