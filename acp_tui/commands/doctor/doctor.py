"""`acp-tui doctor`: examine an agent and print a report, as text or JSON."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from typing_extensions import override

from acp_tui import __version__
from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import (
    AgentError,
    AgentGone,
    CallFailed,
    LoginRequired,
    OtherVersion,
    abilities,
)
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.commands.doctor import agent_files, conformance, machine, vocabulary
from acp_tui.commands.doctor.findings import HEADING, Finding, Verdict, summary
from acp_tui.commands.doctor.messages import ExaminedWire
from acp_tui.commands.log import print_lines
from acp_tui.protocol.frames import StrayLine
from acp_tui.protocol.jsonrpc import Dropped, Notification, Request
from acp_tui.protocol.schema import METHOD_NOT_FOUND, InitializeResponse, TextContent, has
from acp_tui.safe_text import safe, safe_line
from acp_tui.session.events import SessionChange
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.agents import KnownAgent, Launch, ProtocolChoice, agent_behind
from acp_tui.store.journal import MASK, SECRET_LENGTH, secrets_of
from acp_tui.store.redaction import mask_arguments, mask_tokens
from acp_tui.store.urls import masked
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminals

_LONGEST: Final = 400
"""Characters printed of an agent's text."""


def run(
    launch: Launch,
    cwd: str,
    timeout: float,
    prompt: str | None,
    *,
    as_json: bool,
    state: Sequence[str] | None = None,
) -> int:
    """Examine an agent, print the report and return the exit code.

    Args:
        launch: the agent's launch.
        cwd: the session's folder; absolute.
        timeout: seconds for each answer.
        prompt: a prompt to send, or None.
        as_json: print JSON.
        state: its known places below the home, to compare with what it writes; None: skip that check.
    """
    guard = Guard()

    async def all_checks() -> Report:
        report = await examine(launch, cwd, patience=timeout, prompt=prompt, version=__version__, guard=guard)
        if state is not None:
            report.findings.append(await _own_files(launch, cwd, timeout, prompt, guard, state))
        return report

    try:
        report = asyncio.run(all_checks())
    finally:
        guard.close()
    print_lines([json.dumps(_plain(report), indent=2) if as_json else _words(report)])
    return int(report.broken)


def report_machine(cwd: str, *, as_json: bool) -> int:
    """Print a report about this machine and return the exit code."""
    found = list(machine.findings(Path(cwd), os.environ, machine.ask_terminal))
    print_lines([json.dumps(machine.plain(found), indent=2) if as_json else safe(machine.words(found))])
    return int(any(finding.verdict == "broken" for finding in found))


def state_of(launch: Launch, known: Mapping[str, KnownAgent]) -> Sequence[str]:
    """Return the known own places of an agent below the home."""
    agent = agent_behind(launch, known)
    return agent.state if agent is not None else ()


async def _own_files(
    launch: Launch, cwd: str, patience: float, prompt: str | None, guard: Guard, state: Sequence[str]
) -> Finding:
    """Run all checks again under strace; return the finding about places written below the home."""
    with TemporaryDirectory() as folder:
        trace = Path(folder, "calls")
        argv = agent_files.traced(launch.argv, trace)
        if argv is None:
            return Finding(agent_files.CHECK, "note", "not known: strace is not installed")
        try:
            process = Process.spawn(argv, cwd=cwd, env=launch.env, guard=guard)
        except SpawnFailed as error:
            return Finding(agent_files.CHECK, "note", f"not known: {error.title}")
        unused = Report(launch)  # strace slows it down and handles signals in its own way
        await _Examination(unused, process, cwd, patience, __version__, launch.protocol).run(prompt)
        if not unused.info:
            return Finding(agent_files.CHECK, "note", "not known: it does not start under strace")
        return await asyncio.to_thread(agent_files.finding_in, trace, cwd, state)


def print_missing(agent: str, why: str) -> None:
    """Print the JSON report of an agent that is not installed."""
    hidden = _hiding({})
    finding = asdict(Finding("program", "broken", hidden(why)))
    report = {"command": [hidden(agent)], "agent": None, "capabilities": None, "auth_methods": None}
    print_lines([json.dumps({**report, "ok": False, "findings": [finding]}, indent=2)])


def _words(report: Report) -> str:
    lines = [shlex.join(_command(report.launch)).replace(f"'{MASK}'", MASK), ""]
    hidden = _hiding(report.launch.env)
    for finding in report.findings:
        lines += map(hidden, _lines(finding))
    lines += ["", summary(report.findings)]
    return "\n".join(map(safe_line, lines))


