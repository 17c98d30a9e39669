"""What a tool call brought, where it is text: what the agent said of it, or its raw output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from acp_tui.session.entries import ToolCall

_FENCE: Final = re.compile(r"\A```[^\n`]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_NAMES: Final = ("output", "stdout", "text", "content", "result", "message", "error", "stderr")
"""Where agents put the text in a raw output that is an object."""


def result_text(call: ToolCall) -> str:
    """Return the text that a tool call brought, without the fence that some agents put around it."""
    text = "\n".join(_texts(call)).strip("\n")
    if not text:
        text = _raw_text(call.raw_output).strip("\n")
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def said_in(raw: Any) -> Iterator[str]:
    """Yield the texts and numbers in a raw input or output, whatever their fields are called."""
    if isinstance(raw, dict | list):
        for value in raw.values() if isinstance(raw, dict) else raw:
            yield from said_in(value)
    elif raw not in (None, "") and not isinstance(raw, bool):
        yield str(raw)


def _texts(call: ToolCall) -> list[str]:
    from acp_tui.session.items import Text

    return [item.text for item in call.content if isinstance(item, Text)]


def _raw_text(raw: Any) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, dict):
        return next((raw[name] for name in _NAMES if isinstance(raw.get(name), str) and raw[name]), "")
    return ""
