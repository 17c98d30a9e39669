"""Replay: rebuild the sessions of a recorded connection from its journal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, get_args

from acp_tui.agent import session_events
from acp_tui.agent.capabilities import gone
from acp_tui.agent.open_questions import UNKNOWN_SESSION
from acp_tui.agent.session_events import AddressedEvent, SessionContinued
from acp_tui.agent.sessions import Sessions
from acp_tui.changes import snapshot_log
from acp_tui.protocol import version2
from acp_tui.protocol.frames import StrayLine
from acp_tui.protocol.json_values import member
from acp_tui.protocol.jsonrpc import Call, Dropped, Message, Peer, Request, RequestId, Response
from acp_tui.protocol.schema import INTERNAL_ERROR, InitializeResponse
from acp_tui.protocol.validation import Unreadable, read
from acp_tui.protocol.version2 import Meaning, Version2
from acp_tui.session import events
from acp_tui.session.entries import Severity
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.session.tool_calls import OUTPUT_LIMIT
from acp_tui.store.agents import Quirks, quirks_of
from acp_tui.store.journal import full_notice, is_full_notice
from acp_tui.workspace.processes import ExitStatus


class Row(Protocol):
    """One line of a journal."""

    @property
    def t(self) -> float:
        """Seconds since the start of the connection."""

    @property
    def direction(self) -> str:
        """`out` (to the agent), `in`, `raw` (no message), `err` (stderr) or `note` (the client's own)."""

    @property
    def msg(self) -> Any:
        """The recorded JSON."""


@dataclass
class Replayed:
    """The result of a replay."""

    sessions: dict[str, Session] = field(default_factory=dict)
    """By id, in the order of their start."""
    info: InitializeResponse | None = None
    """The answer to `initialize`; the last one if the agent was restarted."""
    stray_count: int = 0
    """The number of stray lines."""


SLICE: Final = 0.006
"""Seconds of reading before other tasks run."""

OnRequest = Callable[[Session, Request], None]
"""Called with each request of the agent and its session as it was then."""


def replay(rows: Iterable[Row], on_request: OnRequest | None = None) -> Replayed:
    """Return the sessions of a journal; unknown rows are skipped."""
    reading = _Replay(on_request)
    for row in rows:
        reading.take(row)
    return reading.end()


async def replay_in_slices(rows: Iterable[Row]) -> Replayed:
    """Replay a long journal in slices, so that other tasks run in between."""
    reading, until = _Replay(None), time.monotonic() + SLICE
    for row in rows:
        reading.take(row)
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + SLICE
    return reading.end()


class _Replay:
    """A replay in progress."""

    def __init__(self, on_request: OnRequest | None) -> None:
        self._on_request = on_request
        self._sessions = Sessions(_nobody_watches)
        self._replayed = Replayed(self._sessions.by_id)
        self._peer = Peer()
        self._version2: Version2 | None = None
        self._answered_by: dict[str, str] = {}
        self._refused: Request | None = None
        """The last message, if it is an unreadable request."""
        self._printed: dict[str, dict[str, str]] = {}
        """Final output of terminals, by session and terminal id."""
        self._pieces: dict[tuple[str, str], TextBuffer] = {}
        """Recorded pieces of terminal output, by session and terminal id."""
        self._ended: set[tuple[str, str]] = set()
        """Terminals whose end was read: pieces in the files beside the journal follow it."""
        self._running: set[str] = set()
        """Shell commands of the user that have not ended."""
        self._at = 0.0

    def take(self, row: Row) -> None:
        self._at = row.t
        if row.direction == "in":
            for message in self._peer.receive_value(row.msg):
                if message is not None:
                    self._received(message)
        elif row.direction == "raw":
            self._replayed.stray_count += 1
        elif isinstance(row.msg, dict):
            if row.direction == "out":
                self._sent(row.msg)
            elif row.direction == "note":
                self._noted(row.msg)

    def end(self) -> Replayed:
        self._sessions.disconnect("The recording ends here.", "", self._at)
        self._tell_printed()
        return self._replayed

    def _received(self, message: Message) -> None:
        if isinstance(message, StrayLine | Dropped):
            self._replayed.stray_count += 1
            return
        if version2.begins(message):
            self._version2 = Version2()
        if self._version2 is None:
            self._handled(message)
        elif not isinstance(message, Request) or version2.serves(message.method):
            for each in self._version2.received(message):
                self._handled(each)

    def _handled(self, message: Meaning) -> None:
        """Apply a message that is in version 1."""
        is_read = self._apply(session_events.events_of_message(message))
        self._refused = message if isinstance(message, Request) and not is_read else None
        if self._on_request is not None and isinstance(message, Request) and isinstance(message.params, dict):
            session = self._sessions.find(str(message.params.get("sessionId")))
            if session is not None:
                self._on_request(session, message)
        if isinstance(message, Response) and message.call.method == "initialize" and message.error is None:
            try:
                self._replayed.info = read(InitializeResponse, message.result)
            except Unreadable:
                pass  # the connection ended here

    def _sent(self, msg: dict[str, Any]) -> None:
        method, message_id = msg.get("method"), msg.get("id")
        if not isinstance(method, str):
            self._answered(message_id, msg)
        elif type(message_id) is int:
            call = self._peer.calls[message_id] = Call(message_id, method, msg.get("params"))
            if self._version2 is not None:
                call = self._version2.called(call)
            self._apply(session_events.events_of_call(call))
        else:
            self._apply(session_events.events_of_notification(method, msg.get("params")))

    def _answered(self, request_id: RequestId, answer: dict[str, Any]) -> None:
        """Apply an answer to a request; of several with one id, the first that it fits."""
        same = list(self._peer.unanswered(request_id))
        by = self._answered_by.get(session_events.question_key(request_id), "you")
        if self._refused in same:
            same = [self._refused]  # it was answered when it came
        elif by == UNKNOWN_SESSION:
            same = same[-1:]  # this one, too
        if not same:
            return
        result, error = answer.get("result"), answer.get("error")
        request = next((one for one in same if _fits(answer, one)), same[-1])
        self._peer.reply(request, result)
        if isinstance(error, dict) and error.get("code") != INTERNAL_ERROR:
            return  # it was never asked
        if request.method == "terminal/output" and isinstance(result, dict):
            terminal_id = member(request.params, "terminalId")
            self._print(session_events.session_of(request.params), str(terminal_id), result.get("output"))
        self._answered_by.pop(session_events.question_key(request_id), None)
        self._apply(session_events.events_of_answer(request, result, by))

    def _noted(self, msg: dict[str, Any]) -> None:
        if "start" in msg:
            self._tell_printed()
            self._sessions.disconnect("The agent was restarted.", "", self._at)
            for session_id in list(self._sessions.by_id):
                self._sessions.note(session_id, events.Resumed(), self._at)
            self._peer, self._version2 = Peer(), None
            self._answered_by.clear()
            quirks = _quirks(msg["start"])
            self._sessions.title_is_command = quirks.title_is_command
            self._sessions.unsaid = quirks.unsaid
        elif "full" in msg:
            for session_id in list(self._sessions.by_id):
                self._sessions.note(session_id, events.Noted(_full(msg["full"]), "warning"), self._at)
        elif "exit" in msg:
            self._sessions.disconnect(
                gone(_exit_status(msg)), "", self._at, is_wanted=msg.get("wanted") is True
            )
        elif "answer" in msg:
            self._answered_by[session_events.question_key(msg["answer"])] = str(msg.get("by"))
        elif "ran" in msg:
            self._own_command(str(msg["ran"]), str(msg.get("session")), msg)
        elif "printed" in msg and "more" in msg:
            key = str(msg.get("session")), str(msg["printed"])
            if key not in self._ended:
                self._pieces.setdefault(key, TextBuffer(limit=OUTPUT_LIMIT)).append(str(msg["more"]))
        elif "printed" in msg:
            key = str(msg.get("session")), str(msg["printed"])
            self._ended.add(key)
            self._pieces.pop(key, None)
            self._print(str(msg.get("session")), str(msg["printed"]), msg.get("output"))
        elif "noted" in msg:
            if is_full_notice(str(msg["noted"])):
                return  # its own row of the journal shows it, at its place
            self._sessions.note(str(msg.get("session")), _noted(msg), self._at)
        elif "continued" in msg:
            session_id = str(msg["continued"])
            if (session := self._sessions.by_id.get(session_id)) is not None:
                self._sessions.note(session_id, SessionContinued(session), self._at)
        elif "snapped" in msg:
            session_id = str(msg.get("session"))
            session = self._sessions.find(session_id)
            before = snapshot_log.on_disk(session.all_files) if session is not None else {}
            self._sessions.note(session_id, snapshot_log.files_event(msg, before), self._at)
        elif (kept := snapshot_log.snapshot_event(msg)) is not None:
            self._sessions.note(str(msg.get("session")), kept, self._at)
        elif "wrote" in msg:
            event = events.Wrote(str(msg["wrote"]), msg.get("old"), str(msg.get("new")))
            self._sessions.note(str(msg.get("session")), event, self._at)

    def _own_command(self, name: str, session_id: str, msg: dict[str, Any]) -> None:
        """Apply a row about a command of the user: its start, a piece of its output, or its end."""
        event: events.CommandStarted | events.CommandPrinted | events.CommandEnded
        if "command" in msg:
            event = events.CommandStarted(name, str(msg["command"]))
            self._running.add(name)
        elif "more" in msg:
            if name not in self._running:
                return  # it is in a file beside the journal, read after the end
            event = events.CommandPrinted(name, str(msg["more"]))
        else:
            code, printed = msg.get("code"), msg.get("output")
            output = printed if isinstance(printed, str) else ""
            event = events.CommandEnded(name, code if type(code) is int else None, output)
            self._running.discard(name)
        self._sessions.note(session_id, event, self._at)

    def _print(self, session_id: str, terminal_id: str, output: object) -> None:
        """Keep the longest text of an output: it only grows, until its start is cut off."""
        known = self._printed.setdefault(session_id, {})
        if isinstance(output, str) and len(output) >= len(known.get(terminal_id, "")):
            known[terminal_id] = output

    def _tell_printed(self) -> None:
        """Apply the terminal output of an agent process that has ended."""
        for (session_id, terminal_id), pieces in self._pieces.items():
            self._print(session_id, terminal_id, str(pieces))
        self._pieces = {}
        self._ended.clear()
        self._running.clear()
        for session_id, texts in self._printed.items():
            self._sessions.note(session_id, events.Printed(texts), self._at)
        self._printed = {}

    def _apply(self, events_of_frame: Iterator[AddressedEvent]) -> bool:
        """Apply the events of a frame; return whether it could be read."""
        try:
            for session_id, event in events_of_frame:
                self._sessions.note(session_id, event, self._at)
        except Unreadable:
            return False  # in the live session it got an error and changed nothing
        return True


def _nobody_watches(session_id: str, change: SessionChange) -> None:
    """Ignore a change: nothing is drawn before the end."""


def _quirks(argv: object) -> Quirks:
    """Return the known quirks of the agent that was started."""
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) for word in argv):
        return Quirks()
    return quirks_of(argv)


def _full(recorded: object) -> str:
    """Return the notice for a journal that reached its size limit."""
    notice = full_notice(recorded if type(recorded) is int else 0)
    return notice[0].upper() + notice[1:]


def _noted(msg: dict[str, Any]) -> events.Noted:
    severities: tuple[Severity, ...] = get_args(Severity)
    severity: Severity = next((one for one in severities if one == msg.get("severity")), "info")
    return events.Noted(str(msg["noted"]), severity, str(msg.get("detail", "")), msg.get("act") is True)


def _fits(answer: dict[str, Any], request: Request) -> bool:
    """Return whether an answer can be that of a request; a question's answer is a result."""
    result = answer.get("result")
    match request.method:
        case "session/request_permission":
            return isinstance(result, dict) and "outcome" in result
        case "elicitation/create":
            return isinstance(result, dict) and "action" in result
        case _:
            return not isinstance(result, dict) or not result.keys() & {"outcome", "action"}


def _exit_status(msg: dict[str, Any]) -> ExitStatus:
    code, signal = msg.get("exit"), msg.get("signal")
    return ExitStatus(code if type(code) is int else None, signal if isinstance(signal, str) else None)
