"""Which panes the person has hidden, kept from one run to the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from acp_tui.store.problem import Problem
from acp_tui.store.shared_json import write_whole


class Layout(NamedTuple):
    """What is shown beside the chat."""

    panes: tuple[str, ...]
    """Names of the panes that are shown."""
    side: bool = True
    """Whether the column that holds them is shown."""


def load(path: Path, default: Sequence[str]) -> tuple[Layout, Problem | None]:
    """Return (the layout of a file, what is wrong with it); without a usable file, the `default` panes."""
    import json  # after the first frame

    try:
        found = json.loads(path.read_bytes())
        panes, side = found["panes"], found["side"]
        if not isinstance(side, bool) or not all(isinstance(pane, str) for pane in panes):
            raise ValueError
    except FileNotFoundError:
        return Layout(tuple(default)), None
    except OSError as error:
        return Layout(tuple(default)), Problem(path, None, f"cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, RecursionError):
        return Layout(tuple(default)), Problem(
            path, None, "is no layout; the panes of the settings are shown"
        )
    return Layout(tuple(panes), side), None


def save(path: Path, layout: Layout) -> Problem | None:
    """Keep a layout, whole or not at all; return why it could not be kept."""
    import json

    text = json.dumps({"panes": list(layout.panes), "side": layout.side})
    try:
        write_whole(path, text.encode(), durable=False)
    except OSError as error:
        return Problem(path, None, f"the layout is not kept: {error.strerror}")
    return None
