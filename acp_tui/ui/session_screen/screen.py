"""The session screen: chat, plan, tool calls and changes around one conversation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key, Resize
from textual.screen import Screen

from acp_tui.conversation.conversation import Conversation
from acp_tui.store.folders import state_folder
from acp_tui.ui.panes.changes import ChangesPane
from acp_tui.ui.panes.chat import ChatPane, welcome
from acp_tui.ui.panes.pane import Frame
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.panes.tool_calls import ToolCallsPane
from acp_tui.ui.screens.key_guard import hands_of
from acp_tui.ui.session_screen.layout import PaneLayout
from acp_tui.ui.session_screen.prompt import Writing
from acp_tui.ui.session_screen.questions import Asking
from acp_tui.ui.session_screen.start import LoggingIn
from acp_tui.ui.session_screen.view import Presence, Showing
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.line_view import Line, Lines
from acp_tui.ui.widgets.look import restyle
from acp_tui.ui.widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.conversation.agents import RunningAgent
    from acp_tui.conversation.conversation import Start
    from acp_tui.conversation.opening import Attach
    from acp_tui.store.recordings import RecordedSession
    from acp_tui.ui.session_screen.agent_menus import OptionMenus, UnresponsiveAgent
    from acp_tui.ui.session_screen.commands import Slash
    from acp_tui.ui.session_screen.details import DetailScreens
    from acp_tui.ui.session_screen.export import ChatCopy, SessionExport
    from acp_tui.ui.session_screen.inbox import SessionName
    from acp_tui.ui.session_screen.rules import SessionRules
    from acp_tui.ui.session_screen.shell import UserShell
    from acp_tui.ui.session_screen.start import Beginning
    from acp_tui.ui.tabs import Tabs
    from acp_tui.ui.terminal import Attention
    from acp_tui.ui.widgets.look import Look
    from acp_tui.ui.widgets.prompt_box import PromptBox


class Rooms:
    """The parts of one screen. The first frame needs none of them, so it does not wait for their modules."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start

    @cached_property
    def beginning(self) -> Beginning:
        """Leads to a session, and explains what stands in the way."""
        from acp_tui.ui.session_screen.start import Beginning

        return Beginning(self._screen, self._start)

    @cached_property
    def copying(self) -> ChatCopy:
        """Copies what was said."""
        from acp_tui.ui.session_screen.export import ChatCopy

        return ChatCopy(self._screen)

    @cached_property
    def exporting(self) -> SessionExport:
        """Writes the session into a file."""
        from acp_tui.ui.session_screen.export import SessionExport

        return SessionExport(self._screen)

    @cached_property
    def naming(self) -> SessionName:
        """Names the session."""
        from acp_tui.ui.session_screen.inbox import SessionName

        return SessionName(self._screen)

    @cached_property
    def opened(self) -> DetailScreens:
        """Opens tool calls, files and details over the session."""
        from acp_tui.ui.session_screen.details import DetailScreens

        return DetailScreens(self._screen, self._start)

    @cached_property
    def option_menus(self) -> OptionMenus:
        """Sets modes, models and options."""
        from acp_tui.ui.session_screen.agent_menus import OptionMenus

        return OptionMenus(self._screen)

    @cached_property
    def own_shell(self) -> UserShell:
        """Runs the person's own commands."""
        from acp_tui.ui.session_screen.shell import UserShell

        return UserShell(self._screen, self._start)

    @cached_property
    def ruling(self) -> SessionRules:
        """Leads to the person's rules."""
        from acp_tui.ui.session_screen.rules import SessionRules

        return SessionRules(self._screen, self._start)

    @cached_property
    def slash(self) -> Slash:
        """Knows our own commands behind `/`."""
        from acp_tui.ui.session_screen.commands import Slash

        return Slash(self._screen)

    @cached_property
    def unresponsive(self) -> UnresponsiveAgent:
        """Deals with an agent that does not answer."""
        from acp_tui.ui.session_screen.agent_menus import UnresponsiveAgent

        return UnresponsiveAgent(self._screen)


def _unseen(key: str, action: str, description: str, name: str) -> Binding:
    """Return a key that the footer has no room for; F1 and the palette tell of it."""
    return Binding(key, action, description, id=name, show=False, priority=True)


