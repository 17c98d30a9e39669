"""The list of earlier sessions: those that the agent has, and those that were recorded here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType

from acp_tui.ui.opening import Attach
from acp_tui.ui.screens.forking import fork_listed
from acp_tui.ui.screens.menu import Item, Menu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.acp.initialization import SessionCapabilities
    from acp_tui.acp.sessions import SessionInfo
    from acp_tui.agent.agent import Agent
    from acp_tui.store.recorded import Recorded
    from acp_tui.ui.screens.session import SessionScreen

_RECENT: Final = 50
"""Recorded sessions that are looked at."""
_TAKE_UP, _RECORDED, _DELETE, _FORK = "take-up:", "recorded:", "delete:", "fork:"


class SessionsMenu(Menu):
    """A menu in which a session can also be deleted, where the agent can."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "delete", "Delete", id="sessions.delete", priority=True),
        Binding("ctrl+b", "fork", "Fork", id="sessions.fork", priority=True),
    ]
    can_delete = False
    can_fork = False

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        forks = [("Ctrl+B", "fork")] if self.can_fork else []
        return [*super().hints(), *forks, *([("Ctrl+D", "delete")] if self.can_delete else [])]

    def action_delete(self) -> None:
        """Dismiss with the wish to delete the session that was moved to."""
        if self.can_delete:
            self._dismiss_with(_DELETE)

    def action_fork(self) -> None:
        """Dismiss with the wish to fork the session that was moved to."""
        if self.can_fork:
            self._dismiss_with(_FORK)

    def _dismiss_with(self, wish: str) -> None:
        key = self.highlighted_key()
        if key is not None and key.startswith(_TAKE_UP):
            self.dismiss(wish + key.removeprefix(_TAKE_UP))


class SessionList:
    """Lists sessions and does with one what the person wants."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    async def show(self) -> None:
        """Let the person take up an earlier session, look at a recorded one, or delete one."""
        infos = await self._of_agent()
        recorded = self._recorded()
        if not infos and not recorded:
            self._screen.notify("There are no earlier sessions.")
            return
        items = [self._item(info) for info in infos]
        items += [_recorded_item(one) for one in recorded]
        menu = SessionsMenu("Sessions", items, None, self._screen.look)
        menu.can_delete, menu.can_fork = self._can("delete"), self._can("fork")
        choice = await self._screen.presence.ask(menu)
        if choice is None:
            return
        if choice.startswith(_RECORDED):
            await self._screen.tabs.open(recorded=Path(choice.removeprefix(_RECORDED)))
            return
        session_id = choice.partition(":")[2]
        info = next(info for info in infos if info.session_id == session_id)
        if choice.startswith(_DELETE):
            await self._delete(info)
        elif choice.startswith(_FORK):
            await fork_listed(self._screen, info)
        else:
            await self._take_up(info)

    async def _take_up(self, info: SessionInfo) -> None:
        for place, screen in enumerate(self._screen.tabs.screens):
            session = screen.conversation.session
            if session is not None and session.id == info.session_id and not screen.conversation.is_over:
                await self._screen.tabs.go_to(place)
                return
        agent = self._screen.conversation.agent
        assert agent is not None
        assert agent.info is not None
        if agent.info.agent_capabilities.load_session or self._can("resume"):
            await self._screen.tabs.open(running=self._screen.conversation.running, attach=Attach(info))
        else:
            self._screen.notify("This agent lists sessions but cannot take them up.", severity="warning")

    async def _delete(self, info: SessionInfo) -> None:
        from acp_tui.agent.errors import AgentError

        agent = self._screen.conversation.agent
        question = Menu(
            f"Delete {self._title(info)}?",
            [Item("keep", "Keep it"), Item("delete", "Delete it", "the agent forgets this session")],
            "keep",
            self._screen.look,
        )
        if agent is None or await self._screen.presence.ask(question) != "delete":
            return
        try:
            await agent.delete_session(info.session_id)
        except AgentError as error:
            self._screen.notify(str(error), title="Not deleted", severity="error", markup=False)
        await self.show()

    async def _of_agent(self) -> list[SessionInfo]:
        from acp_tui.agent.errors import AgentError
        from acp_tui.ui.login import asked

        agent = self._screen.conversation.agent
        if agent is None or not self._can("list"):
            return []
        try:
            return await asked(self._screen.conversation, lambda agent: agent.list_sessions())
        except AgentError as error:
            self._screen.notify(str(error), title="The agent's list", severity="warning", markup=False)
            return []

    def _item(self, info: SessionInfo) -> Item:
        about = " · ".join(filter(None, (info.updated_at, info.cwd)))
        agent = self._screen.conversation.agent_name
        return Item(_TAKE_UP + info.session_id, self._title(info), about, f"{agent} can take up")

    def _title(self, info: SessionInfo) -> str:
        launch = self._screen.conversation.launch
        own = self._screen.tabs.names.get(launch.name, info.session_id) if launch is not None else ""
        return own or info.title or info.session_id

    def _recorded(self) -> list[Recorded]:
        from acp_tui.store.folders import data_folder
        from acp_tui.store.recorded import recent

        journal = self._screen.conversation.journal
        ours = journal.path if journal is not None else None
        found = recent(data_folder() / "journals", _RECENT)
        return [one for one in found if one.title and one.path != ours]

    def _can(self, what: str) -> bool:
        from acp_tui.acp.initialization import has

        capabilities = _capabilities(self._screen.conversation.agent)
        return capabilities is not None and has(getattr(capabilities, what))


def _capabilities(agent: Agent | None) -> SessionCapabilities | None:
    if agent is None or agent.info is None:
        return None
    return agent.info.agent_capabilities.session_capabilities


def _recorded_item(one: Recorded) -> Item:
    when = f"{one.started:%Y-%m-%d %H:%M}" if one.started is not None else ""
    about = " · ".join(filter(None, (one.agent, when, one.cwd)))
    return Item(_RECORDED + str(one.path), one.title, about, "Recorded here, to look at")
