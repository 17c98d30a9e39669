"""What the person runs behind `!` beside one session, and what comes of it for the next prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.conversation.start import Start
    from acp_tui.host.terminals import Terminal
    from acp_tui.store.prompt import Prompt
    from acp_tui.ui.session_screen.own_commands import OwnCommands
    from acp_tui.ui.session_screen.screen import SessionScreen


class OwnShell:
    """Runs the person's commands from the prompt of one screen."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._commands: OwnCommands | None = None
        """There are none before the first one."""

    @property
    def is_running(self) -> bool:
        """Whether there is a command to end."""
        return self._commands is not None and self._commands.is_running

    def run(self, prompt: Prompt) -> None:
        """Run what stands behind the `!`, in the background."""
        self._screen.run_worker(self._run(prompt), group="own-commands")

    def kill(self) -> bool:
        """End the newest command that runs; return whether there is one."""
        if self._commands is None or not self._commands.is_running:
            return False
        self._screen.run_worker(self._commands.kill(), group="own-commands")
        return True

    def terminal(self, name: str) -> Terminal | None:
        """Return the terminal of a command by its id; None for no such."""
        return self._commands.terminal(name) if self._commands is not None else None

    @property
    def background(self) -> list[Terminal]:
        """What commands that have ended have left running."""
        return self._commands.background() if self._commands is not None else []

    async def end(self) -> None:
        """End all that runs."""
        if self._commands is not None:
            await self._commands.end()

    async def _run(self, prompt: Prompt) -> None:
        """Run a command, and offer what it printed as context of the next prompt."""
        from acp_tui.ui.session_screen.own_commands import OwnCommands

        if self._commands is None:
            self._commands = OwnCommands(self._start.guard)
        agent, session = self._screen.conversation.agent, self._screen.conversation.session
        if agent is None or session is None:
            self._screen.notify("A command needs a session to stand in.", severity="warning")
            self._screen.prompt.give_back(prompt)
            return
        command, cwd = prompt.whole[1:].strip(), self._screen.conversation.cwd
        ended = await self._commands.run(command, cwd, lambda event: agent.note_own(session.id, event))
        if ended is not None:
            self._screen.prompt.add_chip(*ended)
