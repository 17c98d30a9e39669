"""Client methods: the file and terminal requests that the client serves.

Only here do exceptions of the workspace become JSON-RPC error codes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import quote

from acp_tui.agent.permissions.access import AgentAccess, NotGranted, OutsideSandbox
from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.authorization import Denied
from acp_tui.agent.permissions.client_questions import Refused
from acp_tui.agent.permissions.grants import ImplicitRequest
from acp_tui.agent.permissions.stale_writes import MergeToWrite
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.schema import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    CreateTerminalRequest,
    ReadTextFileRequest,
    TerminalRequest,
    WriteTextFileRequest,
)
from acp_tui.protocol.validation import Unreadable, read
from acp_tui.workspace.files import (
    FileError,
    NotAFile,
    NotFound,
    OtherTarget,
    OutsideRoots,
    Stale,
    Target,
    Written,
)
from acp_tui.workspace.processes import ExitStatus, WorkingFolder
from acp_tui.workspace.terminals import (
    BadDirectory,
    OtherDirectory,
    Terminal,
    TerminalError,
    UnknownTerminal,
)

log = logging.getLogger(__name__)


class ServiceDelegate(Protocol):
    """Authorizes requests and hears of writes, by session id."""

    def wrote(self, session_id: str, written: Written) -> None:
        """Called after a file was written."""

    async def authorize(self, session_id: str, request: ImplicitRequest) -> Stale | None:
        """Wait until a request may go on; return the old text that the user saw, for a write.

        Raises:
            Denied: a rule of the user denies it.
            Refused: the user refuses it.
        """

    async def may_overwrite(self, session_id: str, stale: Stale) -> MergeToWrite | None:
        """Wait until a file with changes that the agent has not read may be replaced; return a merge, if any.

        Raises:
            FileError: it may not.
        """

    def amendment(self, session_id: str, target: Target, content: str) -> Amendment | None:
        """Return the user's own text for a write, if there is one."""

    def amendment_done(self, session_id: str, amendment: Amendment) -> None:
        """Called when the user's text is in its file."""


Reply = Callable[[Request, Any], None]
Fail = Callable[..., None]
"""Answers a request with an error: a code, a message and perhaps data."""
Handler = Callable[[AgentAccess, Any, ServiceDelegate], Awaitable[dict[str, Any]]]


