"""The screen of a conversation, as its parts see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from textual import work
from textual.screen import Screen

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_start import KnownSession
from acp_tui.store.agents import Launch
from acp_tui.store.preferences import SessionNames
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.settings import Policy
from acp_tui.ui.application.attention import Attention
from acp_tui.ui.panes.session_card import SessionCard
from acp_tui.ui.panes.status_line import StatusLine
from acp_tui.ui.screens.base.unasked_screen import Result, answer_of
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import ExactLayout, draw_few_rows
from acp_tui.workspace.branches import branch_of

Key = tuple[str, str]
"""A question: (session id, key in the session)."""


class SessionTabs(Protocol):
    """The tabs, as one of their sessions sees them."""

    names: SessionNames

    @property
    def screens(self) -> Sequence[ConversationScreen]:
        """All sessions, in the order of their tabs."""

    def look_at_files(self) -> None:
        """Check the user's files: the sessions may use other ones now."""

    def is_current(self, screen: ConversationScreen) -> bool:
        """Return True for the screen in view."""

    def show(self) -> None:
        """Draw the tab line, if there are several tabs."""

    async def open(
        self,
        *,
        running: RunningAgent | None = None,
        known_session: KnownSession | None = None,
        recorded: RecordedSession | None = None,
        resumes: bool = False,
        launch: Launch | None = None,
        cwd: str = "",
        policy: Policy | None = None,
        reviewed: ConversationScreen | None = None,
        like: ConversationScreen | None = None,
    ) -> ConversationScreen:
        """Open a tab for a session of a running agent, a recorded session or the start screen.

        Args:
            running: the running agent.
            known_session: a session of the agent to open.
            recorded: a recorded session, which is only shown unless `resumes` is set.
            resumes: True to continue it.
            launch: an agent to start.
            cwd: the folder of the session; empty: that of the program.
            policy: the policy of the session; None: that of the settings.
            reviewed: the session that it reviews.
            like: the session whose work continues in it, with its folder, mode and policy.
        """

    async def close(self, screen: ConversationScreen) -> None:
        """End a session and close its tab; quit with the last one."""

    def leave(self) -> None:
        """Quit, after a question if something is unfinished in any session."""

    async def go(self, step: int) -> None:
        """Show the tab `step` places after this one, wrapping around."""

    async def go_to(self, place: int) -> None:
        """Show the tab at an index, from 0, and end a visit."""

    async def clicked(self, piece: int) -> None:
        """Show the tab of a clicked piece of the tab line."""

    async def visit(self, screen: ConversationScreen, question: Key) -> None:
        """Show a question of another session, and come back after the answer."""

    def come_back(self, screen: ConversationScreen, question: Key) -> bool:
        """Go back after a visit for this question; return False if there was none."""

    def note(self, screen: ConversationScreen) -> str:
        """Return the note in a dialog: its tab and the tab to come back to."""


class ConversationScreen(ExactLayout, Screen[None]):
    """A screen with one conversation, a prompt and a status line, over which dialogs open."""

    conversation: Conversation
    """Set by the session screen, whose parts listen to it."""

    def __init__(self, styles: Styles, tabs: SessionTabs, attention: Attention) -> None:
        super().__init__()
        draw_few_rows(self)
        self.theme_styles = styles
        self.tabs = tabs
        self.has_news = False
        """True if a turn has ended while another session was in view."""
        self.notice = ""
        """Title of the latest warning or error of the agent that came while another session was in view."""
        self._attention = attention
        self._seen = asyncio.Event()
        self._then: Callable[[], None] | None = None

    @property
    def prompt(self) -> PromptBox:
        """The prompt box."""
        return self.query_one(PromptBox)

    def focus_prompt(self) -> None:
        """Focus the prompt."""
        self.set_focus(self.prompt)  # at once: `focus` would be handled after a key that is already pending

    def show_status(self) -> None:
        """Update the status line, the tabs and the title of the terminal."""
        self.query_one(StatusLine).show()
        self.query_one(SessionCard).show()
        self._attention.update(self.conversation, self, self.is_seen)
        self.tabs.show()

    @work(group="branch", exclusive=True)
    async def show_branch(self) -> None:
        """Show the current branch of the folder in the session card."""
        branch = await asyncio.to_thread(branch_of, self.conversation.cwd)
        for card in self.query(SessionCard):
            if branch != card.branch:
                card.branch = branch
                self.show_status()

    # ------------------------------------------------------------------ presence of the user

    @property
    def is_seen(self) -> bool:
        """True if this session is in view."""
        return self.tabs.is_current(self)

    async def ask(self, screen: Screen[Result]) -> Result | None:
        """Show a screen over this session once it is in view; return its result."""
        await self._seen.wait()
        return await answer_of(self.app, screen)

    def when_seen(self, do: Callable[[], None]) -> None:
        """Call this once the session is in view; only the newest call is kept."""
        if self.is_seen:
            do()
        else:
            self._then = do

    def come_into_view(self) -> None:
        """Note that this session is in view."""
        self._seen.set()
        self.has_news, self.notice = False, ""
        self.tabs.show()
        if self._then is not None:
            then, self._then = self._then, None
            then()

    def on_screen_suspend(self) -> None:
        """Note that another session or a dialog covers the screen."""
        if not self.is_seen:
            self._seen.clear()
