from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from acp_tui.conversation.conversation import Conversation
from acp_tui.ui.attention import GIVE_TITLE_BACK, KEEP_TITLE, Attention, State, speaks_777, state_of

BELL = "\x07"


@dataclass
class Double:
    """A conversation, as far as it matters from outside."""

    phase: str = "ready"
    is_busy: bool = False
    questions: dict[Any, Any] = field(default_factory=dict)
    agent_name: str = "Agent"
    launch: object = "a launch"

    @property
    def is_over(self) -> bool:
        return self.phase in ("failed", "ended", "recorded", "ending")


STATES: dict[State, Double] = {
    "starting": Double("starting"),
    "ready": Double(),
    "working": Double(is_busy=True),
    "asks": Double(is_busy=True, questions={"q": "?"}),
    "ended": Double("ended"),
}


def told(*states: Double, is_looked_at: bool = False, calls: bool = True) -> list[str]:
    """Return what the terminal is told in the course of these states."""
    written: list[str] = []
    attention = Attention(written.append, lambda: is_looked_at, calls)
    for state in states:
        attention.update(cast(Conversation, state))
    return written


@pytest.mark.parametrize("state", list(STATES))
def test_what_a_conversation_is_at_comes_from_its_phase_its_turn_and_its_questions(state: State) -> None:
    assert state_of(cast(Conversation, STATES[state])) == state


def test_a_login_is_a_question() -> None:
    assert state_of(cast(Conversation, Double("logging-in"))) == "asks"


@pytest.mark.parametrize(
    ("before", "after", "call"),
    [
        ("working", "ready", "is done"),
        ("working", "asks", "wants an answer"),
        ("working", "ended", "has ended"),
        ("ready", "ended", "has ended"),
        ("starting", "ready", ""),
        ("ready", "working", ""),
        ("asks", "working", ""),
        ("working", "working", ""),
    ],
)
def test_the_person_is_called_when_a_turn_ends_a_question_comes_or_the_agent_dies(
    before: State, after: State, call: str
) -> None:
    written = told(STATES[before], STATES[after])[len(told(STATES[before])) :]
    calls = [text for text in written if BELL * 2 in text]

    assert calls == ([f"\x1b]9;Agent {call}\x07\x07"] if call else [])


def test_a_terminal_that_knows_osc_777_is_called_by_it_alone() -> None:
    written: list[str] = []
    attention = Attention(written.append, lambda: False, True, by_777=True)
    for state in (Double(is_busy=True, agent_name="a;b"), Double(agent_name="a;b")):
        attention.update(cast(Conversation, state))

    assert [text for text in written if BELL * 2 in text] == ["\x1b]777;notify;a,b;is done\x07\x07"]


@pytest.mark.parametrize(
    ("environment", "speaks"),
    [
        ({"TERM": "rxvt-unicode-256color"}, True),
        ({"TERM": "foot"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({}, False),
    ],
)
def test_osc_777_is_for_the_terminals_that_show_it(environment: dict[str, str], speaks: bool) -> None:
    assert speaks_777(environment) is speaks


def test_nobody_is_called_who_looks_or_wants_no_calls_or_leaves() -> None:
    working, ready = STATES["working"], STATES["ready"]
    assert not any(BELL * 2 in text for text in told(working, ready, is_looked_at=True))
    assert not any(BELL * 2 in text for text in told(working, ready, calls=False))
    assert not any(BELL * 2 in text for text in told(working, Double("ending")))


def test_the_title_says_who_and_what_and_is_given_back() -> None:
    written: list[str] = []
    attention = Attention(written.append, lambda: True, True)

    attention.end()
    states: list[State] = ["starting", "ready", "ready", "working"]
    for state in states:
        attention.update(cast(Conversation, STATES[state]))
    attention.end()
    attention.end()

    titles = ["Agent: starting", "Agent: ready", "Agent: working"]
    sequences = [f"\x1b]2;{title}\x07" for title in titles]
    assert written == [KEEP_TITLE + sequences[0], *sequences[1:], GIVE_TITLE_BACK]


def test_a_name_cannot_end_the_title_and_begin_something_else() -> None:
    (written,) = told(Double(agent_name="x\x07\x1b]52;c;aGk=\x07"))

    assert written == f"{KEEP_TITLE}\x1b]2;x␇␛]52;c;aGk=␇: ready\x07"
