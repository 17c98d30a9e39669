"""Something about a file of the user's that could not be used as written; shown, never raised."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Problem(NamedTuple):
    """What is wrong with one place of a file, in words for the person who wrote it."""

    path: Path
    line: int | None
    """Counted from 1; None if the place is the whole file."""
    message: str
    about: str = ""
    """The MCP server that is left out because of it, by name."""

    def __str__(self) -> str:
        """Return the problem the way compilers write one: `path:line: message`."""
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"
