"""A session keeps what is said and done in its place, in whatever order both sides come."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.acp.permissions import PermissionOption
from acp_tui.acp.reading import read_update
from acp_tui.acp.tools import ToolCallFields
from acp_tui.session import events
from acp_tui.session.entries import AgentMessage, Thought, ToolCall, UserMessage, text_of
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from tests.session.building import call, call_update, chunk, prompt

IDS = st.sampled_from(["call_0", "call_1"])
MESSAGES = st.sampled_from([None, "m0", "m1"])
STATUSES = st.sampled_from([None, "pending", "in_progress", "completed", "failed", "of tomorrow"])
REASONS = st.sampled_from(["end_turn", "cancelled", "refusal", "max_tokens", "of tomorrow"])
YES = PermissionOption(option_id="y", name="Yes", kind="allow_once")


class SessionMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", "/w")
        self.numbers = itertools.count()
        self.said: dict[str, int] = {}
        """Each word that was said, and the turn in which that was."""
        self.kept: list[tuple[int, str]] = []
        """The titles of the calls of earlier turns, by the places of their entries."""
        self.asked: dict[str, str] = {}
        self.stopped = self.echoed = False

    def word(self) -> str:
        return f"<{next(self.numbers)}>"

    def hear(self, update: dict[str, Any]) -> None:
        self.session.apply(read_update(update), float(next(self.numbers)))

    def own(self, event: events.Event) -> None:
        self.session.apply(event, float(next(self.numbers)))

    def remember_turn(self) -> None:
        calls = enumerate(self.session.entries)
        self.kept = [(place, each.title) for place, each in calls if isinstance(each, ToolCall)]

    @precondition(lambda self: self.session.turn_state == "idle")
    @rule()
    def prompts(self) -> None:
        self.remember_turn()
        word = self.word()
        self.own(prompt(word))
        self.said[word] = len(self.session.turns)
        self.stopped = self.echoed = False

    @rule(message_id=MESSAGES, is_thought=st.booleans())
    def says(self, message_id: str | None, is_thought: bool) -> None:
        word = self.word()
        update = chunk(word, messageId=message_id)
        if is_thought:
            update["sessionUpdate"] = "agent_thought_chunk"
        self.hear(update)
        self.said[word] = len(self.session.turns)

    @precondition(lambda self: self.session.turn_state != "idle" and not self.echoed)
    @rule()
    def repeats_the_prompt(self) -> None:
        entry = self.session.entries[self.session.turns[-1].first]
        assert isinstance(entry, UserMessage)
        self.echoed = True
        self.hear(chunk(text_of(entry), "user"))

    @rule(name=IDS, status=STATUSES)
    def announces(self, name: str, status: str | None) -> None:
        title = self.word()
        self.hear(call(name, title=title, status=status))
        found = self.session.tool_call(name)
        assert found is not None
        assert found.title == title
        assert any(entry is found for entry in self.of_this_turn())

    @rule(name=IDS, status=STATUSES)
    def updates(self, name: str, status: str | None) -> None:
        self.hear(call_update(name, status=status))

    @rule(name=IDS)
    def asks(self, name: str) -> None:
        key, title = f"q{next(self.numbers)}", self.word()
        fields = ToolCallFields(tool_call_id=name, title=title)
        self.own(events.Asked(Permission(key, ToolCall(name), [YES]), fields))
        self.asked[key] = title

    @precondition(lambda self: self.session.questions)
    @rule(data=st.data())
    def answers(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.session.questions)))
        question = self.session.questions[key]
        others = set(self.session.questions) - {key}
        assert isinstance(question, Permission)
        assert question.call.title == self.asked[key], "a question shows what it asks about"
        self.own(events.Answered(key, "y"))
        assert set(self.session.questions) == others

    @rule()
    def cancels(self) -> None:
        self.stopped = self.stopped or self.session.turn_state == "running"
        self.own(events.Cancelled())

    @precondition(lambda self: self.session.turn_state != "idle")
    @rule(reason=REASONS)
    def ends(self, reason: str) -> None:
        self.own(events.Ended(reason))
        assert not self.session.questions
        assert all(entry.is_final for entry in self.session.entries if isinstance(entry, ToolCall))
        if self.stopped:
            assert self.session.turns[-1].stop_reason == "cancelled"

    @rule()
    def is_started_again(self) -> None:
        self.own(events.Disconnected("gone", ""))
        assert all(entry.is_final for entry in self.session.entries if isinstance(entry, ToolCall))
        self.own(events.TakenUp())
        self.remember_turn()

    def of_this_turn(self) -> list[Any]:
        turns = self.session.turns
        return self.session.entries[turns[-1].first if turns else 0 :]

    @invariant()
    def every_word_is_kept_once_and_in_its_turn(self) -> None:
        kinds = (UserMessage, AgentMessage, Thought)
        texts = [text_of(entry) if isinstance(entry, kinds) else "" for entry in self.session.entries]
        firsts = [0, *(turn.first for turn in self.session.turns), len(texts)]
        whole = "".join(texts)
        for word, turn in self.said.items():
            assert whole.count(word) == 1, word
            assert word in "".join(texts[firsts[turn] : firsts[turn + 1]]), word

    @invariant()
    def no_call_of_an_earlier_turn_is_another_one(self) -> None:
        for place, title in self.kept:
            entry = self.session.entries[place]
            assert isinstance(entry, ToolCall)
            assert entry.title == title


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
