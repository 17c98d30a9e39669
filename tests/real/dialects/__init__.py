"""The APIs in which agents talk to models: what was said in a request, and an answer as it is streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.real.dialects import anthropic, chat, gemini, responses
from tests.real.dialects.answer import Piece

RESULT: Final = None
"""Stands for the result of a tool among the texts of a request."""


@dataclass(frozen=True)
class Dialect:
    """One of the APIs."""

    ending: str
    """The end of a request's path."""
    heard: Callable[[dict[str, Any]], Iterator[str | None]]
    """Texts of the user's side in a request, oldest first, and RESULT for each result of a tool."""
    tools: Callable[[dict[str, Any]], list[str]]
    """The names of the tools that a request offers."""
    stream: Callable[[dict[str, Any], Iterable[Piece]], Iterator[dict[str, Any] | str]]
    """An answer to a request, as events: what is named `type` in one names the event, too."""
    whole: Callable[[dict[str, Any], Iterable[Piece]], dict[str, Any]]
    """An answer in one."""


DIALECTS: Final = (
    Dialect("/chat/completions", chat.heard, chat.tools, chat.stream, chat.whole),
    Dialect("/responses", responses.heard, responses.tools, responses.stream, responses.whole),
    Dialect("/messages", anthropic.heard, anthropic.tools, anthropic.stream, anthropic.whole),
    Dialect("enerateContent", gemini.heard, gemini.tools, gemini.stream, gemini.whole),
)
