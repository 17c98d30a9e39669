"""The session screen: chat, plan, tool calls and changes around one conversation.

It composes the widgets and routes their events; its parts do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import DescendantBlur, DescendantFocus, Key, Paste, Resize, ScreenResume
from textual.screen import Screen
from typing_extensions import override

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_start import KnownSession
from acp_tui.conversation.start_options import Start
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.settings import Settings
from acp_tui.ui.application.attention import Attention
from acp_tui.ui.application.command_table import bindings
from acp_tui.ui.application.first_frame import welcome
from acp_tui.ui.application.key_guard import key_history_of
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.session_card import SessionCard
from acp_tui.ui.panes.sidebar import Side
from acp_tui.ui.panes.status_line import StatusLine
from acp_tui.ui.screens.base import editor
from acp_tui.ui.screens.base.unasked_screen import is_for_prompt
from acp_tui.ui.session_screen import command_functions, slash_commands
from acp_tui.ui.session_screen.agent.login_dialogs import LoginDialogs
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen, SessionTabs
from acp_tui.ui.session_screen.parts import SessionParts
from acp_tui.ui.session_screen.prompt.prompt import PromptArea
from acp_tui.ui.session_screen.review import links as linked
from acp_tui.ui.session_screen.sessions.recent_sessions import show_recent
from acp_tui.ui.session_screen.view import SessionView
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.prompt_box import KEYS_FROM_PANES, PromptBox
from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles, restyle
from acp_tui.ui.widgets.textual_internals import binding_chain, bindings_of, is_in_present_style, keymap_of
from acp_tui.ui.widgets.transcript.transcript import Transcript


class Body(Horizontal):
    """The chat and the side panes."""

    BLANK = True  # its children cover it


class SessionScreen(ConversationScreen):
    """The screen of one conversation."""

    BLANK = True  # its children cover it, so it need not draw lines behind them
    AUTO_FOCUS = ""  # early keys are for the prompt, which takes the focus when it is mounted
    ESCAPE_TO_MINIMIZE = False  # the screen handles Escape itself, and returns the focus
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("session")]

    def __init__(
        self,
        start: Start,
        styles: Styles,
        tabs: SessionTabs,
        attention: Attention,
        running: RunningAgent | None = None,
        known_session: KnownSession | None = None,
        recorded: RecordedSession | None = None,
        *,
        resumes: bool = False,
    ) -> None:
        """Show a new conversation, one with a running agent, or a recorded one.

        `resumes` continues the recorded one.
        """
        super().__init__(styles, tabs, attention)
        self.parts = SessionParts(self, start)
        self.view = SessionView(self.parts, start)
        self.conversation = Conversation(
            start, self.view, LoginDialogs(self, start.cwd), running, known_session
        )
        self.start = start
        """The command line and the settings."""
        servers = [server.name for server in start.mcp_servers]
        self.card = SessionCard(self.conversation, servers, styles)
        self._sessions = StatusRows(id="sessions")
        self._recorded = recorded
        self._resumes = resumes
        self._resumes_left = 2
        """Number of times that Textual resumes a new screen: when mounted, and when it comes into view.

        Each time it would style all widgets again, although mounting has styled them.
        """

    # ------------------------------------------------------------------ parts

    @override
    def compose(self) -> ComposeResult:
        yield self._sessions
        yield StatusRows(id="tabs")
        with Body(id="body"):
            with Vertical(id="chat-box", classes="-tab"):
                yield ChatPane()
            yield Side(self.card)
        yield StatusRows(id="queue")
        yield PromptArea(
            self.conversation, self.start, self.theme_styles, lambda: slash_commands.offered(self.parts)
        )
        yield StatusLine(
            self.conversation,
            self.theme_styles,
            self.parts.shell.commands.background,
            lambda: not self.parts.pane_layout.shows_side,
        )

    def on_mount(self) -> None:
        """Draw everything once, then start the conversation."""
        self.set_class(self.theme_styles.ascii, "-ascii")
        restyle(self, self.theme_styles)
        self.parts.pane_layout.begin()
        self.show_status()
        self.query_one(ChatPane).welcome(welcome(self.start.cwd, lambda name: key_of(self, name)))
        self.focus_prompt()
        self.view.begin()
        self._begin()

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        if self._recorded is not None:
            if await self.parts.startup.show_recorded(self._recorded) and self._resumes:
                self.parts.startup.continue_recorded()
        else:
            self.run_worker(show_recent(self), group="recent")
            await self.parts.startup.begin()
            if self.start.resume == "" and self.is_seen:
                await self.action_run("session.sessions")

    def on_resize(self, event: Resize) -> None:
        """Fit panes and tabs to the size."""
        self.parts.pane_layout.resized(event.size.width)
        self.tabs.show()

    async def on_unmount(self) -> None:
        """End the user's shell commands."""
        await self.parts.shell.commands.end()

    # ------------------------------------------------------------------ settings

    def settings_changed(self, before: Settings) -> None:
        """Apply the settings of `start`; `before` are the earlier ones."""
        self.view.settings_changed()
        self.query_one(PromptArea).settings_changed()
        if self.start.settings.layout != before.layout:
            self.parts.pane_layout.show_panes(self.start.settings.layout)

    def keys_changed(self) -> None:
        """Show the keys of the settings."""
        self.view.keys_changed()
        self.query_one(PromptArea).show_hint()
        self.parts.pane_layout.show_tabs()

    # ------------------------------------------------------------------ tabs

    def show_sessions(self, lines: Sequence[StatusRow]) -> None:
        """Set the rows of the tab line."""
        self._sessions.set_rows(lines)  # without a query: on exit it is removed before its screen

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Draw the changes that were held back."""
        if self._resumes_left > 0:
            self._resumes_left -= 1
            event.refresh_styles = not is_in_present_style(self)
        self.view.catch_up()
        if self.is_seen:
            self.parts.question_dialogs.show_next()
            self.come_into_view()
            self.parts.rules.look()
            self.parts.workspace_prompt.look()

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
        self.parts.pane_layout.tab_clicked(event.piece)

    @on(StatusLine.PartClicked)
    async def _status_wanted(self, event: StatusLine.PartClicked) -> None:
        await self.action_run(f"session.{event.what}")

    @on(SessionCard.RowClicked)
    async def _card_clicked(self, event: SessionCard.RowClicked) -> None:
        await self.action_run(f"session.{event.what}")

    async def on_prompt_box_submitted(self, event: PromptBox.Submitted) -> None:
        """Submit the prompt and follow the answer."""
        key_history_of(self.app).note_sent()
        self.query_one(ChatPane).action_follow_end()
        await slash_commands.submit(self.parts, event.prompt)

    @on(Transcript.Overloaded)
    def _overloaded(self) -> None:
        self.conversation.pause_output()

    @on(Transcript.CaughtUp)
    def _caught_up(self) -> None:
        self.conversation.resume_output()

    # ------------------------------------------------------------------ commands

    async def action_run(self, name: str) -> None:
        """Run a command; return once its menu can take keys."""
        await command_functions.run(self.parts, name)

    def can_run(self, name: str) -> bool:
        """Return False for a command with nothing to act on."""
        return command_functions.can_run(self.parts, name)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "run":
            return True
        return self.can_run(str(parameters[0])) and not is_shadowed(self, action, parameters)

    def open_links(self, links: dict[str, str]) -> None:
        """Show the targets of links; open one on request."""
        opening = linked.open_link(self, links, self.conversation.cwd, self.conversation.outside)
        self.app.run_worker(opening, group="links", exclusive=True)

    def edit_file(self, path: str, line: int) -> None:
        """Open a file of the workspace in the user's editor."""
        here = self.conversation
        editor.begin(self.app, lambda: editor.edit_in_workspace(self.app, here.cwd, path, line, here.outside))

    def bring_home(self, event: Key | Paste) -> None:
        """Move the focus to the prompt for its text and keys that are no command of the focused pane."""
        if self.focused is self.prompt:
            return  # without a look at all commands, some of which are not loaded yet
        if self.app.screen is self and (is_for_prompt(self, event) or self._is_key_of_prompt(event)):
            self.parts.pane_layout.leave()

    def _is_key_of_prompt(self, event: Key | Paste) -> bool:
        if not isinstance(event, Key) or event.key in self.active_bindings:
            return False
        found = bindings_of(self.prompt).key_to_bindings.get(event.key, ())
        return any(binding.id in KEYS_FROM_PANES for binding in found)

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _focus_moved(self) -> None:
        self.query_one(StatusLine).show()

    async def on_prompt_box_open_requested(self, event: PromptBox.OpenRequested) -> None:
        """Show the help, or quit unless the key is held down to delete."""
        if event.what == "help":
            await self.action_run("app.help")
        elif event.what == "leave" and not key_history_of(self.app).is_held:
            await self.action_run("app.quit")

    def on_prompt_box_chat_wanted(self) -> None:
        """Go to the last block of the chat."""
        self.parts.pane_layout.go_to("chat")
        self.query_one(ChatPane).action_step(-1)

    def on_prompt_box_page_turned(self, event: PromptBox.PageTurned) -> None:
        """Turn a page of the chat."""
        self.query_one(ChatPane).action_scroll_pages(event.pages)

    @override
    def action_copy_text(self) -> None:
        if not self.parts.chat_copy.selection():
            raise SkipAction


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
