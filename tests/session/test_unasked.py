from __future__ import annotations

import json

import pytest

from acp_tui.acp.modes import BooleanOption, Choice, SelectOption
from acp_tui.session.unasked import acts_unasked
from tests import recordings

ASKS = {
    "default", "plan", "ask", "read-only", "always-ask", "build", "act", "agent",
    "https://agentclientprotocol.com/protocol/session-modes#agent",
    "https://agentclientprotocol.com/protocol/session-modes#plan", "off",
}  # fmt: skip
"""Modes of real agents that ask, or do nothing; codex calls its automatic review `agent`."""


def select(value: str, name: str = "", about: str = "", **more: str) -> SelectOption:
    choices = [Choice(value=value, name=name or value, description=about)]
    fields = {"id": "mode", "name": "Mode", "category": "mode", **more}
    return SelectOption(current_value=value, options=[*choices], **fields)  # type: ignore[arg-type]


def test_every_mode_of_every_recorded_agent_is_judged_as_its_words_say() -> None:
    seen = 0
    for name in recordings.NAMES:
        for row in recordings.rows(name):
            result = row.msg.get("result") if isinstance(row.msg, dict) else None
            modes = result.get("modes") if isinstance(result, dict) else None
            for mode in (modes or {}).get("availableModes", ()) if isinstance(modes, dict) else ():
                option = select(mode["id"], mode["name"], mode.get("description") or "")
                asks = mode["id"] in ASKS and mode["name"] != "Auto review"
                assert acts_unasked(option, mode["id"]) is not asks, (name, json.dumps(mode))
                seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("option", "unasked"),
    [
        (select("x", "Turbo", "Runs everything without asking"), True),
        (select("x", "Careful", "Asks before every edit"), False),
        (select("x", "Careful", "Nothing runs without asking"), False),
        (select("x", "Careful", "Doesn't edit files without your approval"), False),
        (select("x", "Turbo", "Never stops, runs without asking"), True),
        (select("acme/yolo", "Fast lane"), True),
        (select("code", "Code", "Edits without asking, asks before commands"), True),
        (select("never", "Never", id="approval_policy", category=""), True),
        (select("untrusted", "Untrusted", id="approval_policy", category=""), True),
        (
            select("on", "On", "Automatically approve all requests", id="allow_all", category="permissions"),
            True,
        ),
        (select("off", "Off", "Require approval", id="allow_all", category="permissions"), False),
        (select("large", "Large", id="model", category="model"), False),
        (select("high", "High", id="thinking", category="thought_level"), False),
    ],
)
def test_a_value_is_known_by_its_name_its_words_or_the_option_that_it_belongs_to(
    option: SelectOption, unasked: bool
) -> None:
    assert acts_unasked(option, option.current_value) is unasked


@pytest.mark.parametrize(
    ("name", "about", "unasked_when"),
    [
        ("Auto-approve tools", "Automatically approve all tool calls without asking", True),
        ("Require approval", "", False),
        ("Fast mode", "Faster responses", None),
    ],
)
def test_a_switch_is_known_by_what_it_switches(name: str, about: str, unasked_when: bool | None) -> None:
    option = BooleanOption(id="x", name=name, description=about, current_value=False)

    assert [value for value in (True, False) if acts_unasked(option, value)] == (
        [unasked_when] if unasked_when is not None else []
    )