async def read_text_file(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "file system", reading files."""
    request = read(ReadTextFileRequest, params)
    files = access.files(request.session_id)

    async def read_once(again: bool) -> str:
        target = await asyncio.to_thread(files.target, request.path)
        access.check_inside(target.real, writes=False)
        wanted = ImplicitRequest("read", request.path, target=target, again=again)
        await delegate.authorize(request.session_id, wanted)
        access.check_granted(request.session_id, files)
        return await asyncio.to_thread(files.read_text, target, request.line, request.limit)

    try:
        text = await _as_decided(read_once)
    except NotFound:
        if not access.missing_file_reads_empty:
            raise
        text = ""
    return {"content": text}


async def write_text_file(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "file system", writing files."""
    request = read(WriteTextFileRequest, params)
    files = access.files(request.session_id)

    async def write(target: Target, text: str, over: Stale | None, amended: Amendment | None) -> None:
        written = await asyncio.to_thread(files.write_text, target, text, over, believed=request.content)
        delegate.wrote(request.session_id, written)
        if amended is not None:
            delegate.amendment_done(request.session_id, amended)

    async def write_once(again: bool) -> dict[str, Any]:
        target = await asyncio.to_thread(files.target, request.path)
        access.check_inside(target.real, writes=True)
        wanted = ImplicitRequest("edit", request.path, request.content, target=target, again=again)
        over = await delegate.authorize(request.session_id, wanted)
        amended = delegate.amendment(request.session_id, target, request.content)
        text, merge = amended.edited if amended is not None else request.content, None
        while True:
            access.check_granted(request.session_id, files)
            try:
                # Shielded: a write happens even if its request is cancelled, and must be noted.
                writing = asyncio.ensure_future(write(target, text, over, amended))
                writing.add_done_callback(_retrieve_exception)
                await asyncio.shield(writing)
                if merge is not None:
                    raise FileMerged(request.path)
                return {}
            except Stale as stale:
                over = stale
            merge = await delegate.may_overwrite(request.session_id, over) or merge
            if merge is not None:
                text, amended = merge.text, merge.amendment or amended

    return await _as_decided(write_once)


class FileMerged(FileError):
    """A merge was written; the message tells the agent what to do."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"“{path}” has changed on disk since you last read or wrote it. Your text was merged with the "
            "newer one, and the merge was written: read it again before you go on."
        )


_MOST_TRIES: Final = 20
"""Most decisions about one act whose target changes after each of them."""
_Result = TypeVar("_Result")


async def _as_decided(act: Callable[[bool], Awaitable[_Result]]) -> _Result:
    """Authorize an act and do it; authorize it again if its target has changed meanwhile."""
    for number in range(_MOST_TRIES - 1):
        with suppress(OtherTarget, OtherDirectory):
            return await act(number > 0)
    return await act(True)


def _retrieve_exception(work: asyncio.Future[None]) -> None:
    """Retrieve the exception of a write, which nobody else does if its request is cancelled."""
    if not work.cancelled():
        work.exception()


async def create_terminal(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "terminals", executing commands."""
    request = read(CreateTerminalRequest, params)
    files = access.files(request.session_id)
    limit = request.output_byte_limit

    async def start_once(again: bool) -> Terminal:
        named = access.outside(request.cwd) if request.cwd else access.folder(request.session_id)
        folder = await asyncio.to_thread(WorkingFolder.of, named)
        await delegate.authorize(
            request.session_id, replace(_run_request(request), target=folder, again=again)
        )
        access.check_granted(request.session_id, files)
        return await access.terminals.create(
            request.session_id,
            request.command,
            request.args,
            env=dict(_variables(request)),
            cwd=folder,
            output_byte_limit=access.output_limit if limit is None or limit < 0 else limit,
        )

    return {"terminalId": (await _as_decided(start_once)).id}


def implicit_request_of(request: Request) -> ImplicitRequest | None:
    """Return the implicit request of a recorded frame; None for another request.

    Raises:
        Unreadable.
    """
    if request.method == "terminal/create":
        return _run_request(read(CreateTerminalRequest, request.params))
    if request.method == "fs/write_text_file":
        wanted = read(WriteTextFileRequest, request.params)
        return ImplicitRequest("edit", wanted.path, wanted.content)
    return None


def _run_request(request: CreateTerminalRequest) -> ImplicitRequest:
    return ImplicitRequest(
        "execute",
        command=request.command,
        args=tuple(request.args),
        cwd=request.cwd,
        env=_variables(request),
    )


def _variables(request: CreateTerminalRequest) -> tuple[tuple[str, str], ...]:
    return tuple((variable.name, variable.value) for variable in request.env)


async def terminal_output(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "terminals", getting output."""
    request = read(TerminalRequest, params)
    terminal = access.terminals.get(request.session_id, request.terminal_id)
    text, truncated = terminal.output()
    result: dict[str, Any] = {"output": text, "truncated": truncated}
    if terminal.exit_status is not None:
        result["exitStatus"] = _status(terminal.exit_status)
    return result


async def wait_for_exit(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "terminals", waiting for exit."""
    request = read(TerminalRequest, params)
    return _status(await access.terminals.get(request.session_id, request.terminal_id).wait())


async def kill_terminal(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "terminals", killing commands."""
    request = read(TerminalRequest, params)
    await access.terminals.get(request.session_id, request.terminal_id).stop()
    return {}


async def release_terminal(access: AgentAccess, params: Any, delegate: ServiceDelegate) -> dict[str, Any]:
    """Source: ACP, page "terminals", releasing."""
    request = read(TerminalRequest, params)
    await access.terminals.release(request.session_id, request.terminal_id)
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


_READS: Final = 4  # files that are read at the same time
MOST_SERVED: Final = 5_000
"""Most unanswered requests: each costs memory, and time when the connection ends."""


class Service:
    """Serve requests of the agent, each in its own task, each answered once."""

    def __init__(
        self,
        access: AgentAccess,
        reply: Reply,
        fail: Fail,
        delegate: ServiceDelegate,
        room: Callable[[], Awaitable[None]],
    ) -> None:
        """Serve from the first request on.

        Args:
            access: the files and terminals.
            reply: sends a result.
            fail: sends an error.
            delegate: authorizes requests and hears of writes.
            room: waits until the agent has read enough of the earlier answers.
        """
        self._access = access
        self._reply = reply
        self._fail = fail
        self._delegate = delegate
        self._room = room
        self._reading = asyncio.Semaphore(_READS)
        self._tasks: dict[Request, asyncio.Task[None]] = {}

    def begin(self, request: Request) -> None:
        """Start serving a request of a method in `SERVED`; answer with an error if too many are open."""
        if len(self._tasks) >= MOST_SERVED:
            self._fail(request, INTERNAL_ERROR, "Too many open requests: send this again after an answer.")
            return
        task = self._tasks[request] = asyncio.create_task(self._serve(request))
        task.add_done_callback(lambda _: self._tasks.pop(request, None))

    def take_back(self, request: Request) -> bool:
        """Cancel the work on a request and answer it; return False if there was none."""
        task = self._tasks.get(request)
        if task is None:
            return False
        task.cancel()
        # Not left to the task: it may not have begun.
        self._fail(request, REQUEST_CANCELLED, "Request cancelled")
        return True

    async def end(self) -> None:
        """End all work."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, request: Request) -> None:
        try:
            result = await self._result(request)
        except asyncio.CancelledError:
            self._fail(request, REQUEST_CANCELLED, "Request cancelled")
        except Exception as error:  # every request gets an answer, even after a bug of ours
            foreseen = _expected(error, request.params)
            if foreseen is None:
                log.exception("serving %s", request.method)
            self._fail(request, *(foreseen or (INTERNAL_ERROR, f"{type(error).__name__} in the client")))
        else:
            self._reply(request, result)

    async def _result(self, request: Request) -> dict[str, Any]:
        """Return the result once there is room for it: the text of a file may be large."""
        async with self._reading if request.method == "fs/read_text_file" else nullcontext():
            await self._room()
            return await SERVED[request.method](self._access, request.params, self._delegate)


def _expected(error: Exception, params: Any) -> tuple[Any, ...] | None:
    """Return (code, message) and perhaps data for an expected exception; None for a bug.

    Source: ACP, page "error handling".
    """
    match error:
        case NotFound():
            path = quote(params["path"], errors="replace")  # it may have half a character
            return RESOURCE_NOT_FOUND, "Resource not found", {"uri": f"file://{path}"}
        case UnknownTerminal():
            return RESOURCE_NOT_FOUND, str(error)
        case (
            Unreadable() | NotGranted() | OutsideRoots() | NotAFile() | BadDirectory() | Denied() | Refused()
        ):
            return INVALID_PARAMS, str(error)
        case OutsideSandbox():
            return INVALID_PARAMS, str(error)
        case FileError() | TerminalError():
            return INTERNAL_ERROR, str(error)
        case _:
            return None


def _status(status: ExitStatus) -> dict[str, Any]:
    return {"exitCode": status.exit_code, "signal": status.signal}
