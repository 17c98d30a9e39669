"""The base class of chat blocks; each block shows one entry."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from typing_extensions import override

from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.session.entries import Entry, ToolCall
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock, one_row
from acp_tui.workspace.terminals import Terminal


@dataclass
class BlockContext:
    """The data and functions that the blocks of a chat share."""

    cwd: str
    terminal: Callable[[str], Terminal | None]
    """Returns a live terminal by its id; None if the client does not run it, or no longer."""
    redraw: Callable[[Block], None]
    """Tells the view that a block has new rows."""
    symbol: Callable[[str], str]
    """Returns a symbol by its name."""
    asks: Callable[[ToolCall], bool]
    """Returns whether a tool call waits for the user's permission."""
    refused: Callable[[ToolCall, str], Sequence[str]] = lambda call, text: ()
    """Returns a line for each refusal of the sandbox in a call's output."""
    name_of: Callable[[str], str] = str
    """Returns the name of a session of the agent by its id."""
    key: Callable[[str], str] = str
    """Returns the display name of an action's key by the name of its binding."""
    fold_turns: bool = False
    """True if all turns but the last are folded."""
    pictures: bool = False
    """True if the terminal has the colours for pictures."""
    edits: EditPlaces | None = None
    """Locates edits in their files; None without a workspace."""
    thoughts: str = "auto"
    """`always`: expanded; `never`: one line; `auto`: one line, with the newest words while streaming."""


INDENT: Final = [("text", "  ")]
"""The space before what stands below the line of an entry."""
HEAD_ROWS: Final = 2
"""Rows of the line of an entry: an empty one and itself."""
_ONE: Final = (0,)


def indented(text: str, role: str) -> TextBlock:
    """Return a text that stands below the line of an entry."""
    return TextBlock([(role, text)], first=INDENT, rest=INDENT)


