"""The list of earlier sessions: the agent's own, and those recorded here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.session_start import KnownSession
from acp_tui.formatting import from_home
from acp_tui.protocol.schema import SessionInfo, has
from acp_tui.store.folders import journals_folder
from acp_tui.store.recordings import RecordedSession, recent_sessions
from acp_tui.ui.screens.base.menu import Menu, MenuItem, MenuPlace, choose
from acp_tui.ui.screens.start import ago
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.folder_choice import in_granted_folder
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.text import shortened

_LONGEST_TIME: Final = 32
"""Cells of the column of times."""
_PACE: Final = 0.25
"""Seconds between two updates of the list."""


class SessionPages:
    """The agent's list of sessions, read page by page."""

    def __init__(self, conversation: Conversation) -> None:
        self.found: list[SessionInfo] = []
        """Sessions in the agent's order."""
        self.problem = ""
        """Reason why the list may be incomplete, or ""."""
        self.is_whole = False
        """True once the last page is read."""
        self.open: set[str] = set()
        """Ids of sessions that the agent has open, among those requested."""
        self.has_begun = asyncio.Event()
        """Set once the first page is read, or has failed."""
        self._conversation = conversation
        self._pages: AsyncIterator[list[SessionInfo]] | None = None

    @property
    def is_open(self) -> bool:
        """True while the agent may have more pages."""
        return self._pages is not None and not self.is_whole

    async def read(self, show: Callable[[], None], *, asks: bool = True) -> None:
        """Read all pages; call `show` after the first, now and then, and at the end.

        `asks` is False for an agent without a list.
        """
        try:
            if asks:
                await self.begin()
            show()
        finally:
            self.has_begun.set()
        await self.read_on(show)

    async def ask_for_states(self, show: Callable[[], None]) -> None:
        """Ask the agent which of the first sessions are open, if it supports that."""
        agent = self._conversation.agent
        if agent is None or not has(agent.can.session_capabilities.status):
            return
        ids = [info.session_id for info in self.found[:_ASKED_ABOUT]]
        states = await asyncio.gather(*map(agent.listing.is_open, ids), return_exceptions=True)
        self.open = {name for name, state in zip(ids, states, strict=True) if state is True}
        if self.open:
            show()

    async def begin(self) -> None:
        """Read the first page, after a login if the agent requires it."""
        try:
            self.found += await self._conversation.ask(self._first)
        except AgentError as error:
            self._failed(error)

    async def read_on(self, show: Callable[[], None]) -> None:
        """Read the other pages; call `show` now and then, and at the end."""
        shown = monotonic()
        try:
            while self._pages is not None and not self.is_whole:
                page = await anext(self._pages, None)
                self.is_whole = page is None
                self.found += page or ()
                if monotonic() - shown > _PACE and not self.is_whole:
                    shown = monotonic()
                    show()
        except AgentError as error:
            self._failed(error)
        show()

    async def _first(self, agent: Agent) -> list[SessionInfo]:
        self._pages = agent.listing.pages()
        return await anext(self._pages, [])

    def _failed(self, error: Exception) -> None:
        self.problem, self._pages = str(error), None


_ASKED_ABOUT: Final = 20
"""Number of sessions at the top of the list whose state is requested, one by one."""
FIRST_PAGE: Final = 0.2
"""Seconds to wait for the first page before the menu opens; most agents send it by then."""
_TOP: Final = MenuPlace()
_NONE: Final = "No earlier sessions."
_UNTITLED: Final = "no prompt yet"
_NOT_READ: Final = "reading the agent's list"
_TAKE_UP, _RECORDED, _DELETE, _FORK = "take-up:", "recorded:", "delete:", "fork:"
_ARCHIVE: Final = "archive:"


