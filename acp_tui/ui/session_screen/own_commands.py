"""Commands of the person, typed behind `!`: each on a terminal of its own that no agent can reach."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from acp_tui.agent.agent import KEPT_OUTPUT
from acp_tui.host.terminals import Terminal, TerminalError, Terminals, UnknownTerminal
from acp_tui.session.events import CommandEnded, CommandStarted, Noted
from acp_tui.ui.widgets.text import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.host.guard import Guard
    from acp_tui.session.events import Event

_OWNER: Final = "the person"
_ID: Final = "own-"
"""Tells ids of ours from those of the agent's terminals, which count in the same way."""

CONTEXT: Final = 32 * 1024
"""Characters at the end of an output that are offered as context."""


class OwnCommands:
    """What one person runs beside one conversation."""

    def __init__(self, guard: Guard) -> None:
        self._terminals = Terminals(guard=guard)
        self._running: list[Terminal] = []

    async def run(self, command: str, cwd: str, note: Callable[[Event], None]) -> tuple[str, str] | None:
        """Run a line in the person's shell, in a folder, until it ends; `note` hears how it goes.

        Return what to offer the agent as (a name for it, a text); None for a command without any output.
        """
        try:
            terminal = await self._terminals.create(_OWNER, _shell(), ("-c", command), cwd=cwd)
        except TerminalError as error:
            note(Noted(str(error), "error"))
            return None
        self._running.append(terminal)
        name = f"{_ID}{terminal.id}"
        note(CommandStarted(name, command))
        status = await terminal.wait()
        self._running.remove(terminal)
        output = terminal.kept()
        note(CommandEnded(name, status.exit_code, output[-KEPT_OUTPUT:].decode("utf-8", "replace")))
        if not output.strip():
            return None
        return f"output of {_short(command)}", as_context(command, output, status.exit_code)

    def terminal(self, name: str) -> Terminal | None:
        """Return a terminal by the id that `run` told of; None for one that is not ours."""
        if not name.startswith(_ID):
            return None
        try:
            return self._terminals.get(_OWNER, name.removeprefix(_ID))
        except UnknownTerminal:
            return None

    async def kill(self) -> None:
        """End the newest command that runs, and all that came of it."""
        if self._running:
            await self._running[-1].kill()

    @property
    def is_running(self) -> bool:
        """Whether there is something to kill."""
        return bool(self._running)

    def background(self) -> list[Terminal]:
        """Return the terminals of commands that have ended and left something running."""
        return self._terminals.background(_OWNER)

    async def end(self) -> None:
        """End all that runs."""
        await self._terminals.close()


def _short(command: str) -> str:
    """Return a command as it can stand in a chip."""
    return shortened("".join(" " if letter in "[]\n\t" else letter for letter in command), 40)


def _shell() -> str:
    return os.environ.get("SHELL") or "/bin/sh"


def as_context(command: str, output: bytes, exit_code: int | None) -> str:
    """Return what an agent is told of a command: how it ended, and the newest of what it printed."""
    from acp_tui.ui.widgets.terminal_log import text_of

    printed = text_of(output)
    if len(printed) > CONTEXT:
        printed = "[…]\n" + printed[-CONTEXT:].partition("\n")[2]
    end = f"exit code {exit_code}" if exit_code is not None else "ended by a signal"
    fence = "```"
    while fence in printed:
        fence += "`"
    return f"I ran `{command}` ({end}):\n{fence}\n{printed}\n{fence}\n"
