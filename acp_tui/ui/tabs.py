"""The tabs: one session screen each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rich.cells import cell_len
from typing_extensions import override

from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_start import KnownSession
from acp_tui.conversation.start_options import Start
from acp_tui.store.agents import KnownAgent, Launch
from acp_tui.store.preferences import SessionNames
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.settings import Policy, Settings
from acp_tui.store.toml_check import Problem
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.session_screen import unfinished_work
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen, Key, SessionTabs
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.sessions import inbox as inbox_menu
from acp_tui.ui.session_screen.sessions.session_name import title_of
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import StatusRow
from acp_tui.ui.widgets.text import safe_line, shortened, start_of
from acp_tui.ui.widgets.textual_internals import in_present_style
from acp_tui.ui.widgets.transcript.blocks import Piece

_TITLE: Final = 24


class Visit(NamedTuple):
    """A visit to another session to answer a question."""

    back: ConversationScreen
    to: ConversationScreen
    question: Key


class Tabs(SessionTabs):
    """The open sessions; each is one of Textual's modes, so that its dialogs stay over it."""

    def __init__(self, app: AcpApp, names: SessionNames, start: Start, running: RunningAgent | None) -> None:
        self._app = app
        self._start = start
        self.names = names
        """The names that the user gave to sessions."""
        self._screens: dict[str, SessionScreen] = {}
        self._made = 0
        self._closing = asyncio.Lock()
        """Held while a tab closes, so that the application does not end in between."""
        self._visit: Visit | None = None
        self._asks_to_leave = False
        self.on_other_files: Callable[[], None] = lambda: None
        """Called when the sessions may use other files."""
        self._pieces: list[SessionScreen] = []
        """The session of each piece of the tab line."""

        self.first = self._add(SessionScreen(start, app.app_theme.styles, self, app.attention, running))
        """The name of the first tab."""

    def _add(self, screen: SessionScreen) -> str:
        """Add a screen as a mode; return the name of the mode."""
        self._made += 1
        name = f"session-{self._made}"
        self._app.add_mode(name, lambda: in_present_style(self._app, screen))
        self._screens[name] = screen
        return name

    @property
    @override
    def screens(self) -> Sequence[SessionScreen]:
        return list(self._screens.values())

    @property
    def current(self) -> SessionScreen:
        """The session screen in view."""
        return self._screens.get(self._app.current_mode) or next(iter(self._screens.values()))

    def use_settings(
        self, settings: Settings, known: Mapping[str, KnownAgent], problems: tuple[Problem, ...]
    ) -> None:
        """Use saved settings in all current and later sessions.

        Args:
            settings: the settings.
            known: the agents that can be started by name.
            problems: the problems of the user's files.
        """
        for start in (self._start, *(screen.start for screen in self.screens)):
            start.settings, start.known, start.problems = settings, known, problems

    def settings_changed(self, before: Settings) -> None:
        """Apply the settings in all sessions; `before` are the earlier ones."""
        for screen in self.screens:
            screen.settings_changed(before)

    @override
    def look_at_files(self) -> None:
        self.on_other_files()

    @override
    def is_current(self, screen: ConversationScreen) -> bool:
        return self._screens.get(self._app.current_mode) is screen

    @override
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
    ) -> SessionScreen:
        same_agent = running.launch if running is not None and policy is None else None
        start = self._start.for_another_tab(same_agent)
        if like is not None:
            cwd = cwd or like.conversation.cwd
            policy, mode = like.conversation.choices.to_go_on_with
            start = replace(start, mode=mode)
        start = replace(start, launch=launch, cwd=cwd or start.cwd, policy=policy)
        styles, attention = self._app.app_theme.styles, self._app.attention
        screen = SessionScreen(
            start, styles, self, attention, running, known_session, recorded, resumes=resumes
        )
        if reviewed is not None:
            screen.parts.second_opinion.is_about(reviewed)
        name = self._add(screen)
        await self._app.switch_mode(name)
        self.show()
        return screen

    @override
    async def close(self, screen: ConversationScreen) -> None:
        name = self._name_of(screen)
        if len(self._screens) == 1:
            self._app.action_leave()
            return
        names = list(self._screens)
        place = names.index(name)
        async with self._closing:
            if self.is_current(screen):
                await self._app.switch_mode(names[place - 1] if place else names[1])
            del self._screens[name]
            await screen.conversation.end()
            await self._app.remove_mode(name)
        self.show()

    @override
    async def go(self, step: int) -> None:
        names = list(self._screens)
        place = (names.index(self._app.current_mode) + step) % len(names)
        await self.go_to(place)

    @override
    async def go_to(self, place: int) -> None:
        screens = self.screens
        if place < len(screens):
            self._visit = None
            await self._show(screens[place])

    @override
    async def clicked(self, piece: int) -> None:
        if piece < len(self._pieces) and self._pieces[piece] in self.screens:
            await self.go_to(self.screens.index(self._pieces[piece]))

    async def _show(self, screen: ConversationScreen) -> None:
        await self._app.switch_mode(self._name_of(screen))
        self.show()

    def _name_of(self, screen: ConversationScreen) -> str:
        return next(name for name, known in self._screens.items() if known is screen)

    # ------------------------------------------------------------------ visits to answer a question

    @override
    async def visit(self, screen: ConversationScreen, question: Key) -> None:
        if not self.is_current(screen):
            self._visit = Visit(self.current, screen, question)
        self._screens[self._name_of(screen)].parts.question_dialogs.want(question)
        if not self.is_current(screen):
            await self._show(screen)

    @override
    def come_back(self, screen: ConversationScreen, question: Key) -> bool:
        visit, self._visit = self._visit, None
        if (
            visit is None
            or (visit.to, visit.question) != (screen, question)
            or visit.back not in self.screens
        ):
            self._visit = visit
            return False
        if self.is_current(screen):
            self._app.run_worker(self._show(visit.back), group="tabs")
        return True

    @override
    def note(self, screen: ConversationScreen) -> str:
        if len(self._screens) == 1:
            return ""
        visit = self._visit
        back = f", then back to {self._named(visit.back)}" if visit is not None and visit.to is screen else ""
        return f"session {self._named(screen)}{back}"

    def _named(self, screen: ConversationScreen) -> str:
        return f"{self.screens.index(screen) + 1} {shortened(title_of(screen), _TITLE)}"

    @property
    def resumable(self) -> str:
        """The id of a session that is recorded with a prompt: the last in view, else the newest; else ""."""
        if not self._start.settings.journal:
            return ""
        sessions = (screen.conversation.session for screen in (self.current, *reversed(self.screens)))
        return next((session.id for session in sessions if session is not None and session.turns), "")

    @override
    def leave(self) -> None:
        if not self._asks_to_leave:
            self._app.run_worker(self._leave(), group="quit")

    async def _leave(self) -> None:
        self._asks_to_leave = True
        try:
            may_leave = await unfinished_work.may_end(
                self.current.parts, [screen.parts for screen in self.screens], "Quit"
            )
        finally:
            self._asks_to_leave = False
        if may_leave:
            self._app.action_leave()

    async def end(self) -> None:
        """End all conversations at the same time, since some agents end slowly."""
        await asyncio.gather(*(screen.conversation.end() for screen in self.screens))
        async with self._closing:
            pass

    @override
    def show(self) -> None:
        lines = [self._line()] if len(self._screens) > 1 else []
        self.current.show_sessions(lines)
        for screen in self._app.screen_stack:
            if (refresh := getattr(screen, "refresh_items", None)) is not None:
                refresh()

    def _line(self) -> StatusRow:
        """Return the tab line: the tabs, and the number of pending items elsewhere."""
        right = self._elsewhere()
        tabs = [(screen, self._tab(number, screen)) for number, screen in enumerate(self.screens, 1)]
        room = self._app.size.width - sum(cell_len(text) for _, text in right) - 1
        first = _first_that_fits([_width(tab) for _, tab in tabs], self.screens.index(self.current), room)
        pieces: list[Piece] = []
        self._pieces = []
        if first:
            pieces.append(("muted", f" {self._app.app_theme.styles.symbol('cut')}"))
            self._pieces.append(tabs[first - 1][0])
        for screen, tab in tabs[first:]:
            pieces += tab
            self._pieces += [screen] * len(tab)
        return pieces, right

    def _tab(self, number: int, screen: SessionScreen) -> list[Piece]:
        role, mark = self._state(screen)
        here = "user" if screen is self.current else "text"
        title = safe_line(start_of(title_of(screen), _TITLE))
        title = shortened(title, _TITLE, self._app.app_theme.styles.symbol("cut"))
        return [
            (role, f" {mark} "),
            (here, f"{number} {title}"),
            ("faint", f" {self._app.app_theme.styles.symbol('column')}"),
        ]

    def _elsewhere(self) -> list[Piece]:
        """Return the number of pending items in other sessions."""
        count = len(inbox_menu.waiting(screen for screen in self.screens if screen is not self.current))
        if not count:
            return []
        words = f"{count} pending "
        return [("warning", words), ("muted", f"{key_of(self._app, 'app.inbox')} ")]

    def _state(self, screen: SessionScreen) -> Piece:
        """Return (role, symbol) for the state of a session."""
        styles, conversation = self._app.app_theme.styles, screen.conversation
        if conversation.questions or conversation.phase == "logging-in":
            return "warning", styles.symbol("asks")
        if conversation.phase in ("failed", "ended"):
            return "error", styles.symbol("failed")
        if screen.notice:
            return "warning", styles.symbol("warning")
        if conversation.is_active or conversation.phase in ("starting", "reading"):
            return "tool-running", styles.symbol("running")
        if screen.has_news:
            failed = inbox_menu.waiting([screen])[0].kind == "failed"
            return ("error", styles.symbol("failed")) if failed else ("success", styles.symbol("completed"))
        return "muted", styles.symbol("waiting")


def _width(tab: Sequence[Piece]) -> int:
    return sum(cell_len(text) for _, text in tab)


def _first_that_fits(widths: Sequence[int], current: int, room: int) -> int:
    """Return the first tab to draw so that the current one fits."""
    first = 0
    while first < current and sum(widths[first : current + 1]) + (2 if first else 0) > room:
        first += 1
    return first
