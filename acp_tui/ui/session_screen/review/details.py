"""Detail screens over a session: tool calls, changed files, decisions, messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from math import inf

from acp_tui.conversation.start_options import Start
from acp_tui.protocol.schema import PlanEntry, SessionItem
from acp_tui.session.entries import Subagent, ToolCall
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.decisions import NAME
from acp_tui.store.folders import data_folder
from acp_tui.ui.entries import subagent as subagent_entry
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.entries import user_command
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.messages import AgentMessageBlock, SteeredMessageBlock, UserMessageBlock
from acp_tui.ui.panes.changes import ChangesPane, FileLine
from acp_tui.ui.panes.chat import ChatPane, RecentLine
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.panes.plan import PlanFileLine, PlanLine, PlanRestLine, PlanText, UnplannedLine
from acp_tui.ui.panes.tool_calls import CallLine, ToolCallsPane
from acp_tui.ui.screens import protocol as protocol_screen
from acp_tui.ui.screens import session_details
from acp_tui.ui.screens.base import text_screens
from acp_tui.ui.screens.review import changes as changes_screen
from acp_tui.ui.screens.review import plan_step
from acp_tui.ui.screens.review import subagent as subagent_screen
from acp_tui.ui.screens.review import tool_call as tool_call_screen
from acp_tui.ui.screens.rules import decisions as decisions_screen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.review import blame
from acp_tui.ui.session_screen.review import find as find_bar
from acp_tui.ui.session_screen.review import links as linked
from acp_tui.ui.session_screen.sessions.session_name import own_name
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.workspace.files import FileError
from acp_tui.workspace.terminals import Terminal


class DetailScreens:
    """Opens screens over a session, and keeps an open tool call up to date."""

    def __init__(
        self, screen: ConversationScreen, start: Start, terminal: Callable[[str], Terminal | None]
    ) -> None:
        """Open screens; `terminal` returns a terminal by its id."""
        self._screen = screen
        self._start = start
        self._terminal = terminal
        self._call: tool_call_screen.ToolCallScreen | None = None
        self._changes: changes_screen.ChangesScreen | None = None
        self._subagents: list[subagent_screen.SubagentScreen] = []
        """The open chats of subagents, the topmost last."""

    def block(self, block: Block, link: str = "") -> None:
        """Open the object of a block, or a clicked link; else fold or unfold the entry."""
        if link:
            self._offer({link: ""})
            return
        if isinstance(block, subagent_entry.SubagentBlock):
            self.subagent(block.entry)
            return
        if isinstance(block, call_entry.ToolCallBlock) and (one := self._linked(block.entry)) is not None:
            self.subagent(one)
            return
        if self.call_of(block):
            return
        if isinstance(block, PlanFileLine):
            self._screen.run_worker(self._plan_file(block.uri), group="links", exclusive=True)
        elif isinstance(block, PlanText | PlanRestLine):
            self._screen.app.push_screen(
                text_screens.MarkdownScreen("plan", block.whole, self._screen.theme_styles)
            )
        elif isinstance(block, PlanLine):
            self.step(block.entry)
        elif isinstance(block, UnplannedLine):
            self.changes(block.paths[0])
        elif isinstance(block, RecentLine):
            opening = self._screen.tabs.open(recorded=block.recorded, resumes=True)
            self._screen.app.run_worker(opening, group="tabs")
        elif isinstance(block, FileLine):
            self.changes(block.path)
        elif isinstance(block, user_command.OwnCommandBlock):
            self._screen.app.push_screen(
                text_screens.SourceScreen(block.searched(), self._screen.theme_styles)
            )
        elif isinstance(block, UserMessageBlock) and block.choose():
            return
        elif isinstance(block, AgentMessageBlock | SteeredMessageBlock | UserMessageBlock):
            self._offer(linked.links(block.entry))
        elif isinstance(block, EntryBlock):
            block.choose()

    def call_of(self, block: Block | None) -> bool:
        """Open the tool call of a block; return False if it has none."""
        if isinstance(block, CallLine):
            self.call(block.call)
        elif isinstance(block, call_entry.ToolCallBlock):
            self.call(block.entry)
        elif isinstance(block, plan_step.StepCall):
            self.call(block.call)
        else:
            return False
        return True

    def call(self, call: ToolCall) -> None:
        """Open a tool call."""
        conversation, styles = self._screen.conversation, self._screen.theme_styles
        edits = conversation.edits
        self._call = tool_call_screen.ToolCallScreen(
            call, self._terminal, conversation.cwd, styles, edits, conversation.line_notes
        )
        self._screen.app.push_screen(self._call, self._call_closed)

    def step(self, step: PlanEntry) -> None:
        """Open the work on a step of the plan."""
        conversation, session = self._screen.conversation, self._screen.conversation.session
        if session is not None:
            now = conversation.agent.now if conversation.agent is not None else inf
            work, styles = session.work_on(step.content, now), self._screen.theme_styles
            self._screen.app.push_screen(
                plan_step.PlanStepScreen(step, work, session.cwd, styles, self.block)
            )

    def _linked(self, call: ToolCall) -> Subagent | None:
        """Return the subagent that a tool call links to, if known."""
        session = self._screen.conversation.session
        ids = [item.session_id for item in call.content if isinstance(item, SessionItem)]
        if session is None or not ids:
            return None
        found = {child.id: child for child in session.descendants()}
        child = next((found[name] for name in ids if name in found), None)
        return child.parent.subagent(child.id) if child is not None and child.parent is not None else None

    def subagent(self, one: Subagent) -> None:
        """Open the chat of a subagent."""
        conversation, styles = self._screen.conversation, self._screen.theme_styles
        session = conversation.session
        found = session.descendants() if session is not None else ()
        child = next((each for each in found if each.id == one.session_id), None)
        if child is None:
            self._screen.notify("Its chat belongs to another session.", severity="warning")
            return
        context = replace(self._screen.query_one(ChatPane).context, cwd=child.cwd, asks=child.asks)
        cancel = conversation.cancel_child
        screen = subagent_screen.SubagentScreen(child, one, context, styles, self.block, cancel)
        self._subagents.append(screen)
        self._screen.app.push_screen(screen, lambda _: self._subagents.remove(screen))

    def child_changed(self, child: Session, change: SessionChange) -> None:
        """Update the open chat of a subagent."""
        for screen in self._subagents:
            if screen.session is child:
                screen.show(change)

    def some_call(self) -> None:
        """Open the tool call of the shown search hit, of the cursor, or the newest one."""
        focused = self._screen.focused
        cursor = focused.cursor if isinstance(focused, Pane) else None
        block = find_bar.found_block(self._screen) or cursor
        latest = self._screen.query_one(ToolCallsPane).latest
        if not self.call_of(block) and latest is not None:
            self.call(latest)

    def refresh(self, now: float | None = None) -> None:
        """Update the open tool call; `now` is on the clock of the session's events."""
        if self._call is not None and self._call.is_mounted:
            self._call.refresh_call(now)
        for screen in self._subagents:
            if now is not None:
                screen.tick(now)
            else:
                screen.show_head()

    def ready(self) -> None:
        """Enable the review of opened changes: the resumed session is open."""
        if self._changes is not None and self._changes.is_mounted:
            self._changes.go_on()

    def changes(self, path: str) -> None:
        """Open the changed files, starting at `path`."""
        conversation, session = self._screen.conversation, self._screen.conversation.session
        if session is not None:
            self._changes = changes_screen.ChangesScreen(
                lambda: list(session.files.values()),
                path,
                conversation.cwd,
                self._screen.theme_styles,
                lambda: (
                    changes_screen.ChangeReview(conversation.tracker, conversation.rejections)
                    if conversation.tracker
                    else None
                ),
                session.prompt_of,
                lambda path, line: blame.show_blame(self._screen, path, line),
                conversation.line_notes,
                conversation.outside,
                conversation.edits,
            )
            self._screen.app.push_screen(self._changes, lambda _: self._changes_closed(session))

    def review(self) -> None:
        """Open all changed files."""
        session = self._screen.conversation.session
        if session is None or not session.files:
            self._screen.notify("No changes yet.")
            return
        self.changes("")

    def session_details(self, first: str = "") -> None:
        """Show the details of the session; the section `first` comes before the others."""
        facts = session_details.sections(self._screen.conversation, self._start, own_name(self._screen))
        facts.sort(key=lambda section: section[0] != first)
        self._screen.app.push_screen(text_screens.SessionDetailsScreen(facts, self._screen.theme_styles))

    def decisions(self) -> None:
        """Show the decision log."""
        session = self._screen.conversation.session
        session_id = session.id if session is not None else None
        self._screen.app.push_screen(
            decisions_screen.DecisionsScreen(data_folder() / NAME, session_id, self._screen.theme_styles)
        )

    def protocol(self) -> None:
        """Show the messages of the connection."""
        journal = self._screen.conversation.journal
        path = journal.path if journal is not None else None
        self._screen.app.push_screen(protocol_screen.ProtocolScreen(path, self._screen.theme_styles))

    async def _plan_file(self, uri: str) -> None:
        """Read and show the file of a plan, if it is in the folders of the session."""
        conversation = self._screen.conversation
        try:
            text = await asyncio.to_thread(linked.text_of_file, uri, conversation.cwd, conversation.roots)
        except FileError as error:
            self._screen.notify(str(error), title="Plan", severity="warning")
        else:
            self._screen.app.push_screen(text_screens.MarkdownScreen("plan", text, self._screen.theme_styles))

    def _offer(self, found: dict[str, str]) -> None:
        """Offer to open a link; `found` has names by address."""
        if found:
            conversation = self._screen.conversation
            opening = linked.open_link(self._screen, found, conversation.cwd, conversation.outside)
            self._screen.run_worker(opening, group="links", exclusive=True)

    def _changes_closed(self, session: Session) -> None:
        """Mark the changes in the pane that were accepted in the changes screen."""
        self._changes = None
        self._screen.query_one(ChangesPane).show(session, SessionChange(fields=("files",)))

    def _call_closed(self, _: None) -> None:
        self._call = None
