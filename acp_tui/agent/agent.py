"""An agent: one connection, its sessions, and the requests of both sides."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from acp_tui.agent import session_events
from acp_tui.agent.agent_methods import Logins, Providers, SessionListing, Setup
from acp_tui.agent.capabilities import (
    AgentError,
    Busy,
    CallFailed,
    Capabilities,
    Closed,
    NotOffered,
    OtherVersion,
    WrongVersion,
    gone,
    other_version,
    parse_result,
)
from acp_tui.agent.client_methods import SERVED, Service
from acp_tui.agent.connection import Connection, ConnectionJournal, Pipe
from acp_tui.agent.open_questions import OpenQuestions
from acp_tui.agent.permissions.access import AgentAccess, NotGranted
from acp_tui.agent.permissions.amendments import Amendment, Amendments
from acp_tui.agent.permissions.authorization import USER, AnsweredBy
from acp_tui.agent.permissions.client_questions import ClientQuestions, ImplicitRequests
from acp_tui.agent.permissions.decision_records import ClientAnswer, DecisionRecorder, KeepDecision
from acp_tui.agent.permissions.grants import ImplicitRequest, call_behind
from acp_tui.agent.permissions.stale_writes import MergeToWrite, StaleWrites
from acp_tui.agent.session_events import (
    DRAIN,
    STEERING,
    SessionContinued,
    SessionEvent,
    SessionReady,
    session_named_in,
)
from acp_tui.agent.sessions import Sessions
from acp_tui.changes import snapshot_log
from acp_tui.formatting import inside
from acp_tui.protocol import version2
from acp_tui.protocol.frames import StrayLine, ascii_line
from acp_tui.protocol.json_values import as_object, member
from acp_tui.protocol.jsonrpc import LINE_LIMIT, Dropped, Notification, Request, Response
from acp_tui.protocol.schema import (
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION,
    TAKEN_BACK,
    AgentCapabilities,
    ClientCapabilities,
    ContentBlock,
    FileCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    NewToolCall,
    PromptRequest,
    PromptResponse,
    SetTitleResponse,
    SubagentUpdate,
    ToolCallUpdate,
    has,
)
from acp_tui.session import events
from acp_tui.session.earlier_runs import KeptSnapshot, UndoStep, UndoStepRemoved
from acp_tui.session.entries import Diff, Severity
from acp_tui.session.events import Event, SessionChange
from acp_tui.session.options import Consent, Option, consent_in
from acp_tui.session.questions import Elicitation, Permission
from acp_tui.session.session import Session
from acp_tui.store.agents import ProtocolChoice
from acp_tui.workspace.files import OutsideRoots, Stale, Target, Written, link_target
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import KEPT_OUTPUT, Terminal

log = logging.getLogger(__name__)

OFFERED: Final = ClientCapabilities(
    fs=FileCapabilities(read_text_file=True, write_text_file=True),
    terminal=True,
    auth={"terminal": True},
    plan={},
    subagents={},
    session={"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
    elicitation={"form": {}, "url": {}},
)
"""The client's capabilities, sent to every agent in `initialize`."""

_SESSION_METHODS: Final = frozenset(
    {*SERVED, "session/request_permission", "elicitation/create", "session/update", DRAIN}
)
"""Methods of the agent whose params name a session."""

QueuedText = Callable[[], tuple[list[str], bool]]
"""Removes the queued text for the running turn; returns it, and whether more is queued."""

CLOSING: Final = 5.0
"""Seconds to wait for an agent to close a session."""


