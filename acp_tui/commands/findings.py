"""Frames of a connection and what was found out from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Verdict = Literal["well", "note", "broken"]
"""As the protocol has it; odd, but allowed or of no harm; against a rule of the protocol."""

_FEW: Final = 4
_SHOWN: Final = 80  # characters


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    check: str
    """What was looked at, in a word or two."""
    verdict: Verdict
    text: str
    fallback: str = ""
    """What acp-tui does about it, where it does something."""


@dataclass(frozen=True)
class WireMessage:
    """One message that went over the wire."""

    direction: str
    """`in` or `out`."""
    msg: dict[str, Any]


def came(frames: Sequence[WireMessage], method: str) -> Iterator[WireMessage]:
    """Yield what the agent asked or told by a method."""
    return (frame for frame in frames if frame.direction == "in" and frame.msg.get("method") == method)


def answers_to(frames: Sequence[WireMessage], method: str) -> list[dict[str, Any]]:
    """Return the results of all our requests of this method that are objects."""
    asked = (frame.msg for frame in frames if frame.direction == "out" and frame.msg.get("method") == method)
    found = (answer_of(frames, request.get("id")) for request in asked)
    return [result for result in found if isinstance(result, dict)]


def answer_of(frames: Sequence[WireMessage], call_id: Any) -> Any:
    """Return the raw result that came for a request, None without one."""
    for frame in frames:
        if frame.direction == "in" and is_answer(frame.msg, call_id):
            return frame.msg.get("result")
    return None


def is_answer(msg: dict[str, Any], call_id: Any) -> bool:
    """Whether a message answers the request of an id, which some agents send back as text."""
    return "method" not in msg and "id" in msg and str(msg["id"]) == str(call_id)


def shown(names: Sequence[str]) -> str:
    """Return the first few names in words, each once and cut where it is long."""
    once = list(dict.fromkeys(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…" for name in names))
    more = f" and {len(once) - _FEW} more" if len(once) > _FEW else ""
    return ", ".join(once[:_FEW]) + more
