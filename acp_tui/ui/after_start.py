"""What the start puts off until the first frame is drawn: style sheets, and the collection of garbage."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.css.stylesheet import Stylesheet

FIRST_SHEETS: Final = [
    Path(__file__).parent / name for name in ("session_screen/screen.tcss", "widgets/transcript.tcss")
]
"""What the first frame needs; the other sheets are read after it."""

SETTLED: Final = 3.0
"""Seconds after the start, when what is imported one by one after the first frame is in."""

CLEANED: Final = 30.0
"""Seconds after the start, when nobody waits for the disk any more and recorded sessions may be deleted."""

COLLECT_AFTER: Final = (5_000, 5, 400)
"""Objects before the youngest are looked through, and how often that is done before the older ones are.

Each look stops everything: at 25,000 objects for 8 ms, at the many of a long session for a tenth of a second.
"""


def read_other_sheets(stylesheet: Stylesheet) -> None:
    """Read the style sheets that the first frame does without."""
    stylesheet.read_all(
        sorted(path for path in Path(__file__).parent.rglob("*.tcss") if path not in FIRST_SHEETS)
    )
    stylesheet.parse()


def collect_again() -> None:
    """Collect garbage again, which the command line has put off, but only among what is made from now on.

    A full collection of all modules takes a tenth of a second in which no key is answered.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        gc.enable()
