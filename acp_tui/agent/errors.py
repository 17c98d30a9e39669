"""What can go wrong with an agent.

AgentError
├── CallFailed                the agent answered with an error
│   └── LoginRequired         … with "authentication required"
├── AgentGone                 the process ended, or closed its side
├── Busy                      a turn runs already
├── Closed                    the session is not open any more
├── NotOffered                the agent has said that it cannot do this
└── WrongVersion              the agent speaks another version of the protocol
"""

from __future__ import annotations

from typing import Any, Final

from acp_tui.host.processes import ExitStatus
from acp_tui.wire.messages import ErrorObject

LOGIN_REQUIRED: Final = -32000
NOT_FOUND: Final = -32002
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL: Final = -32603
CANCELLED: Final = -32800


class AgentError(Exception):
    """Base of the tree; its text is made to be shown."""


class CallFailed(AgentError):
    """The agent answered a request of ours with an error."""

    def __init__(self, method: str, error: ErrorObject) -> None:
        self.method = method
        self.code = error.code
        self.message = error.message
        self.data = error.data
        super().__init__(f"{error.message}{_details(error.data)}")


class LoginRequired(CallFailed):
    """The agent wants a login first. Source: ACP, page "authentication"."""

    @property
    def methods(self) -> list[Any]:
        """Return the ways to log in that the error itself names, as they came; some agents do so."""
        named = self.data.get("authMethods") if isinstance(self.data, dict) else None
        return named if isinstance(named, list) else []


class AgentGone(AgentError):
    """The agent's process has ended, or its output was closed."""


class Busy(AgentError):
    """A second prompt for a session whose turn still runs; nothing was sent."""


class Closed(AgentError):
    """A prompt for a session that was closed or deleted; nothing was sent."""


class NotOffered(AgentError):
    """The agent does not offer what it would take; nothing was sent. Source: ACP, "initialization"."""


class WrongVersion(AgentError):
    """The agent speaks another version of the protocol."""

    def __init__(self, offered: Any, ours: int) -> None:
        super().__init__(f"The agent offers protocol version {offered!r}; acp-tui speaks version {ours}.")
        self.offered = offered


def gone(status: ExitStatus | None = None) -> str:
    """Return what is said of an agent whose process has ended, in the chat and wherever it is missed."""
    return "The agent has ended." if status is None else f"The agent has ended ({status})."


def failed(method: str, error: ErrorObject) -> CallFailed:
    """Return the exception for an error response."""
    kind = LoginRequired if error.code == LOGIN_REQUIRED else CallFailed
    return kind(method, error)


def _details(data: Any) -> str:
    """Return what an error's data says beside its message: often all there is to know."""
    if isinstance(data, dict):
        for key in ("details", "error", "message", "reason"):
            if isinstance(data.get(key), str):
                return f": {data[key]}"
    return f": {data}" if isinstance(data, str) and data else ""
