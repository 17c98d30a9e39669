from __future__ import annotations

import pytest

from acp_tui.acp.modes import BooleanOption, Choice, SelectOption
from acp_tui.conversation.equipment import mode_named
from acp_tui.session.options import Option

MODES = [
    Choice(value="https://example.com/modes#plan", name="Plan first"),
    Choice(value="plan-b", name="Plan"),
    Choice(value="code", name="Code"),
]


def option(choices: list[Choice]) -> Option:
    config = SelectOption(id="mode", name="Mode", category="mode", current_value="code", options=[*choices])
    return Option(config, "set_mode")


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("code", "code"),
        ("CODE", "code"),
        ("plan", "https://example.com/modes#plan"),
        ("plan first", "https://example.com/modes#plan"),
        ("plan-b", "plan-b"),
        ("yolo", None),
        ("", None),
    ],
)
def test_a_mode_is_meant_by_its_id_the_end_of_it_or_its_name(name: str, mode: str | None) -> None:
    assert mode_named(option(MODES), name) == mode


def test_without_modes_none_is_meant() -> None:
    assert mode_named(None, "code") is None
    switch = BooleanOption(id="mode", name="Mode", current_value=True)
    assert mode_named(Option(switch, "set_config_option"), "code") is None
