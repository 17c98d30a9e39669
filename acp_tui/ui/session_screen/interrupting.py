"""What Ctrl+C does, for hands that know it from shells and other agents: one thing at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.widgets.key_names import key_of

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen


def interrupt(screen: SessionScreen) -> None:
    """Copy a selection; else empty the prompt with the keys; else stop what runs; else say how to quit."""
    if screen.rooms.copying.selection():
        return
    if screen.query("#prompt") and screen.prompt.has_focus and screen.prompt.text:
        screen.prompt.replace_all("")
        screen.notify("The prompt is empty. Ctrl+Z in it brings the text back.", timeout=3)
    elif not screen.rooms.own_shell.kill() and not screen.conversation.stop():
        screen.notify(f"{key_of(screen, 'app.quit')} ends the agent and quits.", timeout=3)
