"""The agent's own login, run in a terminal inside the interface."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from acp_tui.conversation.login import STOPPED
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.terminal_view import TerminalView
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.host.processes import ExitStatus
    from acp_tui.host.terminals import Terminal


class TerminalLoginScreen(Screen[str]):
    """Shows the login's command and its terminal, into which keys go; dismisses with why it failed, or "".

    Ctrl+C goes to the command. Leaving the screen ends the command, which is a failure.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Priority: while keys go to the command, they still have to reach these.
        Binding(
            "ctrl+right_square_bracket", "stop", "Stop the login", id="terminal-login.stop", priority=True
        ),
    ]

    def __init__(self, terminal: Terminal, *, title: str, look: Look) -> None:
        """Show a login that runs.

        Args:
            terminal: what it runs in; whoever made it releases it.
            title: what is logged in to.
            look: the styles.
        """
        super().__init__()
        self._terminal = terminal
        self._title = title
        self.look = look
        self._watching: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the exact command above its terminal."""
        yield Lines(self.look, id="facts")
        yield Static(f"$ {safe_line(self._terminal.command_line)}", id="command", markup=False)
        yield TerminalView(self.look)
        yield Keys(self.look)

    def on_mount(self) -> None:
        """Type into the command from the start."""
        title = [("strong", f" {safe_line(self._title)}")]
        self.query_one(Lines).set_lines(
            [(title, [("muted", f"{key_of(self, 'terminal-login.stop')} stops the login ")])]
        )
        view = self.query_one(TerminalView)
        view.attach(self._terminal)
        view.focus()
        view.action_type()

    def on_unmount(self) -> None:
        """Wait no longer."""
        if self._watching is not None:
            self._watching.cancel()

    async def on_terminal_view_ended(self) -> None:
        """Leave with how it ended."""
        self.dismiss(failure(await self._terminal.wait()))

    def action_stop(self) -> None:
        """Leave; the command is ended with its terminal."""
        self.dismiss(STOPPED)


def failure(status: ExitStatus) -> str:
    """Return why a login failed that ended in this way; nothing: it did not."""
    return "" if status.exit_code == 0 else f"The login {status.told}."
