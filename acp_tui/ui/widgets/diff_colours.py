"""The colours of the lines of a difference that are seen, in groups as small as the language allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from acp_tui.ui.widgets.text import safe

Pieces: TypeAlias = tuple[tuple[str, str], ...]
"""A safe line as pairs (text, role)."""

WINDOW: Final = 32
"""Lines that are coloured together, as far as one of them may change how a later one is read."""
FEW: Final = 8
"""Lines that are coloured together else: of a file with scattered changes only a few of each are seen."""
_KEPT: Final = 512
"""Groups in colours that are kept."""
_LONGEST_COLOURED: Final = 2_000

_LINEWISE: Final = frozenset(
    {"c", "cpp", "csharp", "css", "dart", "go", "java", "javascript", "json", "kotlin", "python", "rust"}
    | {"scala", "swift", "toml", "typescript"}
)
"""Languages in which nothing but a string or a comment reaches over a line, opened by what follows."""
_OPENS: Final = re.compile(r"\"\"\"|'''|/\*|`|\\$", re.MULTILINE)


class DiffColours:
    """Colours the lines of two texts, in the language that a path tells."""

    def __init__(self, old: Sequence[str], new: Sequence[str], path: str) -> None:
        self._sides = (new, old)
        self._path = path
        self._groups: dict[tuple[bool, int, int], tuple[Pieces, ...]] = {}

    def line(self, use_old: bool, index: int) -> Pieces:
        """Return a line (from 0) of the old or the new text; the end of a very long one is left out."""
        start, stop = self._group(self._sides[use_old], index)
        key = (use_old, start, stop)
        group = self._groups.get(key)
        if group is None:
            group = _coloured(self._path, self._sides[use_old][start:stop])
            if len(self._groups) >= _KEPT:
                del self._groups[next(iter(self._groups))]
            self._groups[key] = group
        return group[index - start]

    def _group(self, lines: Sequence[str], index: int) -> tuple[int, int]:
        """Return the lines that are coloured together with one: all of its window, or the few around it."""
        window, start = index - index % WINDOW, index - index % FEW
        if _language(self._path) in _LINEWISE and not reaches_over(lines[window : start + FEW]):
            return start, start + FEW
        return window, window + WINDOW


def reaches_over(lines: Sequence[str]) -> bool:
    """Whether a string or comment in these lines may go on after them."""
    return any(line.count('"') % 2 or _OPENS.search(line) for line in lines)


@lru_cache(maxsize=256)
def _language(path: str) -> str:
    from acp_tui.ui.widgets.highlight import language_of_file

    return language_of_file(path)


def _coloured(path: str, lines: Sequence[str]) -> tuple[Pieces, ...]:
    from acp_tui.ui.widgets.highlight import colour

    code = "\n".join([safe(line[:_LONGEST_COLOURED]) for line in lines])
    return colour(_language(path), code).lines
