"""A session compared with a simple model over random events."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.protocol.schema import PermissionOption, ToolCallFields
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import (
    AgentMessage,
    AscribedMessage,
    Notice,
    Thought,
    ToolCall,
    UserMessage,
    text_of,
)
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from tests.session.building import call, call_update, chunk, prompt

pytestmark = pytest.mark.slow

IDS = st.sampled_from(["call_0", "call_1"])
MESSAGES = st.sampled_from([None, "m0", "m1"])
SPEAKERS = st.sampled_from(["agent_message_chunk", "agent_thought_chunk"])
STATUSES = st.sampled_from([None, "pending", "in_progress", "completed", "failed", "of tomorrow"])
KEYS = st.sampled_from(["q0", "q1"])
REASONS = st.sampled_from(["end_turn", "cancelled", "refusal", "max_tokens", "of tomorrow"])
OVER = ("completed", "failed", "cancelled", "rejected", "interrupted")
OPTIONS = [
    PermissionOption(option_id="y", name="Yes", kind="allow_once"),
    PermissionOption(option_id="n", name="No", kind="reject_once"),
]
USER = "user_message_chunk"
ASCRIBED = "ascribed"
KINDS = {
    UserMessage: USER,
    AscribedMessage: ASCRIBED,
    AgentMessage: "agent_message_chunk",
    Thought: "agent_thought_chunk",
}


@dataclass
class Said:
    """An expected message."""

    kind: str
    text: str
    name: str | None
    span: int
    """Its span, see `Model`."""


@dataclass
class Done:
    """An expected tool call."""

    name: str
    title: str
    span: int
    life: int
    """Its agent process."""
    status: str = "pending"
    decision: str = ""
    decided: str = ""
    """The title at the time of the decision, until it has another one."""

    def named(self, title: str) -> None:
        self.title = title
        if self.decided not in ("", title):
            self.decision += f", asked about: {self.decided}"
            self.decided = ""

    def becomes(self, status: str | None, *, announced: bool) -> None:
        if status == "failed" and self.status in ("rejected", "cancelled"):
            return  # so many agents report it
        if status not in (None, "of tomorrow") and not (announced and status == "pending"):
            self.status = str(status)

    def settle(self, status: str) -> None:
        if self.status not in OVER:
            self.status = status


@dataclass
class Wanted:
    """An expected open question."""

    done: Done
    title: str
    """The title at the time of the question."""


class Model:
    """The expected session, modelled in the simplest way."""

    def __init__(self) -> None:
        self.came: list[Said | Done] = []
        self.span = self.life = 0
        self.state = "idle"
        self.goes_on: Said | None = None
        """The message continued by a chunk without an id."""
        self.asks: dict[str, Wanted] = {}
        self.is_replay = True
        """True if what the agent tells of the user is the user's."""
        self.echo: str | None = None
        """Text that the agent may still echo."""

    @property
    def calls(self) -> list[Done]:
        return [each for each in self.came if isinstance(each, Done)]

    def prompted(self, text: str) -> None:
        self.span += 1
        self.is_replay = False
        self.state, self.echo = "running", text
        self.came.append(Said(USER, text, None, self.span))
        self.goes_on = None

    def said(self, kind: str, text: str, name: str | None) -> None:
        is_users = kind == USER
        if is_users:
            self.echo = None
            kind = USER if self.is_replay else ASCRIBED
        if (message := self.message(kind, name)) is not None:
            message.text += text
            return
        if is_users and self.state == "idle":
            self.span += 1
        self.goes_on = Said(kind, text, name, self.span)
        self.came.append(self.goes_on)

    def message(self, kind: str, name: str | None) -> Said | None:
        if name is None:
            return self.goes_on if self.goes_on is not None and self.goes_on.kind == kind else None
        mine = (each for each in reversed(self.came) if isinstance(each, Said) and each.kind == kind)
        found = next((each for each in mine if each.name == name), None)
        return found if found is not None and found.span == self.span else None

    def newest(self, name: str) -> Done | None:
        return next((each for each in reversed(self.calls) if each.name == name), None)

    def begun(self, name: str, title: str) -> Done:
        self.came.append(Done(name, title, self.span, self.life))
        self.goes_on = None
        return self.calls[-1]

    def announced(self, name: str, title: str, status: str | None) -> Done:
        done = self.newest(name)
        if done is None or (done.span, done.life) != (self.span, self.life):
            if done is not None:
                done.settle("interrupted")
            done = self.begun(name, title)
        done.named(title)
        done.becomes(status, announced=True)
        return done

    def updated(self, name: str, title: str | None, status: str | None) -> None:
        done = self.newest(name)
        if done is None or done.life != self.life:
            if done is not None:
                done.settle("interrupted")
            done = self.begun(name, "")
        done.named(title or done.title)
        done.becomes(status, announced=False)

    def asked(self, key: str, name: str, title: str, status: str | None) -> None:
        self.answered(key, None, "an id used twice")
        done = self.newest(name)
        is_same = done is not None and (done.span, done.life) == (self.span, self.life)
        if done is not None and is_same and (done.decision or self.asks_about(name)):
            done = self.begun(name, title)
            done.becomes(status, announced=True)
        else:
            done = self.announced(name, title, status)
        self.asks[key] = Wanted(done, title)

    def asks_about(self, name: str) -> bool:
        return any(each.done.name == name for each in self.asks.values())

    def answered(self, key: str, option: str | None, by: str = "you") -> None:
        wanted = self.asks.pop(key, None)
        if wanted is None:
            return
        word, status = {"y": ("Yes", ""), "n": ("No", "rejected"), None: ("cancelled", "cancelled")}[option]
        wanted.done.decision = f"{word} ({by})"
        if wanted.done.title != wanted.title:
            wanted.done.decision += f", asked about: {wanted.title}"
        else:
            wanted.done.decided = wanted.title
        if status:
            wanted.done.settle(status)

    def settle(self, status: str) -> None:
        for done in self.calls:
            done.settle(status)
        self.asks.clear()

    def cancelled(self) -> None:
        if self.state != "idle":
            self.state = "cancelling"
            self.settle("cancelled")

    def ended(self) -> None:
        self.settle("cancelled" if self.state == "cancelling" else "interrupted")
        self.state, self.goes_on, self.echo = "idle", None, None

    def started_again(self) -> None:
        for key in list(self.asks):
            self.answered(key, None, "unanswered")
        self.ended()
        self.span += 1
        self.life += 1