def _lines(finding: Finding) -> list[str]:
    lines = [f"{finding.heading}{finding.text}"]
    if finding.fallback:
        lines.append(f"{'':{HEADING}}→ {finding.fallback}")
    return lines


def _hiding(env: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that shortens a text and masks secrets."""
    values = secrets_of({**os.environ, **env})
    secrets = sorted((one for one in values if len(one) >= SECRET_LENGTH), key=len, reverse=True)

    def hidden(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, MASK)
        text = mask_tokens(masked(text[: 4 * _LONGEST]), MASK)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    return hidden


def _command(launch: Launch) -> list[str]:
    return [*map(_hiding(launch.env), mask_arguments(launch.argv, MASK))]


def _plain(report: Report) -> dict[str, Any]:
    info, hidden = report.info, _hiding(report.launch.env)
    named = info.agent_info if info is not None else None
    return {
        "command": _command(report.launch),
        "agent": {
            "name": hidden(named.name),
            "title": hidden(named.title) if named.title is not None else None,
            "version": hidden(named.version),
        }
        if named
        else None,
        "capabilities": dict(abilities(info.agent_capabilities)) if info is not None else None,
        "auth_methods": [hidden(method.id) for method in info.auth_methods] if info is not None else None,
        "ok": not report.broken,
        "findings": [
            {**asdict(finding), "text": hidden(finding.text), "fallback": hidden(finding.fallback)}
            for finding in report.findings
        ],
    }


PING: Final = "_acp-tui/ping"
"""An extension method unknown to every agent."""
PING_TIME: Final = 5.0
"""Seconds to answer a trivial request."""
_LARGE: Final = 1_000_000  # characters in one line
_LINGER: Final = 0.3  # seconds to wait for an unwanted answer to a notification
CROSSED: Final = 0.2
"""Seconds within which the end of a turn and the cancel may have crossed."""
_STREAMING: Final = 3.0  # seconds until a silent turn is cancelled

T = TypeVar("T")


@dataclass
class Report:
    """The findings about an agent."""

    launch: Launch
    findings: list[Finding] = field(default_factory=list)
    info: InitializeResponse | None = None

    @property
    def broken(self) -> bool:
        """True if the agent violates the protocol or cannot be used."""
        return any(finding.verdict == "broken" for finding in self.findings)

    def add(self, check: str, verdict: Verdict, text: str, fallback: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(check, verdict, text, fallback))


async def examine(
    launch: Launch,
    cwd: str,
    *,
    patience: float = 30.0,
    prompt: str | None = None,
    version: str = "0",
    guard: Guard | None = None,
) -> Report:
    """Start an agent, check it without a prompt (unless one is given), end it, and return the report.

    Args:
        launch: the agent's launch.
        cwd: the session's folder; absolute.
        patience: seconds for each answer.
        prompt: a prompt to send, if allowed.
        version: the client's version.
        guard: ends the agent if this program is killed.
    """
    report = Report(launch)
    report.add("program", "well", launch.argv[0])
    protocol: ProtocolChoice | None = launch.protocol
    while protocol is not None:
        try:
            process = Process.spawn(launch.argv, cwd=cwd, env=launch.env, guard=guard)
        except SpawnFailed as error:
            report.findings = []
            report.add("start", "broken", error.title, error.advice)
            return report
        examination = _Examination(report, process, cwd, patience, version, protocol)
        await examination.run(prompt)
        protocol = examination.other_version
    if launch.quirks.missing_file_reads_empty:
        text = "known to give up creating a file when reading it first is an error"
        report.add("quirk", "note", text, "a missing file reads as empty")
    if launch.quirks.title_is_command:
        text = "known to tell a command by the title of its call alone"
        report.add("quirk", "note", text, "rules take that title for the command")
    if launch.quirks.unsaid:
        text = f"known to send as messages what nobody said: {', '.join(launch.quirks.unsaid)}"
        report.add("quirk", "note", text, "these are not shown")
    return report


class _Over(Exception):
    """The examination cannot continue."""


class _Examined(Agent):
    """An agent connection that records facts that are in no message."""

    unassigned: list[str]
    too_large: list[Dropped]

    @override
    def assign(self, message: Request | Notification) -> str:
        params = message.params
        refused = super().assign(message)
        if refused or message.params is not params:
            self.unassigned.append(message.method)
        return refused

    @override
    def dropped(self, message: Dropped) -> None:
        self.too_large.append(message)
        super().dropped(message)


class _Examination:
    """One run of all checks; each may end it."""

    def __init__(
        self,
        report: Report,
        process: Process,
        cwd: str,
        patience: float,
        version: str,
        protocol: ProtocolChoice,
    ) -> None:
        self.other_version: ProtocolChoice | None = None
        """The version to ask for in another process, after the agent has refused this one."""
        self._protocol = protocol
        self._report = report
        self._process = process
        self._cwd = cwd
        self._roots = [cwd, str(Path(cwd).resolve())]
        self._patience = patience
        self._wire = ExaminedWire()
        self._strays: list[StrayLine] = []
        self._stderr_size = 0
        self._session: Session | None = None
        self._changed = asyncio.Event()
        self._answers_pings = False
        self._refusal: int | None = None
        """Error code of its answer to unknown methods."""
        self._agent = _Examined(
            process,
            AgentAccess(Terminals()),
            self._wire,
            self._hear,
            name=report.launch.name,
            version=version,
            protocol=protocol,
        )
        self._agent.unassigned, self._agent.too_large = [], []
        self._agent.on_stray = self._strays.append
        process.on_stderr = self._hear_stderr

    async def run(self, prompt: str | None) -> None:
        """Run all checks, then end the agent."""
        listening = asyncio.create_task(self._agent.run())
        try:
            await self._initialize()
            await self._ask_unknown()
            await self._tell_unknown()
            await self._send_large_line()
            await self._list_sessions()
            await self._open_session()
            if self._session is not None:
                await self._talk(self._session, prompt)
            await self._clear_away()
        except _Over:
            pass
        finally:
            await self._end()
            await listening

    # ------------------------------------------------------------------ the script

    async def _initialize(self) -> None:
        began = time.monotonic()
        try:
            info = await self._within(self._patience, self._agent.initialize())
        except TimeoutError:
            text = f"initialize has no answer after {self._patience:g} s"
            self._report.add("start", "broken", text, "acp-tui keeps waiting, and says so")
            raise _Over from None
        except AgentGone:
            raise self._gone("start") from None
        except OtherVersion as refused:
            self.other_version = refused.version
            text = f"refuses version 2; started again, and asked for version {refused.version}"
            self._report.add("protocol", "note", text)
            raise _Over from None
        except AgentError as error:
            self._report.add("start", "broken", str(error))
            raise _Over from None
        self._report.info = info
        self._report.add("start", "well", f"answers initialize in {time.monotonic() - began:.1f} s")
        raw = conformance.answer_to(self._wire.frames, "initialize")
        self._report.findings += conformance.initialization(info, raw)
        if self._protocol != 1 and self._agent.connection.version == 1:
            self._report.findings.append(conformance.older_than_asked(raw))

    async def _ask_unknown(self) -> None:
        """Check that an unknown request is refused. Source: JSON-RPC, -32601."""
        check, fallback = "unknown request", "none: acp-tui calls no method that was not offered"
        try:
            await self._within(self._ping_time, self._agent.connection.call(PING, {}))
        except TimeoutError:
            text = f"{PING} has no answer after {self._ping_time:g} s, where error -32601 belongs"
            self._report.add(check, "broken", text, fallback)
            return
        except AgentGone:
            raise self._gone(check) from None
        except CallFailed as error:
            self._refusal = error.code
            right = error.code == METHOD_NOT_FOUND
            text = f"refused with error {error.code}" + ("" if right else ", where -32601 belongs")
            self._report.add(check, "well" if right else "broken", text, "" if right else fallback)
        else:
            self._report.add(check, "broken", "answered with a result, where error -32601 belongs", fallback)
        self._answers_pings = True

    async def _tell_unknown(self) -> None:
        """Check that an unknown notification is ignored, without an answer."""
        before = len(self._strays)
        self._agent.connection.notify("_acp-tui/notice", {})
        await self._is_alive("unknown notification")
        if len(self._strays) > before:
            text = "answered, although a notification gets no answer"
            self._report.add("unknown notification", "broken", text, "the answer is ignored")
        else:
            self._report.add("unknown notification", "well", "ignored")

    async def _send_large_line(self) -> None:
        if not self._answers_pings:
            return  # its arrival could not be verified
        check, call = "large line", self._agent.connection.call(PING, {"text": "x" * _LARGE})
        try:
            await self._within(self._patience, call)
        except TimeoutError:
            text = f"no answer to a line of 1 MB after {self._patience:g} s"
            self._report.add(check, "broken", text, "none: large files and images will not reach it")
        except AgentGone:
            raise self._gone(check) from None
        except CallFailed as error:
            if error.code == self._refusal:
                self._report.add(check, "well", "a line of 1 MB is read")
            else:
                text = f"a line of 1 MB is refused with error {error.code}"
                self._report.add(check, "broken", text, "none: large files and images may not reach it")
        else:
            self._report.add(check, "well", "a line of 1 MB is read")

    async def _list_sessions(self) -> None:
        if not has(self._agent.can.session_capabilities.list):
            return
        if await self._ask("session/list", self._agent.listing.whole(self._cwd)) is not None:
            self._report.findings += conformance.pages(self._wire.frames)

    async def _open_session(self) -> None:
        self._session = await self._ask("session/new", self._agent.setup.new_session(self._cwd))
        if self._session is not None:
            self._report.add("session/new", "well", "a session opens without a login")
            raw = conformance.answer_to(self._wire.frames, "session/new")
            self._report.findings += conformance.new_session(raw)

    async def _talk(self, session: Session, prompt: str | None) -> None:
        """Send the prompt, cancel while idle, and send it again to cancel that turn.

        A turn that fails after the idle cancel is repeated once, to separate the two findings.
        """
        works = prompt is not None and await self._prompt(session, prompt)
        harm = await self._cancel_idle(session)
        if prompt is not None and works:
            failure = await self._stop_turn(session, prompt)
            if failure:
                harm = harm or f"the next prompt {failure}"
                if again := await self._stop_turn(session, prompt):
                    self._report.add("cancel", "broken", f"a prompt after it {again}", "shown")
        elif prompt is not None:
            self._report.add("cancel", "note", "not tried: the prompt failed")
        if harm:
            fallback = "sent only while a turn runs; one that has just ended may get it all the same"
            self._report.add("cancel when idle", "broken", harm, fallback)
        else:
            known = "the next prompt works" if works else "the agent continues; no prompt was tried after it"
            self._report.add("cancel when idle", "well", f"harmless: {known}")

    async def _cancel_idle(self, session: Session) -> str:
        """Cancel without a running turn; return the violation, or ""."""
        before = len(self._strays)
        self._agent.connection.notify("session/cancel", {"sessionId": session.id})
        await self._is_alive("cancel when idle")
        return "answered, although it is a notification" if len(self._strays) > before else ""

    async def _prompt(self, session: Session, text: str) -> bool:
        """Send a prompt and wait for the end of its turn; return False if there was none."""
        before = len(self._wire.frames)
        blocks: list[Any] = [TextContent(text=text)]
        result = await self._ask("prompt", self._agent.prompt(session.id, blocks))
        if result is None:
            return False
        updates = sum(frame.msg.get("method") == "session/update" for frame in self._wire.frames[before:])
        said = f"ends with {result.stop_reason}, after {updates} updates"
        self._report.add("prompt", "well" if updates else "note", said)
        return True

    async def _stop_turn(self, session: Session, text: str) -> str:
        """Cancel a turn at its first output; return its failure before that, or ""."""
        check = "cancel"
        blocks: list[Any] = [TextContent(text=text)]
        self._changed.clear()
        entries = len(session.entries)
        turn = asyncio.create_task(self._agent.prompt(session.id, blocks))
        turn.add_done_callback(lambda _: self._changed.set())
        try:
            async with asyncio.timeout(_STREAMING):
                while (
                    len(session.entries) <= entries + 1 and not turn.done()
                ):  # the prompt itself counts as one
                    await self._changed.wait()
                    self._changed.clear()
        except TimeoutError:
            pass
        if session.turn_state == "idle":  # the turn has ended, and the request is about to return
            await asyncio.wait({turn}, timeout=_STREAMING)
        if turn.done():
            error = turn.exception()
            if isinstance(error, AgentError) and not isinstance(error, AgentGone):
                return f"fails: {error}"
            if error is None and turn.result().stop_reason == "cancelled":
                return "ends as cancelled, although it was not cancelled"
        began = time.monotonic()
        was_running = session.turn_state == "running"
        self._agent.cancel(session.id)
        result = await self._ask(check, turn)
        if result is None:
            return ""
        seconds = time.monotonic() - began
        took = f"{seconds:.1f} s after the cancel"
        crossed = result.stop_reason != "cancelled" and seconds < CROSSED
        if not was_running or crossed:
            self._report.add(check, "note", "the turn was over before it could be cancelled")
        elif result.stop_reason == "cancelled":
            self._report.add(check, "well", f"the turn ends as cancelled, {took}")
        else:
            text = f"the turn ends with {result.stop_reason}, {took}, where “cancelled” belongs"
            self._report.add(check, "broken", text, "shown as cancelled")
        return ""

    async def _clear_away(self) -> None:
        """Delete or close the session, if the agent can."""
        if self._session is None:
            return
        can = self._agent.can.session_capabilities
        if has(can.delete):
            await self._ask("session/delete", self._agent.delete_session(self._session.id))
        elif has(can.close):
            await self._ask("session/close", self._agent.close_session(self._session.id))

    async def _end(self) -> None:
        """Close the agent's stdin, observe the end, and check everything recorded."""
        frames = self._wire.frames
        crashed = self._agent.connection.exit is not None
        by_itself = await self._process.end_input()
        left_behind = by_itself and await self._process.alive()
        status = await self._agent.stop()
        self._report.findings += conformance.order(frames)
        self._report.findings += conformance.envelopes(frames)
        self._report.findings += conformance.updates(frames)
        self._report.findings += vocabulary.check_values(frames, self._roots)
        self._report.findings += vocabulary.unassigned(self._agent.unassigned)
        self._report.findings += conformance.stray_lines(self._strays)
        self._report.findings += conformance.too_large(self._agent.too_large)
        self._report.findings.append(conformance.stderr(self._stderr_size, self._agent.stderr_tail))
        if not crashed:
            self._report.findings += conformance.ending(by_itself, status, left_behind)

    # ------------------------------------------------------------------ asking

    @property
    def _ping_time(self) -> float:
        return min(self._patience, PING_TIME)

    async def _within(self, seconds: float, call: Awaitable[T]) -> T:
        async with asyncio.timeout(seconds):
            return await call

    async def _ask(self, check: str, call: Awaitable[T]) -> T | None:
        """Return an answer, or add a finding and return None."""
        try:
            return await self._within(self._patience, call)
        except TimeoutError:
            text = f"no answer after {self._patience:g} s"
            self._report.add(check, "broken", text, "acp-tui keeps waiting, and says so")
        except LoginRequired as error:
            self._report.findings.append(self._login(check, error))
        except AgentGone:
            raise self._gone(check) from None
        except AgentError as error:
            self._report.add(check, "broken", str(error), "shown, with advice")
        return None

    async def _is_alive(self, check: str) -> None:
        """Wait until the last message must have been read."""
        if not self._answers_pings:
            await asyncio.sleep(_LINGER)
            if self._agent.connection.exit is not None:
                raise self._gone(check)
            return
        try:
            await self._within(self._ping_time, self._agent.connection.call(PING, {}))
        except TimeoutError:
            self._report.add(check, "broken", "the agent stops answering after it")
            raise _Over from None
        except AgentGone:
            raise self._gone(check) from None
        except AgentError:
            pass  # an error is an answer: it is alive

    def _login(self, check: str, error: LoginRequired) -> Finding:
        methods = [method.name for method in self._report.info.auth_methods] if self._report.info else []
        if methods:
            return Finding(
                check, "note", f"needs a login ({error})", f"its login methods: {', '.join(methods)}"
            )
        advice = self._report.launch.login or "no login method: run it in a shell"
        return Finding(check, "note", f"needs a login ({error})", advice)

    def _gone(self, check: str) -> _Over:
        status = self._agent.connection.exit
        how = f" with {status}" if status is not None else ""
        last = self._agent.stderr_tail.strip().rpartition("\n")[2]
        self._report.add(check, "broken", f"the agent ended{how}", f"its last output: {last}" if last else "")
        return _Over()

    # ------------------------------------------------------------------ hearing

    def _hear(self, session_id: str, change: SessionChange) -> None:
        self._changed.set()
        session = self._agent.sessions.get(session_id)
        if session is not None and "questions" in change.fields:
            asyncio.get_running_loop().call_soon(self._decline, session)  # the question is still being opened

    def _decline(self, session: Session) -> None:
        """Decline every question: the examination allows nothing."""
        for key, question in list(session.questions.items()):
            if isinstance(question, Permission):
                self._agent.answer(session.id, key, None, AnsweredBy("nobody", "doctor"))
            else:
                self._agent.answer_form(session.id, key, "cancel")

    def _hear_stderr(self, lines: Sequence[str]) -> None:
        self._stderr_size += sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)
