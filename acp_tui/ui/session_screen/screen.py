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
from acp_tui.ui.session_screen.commands import RUN, WHEN, Slash, say
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
    """What stands between the lines above and below."""

    BLANK = True  # its children cover it


class SessionScreen(Screen[None]):
    """One conversation. The panes draw the session; what the person does goes to the conversation."""

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
        """Show a conversation with an agent that is started, with one that runs, or a recorded one."""
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

    # ------------------------------------------------------------------ what it is made of

    def compose(self) -> ComposeResult:
        """Lay out the tabs, the chat with the panes beside it, the prompt and the status line."""
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
        """Draw everything once, then begin the conversation."""
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
        """The box in which the person writes."""
        return self.query_one(PromptBox)

    def on_resize(self, event: Resize) -> None:
        """Show one pane at a time where there is no room for more, and the tabs that fit."""
        self.pane_layout.resized(event.size.width)
        self.tabs.show()

    async def on_unmount(self) -> None:
        """End the commands of the person."""
        await self.parts.shell.end()

    def focus_prompt(self) -> None:
        """Give the prompt the keys."""
        self.set_focus(self.prompt)  # at once: `focus` would come after a key that is here already

    def show_status(self) -> None:
        """Make the status line, the tabs and the terminal around us equal to what is."""
        self.query_one(StatusLine).show()
        self._attention.update(self.conversation, self, self.presence.is_seen)
        self.tabs.show()

    # ------------------------------------------------------------------ one of several

    @property
    def title_of_tab(self) -> str:
        """What the session is about, in a few words."""
        return self.parts.session_name.title

    def show_sessions(self, lines: Sequence[StatusRow]) -> None:
        """Show the tabs of all sessions."""
        self._sessions.set_rows(lines)  # not by a query: when all ends, it goes before its screen

    def on_screen_resume(self) -> None:
        """Catch up with what waited to be shown."""
        self.view.catch_up()
        if self.presence.is_seen:
            self.presence.begin()

    def on_screen_suspend(self) -> None:
        """Another session is seen, or a dialog lies over this one."""
        self.presence.end()

    @on(StatusRows.Clicked, "#sessions")
    def _session_clicked(self, event: StatusRows.Clicked) -> None:
        if event.piece >= 0:
            self.run_worker(self.tabs.clicked(event.piece), group="tabs")

    # ------------------------------------------------------------------ what the person does

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
        """Follow what comes of it."""
        hands_of(self.app).sent()
        self.query_one(ChatPane).action_follow_end()
        await say(self, event.prompt)

    @on(Transcript.Overloaded)
    def _overloaded(self) -> None:
        self.conversation.pause_output()

    @on(Transcript.CaughtUp)
    def _caught_up(self) -> None:
        self.conversation.resume_output()

    # ------------------------------------------------------------------ commands

    async def action_run(self, name: str) -> None:
        """Run a command; return when what it opens can take the keys that come right after."""
        running = RUN[name](self)
        if running is not None:
            await running
        await asyncio.sleep(0)  # a worker opens its menu now

    def can_run(self, name: str) -> bool:
        """Return whether there is something for a command to act on now."""
        return name not in WHEN or WHEN[name](self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done now, by the key that has no nearer meaning."""
        if action != "run":
            return True
        return self.can_run(str(parameters[0])) and not is_taken(self, action, parameters)

    def open_links(self, links: dict[str, str]) -> None:
        """Show where links lead, and open one if the user says so."""
        opening = open_link(self, links, self.conversation.cwd)
        self.app.run_worker(opening, group="links", exclusive=True)

    def edit_file(self, path: str, line: int) -> None:
        """Open a file of the workspace in the user's editor."""
        begin_edit(self.app, lambda: edit_in_workspace(self.app, self.conversation.cwd, path, line))

    def on_prompt_box_page_turned(self, event: PromptBox.PageTurned) -> None:
        """Turn a page of the chat."""
        self.query_one(ChatPane).action_scroll_pages(event.pages)

    def action_copy_text(self) -> None:
        """Copy what is selected, or the block in the chat that has the keys."""
        if not self.parts.chat_copy.selection():
            raise SkipAction


class Side(Vertical):
    """The panes beside the chat, one below the other."""

    def __init__(self) -> None:
        super().__init__(id="side")

    def compose(self) -> ComposeResult:
        """Each pane under its title."""
        yield PaneFrame(PlanPane(), id="plan-frame")
        yield PaneFrame(ToolCallsPane(), id="tool-calls-frame")
        yield PaneFrame(ChangesPane(), id="changes-frame")


def is_taken(screen: Screen[None], action: str, parameters: tuple[object, ...]) -> bool:
    """Return whether what is focused, or what holds it, has the key of a priority action of the screen.

    Only the user's settings bring that about, and then what is nearer to the user wins. The keys of Textual's
    own fields do not count: there the settings win.
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