class Agent:
    """Talk to an agent, serve its requests, and keep its sessions."""

    def __init__(
        self,
        process: Pipe,
        access: AgentAccess,
        journal: ConnectionJournal,
        on_change: Callable[[str, SessionChange], None],
        *,
        name: str = "",
        title: str = "",
        version: str = "0",
        line_limit: int = LINE_LIMIT,
        keep: KeepDecision | None = None,
        title_is_command: bool = False,
        unsaid: Sequence[str] = (),
        protocol: ProtocolChoice = 1,
    ) -> None:
        self.name = name
        """The name that the user has given the agent."""
        self._known_as = title or name or "the agent"
        self.connection = Connection(process, journal, self, line_limit)
        self._capabilities = Capabilities()
        self.logins = Logins(self.connection, self._capabilities)
        self.listing = SessionListing(self.connection, self._capabilities)
        self.providers = Providers(self.connection, self._capabilities)
        self.on_stray: Callable[[StrayLine], None] | None = None
        """Called with each line that is no message."""
        self._process = process
        self._access = access
        self._version = version
        self._protocol: ProtocolChoice = protocol
        self._sessions = Sessions(on_change, title_is_command=title_is_command, unsaid=unsaid)
        self.setup = Setup(self.connection, self._capabilities, access, self._sessions, self.note)
        self._recorder = DecisionRecorder(keep, name)
        self._questions = OpenQuestions(self.connection.reply, access, self._recorder)
        self._service = Service(access, self.connection.reply, self.connection.fail, self, process.room)
        self._client_questions = ClientQuestions(self.note, self._questions)
        self._questions.others = self._client_questions
        self._amendments = Amendments(access, self)
        self._stale_writes = StaleWrites(
            access, self._client_questions, self._tell_act, self._stale_write_decided
        )
        self._implicit_requests = ImplicitRequests(
            access,
            self._client_questions,
            self._questions.grants,
            self._recorder,
            self._tell_act,
            lambda: self.title,
            self._amendments,
        )
        self.on_amended: dict[str, Callable[[str, str], None]] = {}
        """Called, by session, with the path of a file that has the user's text, and how it came there."""
        access.terminals.on_end = self._journal_end
        access.terminals.on_output = self._journal_piece
        self.queues: dict[str, QueuedText] = {}
        """By session: gives queued text to an agent that asks for it during a turn."""
        self._asking: set[str] = set()
        """Sessions whose agent has asked for queued text."""
        self._closing: set[asyncio.Task[None]] = set()
        self._started = time.monotonic()

    @property
    def info(self) -> InitializeResponse | None:
        """The agent's answer to `initialize`."""
        return self._capabilities.info

    @property
    def title(self) -> str:
        """The name to show: the agent's own, once it is known."""
        info = self._capabilities.info
        own = info.agent_info.display_name if info is not None and info.agent_info is not None else ""
        return " ".join(own.split()) or self._known_as

    @property
    def can(self) -> AgentCapabilities:
        """The capabilities of the agent; none before its answer to `initialize`."""
        return self._capabilities.can

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions of this connection, by id."""
        return self._sessions.by_id

    @property
    def outside(self) -> Session:
        """The session with the empty id, for events outside all others, such as a form during a login."""
        return self._sessions.outside

    async def run(self) -> None:
        """Listen until the agent is gone; call once, in a task of its own."""
        try:
            status = await self.connection.run()
            self._questions.forget()
            self._sessions.disconnect(
                gone(status), self.stderr_tail, self.now, is_wanted=self.connection.is_leaving
            )
        finally:
            await self._release()

    async def stop(self) -> ExitStatus:
        """End the agent, its terminals and every process that it started."""
        self.connection.leave()
        await self._release()
        return await self._process.stop()

    async def _release(self) -> None:
        """End the work for the agent: its terminals, files and rules."""
        await self._service.end()
        await self._amendments.end()
        for session_id in list(self.sessions):
            await self._access.take_back(session_id)

    @property
    def now(self) -> float:
        """The time of session events: seconds since the connection was made."""
        return time.monotonic() - self._started

    @property
    def stderr_tail(self) -> str:
        """The newest lines of stderr."""
        return self._process.stderr_tail

    # ------------------------------------------------------------------ requests to the agent

    async def initialize(self) -> InitializeResponse:
        """Exchange versions and capabilities. Source: ACP, page "initialization".

        An agent that speaks another version is stopped.

        Raises:
            OtherVersion: start a new process and ask it for another version.
            WrongVersion, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        request = InitializeRequest(
            client_capabilities=OFFERED,
            client_info=Implementation(name="acp-tui", title="acp-tui", version=self._version),
        ).wire()
        asked = 1 if self._protocol == 1 else version2.VERSION
        try:
            result = await self.connection.call(
                "initialize", request if asked == 1 else version2.handshake(request)
            )
        except CallFailed as error:
            other = other_version(error, asked)
            if other is None:
                raise
            await self.stop()
            if self._protocol == 1:
                raise WrongVersion(other, PROTOCOL_VERSION) from error
            raise OtherVersion(other) from error
        self._capabilities.info = info = parse_result(InitializeResponse, "initialize", result)
        self.connection.offers_logins = bool(info.auth_methods)
        if asked != 1 and info.protocol_version == asked:
            info.protocol_version = self.connection.version  # some return the number and speak version 1
        elif not info.is_supported:
            await self.stop()
            raise WrongVersion(info.protocol_version, PROTOCOL_VERSION)
        return info

    async def prompt(self, session_id: str, prompt: list[ContentBlock]) -> PromptResponse:
        """Send a prompt and return at the end of the turn. Source: ACP, page "prompt turn".

        An error after a cancel is the end of a cancelled turn.

        Raises:
            Busy, Closed, NotOffered: nothing was sent.
            AgentGone, CallFailed.
        """
        session = self.sessions.get(session_id)
        if session is None:
            raise Closed("This session is closed.")
        if session.turn_state != "idle":
            raise Busy("A turn is running in this session.")
        self._capabilities.need_blocks(prompt)
        request = PromptRequest(session_id=session_id, prompt=prompt)
        try:
            result = await self.connection.call("session/prompt", request.wire())
        except CallFailed:
            if session.turns[-1].stop_reason != "cancelled":
                raise
            return PromptResponse(stop_reason="cancelled")
        response = parse_result(PromptResponse, "session/prompt", as_object(result))
        if response.stop_reason == TAKEN_BACK and self.connection.version == 1:
            response.stop_reason = "cancelled"  # version 1 has no word for it
        return response

    def accepts_text(self, session_id: str) -> bool:
        """Return whether text can reach a running turn: the agent can be steered, or has asked for it."""
        return self._capabilities.can_steer or session_id in self._asking

    @property
    def can_steer(self) -> bool:
        """True if the agent accepts text at any time during a turn."""
        return self._capabilities.can_steer

    async def steer(self, session_id: str, prompt: list[ContentBlock]) -> str:
        """Send content blocks into the running turn; return the agent's outcome.

        `promptRequired`: the turn had ended, and nothing was taken. `injected`: the model was given them,
        which does not mean that it has read them.

        Raises:
            NotOffered: nothing was sent.
            AgentGone, CallFailed.
        """
        if not self.can_steer:
            raise NotOffered("This agent accepts no text during a turn.")
        self._capabilities.need_blocks(prompt)
        blocks = [block.wire() for block in prompt]
        # Without the marker an idle agent would begin a turn that no request of ours ends.
        marker = {"steering": {"idleBehavior": "promptRequired"}}
        params = {"sessionId": session_id, "prompt": blocks, "_meta": marker}
        result = await self.connection.call(STEERING, params)
        return str(member(result, "outcome"))

    def cancel(self, session_id: str) -> None:
        """Stop the running turn of a session, or the work that its agent does outside of a turn.

        Open questions are answered `cancelled`.
        """
        session = self.sessions.get(session_id)
        if session is None or session.turn_state == "cancelling":
            return
        if session.turn_state == "idle" and not session.works_unprompted and session.unprompted_at is None:
            return
        # The questions first: some agents end the turn only after they are answered.
        self._questions.cancel(session_id, "stop")
        self._client_questions.cancel(session_id, "stop")
        self.connection.notify("session/cancel", {"sessionId": session_id})

    async def cancel_call(self, session_id: str, tool_call_id: str) -> None:
        """Stop one tool call, if the agent can; an update reports its end.

        Raises:
            NotOffered: nothing was sent.
            AgentGone, CallFailed.
        """
        session = self._sessions.find(session_id)
        call = session.tool_call(tool_call_id) if session is not None else None
        if call is None or not call.can_cancel:
            raise NotOffered("The agent cannot stop this alone.")
        params = {"sessionId": session_id, "toolCallId": tool_call_id}
        await self.connection.call("tool_call/cancel", params)

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        """Stop one terminal that the agent runs; raises what `cancel_call` raises."""
        session = self._sessions.find(session_id)
        one = session.own_terminal(terminal_id) if session is not None else None
        if one is None or not one.can_cancel:
            raise NotOffered("The agent cannot stop this alone.")
        params = {"sessionId": session_id, "terminalId": terminal_id}
        await self.connection.call("terminal/cancel", params)

    def answer(
        self,
        session_id: str,
        key: str,
        option_id: str | None,
        answered_by: AnsweredBy = USER,
        amendments: Sequence[Amendment] = (),
    ) -> None:
        """Answer a permission with an offered option, or with None: cancelled. A closed one is left alone.

        A stale write takes `write`, `keep` or `merge`, an implicit request `let` or `refuse`. `amendments`
        are texts that the user wrote in place of the proposed ones.

        Raises:
            ValueError: the agent did not offer this option.
        """
        session = self._sessions.find(session_id)
        question = session.questions.get(key) if session is not None else None
        if isinstance(question, Permission):
            paths = [item.path for item in question.call.content if isinstance(item, Diff)]
            self._amendments.decided(session_id, question.call.tool_call_id, paths)
            self._amendments.add(session_id, question.call.tool_call_id, amendments)
        amendment = next(iter(amendments), None)
        if not self._client_questions.answer(session_id, key, option_id, answered_by, amendment):
            self._questions.answer(session_id, key, option_id, answered_by)

    def answer_form(
        self, session_id: str, key: str, action: str, content: dict[str, Any] | None = None
    ) -> None:
        """Answer a form or an address: `accept`, `decline` or `cancel`; the last two also end a visit."""
        session = self._sessions.find(session_id)
        question = session.questions.get(key) if session is not None else None
        if isinstance(question, Elicitation) and question.visiting and action != "accept":
            self.note(session_id, events.Answered(key))
        self._questions.answer_form(session_id, key, action, content)

    async def set_option(
        self, session_id: str, option: Option, value: str | bool, *, consent: Consent | None = None
    ) -> None:
        """Change a mode, a model or a config option; the session shows it as pending until the answer.

        Args:
            session_id: of the session.
            option: as it was shown to the user.
            value: to be set.
            consent: the unasked actions that the user accepts; None: as the dialog showed it.
        """
        option_id = option.config.id
        if consent is None:
            consent = consent_in(option.config, value)
        self.note(session_id, events.OptionChosen(option_id, value, consent))
        params: dict[str, Any] = {"sessionId": session_id}
        if option.set_by == "set_mode":
            params["modeId"] = value
        elif option.set_by == "set_model":
            params["modelId"] = value
        else:
            params |= {"configId": option_id, "value": value}
            if isinstance(value, bool):
                params["type"] = "boolean"
        await self.connection.call(f"session/{option.set_by}", params)

    async def set_title(self, session_id: str, title: str) -> str:
        """Set the title of a session; return it as the agent has stored it.

        Raises:
            NotOffered: nothing was sent.
            AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        self._capabilities.need(self._capabilities.can.session_capabilities.title, "set titles")
        params = {"sessionId": session_id, "title": title}
        result = await self.connection.call("session/set_title", params)
        return parse_result(SetTitleResponse, "session/set_title", result).title

    async def close_session(self, session_id: str) -> None:
        """Close a session with its turn, questions and terminals, at the agent too if it supports that."""
        session = self.sessions.get(session_id)
        if session is not None and (session.turn_state == "running" or session.works_unprompted):
            self.cancel(session_id)
        for name in [session_id, *(child.id for child in session.descendants())] if session else [session_id]:
            self._questions.cancel(name, "close")
            self._client_questions.cancel(name, "close")
            self._questions.grants.end_turn(name)
        await self._access.close(session_id)
        if has(self._capabilities.can.session_capabilities.close):
            try:
                async with asyncio.timeout(CLOSING):
                    await self.connection.call("session/close", {"sessionId": session_id})
            except (AgentError, TimeoutError) as error:
                log.info("session/close: %s", error)  # it was not active: closed is closed
        self._questions.cancel(session_id, "close")  # what it asked while it closed
        self.sessions.pop(session_id, None)
        self.queues.pop(session_id, None)
        self.on_amended.pop(session_id, None)
        self._asking.discard(session_id)

    async def delete_session(self, session_id: str) -> None:
        """Close a session and have the agent delete it. Source: ACP, page "session list".

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        self._capabilities.need(self._capabilities.can.session_capabilities.delete, "delete sessions")
        if session_id in self.sessions:
            await self.close_session(session_id)
        await self.connection.call("session/delete", {"sessionId": session_id})

    # ------------------------------------------------------------------ from the connection

    def shadow_replay(self, session_id: str) -> Session | None:
        """Return the replay that is compared with a session and not shown; None if there is none."""
        return self._sessions.shadow_replay(session_id)

    def note(self, session_id: str, event: SessionEvent) -> None:
        """Apply an event to its session. Every event comes through here."""
        if isinstance(event, events.Noted):
            self.connection.journal_row(_noted_row(session_id, event))
        if isinstance(event, SessionContinued):
            self.connection.journal_row({"continued": session_id})
        compared = event if isinstance(event, events.WorkspaceCompared) else None
        session = self._sessions.find(session_id) if compared is not None else None
        before = snapshot_log.on_disk(session.all_files) if session is not None else {}
        self._sessions.note(session_id, event, self.now)
        if session is not None and compared is not None:
            row = snapshot_log.files_row(session_id, before, session.all_files, compared.steps)
            if row is not None:
                self.connection.journal_row(row)
        if isinstance(event, KeptSnapshot | UndoStep | UndoStepRemoved):
            self.connection.journal_row(snapshot_log.snapshot_row(session_id, event))
        if isinstance(event, events.TurnEnded | events.TurnFailed):
            self._questions.cancel(session_id, "the end of the turn")
            self._client_questions.cancel(session_id, "the end of the turn")
            self._questions.grants.end_turn(session_id)
            self._look_at_amendments(session_id, is_over=True)
        elif isinstance(event, NewToolCall | ToolCallUpdate):
            self._look_at_amendments(session_id, is_over=False)
        elif isinstance(event, events.Prompted | events.TurnCancelled):
            self._end_grants(session_id)
        elif isinstance(event, SubagentUpdate):
            self._grant_to_child(event)
        elif isinstance(event, SessionReady):
            self._questions.cancel_lost(self._sessions)
        elif isinstance(event, events.SetUp) and (made := self._sessions.find(session_id)) is not None:
            self._questions.set_up(made, self.name)

    def _end_grants(self, session_id: str) -> None:
        """End the permissions of a session and of its subagents, whose work may go on."""
        session = self._sessions.find(session_id)
        for name in (session_id, *(each.id for each in session.descendants())) if session is not None else ():
            self._questions.grants.end_turn(name)

    def _look_at_amendments(self, session_id: str, *, is_over: bool) -> None:
        session = self._sessions.find(session_id)
        if session is not None:
            self._amendments.look(session, is_over=is_over)

    def _grant_to_child(self, event: SubagentUpdate) -> None:
        """Grant the session of a subagent its parent's folders; its grants end when it is idle."""
        child = self._sessions.find(event.session_id)
        if child is None or child.parent is None:
            return
        was_outside = self._is_outside(child)
        self._access.grant_to_child(child.id, child.parent.id, child.cwd)
        if self._is_outside(child) and not was_outside:
            text = (
                f"{child.title} works in {child.cwd}, outside the folders of this session: its files there "
                "and commands without a folder are refused. A start with --add-dir allows them."
            )
            self._tell(child.root.id, text, "warning")
        if event.state is not None and event.state.state == "idle":
            self._questions.grants.end_turn(child.id)

    def _is_outside(self, child: Session) -> bool:
        """Return whether a subagent works where it may do nothing through the client."""
        try:
            self._access.folder(child.id)
        except OutsideRoots:
            return True
        except NotGranted:
            return False
        return False

    def cancel_child(self, session_id: str) -> bool:
        """Stop a subagent; return False if the agent cannot do that.

        Its open questions and those of its own subagents are answered `cancelled`. An update reports its
        end; its parent goes on.
        """
        child = self._sessions.find(session_id)
        one = child.parent.subagent(session_id) if child is not None and child.parent is not None else None
        if child is None or one is None or not one.can_cancel:
            return False
        for session in (child, *child.descendants()):
            self._questions.cancel(session.id, "stop")
            self._client_questions.cancel(session.id, "stop")
        self.connection.notify("session/cancel", {"sessionId": session_id})
        return True

    def note_own(self, session_id: str, event: Event) -> None:
        """Apply an event caused by the user; a shell command is journaled with the end of its output."""
        if isinstance(event, events.CommandStarted):
            self.connection.journal_row(
                {"ran": event.terminal_id, "session": session_id, "command": event.command}
            )
        elif isinstance(event, events.CommandPrinted):
            self.connection.journal_output(
                {"ran": event.terminal_id, "session": session_id, "more": event.text}
            )
        elif isinstance(event, events.CommandEnded):
            ended = {"ran": event.terminal_id, "session": session_id, "code": event.exit_code}
            self.connection.journal_row({**ended, "output": event.output[-KEPT_OUTPUT:]})
        self.note(session_id, event)

    def _journal_piece(self, terminal: Terminal, text: str) -> None:
        """Write a piece of a terminal's output to the journal, before it is drawn."""
        self.connection.journal_output({"printed": terminal.id, "session": terminal.owner, "more": text})

    def _journal_end(self, terminal: Terminal) -> None:
        """Write the end of a terminal's output to the journal: the agent may never ask for it."""
        printed = terminal.kept()[-KEPT_OUTPUT:].decode("utf-8", "replace")
        self.connection.journal_row({"printed": terminal.id, "session": terminal.owner, "output": printed})

    def assign(self, message: Request | Notification) -> str:
        """Add the session to a message that names none; return an error if there are several."""
        params = message.params
        if type(params) is not dict or params.get("sessionId") is not None:
            return ""
        if (
            message.method not in _SESSION_METHODS
            or session_events.session_of(params) != session_events.OUTSIDE
        ):
            return ""
        if message.method == "elicitation/create" and (
            not self.sessions or params.get("requestId") is not None
        ):
            return ""  # it belongs to a login
        if len(self.sessions) != 1:
            return f"Invalid params: sessionId is missing, and {len(self.sessions)} sessions are open"
        (session_id,) = self.sessions
        message.params = {**params, "sessionId": session_id}
        named: dict[str, Any] = {"jsonrpc": "2.0", "method": message.method, "params": message.params}
        if isinstance(message, Request):
            named["id"] = message.id
        # With the session in the journal, a replay does not depend on the sessions open at that time.
        message.line = ascii_line(named)
        return ""

    def asked(self, request: Request) -> None:
        """Serve a request of the agent, or open a question for it."""
        if request.method in ("session/request_permission", "elicitation/create"):
            session = self._sessions.find(session_events.session_of(request.params))
            self._questions.asked(request, session, self.name)
        elif request.method in SERVED:
            self._service.begin(request)
        elif request.method == DRAIN:
            self._give_queued(request)
        else:
            data = {"method": request.method}
            self.connection.fail(request, METHOD_NOT_FOUND, "Method not found", data)

    def _give_queued(self, request: Request) -> None:
        """Answer at once with the queued text for the running turn: agents wait 2 s."""
        session_id = session_events.session_of(request.params)
        take = self.queues.get(session_id)
        messages, has_more = take() if take is not None else ([], False)
        self._asking.add(session_id)
        self.connection.reply(request, {"messages": messages, "hasQueuedPrompt": has_more})

    def request_cancelled(self, request: Request) -> None:
        """Stop the work on a request that the agent has cancelled."""
        if not self._service.take_back(request):
            self._questions.take_back(request)

    def login_notified(self, method: str, params: Any) -> None:
        """Take a notification about the login."""
        self.logins.notified(method, params)

    def late_response(self, response: Response) -> None:
        """Close a session whose request was given up: nobody would answer its questions."""
        session_id = session_events.session_of(response.result)
        made = response.call.method in ("session/new", "session/fork") and session_id in self.sessions
        if made and not self.setup.is_granted(session_id):  # else a conversation has a session of this id
            closing = asyncio.create_task(self.close_session(session_id))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def stray_line(self, line: StrayLine) -> None:
        """Pass on a stray line."""
        if self.on_stray is not None:
            self.on_stray(line)

    def dropped(self, message: Dropped) -> None:
        """Show in the chat that a message was too large, and what it may have been."""
        session_id = session_named_in(message.line)
        known = [self.sessions[session_id]] if session_id in self.sessions else list(self.sessions.values())
        what = message.method or "a message whose kind is not known"
        text = f"A message of the agent is too large and was dropped: {what}, {message.reason}."
        waiting = self.connection.waiting_for
        if not message.method and waiting:
            text += (
                f" It may have been the answer to {', '.join(waiting)}, which will not"
                " come: if the turn hangs, stop it or restart the agent."
            )
        for session in known:
            self._tell(session.id, text, "warning")

    def wrote(self, session_id: str, written: Written) -> None:
        """Note a file that was written for the agent."""
        self.connection.journal_row(
            {"wrote": written.path, "session": session_id, "old": written.old, "new": written.new}
        )
        self.note(session_id, events.Wrote(written.path, written.old, written.new))
        session = self._sessions.find(session_id)
        if session is not None:
            self._amendments.overwritten(session, written)
        led_to = link_target(written.path, written.real, session.cwd) if session is not None else ""
        if led_to:
            self._tell(session_id, f"{written.path} is a link to {led_to}, which was written.")
        if written.other_names:
            text = f"{written.path} has hard links: its other names show the change, too."
            self._tell(session_id, text)

    async def authorize(self, session_id: str, request: ImplicitRequest) -> Stale | None:
        """Wait until an implicit request may go on; return the old text that the user saw, for a write.

        Raises:
            Denied, Refused.
            NotGranted: the session was closed meanwhile.
        """
        session = self._sessions.find(session_id)
        if session is None:
            raise NotGranted(f"unknown session: {session_id}")
        return await self._implicit_requests.authorize(session, self.name, request)

    async def may_overwrite(self, session_id: str, stale: Stale) -> MergeToWrite | None:
        """Wait until a file with changes that the agent has not read may be replaced; return a merge, if any.

        Raises:
            FileError: it may not.
        """
        return await self._stale_writes.decide(session_id, stale)

    def amendment(self, session_id: str, target: Target, content: str) -> Amendment | None:
        """Return the user's own text for a write, if there is one."""
        session = self._sessions.find(session_id)
        return self._amendments.of(session, target, content) if session is not None else None

    def amendment_done(self, session_id: str, amendment: Amendment) -> None:
        """Note that the user's text is in its file."""
        self._amendments.done(session_id, amendment)

    def amended(self, session_id: str, path: str, how: str) -> None:
        """Report that a file has the user's text: in the chat now, to the agent with the next prompt."""
        session = self._sessions.find(session_id)
        name = inside(path, session.cwd) if session is not None else path
        words = {
            "merged": f"You merged {name} with the newer text before it was written.",
            "combined": f"You edited {name} before it was written. It had changed meanwhile: it has both.",
        }
        self._tell_act(session_id, words.get(how, f"You {how} {name} before it was written."))
        listener = self.on_amended.get(session.root.id) if session is not None else None
        if listener is not None:
            listener(path, how)

    def not_amended(self, session_id: str, path: str, why: str, kept: str) -> None:
        """Show in the chat where the user's text was saved, since it could not be written to its file."""
        session = self._sessions.find(session_id)
        name = inside(path, session.cwd) if session is not None else path
        self._tell(
            session_id, f"Your version of {name} was not written: {why}", "warning", f"It is in {kept}"
        )

    def _stale_write_decided(self, session_id: str, path: str, answer: ClientAnswer) -> None:
        """Record the answer about a stale write."""
        session = self._sessions.find(session_id)
        if session is not None:
            call = call_behind(session, ImplicitRequest("edit", path))
            self._recorder.stale_write(session, call, path, answer)

    def show_stray_lines(self, session_id: str) -> None:
        """Show the newest stray lines in the chat."""
        self._tell(
            session_id, "The agent prints lines that are not ACP messages.", detail=self.connection.new_strays
        )

    def _tell_act(self, session_id: str, text: str) -> None:
        """Add a notice about an allowed or denied act to the chat, at the place of its tool call."""
        self._tell(session_id, text, is_act=True)

    def _tell(
        self,
        session_id: str,
        text: str,
        severity: Severity = "info",
        detail: str = "",
        *,
        is_act: bool = False,
    ) -> None:
        """Add a notice to the chat."""
        self.note(session_id, events.Noted(text, severity, detail, is_act))


def _noted_row(session_id: str, said: events.Noted) -> dict[str, Any]:
    """Return the journal row of a notice: a replay shows it, too."""
    row: dict[str, Any] = {"noted": said.text, "session": session_id}
    row |= {"severity": said.severity} if said.severity != "info" else {}
    row |= {"detail": said.detail} if said.detail else {}
    return row | ({"act": True} if said.is_act else {})
