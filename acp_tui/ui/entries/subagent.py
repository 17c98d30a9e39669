"""Blocks of subagents and of the messages between sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from typing_extensions import override

from acp_tui.formatting import clock, seconds, tokens
from acp_tui.session.entries import (
    AgentMessage,
    AscribedMessage,
    Entry,
    SessionMessage,
    Subagent,
    Thought,
    ToolCall,
    UserMessage,
    text_of,
)
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.entry import INDENT, EntryBlock, Head, HeadedBlock, indented
from acp_tui.ui.entries.messages import take_over_parts
from acp_tui.ui.entries.output import result_text
from acp_tui.ui.entries.tool_call_words import call_title
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock

_STOPS: Final = {
    "end_turn": "done",
    "": "done",
    "cancelled": "stopped",
    "max_tokens": "stopped at the token limit",
    "max_turn_requests": "stopped at the limit of model calls",
    "refusal": "refused",
}
_WORD: Final = 40
"""Maximum characters of an unknown state."""
_LINES: Final = 2
"""Lines shown of a folded message."""
_WIDE: Final = 150
"""Maximum characters of those lines."""


def state_of(one: Subagent) -> tuple[str, str]:
    """Return (role, words) for the state of a subagent."""
    if one.error:
        return "tool-failed", "failed"
    match one.state:
        case "running":
            role, words = "tool-running", "running"
        case "requires_action":
            role, words = "warning", "waits for you"
        case "idle":
            words = _STOPS.get(one.stop_reason) or safe_line(one.stop_reason[:_WORD])
            return ("tool-completed" if words == "done" else "tool-cancelled"), words
        case "":
            role, words = "muted", "" if one.is_lost else "state not told"
        case _:
            role, words = "muted", safe_line(one.state[:_WORD])
    if one.is_lost:
        return "tool-cancelled", f"not known, last {words}" if words else "not known"
    return role, words


def subagent_pieces(
    one: Subagent, symbol: Callable[[str], str], now: float | None = None
) -> tuple[list[Piece], list[Piece]]:
    """Return the line of a subagent as (left, right): name, description; state, calls, tokens, time."""
    role, words = state_of(one)
    left: list[Piece] = [(role, f"{symbol('folded')} "), ("strong", f"{one.name}  ")]
    if one.description:
        left.append(("muted", " ".join(one.description.split())))
    right: list[Piece] = [(role, f"  {words}")]
    if one.calls:
        right.append(("muted", f"  {one.calls:,} call{'' if one.calls == 1 else 's'}"))
    if one.spent is not None and (one.spent.input_tokens or one.spent.output_tokens):
        up, down = tokens(one.spent.input_tokens), tokens(one.spent.output_tokens)
        right.append(("muted", f"  {symbol('up')} {up} {symbol('down')} {down}"))
    if one.started is not None and one.ended is not None:
        right.append(("muted", f"  {seconds(max(0.0, one.ended - one.started))}"))
    elif one.started is not None and one.is_working and now is not None:
        right.append(("muted", f"  {clock(max(0.0, now - one.started))}"))
    return left, right


class SubagentBlock(HeadedBlock):
    """One line for a subagent; Enter opens its chat."""

    __slots__ = ()
    entry: Subagent
    parts: Sequence[Block]
    is_action = True

    @override
    def sync(self) -> None:
        parts: list[Block] = [Head(self)]
        if self.entry.error:
            parts.append(indented(self.entry.error, "error"))
        self.parts = parts

    @property
    @override
    def is_running(self) -> bool:
        return self.entry.is_working

    @override
    def head(self, width: int, styles: Styles) -> tuple[Sequence[Piece], Sequence[Piece]]:
        return subagent_pieces(self.entry, styles.symbol, self.now)

    @override
    def source(self) -> str:
        return self.entry.name

    @override
    def searched(self) -> str:
        head = (self.entry.name, self.entry.description, self.entry.error)
        return "\n".join((*head, *_texts(self.entry.entries, self.context.cwd)))


def _texts(entries: Iterable[Entry], cwd: str) -> Iterator[str]:
    """Yield the texts of a transcript for a search."""
    for entry in entries:
        match entry:
            case UserMessage() | AscribedMessage() | AgentMessage() | Thought():
                yield text_of(entry)
            case ToolCall():
                yield call_title(entry, cwd)
                yield result_text(entry)
            case Subagent():
                yield entry.name
                yield from _texts(entry.entries, cwd)
            case SessionMessage():
                yield "".join(str(part) for part in entry.parts if isinstance(part, TextBuffer))
            case _:
                pass


class SessionMessageBlock(EntryBlock):
    """A message between two sessions, folded to two lines: it may hold internal text of the model."""

    __slots__ = ()

    entry: SessionMessage
    parts: Sequence[Block]

    @property
    def _text(self) -> str:
        return "".join(str(part) for part in self.entry.parts if isinstance(part, TextBuffer))

    @property
    @override
    def can_fold(self) -> bool:
        text = self._text
        return len(text) > _WIDE or text.strip().count("\n") >= _LINES

    @override
    def sync(self) -> None:
        mark = "" if not self.can_fold else f"{self.context.symbol('folded' if self.is_folded else 'open')} "
        who: list[Piece] = [("accent", mark), ("muted", f"{self._who}: ")]
        if self.is_open:
            found: list[Block] = []
            take_over_parts(found, self.entry.parts, True, role="muted", indent=2)
            self.parts = [TextBlock(who, above=1), *found]
            return
        cut = self.context.symbol("cut") if self.can_fold else ""
        text = "\n".join(self._text.strip().splitlines()[:_LINES])[:_WIDE]
        self.parts = [TextBlock([*who, ("muted", f"{text}{cut}")], rest=INDENT, above=1)]

    @property
    def _who(self) -> str:
        sender, recipient = self.entry.sender, self.entry.recipient
        if sender and recipient:
            return f"{self.context.name_of(sender)} to {self.context.name_of(recipient)}"
        return f"from {self.context.name_of(sender)}" if sender else f"to {self.context.name_of(recipient)}"

    @override
    def source(self) -> str:
        return self._text

    @override
    def searched(self) -> str:
        return f"{self._who}: {self._text}"
