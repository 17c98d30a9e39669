"""The agent's slash commands: those with names that can be typed."""

from __future__ import annotations

from typing import Final

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import exact_line, is_exact, shortened

MOST: Final = 2_000
"""Most commands that are offered: each key searches all of them."""


class AgentCommands:
    """The commands that the agent offers in one session."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._told: set[str] = set()
        """Names that are not offered and were already reported."""
        self._told_of_more = False

    @property
    def printable(self) -> list[AvailableCommand]:
        """The commands with a printable name of one word."""
        return [command for command in self._all if _is_word(command.name)]

    def tell_not_offered(self) -> None:
        """Notify once of each command with another name, and of more commands than are offered."""
        if self._count > MOST and not self._told_of_more:
            self._told_of_more = True
            self._screen.notify(
                f"The first {MOST:,} of {self._count:,} commands are listed.",
                title="Commands of the agent",
                severity="warning",
            )
        names = {command.name for command in self._all if not _is_word(command.name)} - self._told
        if names:
            self._told |= names
            shown = ", ".join(f"/{shortened(exact_line(name), 40)}" for name in sorted(names)[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self._screen.notify(
                f"Not listed, because their names cannot be typed as one word: {shown}{more}.",
                title="Commands of the agent",
                severity="warning",
            )

    @property
    def _all(self) -> list[AvailableCommand]:
        session = self._screen.conversation.session
        return session.commands[:MOST] if session is not None else []

    @property
    def _count(self) -> int:
        session = self._screen.conversation.session
        return len(session.commands) if session is not None else 0


def _is_word(name: str) -> bool:
    """Return whether a name is one word: behind a blank or @ it would be an argument or a file."""
    return is_exact(name) and "@" not in name and not any(map(str.isspace, name))
