"""The chat pane: the conversation, entry by entry."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.session.entries import Entry, ToolCall
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.session.turns import Turn
from acp_tui.store.recordings import RecordedSession
from acp_tui.ui.application.command_table import bindings
from acp_tui.ui.entries import thought as thought_entry
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.entries.entry import BlockContext, EntryBlock
from acp_tui.ui.entries.folding import Folding
from acp_tui.ui.entries.views import VIEWS
from acp_tui.ui.panes.pane import Pane, PaneKey
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, Piece, TextBlock

_HEADING_ROWS: Final = 2
"""Rows of the heading of the recent sessions."""


class RecentLine(OneRowBlock):
    """An earlier session of the folder, below the welcome."""

    __slots__ = ("recorded",)

    def __init__(self, recorded: RecordedSession, left: Sequence[Piece]) -> None:
        super().__init__(left, is_action=True)
        self.recorded = recorded


class ChatPane(Pane):
    """Prompts, answers, thoughts, tool calls and notices, in the order of the session's entries."""

    NAME = "chat"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("chat"),
        Binding(
            "y",
            "screen.run('chat.copy-code')",
            "Copy the code in this block",
            show=False,
            id="chat.copy-code",
        ),
        Binding("z", "fold_turn", "Fold / unfold this turn", show=False, id="chat.fold"),
        Binding("Z", "fold_older", "Fold older turns", show=False, id="chat.fold-older"),
    ]
    IS_LIST = False
    KEYS = (
        PaneKey("scroll", "transcript.up", "transcript.down"),
        PaneKey("block", "transcript.previous", "transcript.next"),
        PaneKey("open", "transcript.choose"),
        PaneKey("copy", "chat.copy"),
        PaneKey("code", "chat.copy-code"),
        PaneKey("reply", "chat.reply"),
        PaneKey("source", "chat.source"),
        PaneKey("back", "chat.go-back"),
        PaneKey("fold", "chat.fold"),
    )
    context: BlockContext
    """Context of the blocks; set before the first change."""

    def __init__(self) -> None:
        super().__init__()
        self._counting: set[EntryBlock] = set()
        self._above = 0
        """Number of blocks of earlier sessions."""
        self._welcome: Block | None = None
        self._recent: list[Block] = []
        """The lines of earlier sessions below the welcome, and their heading."""
        self._welcome_pieces: Sequence[tuple[str, str]] = ()
        self._strays = ""
        self._folding: Folding | None = None
        self._session: Session | None = None
        self._wanted: Callable[[Session], int | None] | None = None
        """Finds the entry to go to once all are loaded."""

    def go_to(self, find: Callable[[Session], int | None]) -> None:
        """Put the cursor on the entry that `find` returns the index of, once the session is shown."""
        self._wanted = find
        self.call_after_refresh(self._go_to_wanted)

    def _go_to_wanted(self) -> None:
        session, find = self._session, self._wanted
        if find is None or session is None or len(self.blocks) - self._above < len(session.entries):
            return
        self._wanted, place = None, find(session)
        if place is not None:
            block = self.blocks[self._above + place]
            self.open_fold(block)
            self._put_cursor(block)
            self.show_amid(block)

    def welcome(self, pieces: Sequence[tuple[str, str]]) -> None:
        """Show the welcome text until there is an entry."""
        self._welcome_pieces, self._strays = pieces, ""
        self._show_welcome(pieces)

    def say_strays(self, text: str) -> None:
        """Show the stray lines of a starting agent below the welcome."""
        if self._welcome is None or text == self._strays:
            return
        self._strays = text
        told = (
            [("warning", "\nThe agent prints lines that are not ACP messages:\n"), ("muted", text)]
            if text
            else []
        )
        self.remove_block(self._welcome)
        self._show_welcome([*self._welcome_pieces, *told])

    def renew_welcome(self, pieces: Sequence[tuple[str, str]]) -> None:
        """Replace the welcome text while it is shown."""
        if self._welcome is not None:
            self.remove_block(self._welcome)
            self.welcome(pieces)

    def add_to_welcome(self, pieces: Sequence[tuple[str, str]]) -> None:
        """Add to the welcome text while it is shown."""
        self.renew_welcome([*self._welcome_pieces, *pieces])

    def use_settings(self, thoughts: str, fold_turns: bool) -> None:
        """Apply settings for thoughts and turns; folded ones stay folded until the user opens them."""
        if not self.is_bound or (thoughts, fold_turns) == (self.context.thoughts, self.context.fold_turns):
            return
        self.context.thoughts, self.context.fold_turns = thoughts, fold_turns
        for block in self.blocks:
            if isinstance(block, thought_entry.ThoughtBlock):
                block.sync()
                self.changed(block)
        if fold_turns and self._folding is not None:
            self._folding.fold_older(by_user=False)

    def show_recent(self, heading: Block, lines: Sequence[RecentLine]) -> None:
        """List earlier sessions below the welcome while it is shown, as many as fit: the welcome stays."""
        room = self.size.height - self.virtual_size.height - _HEADING_ROWS
        if self._welcome is not None and lines and room > 0 and not self._recent:
            self._recent = [heading, *lines[:room]]
            for block in self._recent:
                self.append(block)

    def _take_welcome_away(self) -> None:
        if self._welcome is not None:
            self.action_follow_end()
        for block in filter(None, (self._welcome, *self._recent)):
            self.remove_block(block)
        self._welcome, self._recent = None, []

    @property
    def is_bound(self) -> bool:
        """True once there is a context."""
        return hasattr(self, "context")

    def _show_welcome(self, pieces: Sequence[tuple[str, str]]) -> None:
        self._welcome = TextBlock(pieces, first=[("text", "  ")], rest=[("text", "  ")], above=1)
        self.insert(len(self.blocks) - len(self._recent), self._welcome)
        self.call_after_refresh(self._show_start_of_welcome)

    def _show_start_of_welcome(self) -> None:
        """Scroll a welcome that is higher than the pane to its start."""
        if self._welcome is not None and not self._above:
            self.action_scroll_start()

    def forget(self, welcome: Sequence[tuple[str, str]]) -> None:
        """Remove the session that was last shown; keep earlier ones above it."""
        self._counting.clear()
        self._session = None
        if self._above:
            for block in reversed(self.blocks[self._above :]):
                self.remove_block(block)
        else:
            self.clear()
            self._welcome = self._folding = None
            self._recent = []
            self.welcome(welcome)

    @override
    def begin(self) -> None:
        self._above = len(self.blocks) - (self._welcome is not None) - len(self._recent)
        self._counting.clear()

    @override
    def show(self, session: Session, change: SessionChange) -> None:
        if self._welcome is not None and session.entries:
            self._take_welcome_away()
        known = len(self.blocks) - self._above
        for place in range(known, max(change.entries, default=-1) + 1):
            entry, before = session.entries[place], session.entries[place - 1] if place else None
            new = VIEWS[type(entry)](entry, self.context)
            if isinstance(before, ToolCall) and isinstance(new, call_entry.ToolCallBlock):
                new.before = before
            self.append(new)
        for index in change.entries:
            block: EntryBlock = self.blocks[self._above + index]  # type: ignore[assignment]  # only entries are appended here
            if block.entry is not session.entries[index]:
                block = self._replaced(block, session.entries[index], self._above + index)
            elif index < known:
                block.changed()
                self.changed(block)
            (self._counting.add if block.is_running else self._counting.discard)(block)
        self._session = session
        folding = self._folding or self._make_folding()
        folding.changed([self._above + index for index in change.entries])
        if "turn" in change.fields and session.turn_state == "idle" and session.entries:
            folding.changed([len(self.blocks) - 1])
            if self.context.fold_turns:
                folding.fold_older(by_user=False)
        if self._wanted is not None:
            self.call_after_refresh(self._go_to_wanted)

    def _replaced(self, block: EntryBlock, entry: Entry, place: int) -> EntryBlock:
        """Replace the entry of a block."""
        self._counting.discard(block)
        self.remove_block(block)
        new = VIEWS[type(entry)](entry, self.context)
        self.insert(place, new)
        return new

    def _make_folding(self) -> Folding:
        self._folding = Folding(self.blocks, self.refolded, self._turn_of, lambda: self._is_idle)
        return self._folding

    @property
    def _is_idle(self) -> bool:
        return self._session is None or self._session.turn_state == "idle"

    def _turn_of(self, place: int) -> tuple[Turn | None, Turn | None]:
        """Return the turn that starts at a block index, and the one before it."""
        turns, first = self._session.turns if self._session is not None else [], place - self._above
        at = bisect_left(turns, first, key=lambda turn: turn.first)
        known = at < len(turns) and turns[at].first == first
        return (turns[at] if known else None), (turns[at - 1] if known and at else None)

    def place_of_cursor(self) -> int | None:
        """Return the index of the entry under the cursor; without a cursor, put it on the last one in view.

        None for an entry of an earlier session.
        """
        block = self.block_at_cursor()
        place = self.blocks.index(block) - self._above if block is not None else -1
        return place if place >= 0 else None

    def block_at_cursor(self) -> Block | None:
        """Return the block under the cursor; without a cursor, put it on the last block in view."""
        if self.cursor is None and self.blocks:
            self.action_step(-1)
        return self.cursor

    def open_fold(self, block: Block) -> bool:
        """Unfold the line that hides a block; return False if no line hides it."""
        return self._folding is not None and self._folding.open(block)

    def action_fold_turn(self) -> None:
        """Fold the turn under the cursor to a line, or unfold it."""
        block = self.block_at_cursor()
        if block is None or self._folding is None:
            return
        head = self._folding.toggle_turn(self.blocks.index(block))
        if head is None:
            self.notify("The turn is still running.")
        else:
            self._put_cursor(head)

    def action_fold_older(self) -> None:
        """Fold all turns but the last."""
        if self._folding is not None:
            self._folding.fold_older(by_user=True)

    @override
    def tick(self, now: float) -> None:
        for block in self._counting:
            block.tick(now)
            self.changed(block)
