"""An answer of a model, before any API gives it a form."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

_NUMBERS: Final = itertools.count(1)


def fresh(prefix: str) -> str:
    """Return an id that nothing else in this run has."""
    return f"{prefix}_{next(_NUMBERS)}"


@dataclass(frozen=True)
class Use:
    """The model wants a tool of the agent's."""

    tool: str
    arguments: dict[str, Any]
    id: str = field(default_factory=lambda: fresh("call"), compare=False)


Piece = str | Use
"""Some words, or the wish for a tool."""


def texts(content: Any) -> Iterator[str]:
    """Yield the texts in the content of a message: a text, or a list of parts."""
    if isinstance(content, str):
        yield content
        return
    for part in content or ():
        if isinstance(text := part.get("text"), str):
            yield text
