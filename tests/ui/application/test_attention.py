"""Tests of `ui/application/attention.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from acp_tui.conversation.conversation import Conversation
from acp_tui.desktop import speaks_777
from acp_tui.store.settings import Calls
from acp_tui.ui.application.attention import (
    GIVE_TITLE_BACK,
    KEEP_TITLE,
    QUIET,
    Attention,
    Seat,
    State,
    state_of,
)

BELL = "\x07"


@dataclass
class Double:
    """A double of a conversation."""

    phase: str = "ready"
    is_active: bool = False
    questions: dict[Any, Any] = field(default_factory=dict)
    agent_name: str = "Agent"
    launch: object = "a launch"

    @property
    def is_over(self) -> bool:
        return self.phase in ("failed", "ended", "recorded", "ending")


STATES: dict[State, Double] = {
    "starting": Double("starting"),
    "ready": Double(),
    "working": Double(is_active=True),
    "asks": Double(is_active=True, questions={"q": "?"}),
    "ended": Double("ended"),
}


class Place(Seat):
    """A seat with a clock of its own, on which what comes later comes by hand."""

    def __init__(self, focus: bool | None = False) -> None:
        self.now = 100.0
        super().__init__(lambda: self.now)
        self.focus = focus
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        self.waiting.append((self.now + seconds, do))

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        due = [do for at, do in self.waiting if at <= self.now]
        self.waiting = [(at, do) for at, do in self.waiting if at > self.now]
        for do in due:
            do()


class View:
    """A screen."""


def told(*states: Double, focus: bool | None = False, calls: Calls = "auto") -> list[str]:
    """Return the output to the terminal for these states."""
    written: list[str] = []
    attention, view = Attention(written.append, Place(focus), calls), View()
    for state in states:
        attention.update(cast(Conversation, state), view)
    return written


class Called:
    """The notifications that a user gets."""

    def __init__(self, focus: bool | None) -> None:
        self.place = Place(focus)
        self.written: list[str] = []
        self.attention = Attention(self.written.append, self.place)
        self.view = View()

    def become(self, *states: State) -> None:
        for state in states:
            self.attention.update(cast(Conversation, STATES[state]), self.view)

    @property
    def calls(self) -> list[str]:
        return [text for text in self.written if BELL * 2 in text]


@pytest.mark.parametrize("state", list(STATES))
def test_what_a_conversation_is_at_comes_from_its_phase_its_turn_and_its_questions(state: State) -> None:
    assert state_of(cast(Conversation, STATES[state])) == state


def test_a_login_is_a_question() -> None:
    assert state_of(cast(Conversation, Double("logging-in"))) == "asks"


@pytest.mark.parametrize(
    ("before", "after", "call"),
    [
        ("working", "ready", "is done"),
        ("working", "asks", "needs an answer"),
        ("working", "ended", "has ended"),
        ("ready", "ended", "has ended"),
        ("starting", "ready", ""),
        ("ready", "working", ""),
        ("asks", "working", ""),
        ("working", "working", ""),
    ],
)
def test_the_user_is_called_when_a_turn_ends_a_question_comes_or_the_agent_dies(
    before: State, after: State, call: str
) -> None:
    written = told(STATES[before], STATES[after])[len(told(STATES[before])) :]
    calls = [text for text in written if BELL * 2 in text]

    assert calls == ([f"\x1b]9;acp-tui: Agent {call}\x07\x07"] if call else [])


def test_a_terminal_that_knows_osc_777_is_called_by_it_alone() -> None:
    written: list[str] = []
    attention, view = Attention(written.append, Place(), by_777=True), View()
    for state in (Double(is_active=True, agent_name="a;b"), Double(agent_name="a;b")):
        attention.update(cast(Conversation, state), view)

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
    assert not any(BELL * 2 in text for text in told(working, ready, focus=True))
    assert not any(BELL * 2 in text for text in told(working, ready, calls="never"))
    assert not any(BELL * 2 in text for text in told(working, Double("ending")))


def test_who_wants_it_is_called_while_they_look() -> None:
    assert any(
        BELL * 2 in text for text in told(STATES["working"], STATES["ready"], focus=True, calls="always")
    )


def test_where_no_terminal_tells_of_a_focus_a_while_without_a_key_calls() -> None:
    here = Called(focus=None)
    here.become("working")
    here.place.go_on(QUIET + 1)
    here.become("ready")

    assert len(here.calls) == 1


def test_a_key_puts_the_call_off_and_it_comes_when_no_more_are_typed() -> None:
    here = Called(focus=None)
    here.become("working", "asks")
    here.place.go_on(QUIET - 1)
    here.place.touch()
    here.place.go_on(QUIET - 1)
    assert here.calls == []

    here.place.go_on(2)

    assert len(here.calls) == 1
    here.place.go_on(100)
    assert len(here.calls) == 1


def test_a_call_that_waits_is_dropped_when_the_user_has_answered_or_left() -> None:
    for after in ("answered", "left"):
        here = Called(focus=None)
        here.become("working", "asks")
        if after == "answered":
            here.become("working")
        else:
            here.attention.end()
        here.place.go_on(QUIET + 1)

        assert here.calls == []


@pytest.mark.parametrize(("focus", "calls"), [(True, 0), (False, 1)])
def test_once_the_terminal_has_told_of_its_focus_that_counts(focus: bool, calls: int) -> None:
    here = Called(focus=None)
    here.become("working", "ready")
    here.place.focus = focus

    here.place.go_on(QUIET + 1)

    assert len(here.calls) == calls


def test_each_session_has_a_state_of_its_own_and_the_seen_one_has_the_title() -> None:
    written: list[str] = []
    attention, seen, other = Attention(written.append, Place()), View(), View()

    for _ in range(3):
        attention.update(cast(Conversation, STATES["working"]), seen)
        attention.update(cast(Conversation, STATES["ready"]), other, is_seen=False)
    assert written == [f"{KEEP_TITLE}\x1b]2;Agent: working{BELL}"]

    attention.update(cast(Conversation, STATES["asks"]), other, is_seen=False)
    assert written[1:] == [f"\x1b]9;acp-tui: Agent needs an answer{BELL * 2}"]


def test_the_title_says_who_and_what_and_is_given_back() -> None:
    written: list[str] = []
    attention, view = Attention(written.append, Place(focus=True)), View()

    attention.end()
    states: list[State] = ["starting", "ready", "ready", "working"]
    for state in states:
        attention.update(cast(Conversation, STATES[state]), view)
    attention.end()
    attention.end()

    titles = ["Agent: starting", "Agent: ready", "Agent: working"]
    sequences = [f"\x1b]2;{title}\x07" for title in titles]
    assert written == [KEEP_TITLE + sequences[0], *sequences[1:], GIVE_TITLE_BACK]


def test_a_name_cannot_end_the_title_and_begin_something_else() -> None:
    (written,) = told(Double(agent_name="x\x07\x1b]52;c;aGk=\x07"))

    assert written == f"{KEEP_TITLE}\x1b]2;x␇␛]52;c;aGk=␇: ready\x07"
