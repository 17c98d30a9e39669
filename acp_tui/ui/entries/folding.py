"""Folding of finished turns and of consecutive reads into one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from typing_extensions import override

from acp_tui.formatting import seconds, tokens
from acp_tui.session.entries import Diff, ToolCall, UserCommand, UserMessage, line_of
from acp_tui.session.turns import Turn
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.tool_call_words import call_title
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, Piece

TurnOf = Callable[[int], tuple[Turn | None, Turn | None]]

FEWEST: Final = 3
"""Number of consecutive reads and searches from which on they are folded."""
_NAMED: Final = 3
"""Number of titles in the line of such a run."""


def turn_line(said: UserMessage, symbol: Callable[[str], str]) -> list[Piece]:
    """Return the start of a prompt, as pieces for the left side of a line."""
    words = line_of(said) or "(no text)"
    return [("accent", f"{symbol('folded')} "), ("user", words)]


def turn_facts(
    entries: Sequence[Any], turn: Turn | None, before: Turn | None, symbol: Callable[[str], str]
) -> list[Piece]:
    """Return the facts of a turn for the right side of a line: files, commands, end, time, context, cost.

    Args:
        entries: the entries of the turn.
        turn: the turn; None if only its entries are known, as in a loaded session.
        before: the turn before it, for the difference of costs.
        symbol: returns a mark by its name.
    """
    calls = [entry for entry in entries if isinstance(entry, ToolCall)]
    facts = list(_files(calls, symbol))
    commands = sum(call.kind == "execute" for call in calls)
    if commands:
        facts.append(("muted", f"  {_count(commands, 'command')}"))
    if turn is not None and turn.stop_reason not in ("", "end_turn"):
        facts.append(("warning", f"  {turn.stop_reason.replace('_', ' ')}"))
    if turn is not None and turn.ended is not None:
        facts.append(("muted", f"  {seconds(max(0.0, turn.ended - turn.started))}"))
    if turn is not None:
        facts += [("muted", f"  {fact}") for fact in (*_spent(turn, symbol), *_usage(turn, before))]
    return facts


def run_line(calls: Sequence[ToolCall], cwd: str, symbol: Callable[[str], str]) -> list[Piece]:
    """Return the summary of consecutive reads and searches, as pieces for the left side of a line."""
    reads = sum(call.kind == "read" for call in calls)
    counts = ((reads, "read", "reads"), (len(calls) - reads, "search", "searches"))
    words = ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts if number)
    titles = ", ".join(call_title(call, cwd) for call in calls[:_NAMED])
    more = f", {symbol('cut')}" if len(calls) > _NAMED else ""
    return [("accent", f"{symbol('folded')} "), ("strong", f"{words}  "), ("muted", f"{titles}{more}")]


def is_read(entry: Any) -> bool:
    """Return True for a completed read or search, which is folded with its neighbours."""
    return _reads(entry) and entry.status == "completed"


def _reads(entry: Any) -> bool:
    return isinstance(entry, ToolCall) and entry.kind in ("read", "search")


def _files(calls: Sequence[ToolCall], symbol: Callable[[str], str]) -> Iterator[Piece]:
    diffs = [item for call in calls for item in call.content if isinstance(item, Diff)]
    if not diffs:
        return
    yield "muted", f" {_count(len({diff.path for diff in diffs}), 'file')}"
    texts = [diff for diff in diffs if not diff.has_no_text]
    found = [counts for diff in texts if (counts := call_entry.counted(diff.before, diff.new_text))]
    if found:
        added, removed = (sum(counts) for counts in zip(*found, strict=True))
        if added or removed:
            yield "added", f" +{added}"
            yield "removed", f" {symbol('minus')}{removed}"


def _spent(turn: Turn, symbol: Callable[[str], str]) -> Iterator[str]:
    """Yield the turn's tokens to and from the model."""
    spent = turn.spent
    if spent is not None and (spent.input_tokens or spent.output_tokens):
        yield f"{symbol('up')} {tokens(spent.input_tokens)} {symbol('down')} {tokens(spent.output_tokens)}"


def _usage(turn: Turn, before: Turn | None) -> Iterator[str]:
    """Yield the size of the context after the turn, and the turn's cost."""
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


class Digest(OneRowBlock):
    """A line whose text is computed when it is first drawn."""

    def __init__(self, make: Callable[[], tuple[Sequence[Piece], Sequence[Piece]]]) -> None:
        super().__init__([("text", " ")], is_action=True, above=1)
        self._make: Callable[[], tuple[Sequence[Piece], Sequence[Piece]]] | None = make

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        if self._make is not None:
            self.set_pieces(*self._make())
            self._make = None
        return super().rows(width, styles)


