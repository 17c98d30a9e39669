"""What becomes of what the user has written: a command of theirs, a command of ours, or a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.widgets.key_names import key_of

if TYPE_CHECKING:
    from acp_tui.store.prompt import Prompt
    from acp_tui.ui.session_screen.screen import SessionScreen


async def say(screen: SessionScreen, prompt: Prompt) -> None:
    """Say it, or let it wait; what was typed as a command is run."""
    conversation = screen.conversation
    if prompt.is_command:
        screen.rooms.own_shell.run(prompt)
    elif await screen.rooms.slash.run(prompt.text):
        return
    elif conversation.phase == "recorded":
        screen.rooms.beginning.continue_recorded(prompt)
    else:
        conversation.say(prompt)
        if conversation.is_over:
            key = key_of(screen, "session.restart")
            screen.notify(f"There is no agent to say this to. {key} starts one.", severity="warning")
