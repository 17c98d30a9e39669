"""One connection: calls out, answers and requests in, every frame written down, in the order of the wire."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, ParamSpec, Protocol

from acp_tui.agent import events as history
from acp_tui.agent.capabilities import AgentError, AgentGone, failed, gone
from acp_tui.agent.events import Happening, SessionEvent
from acp_tui.protocol import schema as errors
from acp_tui.protocol.frames import plain
from acp_tui.protocol.jsonrpc import (
    LINE_LIMIT,
    AlreadyAnswered,
    Call,
    Dropped,
    ErrorObject,
    Message,
    Noise,
    Notification,
    Peer,
    Request,
    Response,
)
from acp_tui.protocol.validation import Unreadable
from acp_tui.workspace.processes import ExitStatus

log = logging.getLogger(__name__)
P = ParamSpec("P")

STRANGE: Final = 20
"""Lines that are no messages, before the first one that is: then the program is probably no ACP agent."""


STRAYS: Final = 20
"""Lines that are no messages and are kept to be shown, the newest."""
_STRAY: Final = 4_000  # as long as the address of a login may be: characters of one of them
_PAUSE: Final = 0.25  # seconds after which a message is taken although its line has no end
_LONG: Final = 4 << 20  # bytes of a line that is written down in parts
_WAITED: Final = 2.0  # seconds without a message after which other lines are worth to be shown
_SLICE: Final = 0.002  # seconds of taking in messages before other work gets its turn
_ENDING: Final = 1.0  # seconds between the end of the output and that of the process, before it is stopped

_STARTS: Final = (
    "initialize",
    "authenticate",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
)


class Pipe(Protocol):
    """The process, as far as a connection needs it."""

    async def read(self) -> bytes:
        """Return some bytes of its output, nothing at the end."""

    def write(self, data: bytes) -> None:
        """Queue bytes for its input."""

    @property
    def unread(self) -> int:
        """Bytes of its input that it has not taken yet."""

    async def room(self) -> None:
        """Wait while too much of its input is unread."""

    async def wait(self) -> ExitStatus:
        """Return how it ended."""

    async def stop(self) -> ExitStatus:
        """End it and all that it started."""

    @property
    def stderr_tail(self) -> str:
        """The newest of what it said on the side."""


class Journal(Protocol):
    """Where every frame is written down."""

    def record(self, direction: str, line: bytes) -> None:
        """Write down a line of the wire: `in` or `out`."""

    def raw(self, text: str) -> None:
        """Write down a line of the agent's output that is no message."""

    def note(self, msg: dict[str, Any]) -> None:
        """Write down what is ours."""

    def flush(self) -> None:
        """Put it on the disk."""

    def flush_some(self) -> bool:
        """Do a small part of that; return whether there is more to do."""


class Owner(Protocol):
    """Whoever the connection serves: hears what its frames mean, and decides about requests."""

    def note(self, session_id: str, event: Happening) -> None:
        """Something happened in a session. Called in the order of the wire."""

    def assign(self, message: Request | Notification) -> str:
        """Name the session in a message that names none, if it can only be one; return why it cannot be."""

    def asked(self, request: Request) -> None:
        """The agent wants an answer: `reply` or `fail`, now or later."""

    def taken_back(self, request: Request) -> None:
        """The agent no longer needs an answer, and gets one all the same."""

    def came_too_late(self, response: Response) -> None:
        """A result came for whoever has given up waiting for it."""

    def noticed(self, noise: Noise) -> None:
        """A line was no message."""

    def dropped(self, message: Dropped) -> None:
        """A message was too large to be read, and answers no call of ours as far as can be known."""


