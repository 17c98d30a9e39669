"""Findings about an agent, and the messages they are based on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Verdict = Literal["well", "note", "broken"]
"""Conforming, unusual but allowed or harmless, or a violation of the protocol."""

_MARKS: Final[dict[Verdict, str]] = {"well": "✓", "note": "·", "broken": "✗"}
HEADING: Final = 24
"""Width of the headings, in cells."""

_FEW: Final = 4
_SHOWN: Final = 80  # characters


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    check: str
    """Short name of the check."""
    verdict: Verdict
    text: str
    fallback: str = ""
    """The client's workaround, if any."""

    @property
    def heading(self) -> str:
        """Its mark and its check, as the first column of a report."""
        return f"{_MARKS[self.verdict]} {self.check}".ljust(HEADING)


def summary(findings: Sequence[Finding]) -> str:
    """Return the numbers of findings, as the end of a report."""
    counts = Counter(finding.verdict for finding in findings)
    return f"{counts['well']} passed, {counts['note']} notes, {counts['broken']} failed"


@dataclass(frozen=True)
class WireMessage:
    """A message sent or received."""

    direction: str
    """`in` or `out`."""
    msg: dict[str, Any]


def params_of(frames: Sequence[WireMessage], method: str) -> list[Any]:
    """Return the params of the agent's messages with a method."""
    return [
        frame.msg.get("params")
        for frame in frames
        if frame.direction == "in" and frame.msg.get("method") == method
    ]


def answers_to(frames: Sequence[WireMessage], method: str) -> list[dict[str, Any]]:
    """Return the results of the client's requests with a method, if they are objects."""
    asked = (frame.msg for frame in frames if frame.direction == "out" and frame.msg.get("method") == method)
    found = (answer_of(frames, request.get("id")) for request in asked)
    return [result for result in found if isinstance(result, dict)]


def answer_of(frames: Sequence[WireMessage], call_id: Any) -> Any:
    """Return the raw result for a request, or None."""
    for frame in frames:
        if frame.direction == "in" and is_answer(frame.msg, call_id):
            return frame.msg.get("result")
    return None


def is_answer(msg: dict[str, Any], call_id: Any) -> bool:
    """Return whether a message answers a request id; some agents return ids as strings."""
    return "method" not in msg and "id" in msg and str(msg["id"]) == str(call_id)


def shown(names: Sequence[str]) -> str:
    """Return the first few names, shortened and without repetition."""
    once = list(dict.fromkeys(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…" for name in names))
    more = f" and {len(once) - _FEW} more" if len(once) > _FEW else ""
    return ", ".join(once[:_FEW]) + more
