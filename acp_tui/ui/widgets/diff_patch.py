"""A difference as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from acp_tui.ui.widgets.diff import Difference, Line

_MARKS: Final = {"equal": " ", "removed": "-", "added": "+"}


def patch_of(difference: Difference, path: str, old: tuple[int, int] | None = None) -> str:
    """Return the difference of one file as a unified patch; nothing for content that is no text.

    Args:
        difference: as it was computed, of whole texts.
        path: relative to the workspace where it is in there.
        old: only the hunks that touch these lines of the old text (from 0, the last not included).
    """
    if difference.status in ("binary", "unchanged"):
        return ""
    name = path.lstrip("/")
    before = "/dev/null" if difference.status == "new" else f"a/{name}"
    after = "/dev/null" if difference.status == "deleted" else f"b/{name}"
    lines = [f"diff --git a/{name} b/{name}"]
    lines += {"new": ["new file mode 100644"], "deleted": ["deleted file mode 100644"]}.get(
        difference.status, []
    )
    hunks = [hunk for hunk in _hunks(difference) if old is None or _touches(hunk, *old)]
    if hunks:
        lines += [f"--- {before}", f"+++ {after}"]
    for hunk in hunks:
        lines += _hunk(difference, hunk)
    return "\n".join(lines) + "\n"


def _touches(hunk: Sequence[Line], start: int, stop: int) -> bool:
    """Whether lines of the old text are in a hunk; a place between two lines is, where one of them is."""
    numbers = [line.old - 1 for line in hunk if line.old is not None]
    return not numbers or (numbers[0] <= stop and start <= numbers[-1] + 1)


def _hunk(difference: Difference, hunk: Sequence[Line]) -> Iterator[str]:
    olds = [line.old for line in hunk if line.old is not None]
    news = [line.new for line in hunk if line.new is not None]
    yield f"@@ -{_range(olds, hunk, old=True)} +{_range(news, hunk, old=False)} @@"
    for line in hunk:
        side = 0 if line.kind == "removed" else 1
        number = line.old if side == 0 else line.new
        mark = "\ufeff" if number == 1 and difference.byte_order_mark[side] else ""
        is_last = number == len(difference.new if side else difference.old)
        end = "" if is_last and not difference.final_newline[side] else difference.carriage[side]
        yield f"{_MARKS[line.kind]}{mark}{line.text}{end}"
        if is_last and not difference.final_newline[side]:
            yield "\\ No newline at end of file"


def _hunks(difference: Difference) -> list[list[Line]]:
    """Return the hunks; one of all lines where every line has another end, or the first another mark."""
    ends_differ = any(
        old != new for old, new in (difference.carriage, difference.byte_order_mark) if difference.old
    )
    newline_differs = difference.final_newline[0] != difference.final_newline[1]
    if not ends_differ and not newline_differs:
        return difference.hunks()
    removed = [Line("removed", number, None, text) for number, text in enumerate(difference.old, 1)]
    added = [Line("added", None, number, text) for number, text in enumerate(difference.new, 1)]
    return [[*removed, *added]]


def _range(numbers: Sequence[int], hunk: Sequence[Line], *, old: bool) -> str:
    if numbers:
        return f"{numbers[0]},{len(numbers)}"
    others = [line.new if old else line.old for line in hunk]
    first = next((number for number in others if number is not None), 1)
    return f"{first - 1},0"