class EntryBlock(Block):
    """A block that shows an entry of the session as parts, one below the other."""

    __slots__ = (
        "_instead",
        "_is_open",
        "_is_switched",
        "_laid_out",
        "_rows",
        "_starts",
        "context",
        "entry",
        "parts",
        "stable_rows",
    )
    parts: Sequence[Block]

    def __init__(self, entry: Entry | Any, context: BlockContext) -> None:
        self.entry = entry
        self.context = context
        self.parts = ()
        self.stable_rows = 0
        self._rows: Sequence[Row] = ()
        self._starts: Sequence[int] = ()
        """First rows of the parts at the last layout."""
        self._laid_out: Sequence[Block] = ()
        """The parts at the last layout: they may have changed since."""
        self._instead: Sequence[Block] | None = None
        self._is_open: bool | None = None
        """True if the user has unfolded it, False if folded again; None at first."""
        self._is_switched = False
        self.changed()

    @abstractmethod
    def sync(self) -> None:
        """Make the parts equal to the entry."""

    def changed(self) -> None:
        """Note that the entry has changed; parts out of view may be built later."""
        if self.parts or not self.is_settled:
            self.sync()

    @property
    def is_settled(self) -> bool:
        """True if the parts can be rebuilt from the entry, so they may be dropped out of view.

        There are thousands of entries, and few in view. Such a block implements `estimate` and `text_length`.
        """
        return False

    def estimate(self, width: int) -> int:
        """Estimate the rows while it has no parts, at least one."""
        return 1

    @property
    def text_length(self) -> int:
        """Number of characters to lay out while it has no parts."""
        return 0

    @property
    def can_fold(self) -> bool:
        """True if Enter and a click unfold it, and fold it again."""
        return False

    @property
    def is_open(self) -> bool:
        """True if it shows all of its text."""
        return bool(self._is_open)

    @property
    def is_folded(self) -> bool:
        """True if `choose` would show more of its text."""
        return self.can_fold and not self.is_open

    @property
    @override
    def is_action(self) -> bool:  # type: ignore[override]  # it depends on the entry
        return self.can_fold

    def choose(self) -> bool:
        """Handle Enter or a click; return True if nothing else needs to be done."""
        if not self.can_fold:
            return False
        self._is_open = not self.is_open
        self.sync()
        self.context.redraw(self)
        return True

    def show_instead(self, blocks: Sequence[Block] | None) -> None:
        """Draw other blocks in its place, or no rows for []; None draws the entry again."""
        self._instead = blocks
        self._is_switched = True

    @property
    def _drawn(self) -> Sequence[Block]:
        if self._instead is not None:
            return self._instead
        if not self.parts:
            self.sync()
        return self.parts

    @property
    def _is_bare(self) -> bool:
        """True if it has no parts and can build them at any time."""
        return not self.parts and self._instead is None and self.is_settled

    @property
    def is_running(self) -> bool:
        """True if `tick` changes the block."""
        return False

    def tick(self, now: float) -> None:
        """Show the time `now`, on the clock of the session's events."""

    @property
    @override
    def waiting(self) -> int:  # type: ignore[override]  # the sum of the parts', which change it
        return self.text_length if self._is_bare else sum(part.waiting for part in self._drawn)

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        return self.some_rows(width, styles, float("inf"))

    @override
    def some_rows(self, width: int, styles: Styles, until: float) -> Sequence[Row]:
        switched, self._is_switched = self._is_switched, False
        if len(self._drawn) == 1:
            rows = self._drawn[0].some_rows(width, styles, until)
            self.stable_rows = 0 if switched else self._drawn[0].stable_rows
            self._laid_out, self._starts = tuple(self._drawn), _ONE
            return rows
        together: list[Row] = []
        kept: int | None = None
        starts: list[int] = []
        for part in self._drawn:
            starts.append(len(together))
            rows = part.some_rows(width, styles, until)
            if kept is None and part.stable_rows < len(rows):
                kept = len(together) + part.stable_rows
            together.extend(rows)
        self.stable_rows = 0 if switched else min(len(together) if kept is None else kept, len(self._rows))
        self._rows, self._laid_out, self._starts = together, tuple(self._drawn), starts
        return together

    @override
    def highlighted(self, number: int, row: Row) -> Row:
        place = bisect_right(self._starts, number) - 1
        return self._laid_out[place].highlighted(number - self._starts[place], row) if place >= 0 else row

    @override
    def height_hint(self, width: int) -> int:
        if self._is_bare:
            return self.estimate(width)
        return sum(part.height_hint(width) for part in self._drawn)

    @override
    def source(self) -> str:
        if not self.parts:
            self.sync()
        return "\n".join(part.source() for part in self.parts)

    @override
    def source_among_others(self) -> str | None:
        return None

    @override
    def forget_rows(self) -> None:
        self._rows = self._laid_out = self._starts = ()
        if self.is_settled:
            self.parts = ()
        for part in self.parts:
            part.forget_rows()


class HeadedBlock(EntryBlock):
    """An entry whose line is made anew each time it is drawn, since its time may run."""

    __slots__ = ("now",)

    def __init__(self, entry: Entry | Any, context: BlockContext) -> None:
        self.now: float | None = None
        """The time, on the clock of the session's events, while it runs."""
        super().__init__(entry, context)

    @abstractmethod
    def head(self, width: int, styles: Styles) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Return its line as (left, right)."""

    @property
    def title(self) -> str:
        """The text of its line, for copying; an entry that gives its own `source` needs none."""
        return ""

    @property
    def is_below_another(self) -> bool:
        """True if there is no empty row above it."""
        return False

    @override
    def tick(self, now: float) -> None:
        self.now = now


class Head(Block):
    """The line of an entry."""

    __slots__ = ("_block", "stable_rows")

    def __init__(self, block: HeadedBlock) -> None:
        self._block = block
        self.stable_rows = 0

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        row = one_row(*self._block.head(width, styles), width, styles)
        return [row] if self._block.is_below_another else [[], row]

    @override
    def height_hint(self, width: int) -> int:
        return HEAD_ROWS - self._block.is_below_another

    @override
    def source(self) -> str:
        return self._block.title
