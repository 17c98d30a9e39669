"""What the agent waits for the person to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from acp_tui.acp.permissions import PermissionOption
from acp_tui.session.entries import ToolCall


@dataclass(slots=True)
class Permission:
    """May this tool call go on? Answered with the id of an option, or None: cancelled."""

    key: str
    """Names the question among the open ones of its session."""
    tool_call_id: str
    options: list[PermissionOption]
    at: float = 0.0
    wish: ToolCall | None = None
    """What the agent has us do without having asked; then the question and its options are ours."""

    def option(self, option_id: str | None) -> PermissionOption | None:
        """Return the option with this id."""
        return next((option for option in self.options if option.option_id == option_id), None)


@dataclass(slots=True)
class Elicitation:
    """A form to fill in (`schema`) or an address to visit (`url`)."""

    key: str
    message: str
    schema: dict[str, Any] | None = None
    url: str | None = None
    elicitation_id: str | None = None
    tool_call_id: str | None = None
    at: float = 0.0
    visiting: bool = field(default=False)
    """The person agreed to visit; the agent has not said yet that it is complete."""


@dataclass(slots=True)
class StaleWrite:
    """May the agent write over a file that has changed since it last saw it? `write`, `keep`, or None."""

    key: str
    path: str
    """Absolute."""
    wanted: str
    """What the agent wants to write."""
    now: str | None
    """What is there; None where there is no file, or no text."""
    before: str | None
    """What the agent last saw, as far as that is known."""
    is_there: bool = True
    at: float = 0.0


Question = Permission | Elicitation | StaleWrite
