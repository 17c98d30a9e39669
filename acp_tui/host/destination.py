"""The place that a path leads to, in words for the user: a link shows only its own name."""

from __future__ import annotations

import os
import posixpath
import stat
from typing import NamedTuple

from acp_tui.host.protected import why_protected


class Destination(NamedTuple):
    """Where a path leads."""

    at: str = ""
    """The real place, absolute or below the workspace; empty where the path says it."""
    why: str = ""
    """Why what lies there is protected; empty where it is not."""
    names: int = 1
    """Names that the file has: to write it changes it under each of them."""


def destination(path: str, cwd: str) -> Destination:
    """Return where a path leads, seen from the folder of a session; links are followed."""
    written = posixpath.join(cwd, path)
    try:
        real, base = os.path.realpath(written), os.path.realpath(cwd)
        why = why_protected(written, (cwd,)) or ""
    except (OSError, ValueError):  # no path of this machine
        return Destination()
    plain = posixpath.normpath(written)
    prefix, real_prefix = f"{cwd.rstrip('/')}/", f"{base.rstrip('/')}/"
    if plain.startswith(prefix):  # that the workspace itself is reached by a link is no news
        plain = real_prefix + plain.removeprefix(prefix)
    leads = real != plain and not (real == base and plain in (cwd, base))
    return Destination(real.removeprefix(real_prefix) if leads else "", why, _names(real))


def _names(real: str) -> int:
    try:
        state = os.stat(real)  # noqa: PTH116 - text, and a hundred of them
    except (OSError, ValueError):
        return 1
    return state.st_nlink if stat.S_ISREG(state.st_mode) else 1
