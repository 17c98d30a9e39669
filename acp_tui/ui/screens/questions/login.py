"""Logins: the choice of a method, the wait for the agent, and a login in a terminal."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static
from typing_extensions import override

from acp_tui.agent.agent import Agent
from acp_tui.conversation.login import STOPPED
from acp_tui.formatting import clock
from acp_tui.protocol.schema import AuthMethod
from acp_tui.ui.screens.base.answer_dialog import AnswerDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details, Dialog
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.widgets.controls import Answer, AnswerList
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.links import LinksWanted, addresses, plain
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import Terminal

MOST: Final = 100
"""Most login methods that are offered: thousands would block for seconds."""


class LoginDialog(AnswerDialog[str]):
    """Lets the user choose a login method; dismisses with its id, or None."""

    KEYS = "login"
    BINDINGS: ClassVar[list[BindingType]] = [*answer_keys(KEYS, choose="Log in")]

    def __init__(
        self, methods: Sequence[AuthMethod], *, agent: str, hint: str, styles: Styles, error: str = ""
    ) -> None:
        """Offer login methods.

        Args:
            methods: in the agent's order.
            agent: the name of the agent.
            hint: the reason for the login, or a note about it.
            styles: the theme's styles.
            error: the failure of the last attempt, or "".
        """
        super().__init__(f"Log in to {agent}", styles)
        self._methods = list(methods)[:MOST]
        self._left_out = len(methods) - len(self._methods)
        self._hint = hint
        self._error = error

    @override
    def compose_body(self) -> ComposeResult:
        blocks = [TextBlock([("error", self._error)])] if self._error else []
        if self._hint:
            blocks.append(TextBlock([("text", self._hint)]))
        if self._left_out:
            blocks.append(TextBlock([("warning", f"{self._left_out:,} more ways to log in are not shown.")]))
        yield Details(blocks, self.theme_styles)

    @override
    def compose_answers(self) -> ComposeResult:
        answers = AnswerList(
            [Answer(method.name, detail="\n".join(_about(method))) for method in self._methods]
        )
        answers.highlighted = 0 if self._methods else None
        yield answers

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        return [*self.choose_hints("log in"), *super().hints()]

    @override
    def take(self, place: int, how: str) -> None:
        self.dismiss(self._methods[place].id)


def _about(method: AuthMethod) -> Iterator[str]:
    if method.type == "terminal":
        yield "Runs the agent's own login in a terminal."
        if method.args:
            yield f"With the arguments: {exact_line(shlex.join(method.args))}"
        if method.env:
            words = [f"{name}={shlex.quote(value)}" for name, value in method.env.items()]
            yield f"With the variables: {exact_line(' '.join(words))}"
    names = [str(variable["name"]) for variable in method.vars if variable.get("name")]
    if names:
        yield f"Reads {', '.join(names)} from the environment."
    if method.description:  # last: it must not take the place of what is run
        yield method.description


_LINES = 12
"""Lines of the agent's output that are shown: many agents print the URL to visit."""


