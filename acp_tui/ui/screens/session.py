"""The session screen: chat, plan, tool calls and changes around one conversation."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key, Resize
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from acp_tui.ui.conversation import Conversation
from acp_tui.ui.panes.changes import ChangesPane, FileLine
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.frame import Frame
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.panes.tool_calls import CallLine, ToolCallsPane
from acp_tui.ui.screens.asking import Asking
from acp_tui.ui.screens.beginning import Beginning
from acp_tui.ui.screens.completing import Completing
from acp_tui.ui.status import StatusLine
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from acp_tui.acp.commands import Command
    from acp_tui.agent.agent import Agent
    from acp_tui.session.changes import Change
    from acp_tui.session.entries import ToolCall
    from acp_tui.session.session import Session
    from acp_tui.ui.start import Start
    from acp_tui.ui.widgets.look import Look
    from acp_tui.ui.widgets.prompt_box import PromptBox

NARROW = 110
"""Columns below which one pane is shown at a time."""


class SessionScreen(Screen[None]):
    """One conversation. The panes draw the session; what the person does goes to the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop_turn", "Stop", id="session.stop"),
        Binding("shift+tab", "next_mode", "Next mode", id="session.next-mode", priority=True),
        Binding("ctrl+o", "details", "Details", id="session.details", priority=True),
        Binding("ctrl+t", "pane('plan')", "Plan", id="session.plan", priority=True),
        Binding("f2", "pane('chat')", "Chat", id="session.chat"),
        Binding("f3", "pane('plan')", "Plan", id="session.plan-pane", show=False),
        Binding("f4", "pane('tool-calls')", "Tool calls", id="session.tool-calls"),
        Binding("f5", "pane('changes')", "Changes", id="session.changes"),
        Binding("f6", "choose_mode", "Mode", id="session.mode", priority=True),
        Binding("f7", "choose_model", "Model", id="session.model", priority=True),
        Binding("f8", "choose_option", "Options", id="session.options", priority=True),
        Binding("f9", "side", "Side panes", id="session.side"),
        Binding("f11", "zoom", "Zoom", id="session.zoom"),
        Binding("ctrl+y", "answer", "Answer", id="session.answer", priority=True),
        Binding("ctrl+backslash", "protocol", "Protocol", id="session.protocol", priority=True),
        Binding("f12", "restart", "Restart the agent", id="session.restart", show=False),
        Binding("ctrl+l", "prompt", "Prompt", id="session.prompt", show=False, priority=True),
    ]

    class Quit(Message):
        """The person wants to leave, and this screen has nothing more to say."""

    def __init__(self, start: Start, look: Look) -> None:
        super().__init__()
        self.look = look
        self.conversation = Conversation(start, self)
        self.asking = Asking(self)
        self.beginning = Beginning(self, start)
        self._start = start
        self._early_keys: list[str] = []
        self._entries: set[int] = set()
        self._fields: set[Any] = set()
        self._flush_waits = False
        self._flushed_at = 0.0
        self._tab = "chat"
        self._session: Session | None = None

    # ------------------------------------------------------------------ what it is made of

    def compose(self) -> ComposeResult:
        """The panes; the prompt comes after the first frame."""
        yield Lines(self.look, id="tabs")
        with Horizontal(id="body"):
            yield ChatPane()
            with Vertical(id="side"):
                yield Frame(PlanPane(), id="plan-frame")
                yield Frame(ToolCallsPane(), id="tool-calls-frame")
                yield Frame(ChangesPane(), id="changes-frame")
        yield Lines(self.look, id="queue")
        yield Lines(self.look, id="completions")
        with Horizontal(id="prompt-row"):
            yield Static(f"{self.look.glyph('prompt')} ", id="prompt-mark", markup=False)
        yield StatusLine(self.conversation, self.look)

    def on_mount(self) -> None:
        """Draw first; the prompt, the protocol and the conversation come after the first frame."""
        self.set_look(self.look)
        for frame in self.query(Frame):
            frame.set_class(frame.pane.NAME not in self._start.settings.layout, "-hidden")
        self._show_tab("chat")
        self.call_after_refresh(self._begin)

    @work(group="begin")
    async def _begin(self) -> None:
        from acp_tui.ui.widgets.prompt_box import PromptBox

        box = PromptBox(enter_sends=self._start.settings.enter_sends, id="prompt")
        box.placeholder = "Say something. / for commands, F1 for help"
        await self.query_one("#prompt-row").mount(box)
        self.completing = Completing(box, self.query_one("#completions", Lines), self._commands)
        box.focus()
        for key in self._early_keys:
            box.action_enter() if key == "\r" else box.insert(key)
        self.set_interval(1.0, self._tick)
        await self.beginning.begin()

    def set_look(self, look: Look) -> None:
        """Draw everything in another look."""
        self.look = look
        for widget in self.query("*"):
            if isinstance(widget, Transcript | Lines):
                widget.set_look(look)
        self.query_one(StatusLine).show()

    @property
    def prompt(self) -> PromptBox:
        """The box in which the person writes."""
        from acp_tui.ui.widgets.prompt_box import PromptBox

        return self.query_one(PromptBox)

    def on_key(self, event: Key) -> None:
        """Keep what is typed before the prompt is there."""
        if not self.query("#prompt") and event.character and (event.is_printable or event.key == "enter"):
            self._early_keys.append(event.character)

    def on_resize(self, event: Resize) -> None:
        """Show one pane at a time where there is no room for more."""
        self.set_class(event.size.width < NARROW, "-narrow")

    def _show_tab(self, name: str) -> None:
        """Choose the pane that is shown where there is room for one."""
        for frame in self.query(Frame):
            frame.set_class(name == frame.pane.NAME, "-tab")
        self.query_one("#chat").set_class(name == "chat", "-tab")
        self.query_one("#side").set_class(name != "chat", "-tab")
        self._tab = name
        self._show_tabs()

    def _show_tabs(self) -> None:
        pieces: list[tuple[str, str]] = []
        for key, pane in zip(("F2", "F3", "F4", "F5"), self.query(Pane), strict=True):
            role = "accent" if self._tab == pane.NAME else "muted"
            pieces.append((role, f"{pane.NAME.replace('-', ' ')} {pane.fact}".rstrip()))
            pieces.append(("faint", f" {key}   "))
        self.query_one("#tabs", Lines).set_lines([(pieces, ())])

    def show_status(self) -> None:
        """Make the status line equal to what is."""
        self.query_one(StatusLine).show()

    # ------------------------------------------------------------------ what the conversation tells

    def phase_changed(self) -> None:
        """The agent is starting, ready, or gone."""
        self.query_one(StatusLine).show()
        if self.conversation.phase in ("failed", "ended") and self.is_attached:
            self.asking.close()
            self._explain_failure()

    def session_changed(self, change: Change) -> None:
        """Collect what changed and draw it soon, many changes at once; the first after a pause at once."""
        self._entries.update(change.entries)
        self._fields.update(change.fields)
        if not self._flush_waits:
            self._flush_waits = True
            wait = self._flushed_at + 0.033 - time.perf_counter()
            if wait > 0:
                self.set_timer(wait, self._flush)
            else:
                self.call_next(self._flush)

    def queue_changed(self) -> None:
        """Show what waits to be said."""
        lines = [
            ([("muted", "queued "), ("text", text.replace("\n", " "))], [("muted", "ctrl+u edits")])
            for text in self.conversation.queue
        ]
        self.query_one("#queue", Lines).set_lines(lines)

    def prompt_failed(self, text: str) -> None:
        """Give the person back what could not be said."""
        self.prompt.give_back(text)

    async def choose_login(self, agent: Agent, error: str) -> str | None:
        """Ask the person for a way to log in."""
        return await self.asking.login(agent, error)

    def _flush(self) -> None:
        from acp_tui.session.changes import Change

        self._flush_waits = False
        self._flushed_at = time.perf_counter()
        session = self.conversation.session
        if session is None:
            return
        change = Change(tuple(sorted(self._entries)), tuple(self._fields))
        self._entries.clear()
        self._fields.clear()
        if session is not self._session:
            self._session = session
            self._furnish(session.cwd)
        for pane in self.query(Pane):
            pane.show(session, change)
        if change.fields:
            self.query_one(StatusLine).show()
            self._show_tabs()
        if "questions" in change.fields:
            self.asking.show_next()
        if "commands" in change.fields:
            self.completing.typed()

    def _furnish(self, cwd: str) -> None:
        """Show another session than before."""
        from acp_tui.ui.entries.setting import Setting

        for pane in self.query(Pane):
            pane.begin()
        chat = self.query_one(ChatPane)
        chat.setting = Setting(cwd, self._terminal, chat.changed, self._start.settings.thoughts)

    def _commands(self) -> list[Command]:
        session = self.conversation.session
        return session.commands if session is not None else []

    def _terminal(self, terminal_id: str) -> Any:
        from acp_tui.host.terminals import UnknownTerminal

        session = self.conversation.session
        if session is None or self.conversation.host is None:
            return None
        try:
            return self.conversation.host.terminals.get(session.id, terminal_id)
        except UnknownTerminal:
            return None

    def _tick(self) -> None:
        """Count seconds where something runs."""
        agent = self.conversation.agent
        self.query_one(StatusLine).show()
        if agent is not None and self.conversation.is_busy:
            now = agent.now
            self.query_one(ChatPane).tick(now)
            self.query_one(ToolCallsPane).tick(now, self._start.cwd)

    # ------------------------------------------------------------------ what the person does

    @on(Transcript.Chosen)
    def _chosen(self, event: Transcript.Chosen) -> None:
        from acp_tui.ui.entries.entry import EntryBlock
        from acp_tui.ui.entries.tool_call import ToolCallBlock

        block = event.block
        if isinstance(block, CallLine):
            self._open_call(block.call)
        elif isinstance(block, ToolCallBlock):
            self._open_call(block.entry)
        elif isinstance(block, FileLine):
            self._open_changes(block.path)
        elif isinstance(block, EntryBlock):
            block.choose()

    def on_text_area_changed(self) -> None:
        """Offer what the text may become."""
        self.completing.typed()

    def on_prompt_box_completion_moved(self, event: PromptBox.CompletionMoved) -> None:
        """Mark another completion."""
        self.completing.move(event.step)

    def on_prompt_box_completion_taken(self) -> None:
        """Take the marked completion."""
        self.completing.take()

    @on(Lines.Clicked, "#tabs")
    def _tab_clicked(self, event: Lines.Clicked) -> None:
        panes = list(self.query(Pane))
        if event.piece >= 0:
            self._show_tab(panes[event.piece // 2].NAME)

    @on(StatusLine.Wanted)
    def _status_wanted(self, event: StatusLine.Wanted) -> None:
        if event.what == "answer":
            self.asking.reopen()
        else:
            self.asking.choose(event.what)

    def on_prompt_box_submitted(self, event: PromptBox.Submitted) -> None:
        """Say it, or let it wait."""
        self.query_one(ChatPane).action_follow_end()
        self.conversation.say(event.text)

    @on(Transcript.Overloaded)
    def _overloaded(self) -> None:
        if self.conversation.agent is not None:
            self.conversation.agent.connection.pause_reading()

    @on(Transcript.CaughtUp)
    def _caught_up(self) -> None:
        if self.conversation.agent is not None:
            self.conversation.agent.connection.resume_reading()

    def action_stop_turn(self) -> None:
        """Take completions away; else stop the turn: open questions are answered `cancelled`."""
        if not self.completing.dismiss():
            self.conversation.cancel()

    def action_pane(self, name: str) -> None:
        """Go to a pane, showing it if it is hidden."""
        pane = self.query_one(f"#{name}", Pane)
        if self.has_class("-narrow"):
            shown = name == self._tab
            self._show_tab("chat" if shown and name != "chat" else name)
            (self.prompt if shown and name != "chat" else pane).focus()
            return
        if pane.has_focus and name != "chat":
            self.prompt.focus()
            return
        for hidden in pane.ancestors_with_self:
            hidden.remove_class("-hidden")
        pane.focus()

    def action_side(self) -> None:
        """Hide or show the side panes."""
        self.query_one("#side").toggle_class("-hidden")

    def action_zoom(self) -> None:
        """Give a pane the whole screen, or take it back."""
        if self.maximized is not None:
            self.minimize()
        elif isinstance(self.focused, Pane):
            self.maximize(self.focused)
        else:
            self.maximize(self.query_one(ChatPane))

    def action_prompt(self) -> None:
        """Go to the prompt."""
        self.prompt.focus()

    def action_details(self) -> None:
        """Open the tool call under the cursor, or the newest."""
        from acp_tui.ui.entries.tool_call import ToolCallBlock

        for pane in (self.query_one(ChatPane), self.query_one(ToolCallsPane)):
            if pane.has_focus and isinstance(pane.cursor, ToolCallBlock):
                self._open_call(pane.cursor.entry)
                return
            if pane.has_focus and isinstance(pane.cursor, CallLine):
                self._open_call(pane.cursor.call)
                return
        latest = self.query_one(ToolCallsPane).latest
        if latest is not None:
            self._open_call(latest)

    def action_answer(self) -> None:
        """Bring up the questions again that were put aside."""
        self.asking.reopen()

    def action_next_mode(self) -> None:
        """Go to the next mode."""
        self.asking.next_mode()

    def action_choose_mode(self) -> None:
        """Choose a mode from a menu."""
        self.asking.choose("mode")

    def action_choose_model(self) -> None:
        """Choose a model from a menu."""
        self.asking.choose("model")

    def action_choose_option(self) -> None:
        """Choose an option, then its value."""
        self.asking.choose(None)

    @work(group="begin", exclusive=True)
    async def action_restart(self) -> None:
        """End the agent and start it again."""
        await self.conversation.restart()

    def action_protocol(self) -> None:
        """Show the frames of the connection."""
        from acp_tui.ui.screens.protocol import ProtocolScreen

        journal = self.conversation.journal
        self.app.push_screen(ProtocolScreen(journal.path if journal is not None else None, self.look))

    @work(group="failure", exclusive=True)
    async def _explain_failure(self) -> None:
        await self.beginning.explain()

    def _open_call(self, call: ToolCall) -> None:
        from acp_tui.ui.screens.tool_call import ToolCallScreen

        self.app.push_screen(ToolCallScreen(call, self._terminal, self._start.cwd, self.look))

    def _open_changes(self, path: str) -> None:
        from acp_tui.ui.screens.changes import ChangesScreen

        session = self.conversation.session
        if session is not None:
            files = list(session.files.values())
            self.app.push_screen(ChangesScreen(files, path, self._start.cwd, self.look))
