"""How a conversation begins and begins again: the start screen, the failure screen, a recorded session."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.store.launch import Launch

if TYPE_CHECKING:
    from acp_tui.ui.failures import Failure
    from acp_tui.ui.screens.agents import StartChoice
    from acp_tui.ui.screens.session import SessionScreen
    from acp_tui.ui.start import Start

_RECENT = 50
"""Recorded sessions that are looked at; those in which something was said are offered."""


class Beginning:
    """Leads from the first frame to a session, over whatever goes wrong on the way."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start

    async def begin(self) -> None:
        """Start the agent of the command line, or let the person choose one."""
        if self._screen.conversation.launch is not None:
            await self._screen.conversation.begin()
        else:
            await self.choose()

    async def choose(self) -> None:
        """Let the person choose an agent or a recorded session; leave when they choose nothing."""
        from acp_tui.store.folders import data_folder
        from acp_tui.store.recorded import recent
        from acp_tui.ui.screens.agents import StartScreen

        recorded = [one for one in recent(data_folder() / "journals", _RECENT) if one.title]
        screen = StartScreen(
            self._start.known, recorded, self._start.cwd, self._start.problems, self._screen.look
        )
        choice = await self._screen.app.push_screen_wait(screen)
        if choice.kind == "recorded":
            assert choice.path is not None
            self.show_recorded(choice.path)
            return
        launch = self._launch(choice)
        if launch is None:
            await self.choose()
        else:
            await self._screen.conversation.restart(launch)

    def show_recorded(self, path: Path) -> None:
        """Show a recorded session; there is no agent to talk to."""
        self._screen.conversation.show_recorded(path)

    async def explain(self) -> None:
        """Say what went wrong and do what the person wants to try."""
        from acp_tui.ui.screens.explaining import explain
        from acp_tui.ui.screens.failure import FailureScreen

        conversation = self._screen.conversation
        failure = conversation.failure
        if failure is None:
            return
        login = conversation.launch.login if conversation.launch is not None else ""
        can_log_in = self._can_log_in(failure)
        said = explain(failure, login=login, can_log_in=can_log_in)
        choice = await self._screen.app.push_screen_wait(
            FailureScreen(
                conversation.command,
                said.title,
                said.reason,
                failure.stderr,
                said.advice,
                can_log_in,
                self._screen.look,
            )
        )
        if choice is None:
            return
        if choice.kind == "choose":
            await self.choose()
        elif choice.kind == "edit":
            launch = self._resolved(shlex.join(choice.command))
            if launch is None:
                await self.explain()
            else:
                await conversation.restart(launch)
        else:
            await conversation.restart()

    def _can_log_in(self, failure: Failure) -> bool:
        agent = self._screen.conversation.agent
        return (
            failure.kind == "login"
            and agent is not None
            and agent.info is not None
            and bool(agent.info.auth_methods)
        )

    def _launch(self, choice: StartChoice) -> Launch | None:
        if choice.kind == "demo":
            from acp_tui.store.demo import demo_launch

            return demo_launch()
        return self._resolved(choice.agent)

    def _resolved(self, command: str) -> Launch | None:
        """Return how to start what the person named, or say why it cannot be."""
        from acp_tui.store.agents import AgentError, resolve

        try:
            return resolve(command, (), self._start.known)
        except AgentError as error:
            self._screen.notify(error.advice, title=error.title, severity="error", timeout=10)
            return None
