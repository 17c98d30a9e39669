"""Who is told what happens in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from acp_tui.conversation.speaking import Person

if TYPE_CHECKING:
    from acp_tui.session.changes import Change


class Listener(Person, Protocol):
    """Who shows the conversation."""

    def phase_changed(self) -> None:
        """`phase` has a new value."""

    def session_changed(self, change: Change) -> None:
        """Something in the session changed."""

    def session_dropped(self) -> None:
        """Nothing of what was shown counts any more: it did not come about, or is told anew."""

    def questions_changed(self) -> None:
        """A question that belongs to no session was asked, or has its answer."""