class Folding:
    """The folds of a chat: the line of one block stands for several others."""

    def __init__(
        self,
        blocks: Sequence[Block],
        redraw: Callable[[Block], None],
        turn_of: TurnOf,
        is_idle: Callable[[], bool],
    ) -> None:
        """Fold the blocks of a chat.

        Args:
            blocks: its blocks, which change.
            redraw: called with a block that must be drawn again.
            turn_of: returns the turn that starts at a block index, and the one before it, if known.
            is_idle: returns True while no turn runs.
        """
        self._blocks = blocks
        self._redraw = redraw
        self._turn_of = turn_of
        self._is_idle = is_idle
        self._behind: dict[EntryBlock, list[EntryBlock]] = {}
        """By the block with the line: all blocks that it stands for, itself included."""
        self._head: dict[EntryBlock, EntryBlock] = {}
        self._kept_open: set[EntryBlock] = set()
        """Blocks whose line the user has opened."""
        self._row = range(0)
        """Indices that are known to be consecutive reads outside folded turns."""

    # ------------------------------------------------------------------ turns

    def toggle_turn(self, index: int) -> Block | None:
        """Fold or unfold the turn of a block; return the block with the line, None while the turn runs."""
        start = self._start(index)
        block = self._blocks[start]
        if self._is_turn(block) and block in self._behind:
            self.open(block)
        elif not self._is_idle() and self._end(start) == len(self._blocks):
            return None
        else:
            self._fold_turn(start)
        return block

    def fold_older(self, *, by_user: bool) -> None:
        """Fold all turns but the last; turns that the user opened stay open, unless `by_user`."""
        index = self._start(len(self._blocks) - 1) - 1
        while index >= 0:
            index = self._start(index)
            block = self._blocks[index]
            if by_user or block not in self._kept_open:
                if block in self._behind and self._is_turn(block) and not by_user:
                    return  # and so are all earlier ones
                self._fold_turn(index)
            index -= 1

    def _fold_turn(self, start: int) -> None:
        said = self._blocks[start]
        if not self._is_turn(said) or said in self._behind:
            return
        assert isinstance(said, EntryBlock)
        prompt = said.entry
        assert isinstance(prompt, UserMessage)
        whole = [block for block in self._blocks[start : self._end(start)] if isinstance(block, EntryBlock)]
        members = [block for block in whole if not isinstance(block.entry, UserCommand)]
        if len(members) < 2:
            return
        for block in members:
            self._restore(self._head.get(block))
        entries, turn, before = [block.entry for block in whole], *self._turn_of(start)
        symbol = said.context.symbol
        line = Digest(lambda: (turn_line(prompt, symbol), turn_facts(entries, turn, before, symbol)))
        self._put_behind(members, line)

    def _is_turn(self, block: Block) -> bool:
        return isinstance(block, EntryBlock) and isinstance(block.entry, UserMessage)

    def _start(self, index: int) -> int:
        while index > 0 and not self._is_turn(self._blocks[index]):
            index -= 1
        return max(0, index)

    def _end(self, start: int) -> int:
        end = start + 1
        while end < len(self._blocks) and not self._is_turn(self._blocks[end]):
            end += 1
        return end

    # ------------------------------------------------------------------ reads in a row

    def changed(self, indexes: Collection[int]) -> None:
        """Update the folds around new or changed blocks: fold runs of reads, or unfold them."""
        for index in indexes:
            block = self._blocks[index]
            if isinstance(block, EntryBlock) and not is_read(block.entry):
                if index in self._row:
                    self._row = range(0)
                head = self._head.get(block)
                if head is not None and not self._is_turn(head):
                    self._restore(head)
        done = range(0)
        for place in sorted({near for index in indexes for near in (index - 1, index) if near >= 0}):
            if place not in done:
                done = self._fold_row(place)

    def _fold_row(self, index: int) -> range:
        """Fold the run of reads around an index if it is long enough; return its indices."""
        row = self._row_around(index)
        if len(row) < FEWEST or (self._may_grow(row) and not self._is_idle()):
            return row  # a line that keeps growing would distract
        reads = [block for block in self._blocks[row.start : row.stop] if isinstance(block, EntryBlock)]
        if self._kept_open.intersection(reads) or self._behind.get(reads[0]) == reads:
            return row
        for block in reads:
            self._restore(self._head.get(block))
        calls = [block.entry for block in reads if isinstance(block.entry, ToolCall)]
        place = reads[0].context
        self._put_behind(reads, Digest(lambda: (run_line(calls, place.cwd, place.symbol), ())))
        return row

    def _row_around(self, index: int) -> range:
        """Return the indices of the run of reads around an index.

        An agent may read thousands of files, and each changes when it starts and ends: indices that
        are known as reads are not checked again.
        """
        known = self._row
        if index in known:
            first, last = known.start - 1, known.stop
        else:
            first = last = index
        while first >= 0 and self._is_read(first):
            first = known.start - 1 if first in known else first - 1
        while last < len(self._blocks) and self._is_read(last):
            last = known.stop if last in known else last + 1
        self._row = range(first + 1, last)
        return self._row

    def _may_grow(self, row: range) -> bool:
        if row.stop == len(self._blocks):
            return True
        block = self._blocks[row.stop]
        return isinstance(block, EntryBlock) and block.is_running and _reads(block.entry)

    def _is_read(self, index: int) -> bool:
        block = self._blocks[index]
        if not isinstance(block, EntryBlock) or not is_read(block.entry):
            return False
        head = self._head.get(block)
        return head is None or not self._is_turn(head)

    # ------------------------------------------------------------------ both

    def open(self, block: Block) -> bool:
        """Unfold the line that hides a block; return False if no line hides it."""
        head = self._head.get(block) if isinstance(block, EntryBlock) else None
        if head is None:
            return False
        members = self._behind[head]
        self._row = range(0)
        self._kept_open.add(head)
        self._restore(head)
        if self._is_turn(head):
            places = {one: place for place, one in enumerate(self._blocks)}
            for member in members:
                if is_read(member.entry):
                    self._fold_row(places[member])
        return True

    def _put_behind(self, members: list[EntryBlock], line: OneRowBlock) -> None:
        head = members[0]
        self._row = range(0)
        self._behind[head] = members
        self._kept_open.discard(head)
        for member in members:
            self._head[member] = head
            member.show_instead([line] if member is head else [])
            self._redraw(member)

    def _restore(self, head: EntryBlock | None) -> None:
        if head is None:
            return
        for member in self._behind.pop(head, ()):
            del self._head[member]
            member.show_instead(None)
            self._redraw(member)
