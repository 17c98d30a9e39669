"""What the person opens over a session: a tool call, changed files, links, facts, the connection's frames."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.conversation.start import Start
    from acp_tui.session.entries import ToolCall
    from acp_tui.session.session import Session
    from acp_tui.ui.screens.tool_call import ToolCallScreen
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.widgets.blocks import Block


class Opened:
    """Opens screens over one session, and keeps an opened tool call equal to what the agent tells of it."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._call: ToolCallScreen | None = None

    def block(self, block: Block, link: str = "") -> None:
        """Open what a line or an entry stands for, or a link that was clicked; or show more of an entry."""
        from acp_tui.ui.entries.entry import EntryBlock
        from acp_tui.ui.entries.messages import AgentMessageBlock, UserMessageBlock
        from acp_tui.ui.panes.changes import FileLine
        from acp_tui.ui.session_screen.links import links

        if link:
            self._offer({link: ""})
            return
        if self.call_of(block):
            return
        if isinstance(block, FileLine):
            self.changes(block.path)
        elif isinstance(block, UserMessageBlock) and block.choose():
            return
        elif isinstance(block, AgentMessageBlock | UserMessageBlock):
            self._offer(links(block.entry))
        elif isinstance(block, EntryBlock):
            block.choose()

    def call_of(self, block: Block | None) -> bool:
        """Open the tool call that a block stands for; return whether it does."""
        from acp_tui.ui.entries.tool_call import ToolCallBlock
        from acp_tui.ui.panes.tool_calls import CallLine

        if isinstance(block, CallLine):
            self.call(block.call)
        elif isinstance(block, ToolCallBlock):
            self.call(block.entry)
        else:
            return False
        return True

    def call(self, call: ToolCall) -> None:
        """Open a tool call."""
        from acp_tui.ui.screens.tool_call import ToolCallScreen
        from acp_tui.ui.session_screen.furnishing import terminal_of

        terminal = partial(terminal_of, self._screen)
        self._call = ToolCallScreen(call, terminal, self._screen.conversation.cwd, self._screen.look)
        self._screen.app.push_screen(self._call, self._call_closed)

    def some_call(self) -> None:
        """Open the tool call that a search has found, the one under the cursor, or the newest."""
        from acp_tui.ui.panes.pane import Pane
        from acp_tui.ui.panes.tool_calls import ToolCallsPane
        from acp_tui.ui.session_screen.finding import FindLine

        focused = self._screen.focused
        cursor = focused.cursor if isinstance(focused, Pane) else None
        block = next((line.block for line in self._screen.query(FindLine)), cursor)
        latest = self._screen.query_one(ToolCallsPane).latest
        if not self.call_of(block) and latest is not None:
            self.call(latest)

    def refresh(self, now: float | None = None) -> None:
        """Make an opened tool call equal to its entry; `now` is on the clock of the session's events."""
        if self._call is not None and self._call.is_mounted:
            self._call.refresh_call(now)

    def changes(self, path: str) -> None:
        """Open the changed files, a certain one first."""
        from acp_tui.ui.screens.changes import ChangesScreen
        from acp_tui.ui.screens.reviewing import Review

        conversation, session = self._screen.conversation, self._screen.conversation.session
        if session is not None:
            tracking = conversation.tracking
            screen = ChangesScreen(
                lambda: list(session.files.values()),
                path,
                conversation.cwd,
                self._screen.look,
                Review(tracking, conversation.rejections) if tracking is not None else None,
                session.prompt_of,
            )
            self._screen.app.push_screen(screen, lambda _: self._show_kept(session))

    def session_details(self) -> None:
        """Show what there is to know about the session."""
        from acp_tui.ui.screens.session_details import SessionDetailsScreen, sections

        facts = sections(self._screen.conversation, self._start, self._screen.rooms.naming.own)
        self._screen.app.push_screen(SessionDetailsScreen(facts, self._screen.look))

    def decisions(self) -> None:
        """Show what agents asked for, and how it was answered."""
        from acp_tui.store.decisions import NAME
        from acp_tui.store.folders import data_folder
        from acp_tui.ui.screens.decisions import DecisionsScreen

        session = self._screen.conversation.session
        session_id = session.id if session is not None else None
        self._screen.app.push_screen(DecisionsScreen(data_folder() / NAME, session_id, self._screen.look))

    def protocol(self) -> None:
        """Show the frames of the connection."""
        from acp_tui.ui.screens.protocol import ProtocolScreen

        journal = self._screen.conversation.journal
        path = journal.path if journal is not None else None
        self._screen.app.push_screen(ProtocolScreen(path, self._screen.look))

    def _offer(self, found: dict[str, str]) -> None:
        """Offer to open one of some links, names by addresses."""
        from acp_tui.ui.session_screen.links import open_link

        if found:
            cwd = self._screen.conversation.cwd
            opening = open_link(self._screen.app, found, cwd, self._screen.look)
            self._screen.run_worker(opening, group="links", exclusive=True)

    def _show_kept(self, session: Session) -> None:
        """Mark in the pane what was kept in the changes screen."""
        from acp_tui.session.changes import Change
        from acp_tui.ui.panes.changes import ChangesPane

        self._screen.query_one(ChangesPane).show(session, Change(fields=("files",)))

    def _call_closed(self, _: None) -> None:
        self._call = None
