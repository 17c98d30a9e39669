"""Differences between a session as recorded here and as replayed by its agent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from acp_tui.session.entries import (
    AgentMessage,
    Message,
    SteeredMessage,
    ToolCall,
    UserMessage,
    line_of,
    text_of,
)
from acp_tui.session.events import Noted
from acp_tui.session.session import Session

_MOST: Final = 8
"""Maximum number of differences reported."""
_LONGEST: Final = 200
"""Characters of each difference."""
COMPARED: Final = 2_000_000
"""Maximum characters of a session whose agent messages are compared."""
_SEARCHED: Final = 50_000_000
"""Characters searched for messages that are split differently."""

_TOLD: Final = "The agent reports this session differently from what you saw here. What you saw is kept."


def difference_notice(seen: Session, replayed: Session) -> Noted | None:
    """Return the notice of the differences, or None without any."""
    if not replayed.entries:
        return None
    found = list(islice(_differences(seen, replayed), _MOST + 1))
    if not found:
        return None
    lines = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in found[:_MOST]]
    if len(found) > _MOST:
        lines.append("and more")
    return Noted(_TOLD, "warning", "\n".join(lines))


def _differences(seen: Session, replayed: Session) -> Iterator[str]:
    yield from _of_the_user(seen, replayed)
    for call in _calls(replayed):
        known = seen.tool_call(call.tool_call_id)
        if known is not None and known.status in ("rejected", "cancelled") and call.status == "completed":
            yield f"It reports as done what was {known.status}: {' '.join(known.title.split())}"
    yield from _of_the_agent(seen, replayed)


def _of_the_user(seen: Session, replayed: Session) -> Iterator[str]:
    """Yield prompts known to only one side; a replay may turn attachments into text."""
    ours = [entry for entry in seen.entries if isinstance(entry, UserMessage)]
    theirs = [line_of(entry) for entry in replayed.entries if isinstance(entry, UserMessage)]
    steered = [entry for entry in seen.entries if isinstance(entry, SteeredMessage)]  # replayed as prompts
    said: list[Message] = [*ours, *steered]
    known = {line_of(entry) for entry in said}
    known.update(_words(text_of(entry)) for entry in said)
    attached = tuple(line_of(entry) for entry in ours if len(entry.parts) > 1)
    for line in theirs:
        if line and line not in known and not (attached and line.startswith(attached)):
            yield f"It reports that you said: {line}"
    heard = set(theirs)
    for entry in ours:
        line = line_of(entry)
        is_command = line.startswith("/")  # agents rarely keep slash commands
        is_reported = line in heard or _words(text_of(entry)) in heard
        if not (entry.dropped or is_command or is_reported or len(entry.parts) > 1):
            yield f"It does not report that you said: {line}"


def _of_the_agent(seen: Session, replayed: Session) -> Iterator[str]:
    """Yield agent messages never seen here; they may be split differently or incomplete."""
    messages = [entry for entry in seen.entries if isinstance(entry, AgentMessage)]
    later = [entry for entry in replayed.entries if isinstance(entry, AgentMessage)]
    if max(sum(map(_length, messages)), sum(map(_length, later))) > COMPARED:
        return
    lines = [_words(text_of(entry)) for entry in messages]
    known, joined = set(lines), " ".join(lines)
    packed, left = joined.replace(" ", ""), _SEARCHED
    for entry in later:
        line = _words(text_of(entry))
        if not line or line in known:
            continue
        left -= len(packed)
        if left < 0:
            return
        if line.replace(" ", "") not in packed:
            yield f"It reports that it said: {line}"


def _calls(session: Session) -> Iterator[ToolCall]:
    return (entry for entry in session.entries if isinstance(entry, ToolCall))


def _length(message: Message) -> int:
    return len(text_of(message))


def _words(text: str) -> str:
    return " ".join(text.split())
