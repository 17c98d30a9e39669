"""What is left of a turn, or of a row of reads, when it is folded to one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from acp_tui.readable import seconds, tokens
from acp_tui.session.entries import ToolCall, UserMessage, line_of
from acp_tui.ui.entries.counting import counted
from acp_tui.ui.entries.words import call_title

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.session.turn import Turn
    from acp_tui.ui.widgets.one_line import Piece

FEWEST: Final = 3
"""Reads and searches in a row from which they are folded."""
_NAMED: Final = 3
"""Titles that the line of such a row names."""


def turn_line(said: UserMessage, glyph: Callable[[str], str]) -> list[Piece]:
    """Return the start of the prompt, as pieces for the left of a line."""
    words = line_of(said) or "(no text)"
    return [("accent", f"{glyph('folded')} "), ("user", words)]


def turn_facts(
    entries: Sequence[Any], turn: Turn | None, before: Turn | None, glyph: Callable[[str], str]
) -> list[Piece]:
    """Return what a turn brought, for the right of a line: files, commands, its end, time, context, cost.

    Args:
        entries: those of the turn.
        turn: the turn, None where only its entries are known, as in a session that was loaded.
        before: the turn before it, for the difference of costs.
        glyph: returns a mark by its name.
    """
    calls = [entry for entry in entries if isinstance(entry, ToolCall)]
    facts = list(_files(calls, glyph))
    commands = sum(call.kind == "execute" for call in calls)
    if commands:
        facts.append(("muted", f"  {_count(commands, 'command')}"))
    if turn is not None and turn.stop_reason not in ("", "end_turn"):
        facts.append(("warning", f"  {turn.stop_reason.replace('_', ' ')}"))
    if turn is not None and turn.ended is not None:
        facts.append(("muted", f"  {seconds(max(0.0, turn.ended - turn.started))}"))
    if turn is not None:
        facts += [("muted", f"  {fact}") for fact in _usage(turn, before)]
    return facts


def run_line(calls: Sequence[ToolCall], cwd: str, glyph: Callable[[str], str]) -> list[Piece]:
    """Return what a row of reads and searches read, as pieces for the left of a line."""
    reads = sum(call.kind == "read" for call in calls)
    counts = ((reads, "read", "reads"), (len(calls) - reads, "search", "searches"))
    words = ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts if number)
    titles = ", ".join(call_title(call, cwd) for call in calls[:_NAMED])
    more = f", {glyph('cut')}" if len(calls) > _NAMED else ""
    return [("accent", f"{glyph('folded')} "), ("strong", f"{words}  "), ("muted", f"{titles}{more}")]


def is_read(entry: Any) -> bool:
    """Whether an entry is a read or a search that went well: of several in a row a line is enough."""
    return isinstance(entry, ToolCall) and entry.kind in ("read", "search") and entry.status == "completed"


def _files(calls: Sequence[ToolCall], glyph: Callable[[str], str]) -> Iterator[Piece]:
    from acp_tui.session.items import Diff

    diffs = [item for call in calls for item in call.content if isinstance(item, Diff)]
    if not diffs:
        return
    yield "muted", f" {_count(len({diff.path for diff in diffs}), 'file')}"
    found = [counts for diff in diffs if (counts := counted(diff.before, diff.new_text))]
    if found:
        added, removed = (sum(counts) for counts in zip(*found, strict=True))
        yield "added", f" +{added}"
        yield "removed", f" {glyph('minus')}{removed}"


def _usage(turn: Turn, before: Turn | None) -> Iterator[str]:
    """Yield how full the context was after the turn, and what the turn cost."""
    if turn.usage is None:
        return
    if turn.usage.used is not None:
        yield f"ctx {tokens(turn.usage.used)}"
    cost = turn.usage.cost
    if cost is not None:
        earlier = before.usage.cost if before is not None and before.usage is not None else None
        paid = earlier.amount if earlier is not None and earlier.currency == cost.currency else 0.0
        yield f"{max(0.0, cost.amount - paid):.2f} {cost.currency}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
