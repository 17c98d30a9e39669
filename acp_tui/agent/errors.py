"""What can go wrong with an agent.

AgentError
├── CallFailed                the agent answered with an error
│   └── LoginRequired         … with "authentication required"
├── AgentGone                 the process ended, or closed its side
├── Busy                      a turn runs already
├── Closed                    the session is not open any more
├── FolderGone                the folder of a session was moved or deleted
├── NotOffered                the agent has said that it cannot do this
└── WrongVersion              the agent speaks another version of the protocol
"""

from __future__ import annotations

from typing import Any

from acp_tui.acp.errors import LOGIN_REQUIRED, as_text, said_in, speaks_of_login
from acp_tui.host.processes import ExitStatus
from acp_tui.wire.messages import ErrorObject


class AgentError(Exception):
    """Base of the tree; its text is made to be shown."""


class CallFailed(AgentError):
    """The agent answered a request of ours with an error."""

    def __init__(self, method: str, error: ErrorObject) -> None:
        self.method = method
        self.code = error.code
        self.message = error.message
        self.data = error.data
        said = said_in(error.data)
        message = as_text(error.message)
        super().__init__(f"{message}: {said}" if said else message)


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


class FolderGone(AgentError):
    """A session whose folder is not there any more; nothing was sent."""

    def __init__(self, cwd: str) -> None:
        super().__init__(f"The folder {cwd} is not there any more: it was moved or deleted.")


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


def failed(method: str, error: ErrorObject, *, offers_logins: bool = False) -> CallFailed:
    """Return the exception for an error response.

    Some agents ask for a login in words alone: that counts where there are ways to log in.
    """
    if error.code == LOGIN_REQUIRED:
        return LoginRequired(method, error)
    required = LoginRequired(method, error)
    is_offered = offers_logins or bool(required.methods)
    if is_offered and method.startswith("session/") and speaks_of_login(str(required)):
        return required
    return CallFailed(method, error)
