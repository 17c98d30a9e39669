"""What the person can set, whichever way an agent offers it."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.reading import read, read_update
from acp_tui.acp.sessions import NewSessionResponse
from acp_tui.session.events import SetUp
from acp_tui.session.options import Option
from acp_tui.session.session import Session

FAST = {"value": "s", "name": "Small"}
DEEP = {"value": "l", "name": "Large", "description": "slow"}
PLAIN = {"id": "a", "name": "Plain", "type": "select", "currentValue": "l", "options": [FAST, DEEP]}
GROUPED = {
    **PLAIN,
    "id": "b",
    "name": "In groups",
    "options": [
        {"group": "fast", "name": "Fast", "options": [FAST]},
        {"group": "deep", "name": "Deep", "options": [DEEP, {"value": 5}]},
    ],
}
SLIDER = {"id": "c", "name": "Slider", "type": "slider", "currentValue": 5}


def offered(*options: Any) -> list[Option]:
    session = Session("s")
    session.apply(read_update({"sessionUpdate": "config_option_update", "configOptions": list(options)}))
    return session.options


def test_c111_values_are_the_same_in_groups_or_without_and_the_order_is_the_agents() -> None:
    grouped, plain = offered(GROUPED, SLIDER, PLAIN)

    assert [option.config.name for option in (grouped, plain)] == ["In groups", "Plain"]
    for option in (grouped, plain):
        assert option.config.type == "select"
        assert [choice.value for choice in option.config.choices()] == ["s", "l"]
        assert option.value_name == "Large"


def test_c111_an_option_of_tomorrow_is_ignored_and_costs_no_other() -> None:
    assert offered(SLIDER) == []
    assert [option.config.id for option in offered(SLIDER, PLAIN)] == ["a"]


def test_c114_an_unknown_category_is_an_option_like_others() -> None:
    (option,) = offered({**PLAIN, "category": "_vendor"})

    assert option.config.category == "_vendor"


def test_c110_modes_are_hidden_as_long_as_there_are_options() -> None:
    session = Session("s")
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
    answer = {"sessionId": "s", "modes": modes, "configOptions": [PLAIN]}

    session.apply(SetUp(read(NewSessionResponse, answer)))
    assert [option.config.id for option in session.options] == ["a"]

    session.apply(read_update({"sessionUpdate": "config_option_update", "configOptions": []}))
    assert [option.config.id for option in session.options] == ["mode"]
