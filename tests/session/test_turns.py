"""Tests of `session/turns.py`."""

from __future__ import annotations

from typing import get_args

import pytest

from acp_tui.session.entries import AgentMessage, Entry, UserMessage
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.session.turns import TURN, IllegalStep, Turns, TurnState, TurnStep, next_state


@pytest.mark.parametrize("state", get_args(TurnState))
@pytest.mark.parametrize("step", get_args(TurnStep))
def test_only_a_prompt_into_a_running_turn_is_a_mistake(state: TurnState, step: TurnStep) -> None:
    if step == "prompted" and state != "idle":
        with pytest.raises(IllegalStep, match=f"prompted while {state}"):
            next_state(state, step)
    else:
        assert next_state(state, step) == TURN.get((state, step), state)


def test_a_cancelled_turn_ends_once_the_agent_says_so() -> None:
    assert next_state(next_state("running", "cancelled"), "ended") == "idle"


def test_a_turn_has_its_entries_and_its_end() -> None:
    entries: list[Entry] = [UserMessage([TextBuffer("look\n at  this")])]
    turns = Turns(entries)
    turns.step("prompted")
    turns.begin(0, at=1.0)
    assert turns.is_empty_turn
    entries.append(AgentMessage([TextBuffer("done")]))

    turns.end("end_turn", 2.0, None)

    (turn,) = turns.all
    assert (turn.started, turn.ended, turn.stop_reason, turns.state) == (1.0, 2.0, "end_turn", "idle")
    assert turns.entries() == entries
    assert not turns.is_empty_turn
    assert [turns.prompt_of(number) for number in (0, 1, 2)] == ["", "look at this", ""]


def test_an_end_without_a_turn_ends_none_that_is_over() -> None:
    turns = Turns([UserMessage()])
    turns.step("prompted")
    turns.begin(0, at=1.0)
    turns.end("cancelled", 2.0, None)

    turns.end("end_turn", 9.0, None)

    assert (turns.all[0].stop_reason, turns.all[0].ended) == ("cancelled", 2.0)


def test_of_a_refused_turn_every_entry_is_marked() -> None:
    entries: list[Entry] = [UserMessage(), AgentMessage(), UserMessage(), AgentMessage()]
    turns = Turns(entries)
    turns.begin(0, at=1.0)
    turns.begin(2, at=2.0)

    assert turns.drop() == (2, 3)
    assert [entry.dropped for entry in entries] == [False, False, True, True]
