"""Dialogs of a login: its methods, the wait for a page, and the terminal of the agent's own login."""

from __future__ import annotations

import os
from collections.abc import Sequence
from secrets import token_hex

from acp_tui.agent.agent import Agent
from acp_tui.conversation import login as logging_in
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.protocol.schema import AuthMethod
from acp_tui.ui.screens.questions import login as login_screens
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.workspace.processes import StartFailed, find_program
from acp_tui.workspace.terminals import TerminalError


class LoginDialogs:
    """The screens of a login; each closes when its call is cancelled."""

    def __init__(self, screen: ConversationScreen, cwd: str) -> None:
        self._screen = screen
        self._cwd = cwd

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        """Return the id of the chosen login method, or None."""
        conversation = self._screen.conversation
        dialog = login_screens.LoginDialog(
            methods,
            agent=conversation.agent_name,
            hint=conversation.launch.login if conversation.launch is not None else "",
            styles=self._screen.theme_styles,
            error=error,
        )
        return await self._screen.ask(dialog)

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        """Show a running login until the user cancels it."""
        name = self._screen.conversation.agent_name
        dialog = login_screens.LoginWait(
            agent, name=name, method=method.name, styles=self._screen.theme_styles
        )
        await self._screen.ask(dialog)

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        """Run the agent's own program with the method's arguments in a terminal; return its error, or "".

        The agent chooses arguments and variables, never the program.
        """
        program, *arguments = running.launch.argv
        terminals = running.access.terminals
        # The agent must not reach this terminal: its sessions have names of its own choice.
        owner = token_hex()
        try:
            # A PATH of the method must not name another program.
            found = find_program(program, {**os.environ, **running.launch.env}, self._cwd)
            terminal = await terminals.create(
                owner,
                found,
                [*arguments, *method.args],
                env={**running.launch.env, **method.env},
                cwd=self._cwd,
                enclosure=running.sandbox.agent
                if running.sandbox is not None
                else None,  # in the agent's sandbox, with its network
            )
        except (StartFailed, TerminalError) as error:
            return str(error)
        title = f"Log in to {self._screen.conversation.agent_name}: {method.name}"
        screen = login_screens.TerminalLoginScreen(terminal, title=title, styles=self._screen.theme_styles)
        try:
            failure = await self._screen.ask(screen)
            return logging_in.STOPPED if failure is None else failure
        finally:
            await terminals.release(owner, terminal.id)
