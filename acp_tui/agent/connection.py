"""A connection: sends calls, receives answers and requests, journals every frame in order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, ParamSpec, Protocol

from acp_tui.agent import session_events
from acp_tui.agent.capabilities import AgentError, AgentGone, failed, gone
from acp_tui.agent.session_events import AddressedEvent, SessionEvent
from acp_tui.protocol import version2
from acp_tui.protocol.frames import StrayLine, ascii_line
from acp_tui.protocol.jsonrpc import (
    LINE_LIMIT,
    AlreadyAnswered,
    Call,
    Dropped,
    ErrorObject,
    Message,
    Notification,
    Peer,
    Request,
    Response,
)
from acp_tui.protocol.schema import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND
from acp_tui.protocol.validation import Unreadable
from acp_tui.protocol.version2 import Meaning, Version2
from acp_tui.store.redaction import without_accounts
from acp_tui.workspace.processes import ExitStatus

log = logging.getLogger(__name__)
P = ParamSpec("P")

# A stray line is a line of output that is no message: a banner, a log, the address of a login.
NO_AGENT_AFTER: Final = 20
"""This many stray lines and no message: the program is probably no ACP agent."""
KEPT_STRAYS: Final = 20
"""Number of newest stray lines that are kept."""
_STRAY_LENGTH: Final = 4_000  # characters kept of one: the address of a login may be long
SHOW_STRAYS_AFTER: Final = 2.0
"""Seconds without a message after which stray lines are worth showing."""
_PAUSE: Final = 0.25  # seconds after which a line without an end is read as a message
_LONG: Final = 4 << 20  # bytes of a line that is journaled in parts
_SLICE: Final = 0.002  # seconds of handling messages before other tasks run
GROWTH: Final = 0.066
"""Seconds between two reads while text only grows: it is drawn no more often, and each wake-up costs."""
_LITTLE: Final = 4 << 10  # bytes of two reads from which the agent writes faster than text grows
_ENDING: Final = 1.0  # seconds that a process may live on after it has closed its output

_STARTS: Final = (
    "initialize",
    "authenticate",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
)


class Pipe(Protocol):
    """The part of a process that a connection uses."""

    async def read(self) -> bytes:
        """Return some bytes of its output, b"" at the end."""

    def write(self, data: bytes) -> None:
        """Queue bytes for its input."""

    @property
    def unread(self) -> int:
        """Bytes of its input that it has not read."""

    async def room(self) -> None:
        """Wait until it has read enough of its input."""

    async def wait(self) -> ExitStatus:
        """Wait for its end and return the exit status."""

    async def stop(self) -> ExitStatus:
        """End it and every process that it started."""

    @property
    def stderr_tail(self) -> str:
        """The newest lines of stderr."""


class ConnectionJournal(Protocol):
    """The journal of a connection, which gets every frame."""

    def record(self, direction: str, line: bytes) -> None:
        """Write a line of the wire: `in` or `out`."""

    def raw(self, text: str) -> None:
        """Write a line of the agent's output that is no message."""

    def note(self, msg: dict[str, Any]) -> None:
        """Write a row of the client's own."""

    def output(self, msg: dict[str, Any]) -> None:
        """Write a piece of a command's output; of very many only the first and the latest are kept."""

    def flush(self) -> None:
        """Put all rows on the disk."""

    def flush_some(self) -> bool:
        """Put some rows on the disk; return whether there are more."""


class Owner(Protocol):
    """Receives the events of a connection and decides about requests."""

    def note(self, session_id: str, event: SessionEvent) -> None:
        """Apply an event of a session. Called in the order of the wire."""

    def assign(self, message: Request | Notification) -> str:
        """Add the session to a message that names none; return an error if there are several."""

    def asked(self, request: Request) -> None:
        """Answer a request of the agent by `reply` or `fail`, now or later."""

    def request_cancelled(self, request: Request) -> None:
        """Stop the work on a cancelled request; it still gets an answer."""

    def login_notified(self, method: str, params: Any) -> None:
        """Take a notification about the login."""

    def late_response(self, response: Response) -> None:
        """Handle a result whose caller has given up."""

    def stray_line(self, line: StrayLine) -> None:
        """Handle a stray line."""

    def dropped(self, message: Dropped) -> None:
        """Handle a message that was too large, and answers no known call."""


