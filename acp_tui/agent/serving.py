"""The methods we serve: method → handler. Only here do our errors become JSON-RPC codes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import quote

from acp_tui.acp.files import ReadTextFileRequest, WriteTextFileRequest
from acp_tui.acp.reading import Unreadable, read
from acp_tui.acp.terminals import CreateTerminalRequest, TerminalRequest
from acp_tui.agent import errors
from acp_tui.host.files import FileError, NotAFile, NotFound, OutsideRoots, Written
from acp_tui.host.host import Host, NotLent
from acp_tui.host.processes import ExitStatus
from acp_tui.host.terminals import BadDirectory, TerminalError, UnknownTerminal

Tell = Callable[[str, Written], None]
"""Called with a session's id and what was written for it."""
Handler = Callable[[Host, Any, Tell], Awaitable[dict[str, Any]]]


async def read_text_file(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "file system", reading files."""
    request = read(ReadTextFileRequest, params)
    files = host.files(request.session_id)
    try:
        text = await asyncio.to_thread(files.read_text, request.path, request.line, request.limit)
    except NotFound:
        if not host.missing_file_reads_empty:
            raise
        text = ""
    return {"content": text}


async def write_text_file(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "file system", writing files."""
    request = read(WriteTextFileRequest, params)
    files = host.files(request.session_id)

    async def write() -> None:
        tell(request.session_id, await asyncio.to_thread(files.write_text, request.path, request.content))

    # Shielded: a write happens all the same when the request is taken back, and must be told.
    await asyncio.shield(write())
    return {}


async def create_terminal(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "terminals", executing commands."""
    request = read(CreateTerminalRequest, params)
    files = host.files(request.session_id)
    limit = request.output_byte_limit
    terminal = await host.terminals.create(
        request.session_id,
        request.command,
        request.args,
        env={variable.name: variable.value for variable in request.env},
        cwd=request.cwd or str(files.roots[0]),
        output_byte_limit=host.output_limit if limit is None or limit < 0 else limit,
    )
    return {"terminalId": terminal.id}


async def terminal_output(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "terminals", getting output."""
    request = read(TerminalRequest, params)
    terminal = host.terminals.get(request.session_id, request.terminal_id)
    text, truncated = terminal.output()
    result: dict[str, Any] = {"output": text, "truncated": truncated}
    if terminal.exit_status is not None:
        result["exitStatus"] = _status(terminal.exit_status)
    return result


async def wait_for_exit(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "terminals", waiting for exit."""
    request = read(TerminalRequest, params)
    return _status(await host.terminals.get(request.session_id, request.terminal_id).wait())


async def kill_terminal(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "terminals", killing commands."""
    request = read(TerminalRequest, params)
    await host.terminals.get(request.session_id, request.terminal_id).kill()
    return {}


async def release_terminal(host: Host, params: Any, tell: Tell) -> dict[str, Any]:
    """Source: ACP, page "terminals", releasing."""
    request = read(TerminalRequest, params)
    await host.terminals.release(request.session_id, request.terminal_id)
    return {}


SERVED: Final[dict[str, Handler]] = {
    "fs/read_text_file": read_text_file,
    "fs/write_text_file": write_text_file,
    "terminal/create": create_terminal,
    "terminal/output": terminal_output,
    "terminal/wait_for_exit": wait_for_exit,
    "terminal/kill": kill_terminal,
    "terminal/release": release_terminal,
}


def code_of(error: Exception, params: Any) -> tuple[int, str, Any]:
    """Return (code, message, data) for what went wrong in a handler. Source: ACP, page "error handling"."""
    match error:
        case NotFound():
            return errors.NOT_FOUND, "Resource not found", {"uri": f"file://{quote(params['path'])}"}
        case UnknownTerminal():
            return errors.NOT_FOUND, str(error), None
        case Unreadable() | NotLent() | OutsideRoots() | NotAFile() | BadDirectory():
            return errors.INVALID_PARAMS, str(error), None
        case FileError() | TerminalError():
            return errors.INTERNAL, str(error), None
        case _:
            return errors.INTERNAL, f"{type(error).__name__} in the client", None


def _status(status: ExitStatus) -> dict[str, Any]:
    return {"exitCode": status.exit_code, "signal": status.signal}
