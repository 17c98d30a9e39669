"""Where paths lead, for the person's rules: a link must not turn an allowed path into another one."""

from __future__ import annotations

import os
from collections.abc import Iterable


def with_targets(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return absolute paths, each with the place it leads to where links make that another one.

    What leads into `folder`, by whichever alias that is known, is named below `folder`.
    """
    real_folder = os.path.realpath(folder)
    found = []
    for path in paths:
        found.append(path)
        try:
            real = os.path.realpath(path)
        except ValueError:  # a zero in it, or half a character: no path of this machine
            continue
        if real == real_folder or real.startswith(f"{real_folder.rstrip('/')}/"):
            real = folder.rstrip("/") + real[len(real_folder.rstrip("/")) :]
        if real != path and ".." not in path.split("/"):
            found.append(real)
    return tuple(dict.fromkeys(found))
