"""The chat pane: the conversation, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.blocks import Block, TextBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.session.changes import Change
    from acp_tui.session.session import Session
    from acp_tui.ui.entries.entry import EntryBlock
    from acp_tui.ui.entries.setting import Setting


class ChatPane(Pane):
    """Prompts, answers, thoughts, tool calls and notices, in the order of the session's entries."""

    NAME = "chat"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "screen.copy_block", "Copy this block", show=False, id="chat.copy"),
        Binding("y", "screen.copy_code", "Copy the code in this block", show=False, id="chat.copy-code"),
        Binding("v", "screen.show_source", "Source of this block", show=False, id="chat.source"),
    ]
    IS_LIST = False
    setting: Setting
    """What the entries need beside themselves; given before the first change."""

    def __init__(self) -> None:
        super().__init__()
        self._counting: set[EntryBlock] = set()
        self._above = 0
        """Blocks of sessions that were shown before this one."""
        self._welcome: Block | None = None

    def welcome(self, pieces: Sequence[tuple[str, str]]) -> None:
        """Say what can be done here, until something is said."""
        self._welcome = TextBlock(pieces, first=[("text", "  ")], rest=[("text", "  ")], above=1)
        self.append(self._welcome)

    def begin(self) -> None:
        """Another session is shown from now on, below what was said before."""
        self._above = len(self.blocks) - (self._welcome is not None)
        self._counting.clear()

    def show(self, session: Session, change: Change) -> None:
        """Make the changed entries' blocks equal to them; new entries get new blocks."""
        from acp_tui.ui.entries.views import VIEWS

        if self._welcome is not None and session.entries:
            self.remove_block(self._welcome)
            self._welcome = None
        while len(self.blocks) - self._above < len(session.entries):
            entry = session.entries[len(self.blocks) - self._above]
            self.append(VIEWS[type(entry)](entry, self.setting))
        for index in change.entries:
            block: EntryBlock = self.blocks[self._above + index]  # type: ignore[assignment]  # only entries are appended here
            block.sync()
            (self._counting.add if block.is_running else self._counting.discard)(block)
            self.changed(block)

    def tick(self, now: float) -> None:
        """Count the seconds of what runs."""
        for block in self._counting:
            block.tick(now)
            self.changed(block)
