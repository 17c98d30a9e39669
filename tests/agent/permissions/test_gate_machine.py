"""Requests, answers, news, acts and ends in any order: only what was shown and allowed goes on unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.agent.permissions.client_questions import Refused
from acp_tui.agent.permissions.grants import ImplicitRequest
from acp_tui.agent.session_events import question_key
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from tests.agent.puppet import CANCELLED, OPTIONS, Conversation, chosen, conversation
from tests.sent import Frame
from tests.waiting import settled, until

pytestmark = pytest.mark.slow

SESSIONS = st.sampled_from(("s1", "s2"))
CALLS = st.sampled_from(("t1", "t2"))
COMMANDS = st.sampled_from(("ls", "make", "rm x"))
KINDS = st.sampled_from(("execute", "think"))
IDS = st.sampled_from((0, 1, "1"))
TURN: Frame = {"stopReason": "end_turn"}


class Gate(RuleBasedStateMachine):
    """An agent that does what it likes, and a user who answers; beside them, what must be so."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.opened: AbstractAsyncContextManager[Conversation] = conversation(policy="ask")
        self.talk = self.wait(self.opened.__aenter__())
        self.wait(self.talk.made("s2"))
        self.turns: dict[str, Frame] = {}
        self.open: dict[tuple[str, object], tuple[str, str]] = {}
        """The command and kind that each open question shows, by its session and the id of its request."""
        self.expected: list[tuple[object, Frame]] = []
        """The answers that must have gone out."""
        self.allowed: dict[str, list[str]] = {"s1": [], "s2": []}
        """The commands that were shown, allowed and not run yet."""

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def says(self, frame: Frame) -> None:
        self.talk.puppet.says(frame)
        self.wait(settled())

    def session(self, name: str) -> Session:
        found: Session = self.talk.agent.sessions[name]
        return found

    def close(self, session: str, request_id: object, answer: Frame) -> None:
        del self.open[session, request_id]
        self.expected.append((request_id, answer))

    def close_all(self, session: str) -> None:
        for name, request_id in list(self.open):
            if name == session:
                self.close(session, request_id, CANCELLED)
        self.allowed[session].clear()

    @rule(session=SESSIONS)
    def prompt(self, session: str) -> None:
        if self.session(session).turn_state == "idle":
            self.turns[session], _ = self.wait(self.talk.prompted(session=session))
            self.allowed[session].clear()

    @rule(session=SESSIONS)
    def end_turn(self, session: str) -> None:
        if session in self.turns:
            self.says({"id": self.turns.pop(session)["id"], "result": TURN})
            self.close_all(session)

    @rule(session=SESSIONS)
    def stop(self, session: str) -> None:
        if self.session(session).turn_state == "running":
            self.talk.agent.cancel(session)
            self.close_all(session)

    @rule(
        session=SESSIONS,
        request_id=IDS,
        call=CALLS,
        command=COMMANDS,
        kind=KINDS,
    )
    def ask(self, session: str, request_id: object, call: str, command: str, kind: str) -> None:
        other = {name for name, used in self.open if same_id(used, request_id)} - {session}
        if other:
            return  # one id for two sessions at once: no answer could be told from the other
        said = {"toolCallId": call, "title": command, "kind": kind, "rawInput": {"command": command}}
        params = {"sessionId": session, "toolCall": said, "options": OPTIONS}
        was_open = (session, request_id) in self.open
        self.says({"id": request_id, "method": "session/request_permission", "params": params})
        if was_open:
            self.close(session, request_id, CANCELLED)
        if was_open or self.session(session).turn_state == "cancelling":
            self.expected.append((request_id, CANCELLED))
        else:
            self.open[session, request_id] = command, kind

    @rule(session=SESSIONS, call=CALLS, command=COMMANDS)
    def tell(self, session: str, call: str, command: str) -> None:
        update = {"sessionUpdate": "tool_call_update", "toolCallId": call, "title": command}
        update["rawInput"] = {"command": command}  # type: ignore[assignment]
        self.says({"method": "session/update", "params": {"sessionId": session, "update": update}})

    @precondition(lambda self: self.open)
    @rule(data=st.data(), option=st.sampled_from(("yes", "always", "no", None)))
    def answer(self, data: st.DataObject, option: str | None) -> None:
        session, request_id = data.draw(st.sampled_from(sorted(self.open, key=repr)))
        command, kind = self.open[session, request_id]
        self.talk.agent.answer(session, self.key(session, request_id), option)
        self.close(session, request_id, CANCELLED if option is None else chosen(option))
        if option in ("yes", "always") and kind == "execute":
            self.allowed[session].append(command)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        session, request_id = data.draw(st.sampled_from(sorted(self.open, key=repr)))
        self.says({"method": "$/cancel_request", "params": {"requestId": request_id}})
        self.close(session, request_id, CANCELLED)

    @rule(session=SESSIONS, command=COMMANDS)
    def act(self, session: str, command: str) -> None:
        wanted = ImplicitRequest("execute", command=command)
        went_on = self.wait(self.goes_on(session, wanted))
        assert went_on == (command in self.allowed[session])
        if went_on:
            self.allowed[session].remove(command)

    async def goes_on(self, session: str, wanted: ImplicitRequest) -> bool:
        """Return whether an act goes on; a question about it is answered with no."""

        def own() -> list[Permission]:
            questions = self.session(session).questions.values()
            return [one for one in questions if isinstance(one, Permission) and one.unasked]

        trying = asyncio.ensure_future(self.talk.agent.authorize(session, wanted))
        await until(lambda: trying.done() or own())
        for question in own():
            assert question.call.command == wanted.command
            self.talk.agent.answer(session, question.key, "refuse")
        try:
            await trying
        except Refused:
            return False
        return True

    def key(self, session: str, request_id: object) -> str:
        key = question_key(request_id)  # type: ignore[arg-type]
        assert key in self.session(session).questions
        return key

    @invariant()
    def each_question_shows_what_it_asks(self) -> None:
        self.wait(settled())
        shown = {
            (session, question.key): (question.call.command, question.call.kind)
            for session in ("s1", "s2")
            for question in self.session(session).questions.values()
            if isinstance(question, Permission)
        }
        expected = {
            (session, self.key(session, request_id)): asked
            for (session, request_id), asked in self.open.items()
        }
        assert shown == expected

    @invariant()
    def each_request_has_the_one_answer_that_was_given(self) -> None:
        for request_id in (0, 1, "1"):
            given = [answer["result"] for answer in self.talk.puppet.sent.answers(request_id)]
            assert given == [answer for one, answer in self.expected if same_id(one, request_id)]

    def teardown(self) -> None:
        self.wait(self.opened.__aexit__(None, None, None))
        self.loop.close()


def same_id(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


TestGate = Gate.TestCase
TestGate.settings = settings(max_examples=30, stateful_step_count=30)
