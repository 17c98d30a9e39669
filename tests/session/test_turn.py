from typing import get_args

import pytest

from acp_tui.session.turn import TURN, IllegalStep, TurnState, TurnStep, next_state


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
