"""The agent's slash commands, as far as their names can be printed."""

from __future__ import annotations

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.ui.session_screen.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import exact_line, is_exact, shortened


class AgentCommands:
    """The commands that the agent offers in one session."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._told: set[str] = set()
        """Unprintable names that the user was told of."""

    @property
    def printable(self) -> list[AvailableCommand]:
        """The commands with a printable name."""
        return [command for command in self._all if is_exact(command.name)]

    def tell_unprintable(self) -> None:
        """Notify once of each command with an unprintable name."""
        names = {command.name for command in self._all if not is_exact(command.name)} - self._told
        if names:
            self._told |= names
            shown = ", ".join(f"/{shortened(exact_line(name), 40)}" for name in sorted(names)[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self._screen.notify(
                f"Not offered, for their names hold what cannot be printed: {shown}{more}.",
                title="Commands of the agent",
                severity="warning",
            )

    @property
    def _all(self) -> list[AvailableCommand]:
        session = self._screen.conversation.session
        return session.commands if session is not None else []