class Connection:
    """Move frames between a process and an owner."""

    def __init__(
        self, process: Pipe, journal: ConnectionJournal, owner: Owner, line_limit: int = LINE_LIMIT
    ) -> None:
        self.exit: ExitStatus | None = None
        """Exit status, once the process has ended."""
        self.offers_logins = False
        """True if the agent has named login methods."""
        self.is_leaving = False
        """True once the client is ending the connection."""
        self.was_ended = False
        """True if the process was stopped because it lived on after closing its output."""
        self.last_heard = time.monotonic()
        """Monotonic time of the agent's last bytes."""
        self.last_message = self.last_heard
        """Monotonic time of the last message; stray lines do not count."""
        self.last_said = self.last_heard
        """Monotonic time of the last frame to the agent: before one, it need not say anything."""
        self.stray_count = 0
        """The number of stray lines."""
        self.strays_since_message = 0
        """The number of stray lines since the last message."""
        self._strays: deque[str] = deque(maxlen=KEPT_STRAYS)
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
        self._has_grown = asyncio.Event()
        self._only_grows = False
        """True if the last read held only pieces of text."""
        self._version2: Version2 | None = None
        """The translation, if the agent speaks version 2."""

    async def run(self) -> ExitStatus:
        """Read until the process is gone; call once, in a task of its own."""
        before = 0
        while data := await self._read():
            self.last_heard = time.monotonic()
            self._only_grows = True
            await self._receive_all(self._peer.receive(data))
            if not self.strays_since_message:
                self.last_message = self.last_heard
            is_slow, before = before + len(data) < _LITTLE, len(data)
            if is_slow and self._only_grows and not self.is_leaving:
                await self._let_grow()
            else:
                await asyncio.sleep(0)  # keys are handled, however fast the agent writes
            await self._may_read.wait()
            await self._process.room()  # its messages may need answers, and it does not read those
        await self._receive_all(self._peer.receive_end())
        self.exit = await self._end()
        wanted = {"wanted": True} if self.is_leaving else {}
        self.journal_row({"exit": self.exit.exit_code, "signal": self.exit.signal, **wanted})
        for call in list(self._answers):
            self._settle(call, AgentGone(gone(self.exit)))
        self._peer.calls.clear()
        return self.exit

    async def _let_grow(self) -> None:
        """Wait until there is text for another frame, or the client ends the connection."""
        self._has_grown.clear()
        waking = asyncio.get_running_loop().call_later(GROWTH, self._has_grown.set)
        try:
            await self._has_grown.wait()
        finally:
            waking.cancel()

    async def _read(self) -> bytes:
        """Return the next bytes of the agent; while waiting, try a line that has no end as a message."""
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
        """Receive messages in order and in slices, since the echo of a key takes several turns of the loop.

        The journal is flushed before other tasks run, so everything that is drawn is on disk.
        """
        until = time.monotonic() + _SLICE
        for message in messages:
            if message is not None:
                await self._take(message)
            if time.monotonic() > until:
                self._call_journal(self._journal.flush)
                await asyncio.sleep(0)
                until = time.monotonic() + _SLICE
        self._call_journal(self._journal.flush)

    async def _take(self, message: Message) -> None:
        """Journal a message and handle it."""
        self._only_grows = self._only_grows and session_events.is_growth(message)
        refused = self._owner.assign(message) if isinstance(message, Request | Notification) else ""
        self._keep(message)
        if len(message.line) > _LONG:
            while self._flush_some():  # noqa: ASYNC110  # no wait: keys get a turn
                await asyncio.sleep(0)
        if refused and isinstance(message, Request):
            self.fail(message, INVALID_PARAMS, refused)
        else:
            self._receive(message)

    async def _end(self) -> ExitStatus:
        """Return the exit status; stop a process that lives on after closing its output."""
        waiting = asyncio.ensure_future(self._process.wait())
        await asyncio.wait({waiting}, timeout=_ENDING)
        if not waiting.done():
            self.was_ended = True
            await self._process.stop()
        return await waiting

    def pause_reading(self, who: object) -> None:
        """Stop reading the agent's output, because `who` has too much to draw."""
        self._held_by.add(who)
        self._may_read.clear()

    def resume_reading(self, who: object) -> None:
        """Read again, unless another one still has too much to draw."""
        self._held_by.discard(who)
        if not self._held_by:
            self._may_read.set()

    def leave(self) -> None:
        """Note that the client ends the agent, and read until it does."""
        self.is_leaving = True
        self._has_grown.set()
        self._held_by.clear()
        self._may_read.set()

    @property
    def unread(self) -> int:
        """Bytes for the agent that it has not read."""
        return self._process.unread

    @property
    def looks_like_no_agent(self) -> bool:
        """True if the program is probably no ACP agent: it has printed stray lines only."""
        return self.has_only_strays and self.stray_count >= NO_AGENT_AFTER

    @property
    def has_only_strays(self) -> bool:
        """True if it has printed stray lines, and no message so far."""
        return not self._heard_a_message and self.stray_count > 0

    @property
    def says_only_strays(self) -> bool:
        """True if an answer is due and only stray lines have come."""
        since = max(self.last_message, self.last_said)
        is_waiting = bool(self._peer.calls) and bool(self.strays_since_message or self._peer.unfinished)
        return is_waiting and time.monotonic() - since >= SHOW_STRAYS_AFTER

    @property
    def strays(self) -> str:
        """The newest stray lines; the last one may be incomplete."""
        return self._newest_strays(KEPT_STRAYS)

    @property
    def new_strays(self) -> str:
        """The stray lines since the last message."""
        return self._newest_strays(self.strays_since_message)

    def _newest_strays(self, lines: int) -> str:
        unfinished = self._peer.unfinished.decode("utf-8", "replace").splitlines()[-KEPT_STRAYS:]
        ended = list(self._strays)[max(0, len(self._strays) - lines) :]
        return "\n".join([*ended, *(line[:_STRAY_LENGTH] for line in unfinished)][-KEPT_STRAYS:])

    @property
    def waiting_for(self) -> list[str]:
        """The methods of unanswered calls, oldest first."""
        return [call.method for call in self._peer.calls.values()]

    @property
    def starts(self) -> list[str]:
        """The unanswered methods that start a conversation."""
        return [method for method in self.waiting_for if method in _STARTS]

    # ------------------------------------------------------------------ out

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and return the result. When the caller is cancelled, so is the request.

        Raises:
            CallFailed: the agent answered with an error.
            AgentGone: it ended before it answered.
        """
        if self.exit is not None:
            raise AgentGone(gone(self.exit))
        call, line = self._called(method, params)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[call] = answer
        self._send(line)
        self._tell(session_events.events_of_call(call))
        try:
            return await answer
        except asyncio.CancelledError:
            if call.id in self._peer.calls and method != "session/prompt":
                self.notify("$/cancel_request", {"requestId": call.id})
            raise

    def _called(self, method: str, params: dict[str, Any]) -> tuple[Call, bytes]:
        """Return a new call and the line that sends it, in the protocol version of the agent."""
        if self._version2 is None:
            return self._peer.call(method, params)
        call, line = self._peer.call(*version2.outgoing(method, params))
        return self._version2.called(call), line

    @property
    def version(self) -> int:
        """The version of the protocol that the agent speaks."""
        return 1 if self._version2 is None else version2.VERSION

    def withdraw(self, method: str) -> None:
        """Cancel the calls of a method at the agent; they still get an answer."""
        method = version2.outgoing(method, {})[0] if self._version2 is not None else method
        for call in list(self._peer.calls.values()):
            if call.method == method:
                self.notify("$/cancel_request", {"requestId": call.id})

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send(self._peer.notify(method, params))
        self._tell(session_events.events_of_notification(method, params))

    def reply(self, request: Request, result: Any, by: str = "you") -> None:
        """Answer a request once; `by` is who decided, for the journal."""
        try:
            line = self._peer.reply(request, result)
        except AlreadyAnswered:
            return
        if by != "you":
            self.journal_row({"answer": request.id, "by": by})
        self._send(line)
        self._tell(session_events.events_of_answer(request, result, by))

    def fail(self, request: Request, code: int, message: str, data: Any = None) -> None:
        """Answer a request with an error, unless it has an answer."""
        try:
            line = self._peer.fail(request, code, message, data)
        except AlreadyAnswered:
            return  # ended by `$/cancel_request` in the meantime
        self._send(line)

    def journal_row(self, msg: dict[str, Any]) -> None:
        """Write a row of the client's own to the journal."""
        self._call_journal(self._journal.note, msg)
        self._call_journal(self._journal.flush)

    def journal_output(self, msg: dict[str, Any]) -> None:
        """Write a row with a piece of a command's output to the journal."""
        self._call_journal(self._journal.output, msg)
        self._call_journal(self._journal.flush)

    def _send(self, line: bytes) -> None:
        self._call_journal(self._journal.record, "out", line)
        self._call_journal(self._journal.flush)
        self._process.write(line)
        self.last_said = time.monotonic()

    def _flush_some(self) -> bool:
        more = False

        def flush() -> None:
            nonlocal more
            more = self._journal.flush_some()

        self._call_journal(flush)
        return more

    def _call_journal(self, keep: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the journal. After a failure it is not called again, and the conversation goes on."""
        if self._journal_failed:
            return
        try:
            keep(*args, **kwargs)
        except Exception:
            self._journal_failed = True
            log.exception("the journal")

    def _tell(self, news: Iterator[AddressedEvent]) -> None:
        for session_id, event in news:
            try:
                self._owner.note(session_id, event)
            except Exception:  # whatever it is, the other messages must be read
                log.exception("an event")

    # ------------------------------------------------------------------ in

    def _keep(self, message: Message) -> None:
        """Journal a message before it is handled."""
        if isinstance(message, StrayLine | Dropped):
            text = message.line.decode("utf-8", "replace").rstrip("\n")
            self._call_journal(self._journal.raw, text)
            lines = [line[:_STRAY_LENGTH] for line in text.splitlines()[-KEPT_STRAYS:] if line]
            self._strays.extend(lines)
            self.strays_since_message += len(lines)
        else:
            self._call_journal(self._journal.record, "in", without_accounts(message.line))
            self.strays_since_message = 0

    def _receive(self, message: Message) -> None:
        if isinstance(message, StrayLine):
            self.stray_count += 1
            with _errors_logged("a stray line"):
                self._owner.stray_line(message)
            return
        self._heard_a_message = True
        if isinstance(message, Dropped):
            self._drop(message)
            return
        if version2.begins(message):
            self._version2 = Version2()
        if self._version2 is None:
            self._handle(message)
            return
        if isinstance(message, Request) and not version2.serves(message.method):
            self.fail(message, METHOD_NOT_FOUND, "Method not found", {"method": message.method})
            return
        try:
            for each in self._version2.received(message):
                self._handle(each)
        except Exception:  # a bug in the translation must not end the connection
            log.exception("translating %r", message)
            if isinstance(message, Response):
                asked = next((call for call in self._answers if call.id == message.call.id), message.call)
                message = replace(message, call=asked)
            self._unreadable(message, Unreadable("", "not understood"))

    def _handle(self, message: Meaning) -> None:
        """Handle a message that is in version 1."""
        try:
            self._tell(session_events.events_of_message(message))
        except Unreadable as error:
            self._unreadable(message, error)
            return
        except Exception:  # a bug in reading must not end the connection
            log.exception("reading %r", message)
            self._unreadable(message, Unreadable("", "not understood"))
            return
        match message:
            case Response():
                self._resolve(message)
            case Request():
                self._ask(message)
            case Notification(method="$/cancel_request" | "$/cancelRequest"):
                self._take_back(message.params)
            case Notification(method="auth/status_update" | "_auth/status_update"):
                self._owner.login_notified(message.method, message.params)

    def _drop(self, message: Dropped) -> None:
        """Answer in place of a message that was too large: fail its call, or refuse its request."""
        if message.call is not None:
            reason = f"The answer to {message.call.method} was dropped: {message.reason}."
            error = ErrorObject(INTERNAL_ERROR, reason)
            wire = {"code": error.code, "message": error.message}
            line = ascii_line({"jsonrpc": "2.0", "id": message.call.id, "error": wire})
            answer = Response(message.call, None, error, line)
            self._keep(answer)
            self._receive(answer)
            return
        if message.request is not None:
            self.fail(message.request, INVALID_REQUEST, f"Invalid request: {message.reason}")
        with _errors_logged("a message that is too large"):
            self._owner.dropped(message)

    def _ask(self, request: Request) -> None:
        try:
            self._owner.asked(request)
        except Exception:  # every request gets an answer, even after a bug of ours
            log.exception("%s", request.method)
            self.fail(request, INTERNAL_ERROR, "Internal error")
            self._tell(session_events.events_of_answer(request, None))  # it may have become a question

    def _unreadable(self, message: Meaning, error: Unreadable) -> None:
        log.warning("unreadable: %s", error)
        if isinstance(message, Request):
            self.fail(message, INVALID_PARAMS, f"Invalid params: {error}")
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
            self._owner.late_response(response)

    def _settle(self, call: Call, error: AgentError) -> None:
        answer = self._answers.pop(call, None)
        if answer is not None and not answer.done():
            answer.set_exception(error)

    def _take_back(self, params: Any) -> None:
        """Cancel a request; early drafts called its id `id`. Source: ACP, page "cancellation"."""
        if isinstance(params, dict):
            request = self._peer.find(params.get("requestId", params.get("id")))
            if request is not None:
                self._owner.request_cancelled(request)


@contextmanager
def _errors_logged(what: str) -> Iterator[None]:
    """Log exceptions instead of ending the connection."""
    try:
        yield
    except Exception:  # any bug: the other messages must still be read
        log.exception("%s", what)