class Connection:
    """Moves frames between a process and its owner."""

    def __init__(self, process: Pipe, journal: Journal, owner: Owner, line_limit: int = LINE_LIMIT) -> None:
        self.exit: ExitStatus | None = None
        """How the process ended, once it has."""
        self.offers_logins = False
        """Whether the agent has named ways to log in."""
        self.is_leaving = False
        """Whether we end it."""
        self.was_ended = False
        """Whether it had to be ended, since it had closed its output and stayed."""
        self.last_heard = time.monotonic()
        """When something last came, on the monotonic clock."""
        self.last_message = self.last_heard
        """When a message last came, and no line behind it that is none."""
        self.last_said = self.last_heard
        """When something last went out: before it has a prompt or an answer, an agent has nothing to say."""
        self.noise = 0
        """Lines that were no messages."""
        self.unread_lines = 0
        """Lines that came since the last message and are none."""
        self._strays: deque[str] = deque(maxlen=STRAYS)
        self._process = process
        self._journal = journal
        self._journal_failed = False
        self._owner = owner
        self._peer = Peer(line_limit)
        self._answers: dict[Call, asyncio.Future[Any]] = {}
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._held_by: set[object] = set()
        self._heard_a_message = False

    async def run(self) -> ExitStatus:
        """Read until the process is gone; call once, in a task of its own."""
        while data := await self._read():
            self.last_heard = time.monotonic()
            await self._receive_all(self._peer.receive(data))
            if not self.unread_lines:
                self.last_message = self.last_heard
            await asyncio.sleep(0)  # the keys get a turn, however fast the agent writes
            await self._may_read.wait()
            await self._process.room()  # what it says may want answers, which it does not read
        await self._receive_all(self._peer.receive_end())
        self.exit = await self._end()
        wanted = {"wanted": True} if self.is_leaving else {}
        self.remark({"exit": self.exit.exit_code, "signal": self.exit.signal, **wanted})
        for call in list(self._answers):
            self._settle(call, AgentGone(gone(self.exit)))
        self._peer.calls.clear()
        return self.exit

    async def _read(self) -> bytes:
        """Return what the agent writes next; a line that it leaves without an end is tried meanwhile."""
        if not self._peer.is_within_a_line:
            return await self._process.read()
        reading = asyncio.ensure_future(self._process.read())
        try:
            await asyncio.wait({reading}, timeout=_PAUSE)
            if not reading.done():
                await self._receive_all(self._peer.receive_pause())
            return await reading
        finally:
            reading.cancel()

    async def _receive_all(self, messages: Iterable[Message | None]) -> None:
        """Take in messages in their order, in slices: a key needs several turns of the loop to its echo.

        Whatever may be drawn has been written down: the journal is flushed before others have their turn.
        """
        until = time.monotonic() + _SLICE
        for message in messages:
            if message is not None:
                await self._take(message)
            if time.monotonic() > until:
                self._write_down(self._journal.flush)
                await asyncio.sleep(0)
                until = time.monotonic() + _SLICE
        self._write_down(self._journal.flush)

    async def _take(self, message: Message) -> None:
        """Write a message down and take it in."""
        refused = self._owner.assign(message) if isinstance(message, Request | Notification) else ""
        self._keep(message)
        if len(message.line) > _LONG:
            while self._flush_some():  # noqa: ASYNC110  # no wait: the keys get a turn
                await asyncio.sleep(0)
        if refused and isinstance(message, Request):
            self.fail(message, errors.INVALID_PARAMS, refused)
        else:
            self._receive(message)

    async def _end(self) -> ExitStatus:
        """Return how the process ends. One that closed its output and stays cannot be talked to."""
        waiting = asyncio.ensure_future(self._process.wait())
        await asyncio.wait({waiting}, timeout=_ENDING)
        if not waiting.done():
            self.was_ended = True
            await self._process.stop()
        return await waiting

    def pause_reading(self, who: object) -> None:
        """Somebody has too much to draw: leave what the agent writes in its pipe."""
        self._held_by.add(who)
        self._may_read.clear()

    def resume_reading(self, who: object) -> None:
        """Go on reading, unless somebody else has too much to draw."""
        self._held_by.discard(who)
        if not self._held_by:
            self._may_read.set()

    def leave(self) -> None:
        """The end that comes is wanted: read on to see it, whoever has too much to draw."""
        self.is_leaving = True
        self._held_by.clear()
        self._may_read.set()

    @property
    def unread(self) -> int:
        """Bytes that were said to the agent and that it has not read yet."""
        return self._process.unread

    @property
    def looks_strange(self) -> bool:
        """Whether the program is probably no ACP agent: it only printed other things."""
        return not self._heard_a_message and self.noise >= STRANGE

    @property
    def says_only_strays(self) -> bool:
        """Whether a message has been waited for, and only lines came that are none."""
        since = max(self.last_message, self.last_said)
        is_waiting = bool(self._peer.calls) and bool(self.unread_lines or self._peer.unfinished)
        return is_waiting and time.monotonic() - since >= _WAITED

    @property
    def strays(self) -> str:
        """The last lines that were no messages, and what has come of one that has no end."""
        return self._newest_strays(STRAYS)

    @property
    def new_strays(self) -> str:
        """Those of them that came since the last message."""
        return self._newest_strays(self.unread_lines)

    def _newest_strays(self, lines: int) -> str:
        unfinished = self._peer.unfinished.decode("utf-8", "replace").splitlines()[-STRAYS:]
        ended = list(self._strays)[max(0, len(self._strays) - lines) :]
        return "\n".join([*ended, *(line[:_STRAY] for line in unfinished)][-STRAYS:])

    @property
    def waiting_for(self) -> list[str]:
        """The methods of our calls without an answer, oldest first."""
        return [call.method for call in self._peer.calls.values()]

    @property
    def starts(self) -> list[str]:
        """Those of them that a conversation begins with: the others are of conversations that run."""
        return [method for method in self.waiting_for if method in _STARTS]

    # ------------------------------------------------------------------ out

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Ask something and return the result. When the caller is cancelled, so is the request.

        Raises:
            CallFailed: the agent answered with an error.
            AgentGone: it ended before it answered.
        """
        if self.exit is not None:
            raise AgentGone(gone(self.exit))
        call, line = self._peer.call(method, params)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[call] = answer
        self._send(line)
        self._tell(history.called(call))
        try:
            return await answer
        except asyncio.CancelledError:
            if call.id in self._peer.calls and method != "session/prompt":
                self.notify("$/cancel_request", {"requestId": call.id})
            raise

    def withdraw(self, method: str) -> None:
        """Ask the agent to end its work on our calls of this method; they are answered all the same."""
        for call in list(self._peer.calls.values()):
            if call.method == method:
                self.notify("$/cancel_request", {"requestId": call.id})

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell something."""
        self._send(self._peer.notify(method, params))
        self._tell(history.notified(method, params))

    def reply(self, request: Request, result: Any, by: str = "you") -> None:
        """Answer a request; `by` is who decided. One that has its answer is left alone."""
        try:
            line = self._peer.reply(request, result)
        except AlreadyAnswered:
            return
        if by != "you":
            self.remark({"answer": request.id, "by": by})
        self._send(line)
        self._tell(history.answered(request, result, by))

    def fail(self, request: Request, code: int, message: str, data: Any = None) -> None:
        """Answer a request with an error. One that has its answer is left alone."""
        try:
            line = self._peer.fail(request, code, message, data)
        except AlreadyAnswered:
            return  # ended by `$/cancel_request` in the meantime
        self._send(line)

    def remark(self, msg: dict[str, Any]) -> None:
        """Write down something of ours beside the frames."""
        self._write_down(self._journal.note, msg)
        self._write_down(self._journal.flush)

    def _send(self, line: bytes) -> None:
        self._write_down(self._journal.record, "out", line)
        self._write_down(self._journal.flush)
        self._process.write(line)
        self.last_said = time.monotonic()

    def _flush_some(self) -> bool:
        more = False

        def flush() -> None:
            nonlocal more
            more = self._journal.flush_some()

        self._write_down(flush)
        return more

    def _write_down(self, keep: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell the journal something. One that fails is not asked again: the conversation goes on."""
        if not self._journal_failed:
            with _kept_going("the journal"):
                self._journal_failed = True
                keep(*args, **kwargs)
                self._journal_failed = False

    def _tell(self, happenings: Iterator[SessionEvent]) -> None:
        for session_id, event in happenings:
            with _kept_going("an event"):
                self._owner.note(session_id, event)

    # ------------------------------------------------------------------ in

    def _keep(self, message: Message) -> None:
        """Write down a message before it is taken in."""
        if isinstance(message, Noise | Dropped):
            text = message.line.decode("utf-8", "replace").rstrip("\n")
            self._write_down(self._journal.raw, text)
            lines = [line[:_STRAY] for line in text.splitlines()[-STRAYS:] if line]
            self._strays.extend(lines)
            self.unread_lines += len(lines)
        else:
            self._write_down(self._journal.record, "in", message.line)
            self.unread_lines = 0

    def _receive(self, message: Message) -> None:
        if isinstance(message, Noise):
            self.noise += 1
            with _kept_going("a line that is no message"):
                self._owner.noticed(message)
            return
        self._heard_a_message = True
        if isinstance(message, Dropped):
            self._drop(message)
            return
        try:
            self._tell(history.received(message))
        except Unreadable as error:
            self._unreadable(message, error)
            return
        except Exception:  # a gap in our reading must not end the connection
            log.exception("reading %r", message.line[:1000])
            self._unreadable(message, Unreadable("", "not understood"))
            return
        match message:
            case Response():
                self._resolve(message)
            case Request():
                self._ask(message)
            case Notification(method="$/cancel_request" | "$/cancelRequest"):
                self._take_back(message.params)

    def _drop(self, message: Dropped) -> None:
        """Let whoever waits on either side for a message that is too large know that there is none."""
        if message.call is not None:
            reason = f"The answer to {message.call.method} was dropped: {message.reason}."
            error = ErrorObject(errors.INTERNAL, reason)
            wire = {"code": error.code, "message": error.message}
            line = plain({"jsonrpc": "2.0", "id": message.call.id, "error": wire})
            answer = Response(message.call, None, error, line)
            self._keep(answer)
            self._receive(answer)
            return
        if message.request is not None:
            self.fail(message.request, errors.INVALID_REQUEST, f"Invalid request: {message.reason}")
        with _kept_going("a message that is too large"):
            self._owner.dropped(message)

    def _ask(self, request: Request) -> None:
        try:
            self._owner.asked(request)
        except Exception:  # every request gets its answer, also when the mistake is ours
            log.exception("%s", request.method)
            self.fail(request, errors.INTERNAL, "Internal error")
            self._tell(history.answered(request, None))  # it may have become a question

    def _unreadable(self, message: Message, error: Unreadable) -> None:
        log.warning("unreadable: %s", error)
        if isinstance(message, Request):
            self.fail(message, errors.INVALID_PARAMS, f"Invalid params: {error}")
        elif isinstance(message, Response):
            method = message.call.method
            self._settle(message.call, AgentError(f"The answer to {method} cannot be read: {error}"))

    def _resolve(self, response: Response) -> None:
        if response.error is not None:
            error = failed(response.call.method, response.error, offers_logins=self.offers_logins)
            self._settle(response.call, error)
            return
        answer = self._answers.pop(response.call, None)
        if answer is not None and not answer.done():
            answer.set_result(response.result)
        elif answer is not None:
            self._owner.came_too_late(response)

    def _settle(self, call: Call, error: AgentError) -> None:
        answer = self._answers.pop(call, None)
        if answer is not None and not answer.done():
            answer.set_exception(error)

    def _take_back(self, params: Any) -> None:
        """Source: ACP, page "cancellation"; early drafts called the id `id`."""
        if isinstance(params, dict):
            request = self._peer.find(params.get("requestId", params.get("id")))
            if request is not None:
                self._owner.taken_back(request)


@contextmanager
def _kept_going(what: str) -> Iterator[None]:
    """Let a mistake of ours be logged instead of ending the connection."""
    try:
        yield
    except Exception:  # whatever it is, the other messages are to be read
        log.exception("%s", what)