class LoginWait(Dialog[None]):
    """Shows a login that the agent performs; the user can dismiss it instead of waiting.

    The first Esc asks the agent to stop, and the dialog waits for its answer. The second one closes it.
    """

    IS_GUARDED = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop the login", id="login-wait.stop"),
        Binding("o", "open", "Open the address", id="login-wait.open"),
        Binding("c", "copy", "Copy the address or the output", id="login-wait.copy"),
    ]

    def __init__(self, agent: Agent, *, name: str, method: str, styles: Styles) -> None:
        """Show the running login.

        Args:
            agent: the agent that logs in.
            name: its name.
            method: the name of the chosen method.
            styles: the theme's styles.
        """
        super().__init__(f"{name}: logging in", styles)
        self._agent = agent
        self._method = method
        self._began = time.monotonic()
        self._before = (agent.connection.strays, agent.stderr_tail)
        self._stopping = False
        self._printed = ""
        """Output of the agent since the login began."""
        self._addresses: list[str] = []

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._facts(), self.theme_styles)

    def on_mount(self) -> None:
        """Start counting seconds."""
        self.set_interval(0.5, self._tick)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        stop = "stop waiting" if self._stopping else "stop the login"
        keys = [(key_of(self, "login-wait.stop"), stop)]
        if self._addresses:
            keys += [
                (key_of(self, "login-wait.open"), "open the address"),
                (key_of(self, "login-wait.copy"), "copy the address"),
            ]
        elif self._printed:
            keys.append((key_of(self, "login-wait.copy"), "copy the output"))
        return keys

    def action_stop(self) -> None:
        """Ask the agent to stop; the second time, close."""
        if self._stopping:
            self.dismiss(None)
            return
        self._stopping = True
        self._agent.logins.stop()
        self.show_hints()
        self._tick()

    def action_open(self) -> None:
        """Offer the URLs that the agent has printed, the newest first."""
        if self._addresses:
            self.post_message(LinksWanted(dict.fromkeys(reversed(self._addresses), "")))

    def action_copy(self) -> None:
        """Copy the newest URL that the agent has printed, else its output."""
        text = self._addresses[-1] if self._addresses else self._printed
        if text:
            self.app.copy_to_clipboard(text)
            self.notify("Copied, if the terminal allows it.")

    def _tick(self) -> None:
        printed = self._said()
        if printed != self._printed:
            self._printed, self._addresses = printed, addresses(printed)
            self.show_hints()
        self.query_one(Details).show(self._facts())
        self.after_refresh(self.fit)

    def _facts(self) -> list[TextBlock]:
        waited = clock(time.monotonic() - self._began)
        text = "asked to stop, waiting for its answer" if self._stopping else "waiting for the agent"
        blocks = [TextBlock([("text", f"{self._method}  "), ("muted", f"{text} {waited}")])]
        said = self._printed.splitlines()[-_LINES:]
        if said:
            blocks.append(TextBlock([("muted", "Output:")], above=1))
            blocks.append(TextBlock([("text", "\n".join(said))]))
        return blocks

    def _said(self) -> str:
        """Return the output on both streams since the login began, without control sequences."""
        now = (self._agent.connection.strays, self._agent.stderr_tail)
        new = (
            plain(text.removeprefix(before)).strip() for text, before in zip(now, self._before, strict=True)
        )
        return "\n".join(text for text in new if text)


class TerminalLoginScreen(FullScreen[str]):
    """Shows a login command in its terminal; dismisses with the reason of its failure, or "".

    Keys, including Ctrl+C, go to the command. Leaving the screen ends the command, which counts as a failure.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Priority: these must work while keys go to the command.
        Binding(
            "ctrl+right_square_bracket", "stop", "Stop the login", id="terminal-login.stop", priority=True
        ),
        Binding("f2", "open", "Open the address", id="terminal-login.open", priority=True),
        Binding("f3", "copy", "Copy the address", id="terminal-login.copy", priority=True),
    ]

    def __init__(self, terminal: Terminal, *, title: str, styles: Styles) -> None:
        """Show a running login.

        Args:
            terminal: the terminal of the command; its owner releases it.
            title: the title of the screen.
            styles: the theme's styles.
        """
        super().__init__(styles)
        self._terminal = terminal
        self._title = title
        self.failure: str | None = None
        """Reason for the failure once the command has ended; "" for success."""
        self._leaves = False

    @override
    def compose_content(self) -> ComposeResult:
        yield Static(f"$ {exact_line(self._terminal.command_line)}", id="command", markup=False)
        yield TerminalView(self.theme_styles)

    def on_mount(self) -> None:
        """Send keys to the command."""
        title = [("strong", f" {safe_line(self._title)}")]
        names = {"open": "opens, ", "copy": "copies an address, ", "stop": "stops the login "}
        hint = "".join(f"{key_of(self, f'terminal-login.{name}')} {does}" for name, does in names.items())
        self.show_title((title, [("muted", hint)]))
        view = self.query_one(TerminalView)
        view.attach(self._terminal)
        mine = ((key, active.binding) for key, active in self.active_bindings.items() if active.node is self)
        view.passes |= {key for key, binding in mine if binding.priority}  # but Ctrl+C is typed
        view.focus()
        view.action_type()

    async def on_terminal_view_ended(self) -> None:
        """Close when the command has ended."""
        self.failure = failure(await self._terminal.wait())
        self._leave_if_over()

    def on_screen_resume(self) -> None:
        """Close if the command ended under a menu."""
        self._leave_if_over()

    def _leave_if_over(self) -> None:
        if self.failure is not None and self.is_current and not self._leaves:
            self._leaves = True
            self.dismiss(self.failure)

    def action_open(self) -> None:
        """Offer the addresses that the command has printed, the newest first."""
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
            self.notify("No address printed yet.")
        return found

    def action_stop(self) -> None:
        """Stop the login: leaving ends the command."""
        self.dismiss(STOPPED)


def failure(status: ExitStatus) -> str:
    """Return the reason for a failed login, or ""."""
    return "" if status.exit_code == 0 else f"The login {status.as_verb}."
