"""The dialog while an agent logs in: how long it takes, what the agent prints, and a way to stop it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from acp_tui.readable import clock
from acp_tui.ui.screens.details import Details
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.printed import LinksWanted, addresses, plain

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent

_LINES = 12
"""Lines that are shown of what the agent prints: many print the address to visit, on either stream."""


class LoginWait(Dialog[None]):
    """Shows a login that the agent carries out; dismisses when the person will not even wait for its end.

    The first Esc asks the agent to stop, and the dialog stays for its answer. The second one leaves.
    """

    IS_GUARDED = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop the login", id="login-wait.stop"),
        Binding("o", "open", "Open an address that it prints", id="login-wait.open"),
        Binding("c", "copy", "Copy the address, or all that it prints", id="login-wait.copy"),
    ]

    def __init__(self, agent: Agent, *, name: str, method: str, look: Look) -> None:
        """Show the login that runs.

        Args:
            agent: who logs in.
            name: its name for people.
            method: the way that was chosen.
            look: the styles.
        """
        super().__init__(f"{name} logs in", look)
        self._agent = agent
        self._method = method
        self._began = time.monotonic()
        self._before = (agent.connection.strays, agent.stderr_tail)
        self._stopping = False
        self._printed = ""
        """What the agent has printed since the login began."""
        self._addresses: list[str] = []

    def compose_body(self) -> ComposeResult:
        """Yield the time and what the agent prints."""
        yield Details(self._facts(), self.look)

    def on_mount(self) -> None:
        """Count seconds."""
        self.set_interval(0.5, self._tick)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        stop = "do not wait" if self._stopping else "stop the login"
        keys = [(key_of(self, "login-wait.stop"), stop)]
        if self._addresses:
            keys += [
                (key_of(self, "login-wait.open"), "open the address"),
                (key_of(self, "login-wait.copy"), "copy the address"),
            ]
        elif self._printed:
            keys.append((key_of(self, "login-wait.copy"), "copy what it says"))
        return keys

    def action_stop(self) -> None:
        """Ask the agent to stop; asked again, leave."""
        if self._stopping:
            self.dismiss(None)
            return
        self._stopping = True
        self._agent.logins.stop()
        self.show_hints()
        self._tick()

    def action_open(self) -> None:
        """Show where the addresses lead that the agent has printed; the newest is the first."""
        if self._addresses:
            self.post_message(LinksWanted(dict.fromkeys(reversed(self._addresses), "")))

    def action_copy(self) -> None:
        """Copy the newest address that the agent has printed, or all that it has."""
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
            blocks.append(TextBlock([("muted", "It says:")], above=1))
            blocks.append(TextBlock([("text", "\n".join(said))]))
        return blocks

    def _said(self) -> str:
        """Return what came on both streams since the login began, without what steers a terminal."""
        now = (self._agent.connection.strays, self._agent.stderr_tail)
        new = (
            plain(text.removeprefix(before)).strip() for text, before in zip(now, self._before, strict=True)
        )
        return "\n".join(text for text in new if text)
