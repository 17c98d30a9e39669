"""Sending a signal to what runs in a terminal."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from textual.app import App

    from acp_tui.host.terminals import Terminal
    from acp_tui.ui.widgets.look import Look

_SIGNALS: Final = (
    (signal.SIGINT, "interrupt, like Ctrl+C"),
    (signal.SIGTERM, "ask it to end"),
    (signal.SIGHUP, "the terminal is gone; some read their settings again"),
    (signal.SIGQUIT, "end with a dump, like Ctrl+\\"),
    (signal.SIGSTOP, "pause it"),
    (signal.SIGCONT, "let it go on"),
    (signal.SIGUSR1, "means what the program says"),
    (signal.SIGUSR2, "means what the program says"),
    (signal.SIGKILL, "end it at once"),
)


def choose_signal(app: App[Any], terminal: Terminal, look: Look) -> None:
    """Let the person choose a signal, and send it to the foreground of a terminal."""
    from acp_tui.ui.screens.menu import Item, Menu

    def chosen(name: str | None) -> None:
        if name is not None:
            terminal.signal(signal.Signals[name])

    items = [Item(number.name, number.name, words) for number, words in _SIGNALS]
    app.push_screen(Menu("Signal", items, None, look), chosen)