KEYS: Final = (
    Binding("escape", "stop_turn", "Stop", id="session.stop"),
    Binding("ctrl+c", "interrupt", "Copy; empty the prompt; stop", id="session.interrupt", show=False),
    Binding("shift+tab", "next_mode", "Next mode", id="session.next-mode", priority=True),
    Binding("ctrl+o", "open('call')", "Details", id="session.details", priority=True),
    Binding("ctrl+t", "pane('plan')", "Plan", id="session.plan", priority=True),
    Binding("f2", "pane('chat')", "Chat", id="session.chat", priority=True),
    _unseen("f3", "pane('plan')", "Plan", "session.plan-pane"),
    Binding("f4", "pane('tool-calls')", "Tool calls", id="session.tool-calls", priority=True),
    Binding("f5", "pane('changes')", "Changes", id="session.changes", priority=True),
    Binding("f6", "open('mode')", "Mode", id="session.mode", priority=True),
    Binding("f7", "open('model')", "Model", id="session.model", priority=True),
    Binding("f8", "open('option')", "Options", id="session.options", priority=True),
    Binding("h", "arrange('hide')", "Hide this pane", id="session.hide-pane", show=False),
    Binding("f9", "arrange('side')", "Side panes", id="session.side", priority=True),
    Binding("f11", "arrange('zoom')", "Zoom", id="session.zoom", priority=True),
    Binding("ctrl+y", "open('answer')", "Answer", id="session.answer", priority=True),
    Binding("ctrl+backslash", "open('protocol')", "Protocol", id="session.protocol", priority=True),
    _unseen("alt+g", "send_now", "Stop and send now", "session.send-now"),
    _unseen("alt+up", "edit_queue", "Edit what waits", "session.edit-queue"),
    _unseen("alt+p", "open('policy')", "What is allowed unasked", "session.policy"),
    _unseen("alt+l", "open('rules')", "Rules", "session.rules"),
    _unseen("alt+d", "open('decisions')", "Decisions", "session.decisions"),
    _unseen("alt+q", "open('queue')", "Queue: edit, move, drop", "session.queue"),
    _unseen("alt+i", "open('details')", "Session details", "session.about"),
    _unseen("alt+r", "open('rename')", "Rename the session", "session.rename"),
    _unseen("alt+f12", "open('log-out')", "Log out", "session.log-out"),
    _unseen("alt+k", "open('fork')", "Fork this session", "session.fork"),
    _unseen("alt+h", "open('hand-over')", "Tell the agent what stands above", "session.hand-over"),
    _unseen("alt+c", "copy('answer')", "Copy the last answer", "session.copy"),
    _unseen("alt+e", "open('export')", "Export the session", "session.export"),
    _unseen("alt+u", "open('restore')", "Restore files to before the last turn", "session.restore"),
    _unseen("alt+t", "drop_note", "Do not tell of rejections", "session.drop-note"),
    _unseen("alt+v", "open('range')", "Changes since", "session.range"),
    _unseen("ctrl+f", "open('find')", "Find in the chat", "session.find"),
    Binding("f12", "restart", "Restart the agent", id="session.restart", show=False),
    _unseen("alt+x", "open('ladder')", "Wait, stop, kill or restart", "session.ladder"),
    _unseen("alt+j", "open('background')", "Stop what goes on in the background", "session.background"),
    _unseen("ctrl+l", "arrange('prompt')", "Prompt", "session.prompt"),
)
"""A priority key works wherever the focus is, also in the prompt. What `open` opens is in `doors`."""


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
        recorded: RecordedSession | None = None,
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
        self.arranging = PaneLayout(self, state_folder() / "layout.json", start.settings.layout)
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
        from acp_tui.ui.session_screen.commands import say

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
            return not is_taken(self, action, parameters)
        if action == "open":
            from acp_tui.ui.session_screen.commands import can_open

            return can_open(self, str(parameters[0]))
        return True

    async def action_open(self, door: str) -> None:
        """Open what has this name in `doors`."""
        from acp_tui.ui.session_screen.commands import open_door

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
        interrupt(self)

    def action_next_mode(self) -> None:
        """Go to the next mode."""
        self.rooms.option_menus.next_mode()

    def action_restart(self) -> None:
        """End the agent and start it again; without one, choose one."""
        self.rooms.beginning.restart()


class Side(Vertical):
    """The panes beside the chat, one below the other."""

    def __init__(self) -> None:
        super().__init__(id="side")

    def compose(self) -> ComposeResult:
        """Each pane under its title."""
        yield Frame(PlanPane(), id="plan-frame")
        yield Frame(ToolCallsPane(), id="tool-calls-frame")
        yield Frame(ChangesPane(), id="changes-frame")


def is_taken(screen: Screen[None], action: str, parameters: tuple[object, ...]) -> bool:
    """Return whether what is focused, or what holds it, has the key of a priority action of the screen.

    Only the user's settings bring that about, and then what is nearer to the user wins. The keys of Textual's
    own fields do not count: there the settings win.
    """
    if not screen.app._keymap:
        return False
    wanted = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
    nearer: set[str] = set()
    for node, bindings in screen._modal_binding_chain:
        if node is screen:
            found = bindings.key_to_bindings.items()
            return any(key in nearer for key, all_of in found if any(one.action == wanted for one in all_of))
        nearer.update(
            key for key, all_of in bindings.key_to_bindings.items() if any(one.id for one in all_of)
        )
    return False


def interrupt(screen: SessionScreen) -> None:
    """Copy a selection; else empty the prompt with the keys; else stop what runs; else say how to quit."""
    if screen.rooms.copying.selection():
        return
    if screen.query("#prompt") and screen.prompt.has_focus and screen.prompt.text:
        screen.prompt.replace_all("")
        screen.notify("The prompt is empty. Ctrl+Z in it brings the text back.", timeout=3)
    elif not _stops_work(screen):
        screen.notify(f"{key_of(screen, 'app.quit')} ends the agent and quits.", timeout=3)


def stop(screen: SessionScreen) -> None:
    """Take completions or a zoom away; else stop what runs; else go back to the prompt."""
    if screen.query_one(Writing).dismiss():
        return
    if screen.maximized is not None:
        screen.arranging.toggle_zoom()
    elif not _stops_work(screen):
        screen.arranging.leave()


def _stops_work(screen: SessionScreen) -> bool:
    """End a command of the person, else the turn, whose open questions are answered `cancelled`."""
    return screen.rooms.own_shell.kill() or screen.conversation.stop()
