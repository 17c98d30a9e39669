"""Files that the person asked for: sessions to be read elsewhere."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Final

from acp_tui.store.folders import private_folder

_MOST: Final = 48
"""Characters of a title in a name."""
_NO_WORD: Final = re.compile(r"\W+")


def save(folder: Path, title: str, suffix: str, text: str, at: datetime) -> Path:
    """Write a text into a new file named after a title and a time, and return its path.

    Raises:
        OSError: it cannot be written.
    """
    words = _NO_WORD.sub("-", title.lower())[:_MOST].strip("-_") or "session"
    stem = f"{at:%Y-%m-%d-%H%M%S}-{words}"
    private_folder(folder)
    number = 1
    while True:
        path = folder / f"{stem}{f'-{number}' if number > 1 else ''}.{suffix}"
        try:
            with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
        except FileExistsError:
            number += 1
        else:
            path.chmod(0o600)
            return path
