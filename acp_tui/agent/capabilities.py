"""Capabilities of an agent, checked before a request, and the errors of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from acp_tui.protocol.json_values import as_list, member
from acp_tui.protocol.jsonrpc import ErrorObject
from acp_tui.protocol.schema import (
    INVALID_PARAMS,
    LOGIN_REQUIRED,
    AgentCapabilities,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    InitializeResponse,
    Marker,
    Model,
    as_text,
    asks_for_login,
    error_text,
    has,
)
from acp_tui.protocol.validation import Unreadable, read
from acp_tui.protocol.version2 import UNSUPPORTED, VERSION
from acp_tui.store.agents import ProtocolChoice
from acp_tui.workspace.processes import ExitStatus


class AgentError(Exception):
    """Base of the errors of an agent; the text is for the user."""


class CallFailed(AgentError):
    """The agent answered a request with an error."""

    def __init__(self, method: str, error: ErrorObject) -> None:
        self.method = method
        self.code = error.code
        self.message = error.message
        self.data = error.data
        said = error_text(error.data)
        message = as_text(error.message)
        super().__init__(f"{message}: {said}" if said else message)


class LoginRequired(CallFailed):
    """The agent wants a login first. Source: ACP, page "authentication"."""

    @property
    def methods(self) -> list[Any]:
        """The login methods that some agents name in the error; not validated."""
        return as_list(member(self.data, "authMethods"))


class AgentGone(AgentError):
    """The agent's process has ended, or its output was closed."""


class Busy(AgentError):
    """A turn of the session is running; nothing was sent."""


class Closed(AgentError):
    """The session was closed or deleted; nothing was sent."""


class FolderGone(AgentError):
    """The folder of a session is gone; nothing was sent."""

    def __init__(self, cwd: str) -> None:
        super().__init__(f"The folder {cwd} no longer exists: it was moved or deleted.")


class NotOffered(AgentError):
    """The agent lacks a capability; nothing was sent. Source: ACP, page "initialization"."""


class WrongVersion(AgentError):
    """The agent speaks another version of the protocol."""

    def __init__(self, offered: Any, ours: int) -> None:
        said = f"The agent offers protocol version {offered!r}; acp-tui asked for version {ours}."
        if offered == VERSION:
            said += " To use it, set protocol = 2 in the agent's table of settings.toml."
        super().__init__(said)
        self.offered = offered


class OtherVersion(AgentError):
    """The agent refused the version; a new process can be asked for another one."""

    def __init__(self, version: ProtocolChoice) -> None:
        super().__init__(f"The agent has to be started again, to speak version {version} of the protocol.")
        self.version = version


def other_version(error: CallFailed, asked: int) -> ProtocolChoice | None:
    """Return the version to ask for after an agent refused `asked`; None if there is none.

    Agents that check strictly refuse the fields of another version as invalid.
    """
    if error.code == INVALID_PARAMS and asked != 1:
        return 1
    supported = as_list(member(error.data, "supported")) if error.code == UNSUPPORTED else []
    spoken: list[ProtocolChoice] = [
        version for version in (2, 1) if version in supported and version != asked
    ]
    return spoken[0] if spoken else None


def gone(status: ExitStatus | None = None) -> str:
    """Return the message about an agent that has ended."""
    return "The agent has ended." if status is None else f"The agent has ended ({status})."


def logged_out() -> LoginRequired:
    """Return the error for an agent that has reported that nobody is logged in."""
    return LoginRequired("auth/status", ErrorObject(LOGIN_REQUIRED, "You are not logged in."))


def failed(method: str, error: ErrorObject, *, offers_logins: bool = False) -> CallFailed:
    """Return the exception for an error response.

    Some agents ask for a login only in the message: that counts if they offer login methods.
    """
    if error.code == LOGIN_REQUIRED:
        return LoginRequired(method, error)
    required = LoginRequired(method, error)
    is_offered = offers_logins or bool(required.methods)
    if is_offered and method.startswith("session/") and asks_for_login(str(required)):
        return required
    return CallFailed(method, error)


class Capabilities:
    """The capabilities of one agent; none before its answer to `initialize`."""

    def __init__(self) -> None:
        self.info: InitializeResponse | None = None

    @property
    def can(self) -> AgentCapabilities:
        """The capabilities in the agent's answer to `initialize`."""
        return self.info.agent_capabilities if self.info is not None else AgentCapabilities()

    @property
    def can_steer(self) -> bool:
        """True if the agent accepts text during a turn; an extension that several agents share."""
        steering = (self.info.meta or {}).get("steering") if self.info is not None else None
        return isinstance(steering, dict) and steering.get("supported") is True

    def need(self, offered: Marker | None, what: str) -> None:
        """Raise unless the agent has a capability.

        Raises:
            NotOffered.
        """
        if not has(offered):
            raise NotOffered(f"This agent cannot {what}.")

    def need_blocks(self, prompt: Sequence[ContentBlock]) -> None:
        """Raise if a prompt has content that the agent does not take.

        Raises:
            NotOffered.
        """
        can = self.can.prompt_capabilities
        for block in prompt:
            match block:
                case ImageContent():
                    self.need(can.image, "accept images in prompts")
                case AudioContent():
                    self.need(can.audio, "accept audio in prompts")
                case EmbeddedResource():
                    self.need(can.embedded_context, "accept embedded files in prompts")

    def system_prompt(self, text: str) -> dict[str, Any] | None:
        """Return the field that adds text to the system prompt; None without text or support for it."""
        if not text or not has(self.can.session_capabilities.system_prompt):
            return None
        return {"mode": "append", "content": [{"type": "text", "text": text}]}

    def further_roots(self, cwd: str, roots: Sequence[str]) -> list[str] | None:
        """Return the additional folders for a request, each once; None if the agent takes none."""
        if not has(self.can.session_capabilities.additional_directories):
            return None
        return [root for root in dict.fromkeys(roots) if root and root != cwd]


def abilities(can: AgentCapabilities) -> list[tuple[str, bool]]:
    """Return (capability, whether the agent has it) pairs, in the order of the protocol's pages."""
    prompt, mcp, session = can.prompt_capabilities, can.mcp_capabilities, can.session_capabilities
    return [
        ("load sessions", can.load_session),
        ("resume sessions", has(session.resume)),
        ("list sessions", has(session.list)),
        ("close sessions", has(session.close)),
        ("delete sessions", has(session.delete)),
        ("fork sessions", has(session.fork)),
        ("set session titles", has(session.title)),
        ("archive sessions", has(session.archive)),
        ("add to the system prompt", has(session.system_prompt)),
        ("additional folders", has(session.additional_directories)),
        ("images in prompts", prompt.image),
        ("audio in prompts", prompt.audio),
        ("embedded files in prompts", prompt.embedded_context),
        ("MCP servers over http", mcp.http),
        ("MCP servers over sse", mcp.sse),
        ("log out", has(can.auth.logout)),
        ("choose providers of models", has(can.providers)),
    ]


ModelT = TypeVar("ModelT", bound=Model)


def parse_result(model: type[ModelT], method: str, result: Any) -> ModelT:
    """Return the result of a request as a model.

    Raises:
        AgentError: it cannot be read.
    """
    try:
        return read(model, result)
    except Unreadable as error:
        raise AgentError(f"The answer to {method} cannot be read: {error}") from error
