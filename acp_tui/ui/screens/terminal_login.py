"""The agent's own login, run in a terminal inside the interface."""

from __future__ import annotations

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
from acp_tui.ui.widgets.printed import LinksWanted, addresses
from acp_tui.ui.widgets.terminal_view import TerminalView
from acp_tui.ui.widgets.text import exact_line, safe_line

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
        Binding("f2", "open", "Open an address that it prints", id="terminal-login.open", priority=True),
        Binding("f3", "copy", "Copy the address that it prints", id="terminal-login.copy", priority=True),
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
        self._failure: str | None = None
        """Why it failed, once it has ended: "" if it did not."""
        self._leaves = False

    def compose(self) -> ComposeResult:
        """Lay out the exact command above its terminal."""
        yield Lines(self.look, id="facts")
        yield Static(f"$ {exact_line(self._terminal.command_line)}", id="command", markup=False)
        yield TerminalView(self.look)
        yield Keys(self.look)

    def on_mount(self) -> None:
        """Type into the command from the start."""
        title = [("strong", f" {safe_line(self._title)}")]
        names = {"open": "opens, ", "copy": "copies an address, ", "stop": "stops the login "}
        hint = "".join(f"{key_of(self, f'terminal-login.{name}')} {does}" for name, does in names.items())
        self.query_one(Lines).set_lines([(title, [("muted", hint)])])
        view = self.query_one(TerminalView)
        view.attach(self._terminal)
        mine = ((key, active.binding) for key, active in self.active_bindings.items() if active.node is self)
        view.passes |= {key for key, binding in mine if binding.priority}  # Ctrl+C, Textual's, is typed
        view.focus()
        view.action_type()

    async def on_terminal_view_ended(self) -> None:
        """Leave with how it ended."""
        self._failure = failure(await self._terminal.wait())
        self._leave_if_over()

    def on_screen_resume(self) -> None:
        """Leave if it ended while a menu lay over it."""
        self._leave_if_over()

    def _leave_if_over(self) -> None:
        if self._failure is not None and self.is_current and not self._leaves:
            self._leaves = True
            self.dismiss(self._failure)

    def action_open(self) -> None:
        """Show where the addresses lead that the command has printed; the newest is the first."""
        if found := self._addresses():
            self.post_message(LinksWanted(dict.fromkeys(reversed(found), "")))

    def action_copy(self) -> None:
        """Copy the newest address that the command has printed."""
        if found := self._addresses():
            self.app.copy_to_clipboard(found[-1])
            self.notify("Copied, if the terminal allows it.")

    def _addresses(self) -> list[str]:
        found = addresses(self._terminal.kept().decode("utf-8", "replace"))
        if not found:
            self.notify("It has printed no address yet.")
        return found

    def action_stop(self) -> None:
        """Leave; the command is ended with its terminal."""
        self.dismiss(STOPPED)


def failure(status: ExitStatus) -> str:
    """Return why a login failed that ended in this way; nothing: it did not."""
    return "" if status.exit_code == 0 else f"The login {status.told}."