class SessionsMenu(Menu):
    """A menu in which sessions can also be deleted, archived and forked, if the agent supports it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "delete", "Delete", id="sessions.delete", priority=True),
        Binding("ctrl+b", "fork", "Fork", id="sessions.fork", priority=True),
        Binding("ctrl+t", "archive", "Archive, or bring back", id="sessions.archive", priority=True),
    ]
    can_delete = False
    can_archive = False
    can_fork = False
    left = MenuPlace()
    """Position for the next menu."""

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        forks = [(key_of(self, "sessions.fork"), "fork")] if self.can_fork else []
        archives = [(key_of(self, "sessions.archive"), "archive")] if self.can_archive else []
        return [
            *super().hints(),
            *forks,
            *archives,
            *([(key_of(self, "sessions.delete"), "delete")] if self.can_delete else []),
        ]

    def action_delete(self) -> None:
        """Dismiss with the request to delete the highlighted session."""
        if self.can_delete:
            self._dismiss_with(_DELETE)

    def action_archive(self) -> None:
        """Dismiss with the request to archive the highlighted session, or to bring it back."""
        if self.can_archive:
            self._dismiss_with(_ARCHIVE)

    def action_fork(self) -> None:
        """Dismiss with the request to fork the highlighted session."""
        if self.can_fork:
            self._dismiss_with(_FORK)

    def _dismiss_with(self, wish: str) -> None:
        key = self.highlighted_key()
        if key is not None and key.startswith(_TAKE_UP):
            here = MenuPlace(self.query_one(Input).value, key)
            self.left = self.place_without() if wish in (_DELETE, _ARCHIVE) else here
            self.dismiss(wish + key.removeprefix(_TAKE_UP))


class SessionList:
    """Lists sessions; resumes, shows, forks or deletes the chosen one."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    async def show(self, place: MenuPlace = _TOP) -> None:
        """Let the user resume, fork or delete a session of the agent, or read a recorded one.

        The menu starts at `place`, and grows while the agent's list is read.
        """
        listing = SessionPages(self._screen.conversation)
        found = await self._recorded()
        menu = SessionsMenu("Sessions", lambda: self._items(listing, found), None, self._screen.theme_styles)
        menu.can_delete, menu.can_fork, menu.place = self._can("delete"), self._can("fork"), place
        menu.can_archive = self._can("archive")
        menu.note, menu.nothing = _NOT_READ, "asking the agent for its sessions …"

        def show() -> None:
            menu.nothing = _NONE
            menu.set_items(self._items(listing, found))
            menu.show_note(_note_on(listing))

        async def read() -> None:
            await listing.read(show, asks=self._can("list"))
            await listing.ask_for_states(show)
            if listing.problem:
                self._tell(listing.problem)

        reading = asyncio.create_task(read())
        try:
            await self._wait_for(listing)
            if listing.has_begun.is_set() and not listing.found and not found:
                self._screen.notify(_NONE)
                return
            choice = await self._screen.ask(menu)
        finally:
            reading.cancel()
        if choice is not None:
            await self._do(choice, listing.found, found, menu.left)

    async def _wait_for(self, listing: SessionPages) -> None:
        """Wait briefly for the first page, but without a limit for a login before it."""
        with suppress(TimeoutError):
            await asyncio.wait_for(listing.has_begun.wait(), FIRST_PAGE)
        if self._screen.app.screen is not self._screen:
            await listing.has_begun.wait()

    async def _do(
        self, choice: str, infos: Sequence[SessionInfo], recorded: Sequence[RecordedSession], place: MenuPlace
    ) -> None:
        if choice.startswith(_RECORDED):
            await self.look_at(recorded[int(choice.removeprefix(_RECORDED))])
            return
        session_id = choice.partition(":")[2]
        info = next(info for info in infos if info.session_id == session_id)
        if choice.startswith(_DELETE):
            await self._delete(info, place)
        elif choice.startswith(_FORK):
            granted = await in_granted_folder(self._screen, info)
            if granted is not None:
                await fork_listed(self._screen, granted)
        elif choice.startswith(_ARCHIVE):
            await self._archive(info, place)
        else:
            await self._take_up(info)

    async def look_at(
        self, recorded: RecordedSession, later: ConversationScreen | None = None
    ) -> ConversationScreen:
        """Show a recorded session in its tab, else in that of a `later` run, or in a new one; return that."""
        shown = self._showing(recorded) or later
        if shown is not None:
            await self._go_to(shown)
            return shown
        await self._screen.tabs.open(recorded=recorded)
        return self._screen.tabs.screens[-1]

    async def _go_to(self, screen: ConversationScreen) -> None:
        await self._screen.tabs.go_to(self._screen.tabs.screens.index(screen))

    async def _take_up(self, info: SessionInfo) -> None:
        shown = self._shown(info.session_id)
        if shown is not None:
            await self._go_to(shown)
            return
        agent = self._screen.conversation.agent
        assert agent is not None
        if info.archived and not await self._set_archived(info, archived=False):
            return
        if agent.can.can_resume:
            granted = await in_granted_folder(self._screen, info)
            if granted is not None:
                await self._screen.tabs.open(
                    running=self._screen.conversation.running, known_session=KnownSession(granted)
                )
        else:
            self._screen.notify("This agent lists sessions but cannot resume them.", severity="warning")

    def _shown(self, session_id: str) -> ConversationScreen | None:
        """Return the tab of a session of the agent, if it is open."""
        ours = self._screen.conversation.launch
        for screen in self._screen.tabs.screens:
            known = screen.conversation
            is_it = known.session is not None and known.session.id == session_id and known.launch == ours
            if is_it and not known.is_over:
                return screen
        return None

    def _showing(self, recorded: RecordedSession) -> ConversationScreen | None:
        """Return the tab of a recorded session, if it is open."""
        name = (recorded.path, recorded.session_id)
        return next((one for one in self._screen.tabs.screens if _recorded_in(one) == name), None)

    async def _archive(self, info: SessionInfo, place: MenuPlace) -> None:
        """Archive a session, which closes it, or bring it back."""
        if await self._set_archived(info, archived=not info.archived) and not info.archived:
            await self._leave(self._shown(info.session_id))
        await self.show(place)

    async def _set_archived(self, info: SessionInfo, *, archived: bool) -> bool:
        agent = self._screen.conversation.agent
        try:
            if agent is not None:
                await agent.listing.set_archived(info.session_id, archived=archived)
        except AgentError as error:
            title = "Not archived" if archived else "Still archived"
            self._screen.notify(str(error), title=title, severity="error")
            return False
        return agent is not None

    async def _delete(self, info: SessionInfo, place: MenuPlace) -> None:
        agent = self._screen.conversation.agent
        if agent is None:
            return
        items = [
            MenuItem("keep", "Keep it"),
            MenuItem("delete", "Delete it", "the agent forgets this session"),
        ]
        if await choose(self._screen, f"Delete {self._title(info)}?", items, "keep") != "delete":
            await self.show(MenuPlace(place.words, _TAKE_UP + info.session_id))
            return
        try:
            await agent.delete_session(info.session_id)
        except AgentError as error:
            self._screen.notify(str(error), title="Not deleted", severity="error")
        else:
            await self._leave(self._shown(info.session_id))
        await self.show(place)

    async def _leave(self, screen: ConversationScreen | None) -> None:
        """Close the tab of a deleted session, or begin a new one in it."""
        if screen is self._screen:
            await screen.conversation.begin_new()
        elif screen is not None:
            await screen.tabs.close(screen)

    def _tell(self, problem: str) -> None:
        self._screen.notify(problem, title="The agent's list", severity="warning")

    def _items(self, listing: SessionPages, recorded: Sequence[RecordedSession]) -> list[MenuItem]:
        """Return each session once, the newest first; then those without a time, then archived ones."""
        started = {(one.agent, one.session_id): one.used for one in recorded}
        rows: list[tuple[datetime | None, MenuItem]] = []
        for info in listing.found:
            then = _time_of(info) or started.pop((self._agent, info.session_id), None)
            rows.append((then, self._item(info, then, listing)))
        listed = {info.session_id for info in listing.found}
        for number, one in enumerate(recorded):
            if one.agent != self._agent or one.session_id not in listed:
                rows.append((one.used, self._recorded_item(number, one)))
        return [item for _, item in sorted(rows, key=_age)]

    def _item(self, info: SessionInfo, then: datetime | None, listing: SessionPages) -> MenuItem:
        said = shortened(info.updated_at or "", _LONGEST_TIME) if then is None else _ago(then)
        is_open = "open in the agent" if info.session_id in listing.open else ""
        where = self._where(self._shown(info.session_id)) or is_open
        about = " · ".join(filter(None, (where, self._agent, said, self._elsewhere(info.cwd))))
        group = f"Archived by {self._screen.conversation.agent_name}" if info.archived else ""
        return MenuItem(_TAKE_UP + info.session_id, self._title(info), about, group)

    def _recorded_item(self, number: int, one: RecordedSession) -> MenuItem:
        said = _ago(one.used) if one.used is not None else ""
        where = self._where(self._showing(one))
        about = " · ".join(filter(None, (where, one.agent, said, "recording", self._elsewhere(one.cwd))))
        title = self._screen.tabs.names.get(one.agent, one.session_id) or one.title
        return MenuItem(f"{_RECORDED}{number}", title, about)

    def _elsewhere(self, cwd: str | None) -> str:
        """Return the folder of a session, if it is another one."""
        return from_home(cwd) if cwd and cwd != self._screen.conversation.cwd else ""

    @property
    def _agent(self) -> str:
        """The name of this session's agent in recordings."""
        launch = self._screen.conversation.launch
        return launch.name if launch is not None else ""

    def _where(self, shown: ConversationScreen | None) -> str:
        """Name the tab of a session, if it is open."""
        if shown is None:
            return ""
        number = self._screen.tabs.screens.index(shown) + 1
        return "this session" if shown is self._screen else f"open in tab {number}"

    def _title(self, info: SessionInfo) -> str:
        launch = self._screen.conversation.launch
        own = self._screen.tabs.names.get(launch.name, info.session_id) if launch is not None else ""
        shown = self._shown(info.session_id)
        session = shown.conversation.session if shown is not None else None
        return own or info.title or (info.session_id if session is None else session.subject or _UNTITLED)

    async def _recorded(self) -> list[RecordedSession]:
        """Return the recorded sessions except the current one."""
        found = await asyncio.to_thread(recent_sessions, journals_folder())
        return [one for one in found if one.title and self._showing(one) is not self._screen]

    def _can(self, what: str) -> bool:
        agent = self._screen.conversation.agent
        return agent is not None and has(getattr(agent.can.session_capabilities, what))


