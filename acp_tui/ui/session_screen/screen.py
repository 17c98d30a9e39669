"""The session screen: chat, plan, tool calls and changes around one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.screen import Screen
from typing_extensions import override

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_opening import Attach
from acp_tui.conversation.start import Start
from acp_tui.store.folders import state_folder
from acp_tui.store.recordings import RecordedSession
from acp_tui.ui.commands import bindings
from acp_tui.ui.first_frame import welcome
from acp_tui.ui.panes.changes import ChangesPane
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.pane import PaneFrame
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.panes.tool_calls import ToolCallsPane
from acp_tui.ui.screens.editor import begin as begin_edit
from acp_tui.ui.screens.editor import edit_in_workspace
from acp_tui.ui.screens.key_guard import hands_of
from acp_tui.ui.session_screen.agent_menus import OptionMenus, UnresponsiveAgent
from acp_tui.ui.session_screen.commands import RUN, WHEN, Slash, submit
from acp_tui.ui.session_screen.details import DetailScreens
from acp_tui.ui.session_screen.export import ChatCopy, SessionExport
from acp_tui.ui.session_screen.inbox import SessionName
from acp_tui.ui.session_screen.layout import PaneLayout
from acp_tui.ui.session_screen.links import open_link
from acp_tui.ui.session_screen.prompt import PromptArea
from acp_tui.ui.session_screen.questions import QuestionDialogs
from acp_tui.ui.session_screen.rules import SessionRules
from acp_tui.ui.session_screen.shell import UserShell
from acp_tui.ui.session_screen.start import LoginDialogs, Startup
from acp_tui.ui.session_screen.view import Presence, SessionView
from acp_tui.ui.terminal import Attention
from acp_tui.ui.textual_internals import binding_chain, keymap_of
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.look import Look, restyle
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from acp_tui.ui.tabs import Tabs


class SessionParts:
    """The parts of one session screen."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self.startup: Startup = Startup(screen, start)
        self.chat_copy: ChatCopy = ChatCopy(screen)
        self.export: SessionExport = SessionExport(screen)
        self.session_name: SessionName = SessionName(screen)
        self.details: DetailScreens = DetailScreens(screen, start)
        self.option_menus: OptionMenus = OptionMenus(screen)
        self.shell: UserShell = UserShell(screen, start)
        self.rules: SessionRules = SessionRules(screen, start)
        self.slash: Slash = Slash(screen)
        self.unresponsive_agent: UnresponsiveAgent = UnresponsiveAgent(screen)


class Body(Horizontal):
    """The chat and the side panes."""

    BLANK = True  # its children cover it


