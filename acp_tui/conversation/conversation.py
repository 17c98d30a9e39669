"""A conversation: an agent and one session of it, from the start to the end, and again after a restart.

It has no widgets and no layout: the screen implements `ConversationListener` and calls methods. Only the
conversation itself changes its phase and its session.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from acp_tui.agent import replay as replays
from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError, AgentGone, LoginRequired, OtherVersion, gone, logged_out
from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.changes import snapshots
from acp_tui.changes import tracker as change_tracking
from acp_tui.conversation import failure as failures
from acp_tui.conversation import login as logging_in
from acp_tui.conversation.choices import SessionChoices
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.conversation.prompt_queue import PromptQueue
from acp_tui.conversation.rejections import Rejections
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_start import KnownSession, SessionStart
from acp_tui.conversation.start_options import Start
from acp_tui.conversation.state import ConversationListener, ConversationState, Phase
from acp_tui.conversation.system_prompt import SystemPrompt
from acp_tui.formatting import inside
from acp_tui.protocol.schema import SessionInfo, has
from acp_tui.session.entries import Entry, OwnTerminal, ToolCall
from acp_tui.session.events import Noted, RangeChosen, SessionChange
from acp_tui.session.file_changes import new_names
from acp_tui.session.questions import Question
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.folders import config_folder, data_folder, snapshots_folder, state_folder
from acp_tui.store.journal import Journal
from acp_tui.store.prompts import Prompt
from acp_tui.store.recordings import RecordedSession, rows_of
from acp_tui.workspace.terminals import Terminal

log = logging.getLogger(__name__)
T = TypeVar("T")

_LOGIN_WAIT: Final = 2.0
"""Most seconds to wait for the state of the login."""
_NOT_IN_VERSION_2: Final = "The agent does not speak version 2 of the protocol; version 1 is used."


class QuestionsByKey(Mapping[tuple[str, str], "Question"]):
    """The open questions of several sessions by (session id, key): a view, not a copy."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions

    def __getitem__(self, key: tuple[str, str]) -> Question:
        """Return a question."""
        for session in self._sessions:
            if session.id == key[0] and key[1] in session.questions:
                return session.questions[key[1]]
        raise KeyError(key)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the keys in the order of the sessions, the oldest first."""
        for session in self._sessions:
            for key in session.questions:
                yield session.id, key

    def __len__(self) -> int:
        """Return the number of questions."""
        return sum(len(session.questions) for session in self._sessions)

    @property
    def visits(self) -> int:
        """The number of URLs that the user is visiting."""
        everything = chain.from_iterable(session.questions.values() for session in self._sessions)
        return sum(getattr(question, "visiting", False) for question in everything)

    def __repr__(self) -> str:
        """Return the open questions, for test failures."""
        return repr(dict(self))


class Conversation(ConversationState):
    """An agent and one session of it."""

    def __init__(
        self,
        start: Start,
        listener: ConversationListener,
        logins: logging_in.LoginScreens,
        running: RunningAgent | None = None,
        known_session: KnownSession | None = None,
    ) -> None:
        """Prepare a conversation, which starts with `begin`.

        Args:
            start: the command line and the settings.
            listener: shows the conversation.
            logins: shows the user what a login needs.
            running: an agent of other conversations; None: start one.
            known_session: a session of the agent to open; None: create a new one.
        """
        super().__init__(start, running.launch if running is not None else start.launch)
        self.failure: failures.Failure | None = None
        """The reason of the phase `failed` or `ended`."""
        self.waiting_since = time.monotonic()
        """The monotonic time of the start of the phase."""
        self.recorded: RecordedSession | None = None
        """The recorded session that is shown, in the phase `recorded`."""
        self._listener = listener
        self._logins = logins
        self._session_start = SessionStart(start, known_session)
        self._process: Process | None = start.process if running is None else None
        self._spawn_error = start.spawn_error if running is None else None
        self._strays_shown: tuple[str, int] | None = None
        """The last turn in which stray lines were shown in the chat."""
        self._is_closed = False
        self._leaving: asyncio.Task[None] | None = None
        self._moving: asyncio.Task[None] | None = None
        self.rejections = Rejections(listener.queue_changed, wanted=start.settings.tell_rejections)
        """The rejected changes, reported to the agent with the next prompt."""
        self.line_notes = LineNotes(listener.queue_changed, self._new_names_of)
        """The user's notes on lines, sent with the next prompt."""
        self.choices = SessionChoices(self, start)
        self.prompts = PromptQueue(self, listener, self.rejections, self.line_notes, self._log_in_again)
        """The queued prompts, sent one by one after the turn or the start."""
        if running is not None:
            self._join(running)

    def _new_names_of(self, path: str) -> list[str]:
        """Return the possible new paths of a missing file."""
        return new_names(self.session.all_files.values(), path) if self.session is not None else []

    # ------------------------------------------------------------------ start and end

    async def begin(self, launch: Launch | None = None) -> None:
        """Start the agent, or use the one that is starting, and open a session.

        A failure ends in the phase `failed`, with the reason in `failure`.
        """
        self.round += 1
        this = self.round
        self.launch = launch or self.launch
        self.failure = None
        self._enter("starting")
        if this == self.round and (running := self._start_agent()) is not None:
            await self._start_session(running, this)

    async def restart(self, launch: Launch | None = None) -> None:
        """End the agent and begin again, with the same session if the agent can load it.

        The chat and the changed files stay on the screen.
        """
        await self._leave()
        if self._is_closed:
            return
        self._session_start.restarts(self.session, same_agent=launch is None)
        self.session = None
        await self.begin(launch)

    async def begin_new(self) -> None:
        """Begin a new session with the agent, below an earlier one that the agent does not know."""
        self._session_start.begins_new(self.session)
        self.session = None
        if self.running is None or not self.running.is_running:
            await self.restart()
        else:
            await self.begin()

    async def show_recorded(self, recorded: RecordedSession) -> bool:
        """Show a recorded session, until `continue_recorded`; return whether the journal holds one.

        Raises:
            OSError: the journal cannot be opened.
        """
        this, rows = self.round, rows_of(recorded)
        self._enter("reading")
        sessions = (await replays.replay_in_slices(rows)).sessions
        if this != self.round:
            return True  # the user has left in the meantime
        if not sessions:
            self._enter("starting")
            return False
        session = sessions.get(recorded.session_id) or next(reversed(sessions.values()))
        self.session, self.recorded = session, recorded
        self._enter("recorded")
        self._listener.session_changed(session.everything())
        return True

    async def continue_recorded(self, launch: Launch, prompt: Prompt | None = None, cwd: str = "") -> None:
        """Load the recorded session if the agent can, else begin a new one below it.

        Args:
            launch: the command of the agent of that session.
            prompt: sent as soon as possible.
            cwd: the folder to work in; empty: that of the session.
        """
        self._session_start.restarts(self.session, same_agent=True, cwd=cwd, recorded=True)
        self.session = self.recorded = None
        self._enter("starting")
        if prompt is not None:
            self.say(prompt)
        await self.begin(launch)

    async def end(self) -> None:
        """Leave the agent for good; the last conversation ends it. May be called again, even concurrently."""
        self._is_closed = True
        await self._leave()
        tracker = self.tracker
        if tracker is not None:
            await asyncio.shield(tracker.settle())  # others still use the agent, so its journal is open
            await asyncio.shield(tracker.close())
            self.tracker = None  # not earlier, so that a second `end` also waits

    async def _leave(self) -> None:
        if self._leaving is None:
            self._leaving = asyncio.create_task(self._leave_once())
        await asyncio.shield(self._leaving)

    async def _leave_once(self) -> None:
        self.round += 1
        self._enter("ending")
        try:
            if self.running is not None:
                await self.running.leave(self, self.session)
            elif self._process is not None:
                await self._process.stop()
            await self.prompts.end()
        finally:
            self._leaving = None
            self.running = self._process = None

    @property
    def has_commands(self) -> bool:
        """True while a command of the agent, or a background process of one, may be running."""
        access, session = self.access, self.session
        return access is not None and session is not None and access.terminals.has_any(session.id)

    @property
    def background(self) -> list[Terminal]:
        """The terminals of the agent's commands that have left a process running."""
        if self.access is None or self.session is None:
            return []
        return self.access.terminals.background(self.session.id)

    @property
    def journal(self) -> Journal | None:
        """The journal of the connection, while there is one."""
        return self.running.journal if self.running is not None else None

    @property
    def command(self) -> Sequence[str]:
        """The agent's program and arguments."""
        return self.launch.argv if self.launch is not None else ()

    @property
    def agent_name(self) -> str:
        """The name of the agent to show: its own, once it is known."""
        if self.agent is not None:
            return self.agent.title
        own = self.recorded.agent if self.recorded is not None else ""
        return own or (self.launch.title if self.launch is not None else "agent")

    @property
    def waits_too_long(self) -> bool:
        """True if the start takes so long that the user should be offered a choice."""
        waited = time.monotonic() - self.waiting_since
        is_waiting = self.phase == "starting" and self.agent is not None
        return is_waiting and waited >= self._start.settings.initialize_timeout_s

    @property
    def strays(self) -> str:
        """The newest stray lines of the agent, if no message has come for a while."""
        connection = self.agent.connection if self.agent is not None else None
        return connection.strays if connection is not None and connection.says_only_strays else ""

    def show_stray_lines(self) -> None:
        """Show stray lines in the chat, once in a turn."""
        if self.agent is None or self.session is None or not self.is_busy or self.session.questions:
            return
        turn = (self.session.id, len(self.session.turns))
        if turn != self._strays_shown and self.strays:
            self._strays_shown = turn
            self.agent.show_stray_lines(self.session.id)

    # ------------------------------------------------------------------ prompts and answers

    @property
    def above(self) -> Session | None:
        """The earlier session above this one, which the agent does not know."""
        return self._session_start.above

    @property
    def questions(self) -> QuestionsByKey:
        """The open questions: first those outside any session, as in logins, then the oldest."""
        sessions = [self.agent.outside] if self.agent is not None else []
        sessions += [self.session, *self.session.descendants()] if self.session is not None else []
        return QuestionsByKey(sessions)

    def say(self, prompt: Prompt | str) -> None:
        """Send a prompt; queue it while the agent is busy or starting, give it back if it has ended."""
        prompt = Prompt(prompt) if isinstance(prompt, str) else prompt
        wants = self._start.settings.busy_enter == "steer" and not self.questions
        self.prompts.add(prompt._replace(steers=True) if wants else prompt)

    @property
    def can_steer(self) -> bool:
        """True if a turn is running that accepts text."""
        agent, session = self.agent, self.session
        if agent is None or session is None or session.turn_state != "running":
            return False
        return agent.accepts_text(session.id)

    @property
    def accepts_text(self) -> bool:
        """True if a turn accepts text now; during a question, text waits in the queue."""
        return self.can_steer and not self.questions

    def stop(self) -> bool:
        """Stop the turn and give queued prompts back; return whether there was a turn to stop."""
        stopped = self.prompts.withdraw() or self.cancel()
        if stopped:
            self.prompts.give_back()
        return stopped

    def cancel(self) -> bool:
        """Stop the turn, or work of the agent outside a turn; then queued prompts are sent.

        Returns whether there was anything to stop.
        """
        session = self.session
        if self.agent is None or session is None:
            return False
        if session.turn_state != "running" and not self.works_by_itself:
            return False
        self.agent.cancel(session.id)
        return True

    def cancel_child(self, session_id: str) -> bool:
        """Stop a subagent; return False if the agent cannot."""
        return self.agent is not None and self.agent.cancel_child(session_id)

    async def cancel_alone(self, call: ToolCall | OwnTerminal) -> str:
        """Stop a call or a terminal of the agent; return the reason why that is not possible, or ""."""
        if self.agent is None or self.session is None:
            return "The agent is not running."
        try:
            if isinstance(call, ToolCall):
                await self.agent.cancel_call(self.session.id, call.tool_call_id)
            else:
                await self.agent.cancel_terminal(self.session.id, call.terminal_id)
        except AgentError as error:
            return str(error)
        return ""

    def name_of(self, session_id: str) -> str:
        """Return the name of the agent, or of a subagent, by the id of its session."""
        if self.session is None or session_id == self.session.id:
            return self.agent_name
        child = next((each for each in self.session.descendants() if each.id == session_id), None)
        return child.title if child is not None else "another agent"

    def speaker(self, session_id: str) -> str:
        """Return the name of the asker in a session: the agent, or `Explorer of Claude`."""
        is_child = self.session is not None and any(
            each.id == session_id for each in self.session.descendants()
        )
        return f"{self.name_of(session_id)} of {self.agent_name}" if is_child else self.agent_name

    def answer(
        self,
        question: tuple[str, str],
        option_id: str | None,
        how: str = "",
        amendments: Sequence[Amendment] = (),
    ) -> None:
        """Answer a permission.

        Args:
            question: the session and the key of the question.
            option_id: the answer; None: cancelled.
            how: the key or the click of the user.
            amendments: texts that the user wrote in place of the proposed ones.
        """
        if self.agent is not None:
            self.agent.answer(*question, option_id, AnsweredBy("person", how), amendments)

    def answer_form(self, question: tuple[str, str], action: str, content: dict[str, Any] | None) -> None:
        """Answer a form or an address."""
        if self.agent is not None:
            self.agent.answer_form(*question, action, content)

    async def ask(self, ask: Callable[[Agent], Awaitable[T]]) -> T:
        """Return the result of a request to the agent; if it needs a login first, request again after that.

        Raises:
            LoginRequired: the user did not log in, or the login did not help.
            AgentError.
        """
        before, session = self.agent, self.session
        if before is None:
            raise AgentGone("There is no agent.")
        try:
            return await ask(before)
        except LoginRequired as refused:
            agent = await self.log_in(refused)
        if agent is not before and session is not None:
            await self.reopen_session(agent, session)
        return await ask(agent)

    async def set_title(self, title: str) -> str:
        """Set the session's title at the agent, if it can; return the title to show.

        Raises:
            AgentError: it was refused.
        """
        agent, session = self.agent, self.session
        if agent is None or session is None or not has(agent.can.session_capabilities.title) or not title:
            return title
        return await agent.set_title(session.id, title)

    async def fork(self, info: SessionInfo) -> SessionInfo:
        """Have the agent fork one of its sessions; the fork is open but not shown anywhere.

        Raises:
            AgentError.
        """

        def ask(agent: Agent) -> Awaitable[SessionInfo]:
            assert self.journal is not None
            return self._session_start.fork(agent, self.journal, info)

        return await self.ask(ask)

    async def show_changes_since(self, turn: int) -> None:
        """Set the first turn of the shown changes, also in a recorded session."""
        if self.tracker is not None:
            await self.tracker.show_since(turn)
        elif self.session is not None and (change := self.session.apply(RangeChosen(turn))) is not None:
            self._listener.session_changed(change)

    def pause_output(self) -> None:
        """Stop reading the agent's output: too much of it is still to be drawn."""
        if self.running is not None:
            self.running.agent.connection.pause_reading(self)

    def resume_output(self) -> None:
        """Read the agent's output again."""
        if self.running is not None:
            self.running.agent.connection.resume_reading(self)

    # ------------------------------------------------------------------ the agent

    def _join(self, running: RunningAgent) -> None:
        self.running = running
        if (first := running.take_first_session()) is not None:
            self._session_start = first
        else:
            self._session_start.system_prompt = SystemPrompt(running.launch.system_prompt)
        running.users.append(self)

    def _start_agent(self) -> RunningAgent | None:
        """Return the agent, started if needed; if that fails, enter the phase `failed` and return None."""
        try:
            if self.running is None:
                assert self.launch is not None
                self._process = self._process or self._spawn(self.launch)
                self._join(RunningAgent(self._start, self.launch, self._process))
            return self.running
        except SpawnFailed as error:
            self.failure = failures.Failure("spawn", str(error), advice=error.advice)
        self.prompts.give_back()
        self._enter("failed")
        return None

    def _spawn(self, launch: Launch) -> Process:
        error, self._spawn_error = self._spawn_error, None
        if error is not None:
            raise error
        return self._start.spawn(launch)

    async def log_in(self, refused: LoginRequired, *, again: bool = False) -> Agent:
        """Let the user log in; return the agent to use. `again`: an earlier login did not help.

        Raises:
            LoginRequired: the user did not log in.
            AgentGone.
        """
        assert self.running is not None
        outcome = await logging_in.log_in(self.running, refused, self._logins, again=again)
        if outcome == "given_up":
            raise refused
        if outcome == "reconnect":
            return await self._reconnect(self.running)
        return self.running.agent

    async def _log_in_again(
        self, refused: LoginRequired, before: Agent, session: Session
    ) -> tuple[Agent, Session]:
        """Let the user log in to an agent with a session; return (agent, session), which may be new.

        Raises:
            LoginRequired: the user did not log in.
            AgentError.
        """
        agent = await self.log_in(refused)
        return agent, session if agent is before else await self.reopen_session(agent, session)

    async def _reconnect(self, before: RunningAgent) -> Agent:
        """Restart the agent after a login in a terminal; the other conversations follow.

        Raises:
            AgentGone: it cannot be started, or the conversation has ended.
        """
        others = [user for user in before.users if user is not self]
        running = await self._begin_anew(before)
        await running.initialize()
        for other in others:
            other.follow(running)
        return running.agent

    async def _begin_anew(self, before: RunningAgent) -> RunningAgent:
        """Leave a process of the agent; return a new one.

        Raises:
            AgentGone: it cannot be started, or the conversation has ended.
        """
        this = self.round
        await before.leave(self, self.session)
        if this == self.round:
            self.running = self._process = None
        running = self._start_agent() if this == self.round else None
        if running is None:
            raise AgentGone(gone())
        return running

    def follow(self, running: RunningAgent) -> None:
        """Move to another process of the agent; a running turn stays with its process."""
        if self.phase == "ready" and not self.is_busy and self.session is not None:
            self._moving = asyncio.create_task(self._move(running, self.session))

    async def _move(self, running: RunningAgent, session: Session) -> None:
        this, before = self.round, self.running
        self._enter("starting")
        self.resume_output()
        self._join(running)
        if before is not None:
            before.agent.sessions.pop(session.id, None)  # the session does not depend on its end
        try:
            await self.reopen_session(running.agent, session)
        except AgentError as error:
            self._fail(running.agent, error)
        finally:
            if before is not None:
                await before.remove(self)
        if this == self.round and self.phase == "starting":
            self._go_on()

    # ------------------------------------------------------------------ the session

    async def _start_session(self, running: RunningAgent, this: int) -> None:
        """Open a session and enter the phase `ready`, unless this round ends before that."""
        try:
            wanted = self.launch.protocol if self.launch is not None else 1
            agent, session = await self._open_session((await self._initialized(running)).agent)
            if this == self.round:
                self._show(session)
                if wanted == 2 and agent.connection.version != wanted:
                    agent.note(session.id, Noted(_NOT_IN_VERSION_2))
                self._session_start.tell(agent, session, self.sandbox)
                if self._session_start.is_below:
                    self.prompts.give_back()  # they were meant for an agent that knows the session above
                self._tell_write_failures(session)
                self.choices.apply_policy(session)
                await self.choices.begin(agent, session, is_new=self._session_start.is_new)
            if not session.connected:
                raise AgentGone(gone())
        except AgentError as error:
            if this == self.round and self.phase != "failed":
                self._fail(self.agent or running.agent, error)
            return
        if this == self.round:
            self._go_on(session)

    async def _initialized(self, running: RunningAgent) -> RunningAgent:
        """Return the initialized agent: a new process, if it needs another protocol version.

        Raises:
            AgentError.
        """
        try:
            await running.initialize()
        except OtherVersion as refused:
            assert self.launch is not None
            self.launch = self.launch._replace(protocol=refused.version)
            running = await self._begin_anew(running)
            await running.initialize()
        return running

    async def _open_session(self, agent: Agent) -> tuple[Agent, Session]:
        """Open a session; let the user log in first, as long as the agent requires it.

        Returns (session, agent): a login may restart the agent.
        """
        agent, again = await self._offer_login(agent), False
        while True:
            assert self.journal is not None
            try:
                return agent, await self._session_start.open(agent, self.journal)
            except AgentError as error:
                self._drop_replay(agent)
                if not isinstance(error, LoginRequired):
                    raise
                refused = error
            self._enter("logging-in")
            agent, again = await self.log_in(refused, again=again), True
            self._enter("starting")

    async def _offer_login(self, agent: Agent) -> Agent:
        """Let the user log in if the agent reports that this is needed; return the agent to use."""
        if not has(agent.can.auth.status):
            return agent
        try:
            async with asyncio.timeout(_LOGIN_WAIT):
                status = await agent.logins.read_status()
        except (AgentError, TimeoutError) as error:
            log.info("auth/status: %s", error)
            return agent
        if not status.is_logged_out or not agent.logins.methods():
            return agent
        self._enter("logging-in")
        try:
            return await self.log_in(logged_out())
        except LoginRequired:  # the user continues without: some work needs no login
            return agent
        finally:
            self._enter("starting")

    @property
    def system_prompt(self) -> SystemPrompt:
        """The user's additions to the agent's system prompt."""
        return self._session_start.system_prompt

    @property
    def prompt_sent(self) -> str:
        """The addition to the system prompt that was sent when the session was requested."""
        return self._session_start.prompt_sent

    async def reopen_session(self, agent: Agent, before: Session) -> Session:
        """Open a session of a restarted agent: the one before, if it can be resumed."""
        assert self.journal is not None
        self.session, same = await self._session_start.open_again(agent, self.journal, before)
        self.choices.apply_policy(self.session)
        if not same:
            self._session_start.tell(agent, self.session, self.sandbox)
            self._tell_write_failures(self.session)
        return self.session

    def _show(self, session: Session) -> None:
        if self.session is not session:
            self.session = session
            self._listener.session_changed(session.everything())

    def _drop_replay(self, agent: Agent) -> None:
        """Drop a session that failed to load during its replay."""
        if self.session is not None and self.session.id not in agent.sessions:
            self.session = None
            self._listener.session_dropped()

    def _track(self, session: Session) -> None:
        """Track the changed files of the workspace; after a restart, continue."""
        if self.tracker is not None:
            self.tracker.go_on(len(session.turns), is_known=0 in session.snapshots)
            return
        self.tracker = _tracker(self._start, self.cwd, self.note)
        if self.tracker is not None:
            self.tracker.on_look = self._listener.comparison_changed
            self.tracker.begin(session.past())

    def _tell_write_failures(self, session: Session) -> None:
        if self.running is not None:
            self.running.tell_write_failures(session.id)

    # ------------------------------------------------------------------ from the agent

    async def agent_stopped(self) -> None:
        """Compare the changed files one last time, while the journal is open."""
        if self.tracker is not None:
            await self.tracker.settle()

    def agent_ended(self) -> None:
        """Enter the phase `ended`: the agent has ended unexpectedly."""
        agent = self.agent
        if agent is not None and self.phase == "ready":
            self.failure = failures.ended(agent)
            self.prompts.give_back()
            self._enter("ended")

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Pass on a change of this conversation's session, or of questions outside any."""
        if self.agent is not None and session_id == self.agent.outside.id:
            self._listener.questions_changed()
            return
        if self._expects(session_id) and self.agent is not None:
            self.session = self.agent.sessions.get(session_id)
            if self.session is not None:
                change = self.session.everything()  # a recorded session has a past
        if self.session is not None and self.session.children and session_id != self.session.id:
            self._child_changed(session_id, change)
        if self.session is not None and session_id == self.session.id:
            self._listener.session_changed(change)
            self._tell_write_failures(self.session)
            entries = (self.session.entries[index] for index in change.entries)
            if self.tracker is not None and any(_has_ended(entry) for entry in entries):
                self.tracker.look_soon()

    def _child_changed(self, session_id: str, change: SessionChange) -> None:
        """Pass on a change of a subagent."""
        assert self.session is not None
        child = next((each for each in self.session.descendants() if each.id == session_id), None)
        if child is None:
            return
        self._listener.child_changed(child, change)
        entries = (child.entries[index] for index in change.entries)
        if self.tracker is not None and any(_has_ended(entry) for entry in entries):
            self.tracker.look_soon()

    def _expects(self, session_id: str) -> bool:
        """Return whether this may be the requested session: updates may precede the answer that names it."""
        if self.session is not None or self.running is None:
            return False
        if self._session_start.is_resumed_start:
            return self._session_start.awaits(session_id)
        return not self.running.is_shared

    def _fail(self, agent: Agent, error: Exception) -> None:
        """Enter the phase `failed`: no session was opened."""
        self.failure = failures.failure_of(
            agent, error, is_resumed_start=self._session_start.is_resumed_start
        )
        self.prompts.give_back()
        self._enter("failed")

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self.waiting_since = time.monotonic()
        self._listener.phase_changed()

    def _go_on(self, opened: Session | None = None) -> None:
        """Enter the phase `ready`, track the files of a session that was opened, and send queued prompts."""
        if self.agent is not None and self.session is not None:
            self.agent.queues[self.session.id] = self.prompts.drain
            self.agent.on_amended[self.session.id] = self._amended
        self._enter("ready")
        if opened is not None:
            self._track(opened)  # once the session is drawn: it loads a dozen modules
        self.prompts.go_on()

    def _amended(self, path: str, how: str) -> None:
        """Report with the next prompt that a file has the user's text instead of the agent's."""
        name = inside(path, self.cwd)
        done = "merged" if how == "merged" else "edited"
        with_newer = {"merged": " with a newer text", "combined": ", which has a newer text,"}.get(how, "")
        what = f"{done} your change of {name}{with_newer} before it was written: read it again"
        self.rejections.add_fact(what)


def _has_ended(entry: Entry) -> bool:
    return isinstance(entry, ToolCall) and entry.is_final


def _tracker(
    start: Start, cwd: str, tell: Callable[[change_tracking.WorkspaceEvent], None]
) -> change_tracking.ChangeTracker | None:
    """Return the tracker of a session's changed files; None if the settings disable it."""
    if not start.settings.snapshots:
        return None
    root = Path(cwd)
    if change_tracking.is_too_wide(root):
        tell(Noted("Only changes that the agent reports are shown: the workspace is your home folder."))
        return None
    ours = (config_folder(), data_folder(), state_folder())
    return change_tracking.ChangeTracker(snapshots.Snapshots(snapshots_folder(), root, ours), cwd, tell)
