"""What the blocks of a chat need beside their entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.host.terminals import Terminal
    from acp_tui.ui.widgets.blocks import Block


@dataclass(frozen=True)
class Setting:
    """The place where a conversation happens, as its blocks see it."""

    cwd: str
    terminal: Callable[[str], Terminal | None]
    """Returns a live terminal by its id, None for one that is not ours or is gone."""
    redraw: Callable[[Block], None]
    """Tells the view that a block has new rows."""
    thoughts: str = "auto"
    """When thoughts are open: always, never, or auto: while they come."""
