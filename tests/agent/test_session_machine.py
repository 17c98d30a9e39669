"""A conversation in any order: its journal tells the same session that was live."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.agent import connection
from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.replay import replay
from acp_tui.protocol.schema import TextContent
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.workspace.terminals import Terminals
from tests.agent.puppet import ABLE, OPTIONS, SESSION, Puppet, text, update
from tests.journals import MemoryJournal, told
from tests.sent import Frame
from tests.waiting import PATIENCE, settled

pytestmark = pytest.mark.slow

CALLS = st.sampled_from(("call_0", "call_1"))
MESSAGES = st.sampled_from((None, "m0", "m1"))
SPEAKERS = st.sampled_from(("agent_message_chunk", "agent_thought_chunk", "user_message_chunk"))
STATUSES = st.sampled_from((None, "pending", "in_progress", "completed", "failed", "of tomorrow"))
IDS = st.sampled_from((0, 1, "1"))
ENDS: st.SearchStrategy[Frame] = st.sampled_from(
    (
        {"result": {"stopReason": "end_turn"}},
        {"result": {"stopReason": "end_turn", "content": [text("last words")]}},
        {"result": {"stopReason": "refusal"}},
        {"result": {"stopReason": "cancelled"}},
        {"result": None},
        {"error": {"code": -32603, "message": "no"}},
        {"error": {"code": -32800, "message": "stopped"}},
    )
)
EXITS = st.sampled_from(((0, None), (3, None), (None, "SIGKILL")))


class Recorded(RuleBasedStateMachine):
    """A live session, and beside it the rows that are written down of it."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(connection, "GROWTH", 0.0)  # what comes is read at once
        self.loop = asyncio.new_event_loop()
        self.journal = MemoryJournal()
        self.numbers = itertools.count()
        self.held: list[Frame] = []
        """Frames that the agent sends together with the next one."""
        self.running: list[asyncio.Task[Any]] = []
        self.turn: Frame | None = None
        self.wait(self.start())

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, PATIENCE))

    async def start(self, before: Session | None = None) -> None:
        """Start a process of the agent; it goes on with the session that an earlier one has left."""
        self.journal.note({"start": ["agent"]})
        self.puppet, access = Puppet(), AgentAccess(terminals=Terminals(), policy="ask")
        self.agent = Agent(self.puppet, access, self.journal, lambda *_: None, name="puppet")
        self.running.append(asyncio.create_task(self.agent.run()))
        starting = asyncio.create_task(self.agent.initialize())
        answer = {"protocolVersion": 1, "agentCapabilities": ABLE}
        self.puppet.answers(await self.puppet.hears("initialize"), answer)
        await starting
        setup = self.agent.setup
        if before is None:
            making = asyncio.create_task(setup.new_session("/w"))
            self.puppet.answers(await self.puppet.hears("session/new"), {"sessionId": SESSION})
        else:
            making = asyncio.create_task(setup.load_session(SESSION, "/w", replay=False, before=before))
            self.puppet.answers(await self.puppet.hears("session/resume"), {})
        await making

    @property
    def session(self) -> Session:
        return self.agent.sessions[SESSION]

    def word(self) -> str:
        return f"<{next(self.numbers)}>"

    def says(self, frame: Frame, *, more: bool = False) -> None:
        self.held.append(frame)
        if not more:
            self.puppet.says(*self.held)
            self.held = []
            self.wait(settled())

    @precondition(lambda self: self.turn is None)
    @rule()
    def prompts(self) -> None:
        async def prompt() -> None:
            words = [TextContent(text=self.word())]
            self.running.append(asyncio.create_task(self.agent.prompt(SESSION, list(words))))
            self.turn = await self.puppet.hears("session/prompt")

        self.wait(prompt())

    @rule(kind=SPEAKERS, name=MESSAGES, more=st.booleans())
    def speaks(self, kind: str, name: str | None, more: bool) -> None:
        named = {"messageId": name} if name is not None else {}
        self.says(update(kind, content=text(self.word()), **named), more=more)

    @rule(kind=st.sampled_from(("tool_call", "tool_call_update")), name=CALLS, status=STATUSES)
    def tells_of_a_call(self, kind: str, name: str, status: str | None) -> None:
        self.says(update(kind, toolCallId=name, title=self.word(), status=status), more=status is None)

    @rule(request_id=IDS, name=CALLS, status=STATUSES, more=st.booleans())
    def asks(self, request_id: object, name: str, status: str | None, more: bool) -> None:
        call = {"toolCallId": name, "title": self.word(), "status": status}
        params = {"sessionId": SESSION, "toolCall": call, "options": OPTIONS}
        self.says({"id": request_id, "method": "session/request_permission", "params": params}, more=more)

    @rule(request_id=IDS)
    def takes_a_question_back(self, request_id: object) -> None:
        self.says({"method": "$/cancel_request", "params": {"requestId": request_id}})

    @precondition(lambda self: self.session.questions)
    @rule(data=st.data(), option=st.sampled_from(("yes", "no", None)))
    def answers(self, data: st.DataObject, option: str | None) -> None:
        key = data.draw(st.sampled_from(sorted(self.session.questions)))
        question = self.session.questions[key]
        assert isinstance(question, Permission)
        others = [each for each in self.session.questions if each != key]
        self.agent.answer(SESSION, key, option)
        assert list(self.session.questions) == others

    @rule()
    def stops(self) -> None:
        self.agent.cancel(SESSION)
        assert self.session.turn_state != "running"
        assert not self.session.questions or self.turn is None

    @precondition(lambda self: self.turn is not None)
    @rule(end=ENDS)
    def ends(self, end: Frame) -> None:
        assert self.turn is not None
        self.says({"id": self.turn["id"], **end})
        self.turn = None

    @rule(status=EXITS)
    def dies_and_is_started_again(self, status: tuple[int | None, str | None]) -> None:
        self.turn, self.held = None, []
        before = self.session
        self.puppet.exits(*status)
        self.wait(self.is_over())
        self.wait(self.start(before))

    @invariant()
    def a_turn_runs_until_its_answer_comes(self) -> None:
        assert (self.session.turn_state == "idle") == (self.turn is None)

    async def is_over(self) -> None:
        await asyncio.gather(*self.running, return_exceptions=True)
        self.running.clear()

    def teardown(self) -> None:
        self.wait(self.agent.stop())
        self.wait(self.is_over())
        self.loop.close()
        self.patch.undo()
        assert told(replay(self.journal.rows).sessions[SESSION]) == told(self.session)


TestRecorded = Recorded.TestCase
TestRecorded.settings = settings(max_examples=50, stateful_step_count=30)
