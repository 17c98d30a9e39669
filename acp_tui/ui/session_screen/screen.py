"""The session screen: chat, plan, tool calls and changes around one conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key, Resize
from textual.screen import Screen

from acp_tui.conversation.conversation import Conversation
from acp_tui.store.folders import state_folder
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.panes.welcome import welcome
from acp_tui.ui.screens.key_guard import hands_of
from acp_tui.ui.session_screen.arranging import Arranging
from acp_tui.ui.session_screen.asking import Asking
from acp_tui.ui.session_screen.keys import KEYS
from acp_tui.ui.session_screen.logging_in import LoggingIn
from acp_tui.ui.session_screen.presence import Presence
from acp_tui.ui.session_screen.rooms import Rooms
from acp_tui.ui.session_screen.showing import Showing
from acp_tui.ui.session_screen.writing import Writing
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.lines import Line, Lines
from acp_tui.ui.widgets.look import restyle
from acp_tui.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.conversation.opening import Attach
    from acp_tui.conversation.running import RunningAgent
    from acp_tui.conversation.start import Start
    from acp_tui.store.recorded import Recorded
    from acp_tui.ui.attention import Attention
    from acp_tui.ui.tabs import Tabs
    from acp_tui.ui.widgets.look import Look
    from acp_tui.ui.widgets.prompt_box import PromptBox


class Body(Horizontal):
    """What stands between the lines above and below."""

    BLANK = True  # its children cover it


class SessionScreen(Screen[None]):
    """One conversation. The panes draw the session; what the person does goes to the conversation."""

    BLANK = True  # its parts cover it: nothing to draw, line by line, behind them
    AUTO_FOCUS = ""  # what is typed early is for the prompt, which takes the keys when it comes
    ESCAPE_TO_MINIMIZE = False  # Escape is ours, and gives the keys back, too
    BINDINGS: ClassVar[list[BindingType]] = list(KEYS)

    def __init__(
        self,
        start: Start,
        look: Look,
        attention: Attention,
        tabs: Tabs,
        running: RunningAgent | None = None,
        attach: Attach | None = None,
        recorded: Recorded | None = None,
    ) -> None:
        """Show a conversation with an agent that is started, with one that runs, or a recorded one."""
        super().__init__()
        self.look = look
        self.tabs = tabs
        self.showing = Showing(self, start)
        self.conversation = Conversation(start, self.showing, LoggingIn(self, start.cwd), running, attach)
        self.rooms: Rooms = Rooms(self, start)
        self.presence = Presence(self)
        self.asking: Asking = Asking(self)
        self.arranging = Arranging(self, state_folder() / "layout.json", start.settings.layout)
        self._attention = attention
        self._start = start
        self._sessions: Lines | None = None
        self.is_complete = False
        """Whether all parts are there: the first frame does with a few."""
        self._recorded = recorded

    # ------------------------------------------------------------------ what it is made of

    def compose(self) -> ComposeResult:
        """What the first frame shows; the rest comes right after it, by `_complete`."""
        with Body(id="body"), Vertical(id="chat-box", classes="-tab"):
            yield ChatPane()
        yield Writing(self.conversation, self._start, self.look, lambda: self.rooms.slash.offered())
        yield StatusLine(self.conversation, self.look, lambda: self.rooms.own_shell.background)

    def on_mount(self) -> None:
        """Draw first; the prompt, the protocol and the conversation come after the first frame."""
        self.set_class(self.look.ascii, "-ascii")
        restyle(self, self.look)
        self.show_status()
        self.query_one(ChatPane).welcome(welcome(self._start.cwd, lambda name: key_of(self, name)))
        # By way of the application, which shows nothing before its own start is over.
        self.app.call_later(self.call_after_refresh, self._begin)

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        await self._complete()
        if not draws(self):
            return
        await self.query_one(Writing).begin()
        self.set_interval(1.0, self.showing.tick)
        if self._recorded is not None:
            await self.rooms.beginning.show_recorded(self._recorded)
        else:
            await self.rooms.beginning.begin()

    async def _complete(self) -> None:
        """Add the panes beside the chat, and the lines that are empty at first."""
        from acp_tui.ui.session_screen.side import Side

        with self.app.batch_update():
            self._sessions = Lines(id="sessions")
            await self.mount(self._sessions, Lines(id="tabs"), before="#body")
            await self.mount(Lines(id="queue"), before=self.query_one(Writing))
            await self.query_one("#body").mount(Side())
            restyle(self, self.look)
            self.show_status()
            self.arranging.begin()
        self.is_complete = True
        self.tabs.show()

    @property
    def prompt(self) -> PromptBox:
        """The box in which the person writes."""
        from acp_tui.ui.widgets.prompt_box import PromptBox

        return self.query_one(PromptBox)

    def on_key(self, event: Key) -> None:
        """Keep what is typed before the prompt is there."""
        self.query_one(Writing).typed_early(event)

    def on_resize(self, event: Resize) -> None:
        """Show one pane at a time where there is no room for more, and the tabs that fit."""
        self.arranging.resized(event.size.width)
        if self.is_complete:
            self.tabs.show()

    async def on_unmount(self) -> None:
        """End the commands of the person."""
        await self.rooms.own_shell.end()

    def focus_prompt(self) -> None:
        """Give the prompt the keys, once there is one."""
        for box in self.query("#prompt"):
            self.set_focus(box)  # at once: `focus` would come after a key that is here already

    def show_status(self) -> None:
        """Make the status line, the tabs and the terminal around us equal to what is."""
        self.query_one(StatusLine).show()
        self._attention.update(self.conversation, self, self.presence.is_seen)
        self.tabs.show()

    # ------------------------------------------------------------------ one of several

    @property
    def title_of_tab(self) -> str:
        """What the session is about, in a few words."""
        return self.rooms.naming.title

    def show_sessions(self, lines: Sequence[Line]) -> None:
        """Show the tabs of all sessions."""
        if self._sessions is not None:  # by itself, not by a query: when all ends, it goes before its screen
            self._sessions.set_lines(lines)

    def on_screen_resume(self) -> None:
        """Catch up with what waited to be shown."""
        self.showing.catch_up()
        if self.presence.is_seen:
            self.presence.begin()

    def on_screen_suspend(self) -> None:
        """Another session is seen, or a dialog lies over this one."""
        self.presence.end()

    @on(Lines.Clicked, "#sessions")
    def _session_clicked(self, event: Lines.Clicked) -> None:
        if event.piece >= 0:
            self.run_worker(self.tabs.clicked(event.piece), group="tabs")

    # ------------------------------------------------------------------ what the person does

    @on(Transcript.Chosen)
    def _chosen(self, event: Transcript.Chosen) -> None:
        if not self.query_one(ChatPane).open_fold(event.block):
            self.rooms.opened.block(event.block, event.link)

    @on(Lines.Clicked, "#tabs")
    def _tab_clicked(self, event: Lines.Clicked) -> None:
        self.arranging.tab_clicked(event.piece)

    @on(StatusLine.Wanted)
    async def _status_wanted(self, event: StatusLine.Wanted) -> None:
        await self.action_open(event.what)

    async def on_prompt_box_submitted(self, event: PromptBox.Submitted) -> None:
        """Follow what comes of it."""
        from acp_tui.ui.session_screen.saying import say

        hands_of(self.app).sent()
        self.query_one(ChatPane).action_follow_end()
        await say(self, event.prompt)

    @on(Transcript.Overloaded)
    def _overloaded(self) -> None:
        self.conversation.connecting.hold()

    @on(Transcript.CaughtUp)
    def _caught_up(self) -> None:
        self.conversation.connecting.let_go()

    def action_stop_turn(self) -> None:
        """Take completions or a zoom away, else stop what runs."""
        from acp_tui.ui.session_screen.interrupting import stop

        stop(self)

    def action_send_now(self) -> None:
        """Stop the turn, and say what is written and what waits."""
        if not self.conversation.cancel():
            self.conversation.stop()  # what is about to be sent goes with what is written
        self.prompt.action_send()

    def action_drop_note(self) -> None:
        """Tell the agent nothing of the changes that were taken back so far."""
        self.conversation.rejections.drop()

    def action_edit_queue(self) -> None:
        """Take the last of what waits back into the prompt."""
        queue = self.conversation.queue
        if queue:
            self.prompt.give_back(self.conversation.take_from_queue(len(queue) - 1))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing before all parts are there, and only what can be done now."""
        if not self.is_complete:
            return False
        if action in {"pane", "arrange"}:
            from acp_tui.ui.session_screen.own_keys import is_taken

            return not is_taken(self, action, parameters)
        if action == "open":
            from acp_tui.ui.session_screen.doors import can_open

            return can_open(self, str(parameters[0]))
        return True

    async def action_open(self, door: str) -> None:
        """Open what has this name in `doors`."""
        from acp_tui.ui.session_screen.doors import open_door

        await open_door(self, door)

    def action_pane(self, name: str) -> None:
        """Go to a pane, showing it if it is hidden."""
        self.arranging.go_to(name)

    def action_arrange(self, what: str) -> None:
        """Hide the pane that has the keys, or the `side`; `zoom` a pane; go to the `prompt`."""
        self.arranging.arrange(what)

    def on_prompt_box_page_turned(self, event: PromptBox.PageTurned) -> None:
        """Turn a page of the chat."""
        self.query_one(ChatPane).action_scroll_pages(event.pages)

    def action_copy(self, what: str) -> None:
        """Copy the last `answer`, or the `block` under the chat's cursor, or the `code` in it."""
        self.rooms.copying.copy(what)

    def action_copy_text(self) -> None:
        """Copy what is selected, or the block in the chat that has the keys."""
        if not self.rooms.copying.selection():
            raise SkipAction

    def action_interrupt(self) -> None:
        """Copy, else empty the prompt, else stop what runs."""
        from acp_tui.ui.session_screen.interrupting import interrupt

        interrupt(self)

    def action_next_mode(self) -> None:
        """Go to the next mode."""
        self.rooms.option_menus.next_mode()

    def action_restart(self) -> None:
        """End the agent and start it again; without one, choose one."""
        self.rooms.beginning.restart()
