"""Where the changes of a file come from, in a line: turn, tool call, step of the plan, prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.session.files import FileChange
    from acp_tui.session.provenance import Origin

_PROMPT: Final = 60
"""Characters of a prompt that are told."""


def origin_words(file: FileChange, prompt_of: Callable[[int], str]) -> str:
    """Return what is known of the newest change of a file, and the turns of earlier ones; else nothing.

    Args:
        file: the changed file.
        prompt_of: returns in one line what the person said to begin a turn, which are counted from 1.
    """
    known = [origin for origin in file.origins if origin.turn]
    if not known:
        return ""
    newest = known[-1]
    earlier = [str(turn) for turn in sorted({origin.turn for origin in known} - {newest.turn})]
    before = f"; before in turn {', '.join(earlier)}" if earlier else ""
    return f"{_told(newest, prompt_of(newest.turn))}{before}"


def _told(origin: Origin, prompt: str) -> str:
    told = [f"turn {origin.turn}"]
    if origin.title:
        told.append(origin.title)
    if origin.plan_entry:
        told.append(f"plan: {origin.plan_entry}")
    if prompt:
        told.append(f"“{prompt if len(prompt) <= _PROMPT else prompt[: _PROMPT - 1] + '…'}”")
    return ", ".join(told)