class SessionMachine(RuleBasedStateMachine):
    """Random steps of both sides, with the session checked after each."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", "/w")
        self.model = Model()
        self.numbers = itertools.count()

    def word(self) -> str:
        return f"<{next(self.numbers)}>"

    def hear(self, update: dict[str, Any]) -> None:
        self.session.apply(read_update(update), float(next(self.numbers)))

    def own(self, event: events.Event) -> None:
        self.session.apply(event, float(next(self.numbers)))

    @precondition(lambda self: self.model.state == "idle")
    @rule()
    def prompts(self) -> None:
        word = self.word()
        self.own(prompt(word))
        self.model.prompted(word)

    @rule(kind=SPEAKERS, name=MESSAGES)
    def says(self, kind: str, name: str | None) -> None:
        word = self.word()
        self.hear({**chunk(word, messageId=name), "sessionUpdate": kind})
        self.model.said(kind, word, name)

    @rule(name=MESSAGES)
    def tells_what_the_user_said_elsewhere(self, name: str | None) -> None:
        word = self.word()
        self.hear(chunk(word, "user", messageId=name))
        self.model.said(USER, word, name)

    @precondition(lambda self: self.model.echo)
    @rule()
    def repeats_the_prompt(self) -> None:
        self.hear(chunk(self.model.echo or "", "user"))
        self.model.echo = ""

    @rule(name=IDS, status=STATUSES)
    def announces(self, name: str, status: str | None) -> None:
        title = self.word()
        self.hear(call(name, title=title, status=status))
        self.model.announced(name, title, status)

    @rule(name=IDS, status=STATUSES, is_renamed=st.booleans())
    def updates(self, name: str, status: str | None, is_renamed: bool) -> None:
        title = self.word() if is_renamed else None
        self.hear(call_update(name, title=title, status=status))
        self.model.updated(name, title, status)

    @rule(key=KEYS, name=IDS, status=STATUSES)
    def asks(self, key: str, name: str, status: str | None) -> None:
        title = self.word()
        fields = ToolCallFields(tool_call_id=name, title=title, status=status)
        self.own(events.Asked(Permission(key, ToolCall(name), OPTIONS), fields))
        self.model.asked(key, name, title, status)

    @rule(key=KEYS, option=st.sampled_from(["y", "n", None]))
    def answers(self, key: str, option: str | None) -> None:
        self.own(events.Answered(key, option))
        self.model.answered(key, option)

    @rule()
    def cancels(self) -> None:
        self.own(events.TurnCancelled())
        self.model.cancelled()

    @rule(reason=REASONS)
    def ends(self, reason: str) -> None:
        stopped = self.model.state == "cancelling"
        was_busy = self.model.state != "idle"
        self.own(events.TurnEnded(reason))
        self.model.ended()
        if was_busy:
            assert self.session.turns[-1].stop_reason == ("cancelled" if stopped else reason)

    @rule()
    def fails(self) -> None:
        self.own(events.TurnFailed(-32603, "no"))
        self.model.ended()

    @rule()
    def is_started_again(self) -> None:
        self.own(events.Disconnected("gone", ""))
        self.own(events.Resumed())
        self.model.started_again()

    @invariant()
    def what_came_is_kept_once_and_in_its_place(self) -> None:
        shown: list[Any] = []
        for entry in self.session.entries:
            if isinstance(entry, ToolCall):
                shown.append((entry.tool_call_id, entry.title, entry.status, entry.decision))
            elif isinstance(entry, UserMessage | AscribedMessage | AgentMessage | Thought):
                shown.append((KINDS[type(entry)], text_of(entry)))
            else:
                assert isinstance(entry, Notice)
        expected = [
            (each.kind, each.text)
            if isinstance(each, Said)
            else (each.name, each.title, each.status, each.decision)
            for each in self.model.came
        ]
        assert shown == expected

    @invariant()
    def each_question_shows_what_it_asks_and_what_is_told_since(self) -> None:
        shown = {
            key: (each.call.title, each.later and each.later.title)
            for key, each in self.session.questions.items()
            if isinstance(each, Permission)
        }
        assert shown == {
            key: (each.title, each.done.title if each.done.title != each.title else None)
            for key, each in self.model.asks.items()
        }
        assert list(self.session.questions) == list(self.model.asks)

    @invariant()
    def the_turn_is_where_it_should_be(self) -> None:
        assert self.session.turn_state == self.model.state


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
