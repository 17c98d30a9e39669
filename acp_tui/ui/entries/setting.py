"""What the blocks of a chat need beside their entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.host.terminals import Terminal
    from acp_tui.session.entries import ToolCall
    from acp_tui.ui.widgets.blocks import Block


@dataclass(frozen=True)
class Setting:
    """The place where a conversation happens, as its blocks see it."""

    cwd: str
    terminal: Callable[[str], Terminal | None]
    """Returns a live terminal by its id, None for one that is not ours or is gone."""
    redraw: Callable[[Block], None]
    """Tells the view that a block has new rows."""
    glyph: Callable[[str], str]
    """Returns a mark by its name."""
    asks: Callable[[ToolCall], bool]
    """Returns whether a tool call waits for the user's permission."""
    key: Callable[[str], str] = str
    """Returns the key of an action, as people write it, by the name of its binding."""
    fold_turns: bool = False
    """Whether turns but the last are folded to a line."""
    pictures: bool = False
    """Whether the terminal has the colours for pictures."""
    thoughts: str = "auto"
    """`always`: open; `never`: folded to a line; `auto`: folded, with its newest words while they come."""