def _note_on(listing: SessionPages) -> str:
    if listing.problem:
        return "not all of the agent's sessions could be read"
    return "" if listing.is_whole or not listing.is_open else "reading more"


def _time_of(info: SessionInfo) -> datetime | None:
    """Return the time of a session, if the agent sends it in ISO 8601; else None."""
    try:
        return datetime.fromisoformat(info.updated_at or "").astimezone()
    except (ValueError, OverflowError):
        return None


def _ago(then: datetime) -> str:
    return ago(then, datetime.now().astimezone())


def _age(row: tuple[datetime | None, MenuItem]) -> tuple[bool, float]:
    """Return a sort key: the newest first, then rows without a time, then archived ones."""
    then, item = row
    return bool(item.group), -then.timestamp() if then is not None else 0.0


def _recorded_in(screen: ConversationScreen) -> tuple[Path | None, str]:
    """Return the journal of a tab's session, and its id."""
    conversation = screen.conversation
    if conversation.recorded is not None:
        return conversation.recorded.path, conversation.recorded.session_id
    path = conversation.journal.path if conversation.journal is not None else None
    return path, conversation.session.id if conversation.session is not None else ""


def can_fork(conversation: Conversation) -> bool:
    """Return whether the agent can fork sessions, and there is one to fork."""
    agent = conversation.agent
    if agent is None or conversation.session is None or conversation.phase != "ready":
        return False
    return has(agent.can.session_capabilities.fork)


async def fork(screen: ConversationScreen) -> None:
    """Fork the session of a screen; not during a turn, since it would be unclear where the fork starts."""
    conversation = screen.conversation
    session = conversation.session
    if session is None or not can_fork(conversation):
        screen.notify("This agent cannot fork sessions.", severity="warning")
    elif conversation.is_busy:
        screen.notify(
            f"Fork the session once the turn is over; {key_of(screen, 'session.stop')} stops it.",
            severity="warning",
        )
    else:
        cwd, *more = conversation.roots
        info = SessionInfo(session_id=session.id, cwd=cwd, additional_directories=more)
        await fork_listed(screen, info, like=screen)


async def fork_listed(
    screen: ConversationScreen, info: SessionInfo, like: ConversationScreen | None = None
) -> None:
    """Fork a session of the agent and show the fork, with the mode and policy of the tab `like`."""
    try:
        forked = await screen.conversation.fork(info)
    except AgentError as error:
        screen.notify(str(error), title="Not forked", severity="error", timeout=10)
        return
    await screen.tabs.open(
        running=screen.conversation.running, known_session=KnownSession(forked, is_open=True), like=like
    )