class SessionScreen(Screen[None]):
    """The screen of one conversation."""

    BLANK = True  # its parts cover it: nothing to draw, line by line, behind them
    AUTO_FOCUS = ""  # what is typed early is for the prompt, which takes the keys when it comes
    ESCAPE_TO_MINIMIZE = False  # Escape is ours, and gives the keys back, too
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("session")]

    def __init__(
        self,
        start: Start,
        look: Look,
        attention: Attention,
        tabs: Tabs,
        running: RunningAgent | None = None,
        attach: Attach | None = None,
        recorded: RecordedSession | None = None,
    ) -> None:
        """Show a new conversation, one with a running agent, or a recorded one."""
        super().__init__()
        self.look = look
        self.tabs = tabs
        self.view: SessionView = SessionView(self, start)
        self.conversation: Conversation = Conversation(
            start, self.view, LoginDialogs(self, start.cwd), running, attach
        )
        self.parts: SessionParts = SessionParts(self, start)
        self.presence: Presence = Presence(self)
        self.question_dialogs: QuestionDialogs = QuestionDialogs(self)
        self.pane_layout: PaneLayout = PaneLayout(self, state_folder() / "layout.json", start.settings.layout)
        self._attention = attention
        self._start = start
        self._sessions = StatusRows(id="sessions")
        self._recorded = recorded

    # ------------------------------------------------------------------ parts

    @override
    def compose(self) -> ComposeResult:
        yield self._sessions
        yield StatusRows(id="tabs")
        with Body(id="body"):
            with Vertical(id="chat-box", classes="-tab"):
                yield ChatPane()
            yield Side()
        yield StatusRows(id="queue")
        yield PromptArea(self.conversation, self._start, self.look, self.parts.slash.offered)
        yield StatusLine(self.conversation, self.look, lambda: self.parts.shell.background)

    def on_mount(self) -> None:
        """Draw everything once, then start the conversation."""
        self.set_class(self.look.ascii, "-ascii")
        restyle(self, self.look)
        self.pane_layout.begin()
        self.show_status()
        self.query_one(ChatPane).welcome(welcome(self._start.cwd, lambda name: key_of(self, name)))
        self.focus_prompt()
        self.set_interval(1.0, self.view.tick)
        self._begin()

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        if self._recorded is not None:
            await self.parts.startup.show_recorded(self._recorded)
        else:
            await self.parts.startup.begin()

    @property
    def prompt(self) -> PromptBox:
        """The prompt box."""
        return self.query_one(PromptBox)

    def on_resize(self, event: Resize) -> None:
        """Fit panes and tabs to the size."""
        self.pane_layout.resized(event.size.width)
        self.tabs.show()

    async def on_unmount(self) -> None:
        """End the user's shell commands."""
        await self.parts.shell.end()

    def focus_prompt(self) -> None:
        """Focus the prompt."""
        self.set_focus(self.prompt)  # at once: `focus` would come after a key that is here already

    def show_status(self) -> None:
        """Update the status line, the tabs and the title of the terminal."""
        self.query_one(StatusLine).show()
        self._attention.update(self.conversation, self, self.presence.is_seen)
        self.tabs.show()

    # ------------------------------------------------------------------ tabs

    @property
    def title_of_tab(self) -> str:
        """The title of the session."""
        return self.parts.session_name.title

    def show_sessions(self, lines: Sequence[StatusRow]) -> None:
        """Set the rows of the tab line."""
        self._sessions.set_rows(lines)  # not by a query: when all ends, it goes before its screen

    def on_screen_resume(self) -> None:
        """Draw the changes that were held back."""
        self.view.catch_up()
        if self.presence.is_seen:
            self.presence.begin()

    def on_screen_suspend(self) -> None:
        """Note that the screen is covered."""
        self.presence.end()

    @on(StatusRows.Clicked, "#sessions")
    def _session_clicked(self, event: StatusRows.Clicked) -> None:
        if event.piece >= 0:
            self.run_worker(self.tabs.clicked(event.piece), group="tabs")

    # ------------------------------------------------------------------ events

    @on(Transcript.Chosen)
    def _chosen(self, event: Transcript.Chosen) -> None:
        if not self.query_one(ChatPane).open_fold(event.block):
            self.parts.details.block(event.block, event.link)

    @on(StatusRows.Clicked, "#tabs")
    def _tab_clicked(self, event: StatusRows.Clicked) -> None:
        self.pane_layout.tab_clicked(event.piece)

    @on(StatusLine.PartClicked)
    async def _status_wanted(self, event: StatusLine.PartClicked) -> None:
        await self.action_run(f"session.{event.what}")

    async def on_prompt_box_submitted(self, event: PromptBox.Submitted) -> None:
        """Submit the prompt and follow the answer."""
        hands_of(self.app).sent()
        self.query_one(ChatPane).action_follow_end()
        await submit(self, event.prompt)

    @on(Transcript.Overloaded)
    def _overloaded(self) -> None:
        self.conversation.pause_output()

    @on(Transcript.CaughtUp)
    def _caught_up(self) -> None:
        self.conversation.resume_output()

    # ------------------------------------------------------------------ commands

    async def action_run(self, name: str) -> None:
        """Run a command; return once its menu can take keys."""
        running = RUN[name](self)
        if running is not None:
            await running
        await asyncio.sleep(0)  # a worker opens its menu now

    def can_run(self, name: str) -> bool:
        """Return False for a command with nothing to act on."""
        return name not in WHEN or WHEN[name](self)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "run":
            return True
        return self.can_run(str(parameters[0])) and not is_shadowed(self, action, parameters)

    def open_links(self, links: dict[str, str]) -> None:
        """Show the targets of links; open one on request."""
        opening = open_link(self, links, self.conversation.cwd)
        self.app.run_worker(opening, group="links", exclusive=True)

    def edit_file(self, path: str, line: int) -> None:
        """Open a file of the workspace in the user's editor."""
        begin_edit(self.app, lambda: edit_in_workspace(self.app, self.conversation.cwd, path, line))

    def on_prompt_box_page_turned(self, event: PromptBox.PageTurned) -> None:
        """Turn a page of the chat."""
        self.query_one(ChatPane).action_scroll_pages(event.pages)

    @override
    def action_copy_text(self) -> None:
        if not self.parts.chat_copy.selection():
            raise SkipAction


class Side(Vertical):
    """The side panes."""

    def __init__(self) -> None:
        super().__init__(id="side")

    @override
    def compose(self) -> ComposeResult:
        yield PaneFrame(PlanPane(), id="plan-frame")
        yield PaneFrame(ToolCallsPane(), id="tool-calls-frame")
        yield PaneFrame(ChangesPane(), id="changes-frame")


def is_shadowed(screen: Screen[None], action: str, parameters: tuple[object, ...]) -> bool:
    """Return True if a focused widget's custom key shadows one of the screen's.

    Only keys of the settings can; keys of Textual's own fields do not count.
    """
    if not keymap_of(screen.app):
        return False
    wanted = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
    nearer: set[str] = set()
    for node, keys in binding_chain(screen):
        if node is screen:
            found = keys.key_to_bindings.items()
            return any(key in nearer for key, all_of in found if any(one.action == wanted for one in all_of))
        nearer.update(key for key, all_of in keys.key_to_bindings.items() if any(one.id for one in all_of))
    return False
