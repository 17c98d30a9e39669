"""The results of calls to an agent, as the words of the protocol."""

from __future__ import annotations

from typing import Any, TypeVar

from acp_tui.acp.reading import Unreadable, read
from acp_tui.acp.word import Word
from acp_tui.agent.errors import AgentError

W = TypeVar("W", bound=Word)


def as_word(word: type[W], method: str, result: Any) -> W:
    """Return an answer of the agent as a word.

    Raises:
        AgentError: it cannot be read.
    """
    try:
        return read(word, result)
    except Unreadable as error:
        raise AgentError(f"The answer to {method} cannot be read: {error}") from error


def as_object(value: Any) -> dict[str, Any]:
    """Return a result as an object: null, nothing and oddities count as an empty one."""
    return value if isinstance(value, dict) else {}
