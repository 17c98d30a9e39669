"""Blocks of a chat that stand behind one line: those of a finished turn, and reads in a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_tui.session.entries import OwnCommand, ToolCall, UserMessage
from acp_tui.ui.entries.digest import FEWEST, is_read, run_line, turn_facts, turn_line
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from acp_tui.session.turn import Turn
    from acp_tui.ui.widgets.blocks import Block
    from acp_tui.ui.widgets.look import Look
    from acp_tui.ui.widgets.one_line import Piece
    from acp_tui.ui.widgets.wrap import Row

    TurnOf = Callable[[int], tuple[Turn | None, Turn | None]]


class Digest(OneLine):
    """A line whose text is made when it is first seen."""

    def __init__(self, make: Callable[[], tuple[Sequence[Piece], Sequence[Piece]]]) -> None:
        super().__init__([("text", " ")], is_action=True, above=1)
        self._make: Callable[[], tuple[Sequence[Piece], Sequence[Piece]]] | None = make

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the line."""
        if self._make is not None:
            self.set_pieces(*self._make())
            self._make = None
        return super().rows(width, look)


class Folding:
    """Keeps which block stands for which; a block stands for itself or is behind one other."""

    def __init__(
        self,
        blocks: Sequence[Block],
        redraw: Callable[[Block], None],
        turn_of: TurnOf,
        is_idle: Callable[[], bool],
    ) -> None:
        """Take what the chat has.

        Args:
            blocks: its blocks, which change.
            redraw: told of a block that is drawn otherwise.
            turn_of: returns the turn that the block at a place began, and the one before it, where known.
            is_idle: whether no turn runs.
        """
        self._blocks = blocks
        self._redraw = redraw
        self._turn_of = turn_of
        self._is_idle = is_idle
        self._behind: dict[EntryBlock, list[EntryBlock]] = {}
        """By the block that has the line: all that are behind it, itself included."""
        self._head: dict[EntryBlock, EntryBlock] = {}
        self._kept_open: set[EntryBlock] = set()
        """Blocks whose line the person has opened."""

    # ------------------------------------------------------------------ turns

    def toggle_turn(self, index: int) -> Block | None:
        """Fold the turn of a block, or open it again; return the block with its line, None while it runs."""
        start = self._start(index)
        block = self._blocks[start]
        if self._is_turn(block) and block in self._behind:
            self.open(block)
        elif not self._is_idle() and self._end(start) == len(self._blocks):
            return None
        else:
            self._fold_turn(start)
        return block

    def fold_older(self, *, by_person: bool) -> None:
        """Fold all turns but the last; what the person opened stays open, unless `by_person`."""
        index = self._start(len(self._blocks) - 1) - 1
        while index >= 0:
            index = self._start(index)
            block = self._blocks[index]
            if by_person or block not in self._kept_open:
                if block in self._behind and self._is_turn(block) and not by_person:
                    return  # and so are those before it
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
        members = [block for block in whole if not isinstance(block.entry, OwnCommand)]
        if len(members) < 2:
            return
        for block in members:
            self._restore(self._head.get(block))
        entries, turn, before = [block.entry for block in whole], *self._turn_of(start)
        glyph = said.setting.glyph
        line = Digest(lambda: (turn_line(prompt, glyph), turn_facts(entries, turn, before, glyph)))
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

    def changed(self, index: int) -> None:
        """A block is new or has changed: fold the reads in a row before it or around it, or open them."""
        block = self._blocks[index]
        if isinstance(block, EntryBlock) and not is_read(block.entry):
            head = self._head.get(block)
            if head is not None and not self._is_turn(head):
                self._restore(head)
        for place in (index - 1, index):
            if place >= 0:
                self._fold_run(place)

    def _fold_run(self, index: int) -> None:
        first = last = index
        while first >= 0 and self._is_read(first):
            first -= 1
        while last < len(self._blocks) and self._is_read(last):
            last += 1
        run = [block for block in self._blocks[first + 1 : last] if isinstance(block, EntryBlock)]
        if len(run) < FEWEST or (last == len(self._blocks) and not self._is_idle()):
            return  # more may come: a line that grows under the eyes would be unrest
        if self._kept_open.intersection(run) or self._behind.get(run[0]) == run:
            return
        for block in run:
            self._restore(self._head.get(block))
        calls = [block.entry for block in run if isinstance(block.entry, ToolCall)]
        place = run[0].setting
        self._put_behind(run, Digest(lambda: (run_line(calls, place.cwd, place.glyph), ())))

    def _is_read(self, index: int) -> bool:
        block = self._blocks[index]
        if not isinstance(block, EntryBlock) or not is_read(block.entry):
            return False
        head = self._head.get(block)
        return head is None or not self._is_turn(head)

    # ------------------------------------------------------------------ both

    def open(self, block: Block) -> bool:
        """Show what is behind the line that a block is behind; return whether there is one."""
        head = self._head.get(block) if isinstance(block, EntryBlock) else None
        if head is None:
            return False
        members = self._behind[head]
        self._kept_open.add(head)
        self._restore(head)
        if self._is_turn(head):
            places = {one: place for place, one in enumerate(self._blocks)}
            for member in members:
                if is_read(member.entry):
                    self._fold_run(places[member])
        return True

    def _put_behind(self, members: list[EntryBlock], line: OneLine) -> None:
        head = members[0]
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
