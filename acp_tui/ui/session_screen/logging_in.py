"""What a login shows over its session: the ways to choose from, the wait, the agent's own login."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.acp.authentication import AuthMethod
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.running import RunningAgent
    from acp_tui.ui.session_screen.screen import SessionScreen

_OWNER = "login"
"""Whom terminals of logins belong to: no session of an agent, so that none can reach them."""


class LoggingIn:
    """Brings up one screen after the other; each goes away when its call is cancelled."""

    def __init__(self, screen: SessionScreen, cwd: str) -> None:
        self._screen = screen
        self._cwd = cwd

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        """Let the person choose a way to log in; None: not now."""
        from acp_tui.ui.screens.login import LoginDialog

        conversation = self._screen.conversation
        dialog = LoginDialog(
            methods,
            agent=conversation.agent_name,
            hint=conversation.launch.login if conversation.launch is not None else "",
            look=self._screen.look,
            error=error,
        )
        return await self._screen.presence.ask(dialog)

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        """Show that the agent logs in, until the person will not wait."""
        from acp_tui.ui.screens.login_wait import LoginWait

        name = self._screen.conversation.agent_name
        dialog = LoginWait(agent, name=name, method=method.name, look=self._screen.look)
        await self._screen.presence.ask(dialog)

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        """Run the agent's own program with the method's arguments in a terminal; return why it failed.

        Never another program: only arguments and variables are the agent's to say.
        """
        from acp_tui.conversation.login import STOPPED
        from acp_tui.host.terminals import TerminalError
        from acp_tui.ui.screens.terminal_login import TerminalLoginScreen

        program, *arguments = running.launch.argv
        terminals = running.host.terminals
        try:
            terminal = await terminals.create(
                _OWNER,
                program,
                [*arguments, *method.args],
                env={**running.launch.env, **method.env},
                cwd=self._cwd,
            )
        except TerminalError as error:
            return str(error)
        title = f"Log in to {self._screen.conversation.agent_name}: {method.name}"
        screen = TerminalLoginScreen(terminal, title=title, look=self._screen.look)
        try:
            failure = await self._screen.presence.ask(screen)
            return STOPPED if failure is None else failure
        finally:
            await terminals.release(_OWNER, terminal.id)
