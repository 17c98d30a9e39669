"""What Escape and Ctrl+C stop, for hands that know them from shells and other agents: one thing at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.session_screen.writing import Writing
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
    elif not _stops_work(screen):
        screen.notify(f"{key_of(screen, 'app.quit')} ends the agent and quits.", timeout=3)


def stop(screen: SessionScreen) -> None:
    """Take completions or a zoom away; else stop what runs; else go back to the prompt."""
    if screen.query_one(Writing).dismiss():
        return
    if screen.maximized is not None:
        screen.arranging.toggle_zoom()
    elif not _stops_work(screen):
        screen.arranging.leave()


def _stops_work(screen: SessionScreen) -> bool:
    """End a command of the person, else the turn, whose open questions are answered `cancelled`."""
    return screen.rooms.own_shell.kill() or screen.conversation.stop()
