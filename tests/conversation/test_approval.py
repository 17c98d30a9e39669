"""The phrase for who asks: the agent's mode and our policy."""

from __future__ import annotations

from typing import get_args

import pytest

from acp_tui.conversation.approval import approval_of
from acp_tui.protocol.schema import BooleanOption, OptionValue, SelectOption
from acp_tui.session.options import Option
from acp_tui.store.settings import Policy


def mode(value: str, name: str, about: str = "") -> Option:
    choice = OptionValue(value=value, name=name, description=about)
    config = SelectOption(id="mode", name="Mode", category="mode", current_value=value, options=[choice])
    return Option(config, "set_mode")


def select(id: str, name: str, value: str) -> Option:
    config = SelectOption(
        id=id, name=name, current_value=value, options=[OptionValue(value=value, name=value)]
    )
    return Option(config, "set_config_option")


@pytest.mark.parametrize(
    ("policy", "words", "is_open"),
    [
        ("ask", "asks before everything", False),
        ("ask-edits-and-commands", "asks before edits, commands", False),
        ("allow-edits", "asks before commands", False),
        ("allow-everything", "never asks", True),
        ("read-only", "refuses edits, commands", False),
    ],
)
def test_in_a_mode_that_asks_the_policy_says_what_is_asked(policy: Policy, words: str, is_open: bool) -> None:
    found = approval_of(policy, [mode("default", "Default", "Prompts for approval")])

    assert (found.words, found.is_open, found.due_to) == (words, is_open, "policy")


@pytest.mark.parametrize(
    ("value", "name", "words"),
    [
        ("yolo", "YOLO", "YOLO: the agent does not ask"),
        ("bypassPermissions", "Bypass Permissions", "Bypass Permissions: the agent does not ask"),
        ("full-access", "Agent (full access)", "Agent (full access): the agent does not ask"),
        ("acceptEdits", "Accept Edits", "Accept Edits: the agent does not ask for edits"),
        ("auto_edit", "Auto Edit", "Auto Edit: the agent does not ask for edits"),
        ("auto", "Auto", "Auto: the agent may act without asking"),
        ("x", "Swift", None),
    ],
)
def test_a_mode_that_asks_less_is_named_whatever_the_policy(value: str, name: str, words: str | None) -> None:
    for policy in ("ask", "allow-everything"):
        found = approval_of(policy, [mode(value, name)])

        if words is not None:
            assert (found.words, found.is_open, found.due_to) == (words, True, "mode")
        else:
            assert found.due_to == "policy"


def test_the_description_of_a_mode_counts_too() -> None:
    found = approval_of("ask", [mode("swift", "Swift", "Runs commands without asking")])

    assert found.words == "Swift: the agent may act without asking"


def test_a_switch_about_asking_counts_and_the_value_auto_of_another_option_does_not() -> None:
    config = BooleanOption(id="yolo", name="YOLO", type="boolean", current_value=True)
    thinking = select("thinking", "Thinking", "auto")

    assert approval_of("ask", [thinking]).words == "asks before everything"
    assert approval_of("ask", [select("model", "Model", "auto")]).words == "asks before everything"
    assert approval_of("ask", [thinking, select("approval", "Approval preset", "never")]).words == (
        "Approval preset never: the agent does not ask"
    )
    assert (
        approval_of("ask", [Option(config, "set_config_option")]).words == "YOLO on: the agent does not ask"
    )


def test_of_several_the_one_that_asks_least_is_named() -> None:
    auto, yolo = select("approval", "Approvals", "auto"), mode("yolo", "YOLO")

    assert approval_of("ask", [auto, yolo]).words == "YOLO: the agent does not ask"


def test_what_it_asks_before_continues_the_word_asks() -> None:
    asks = {policy: approval_of(policy, []).asks for policy in get_args(Policy)}

    assert asks["ask"] == "before everything"
    assert asks["allow-everything"] == "never"
    assert asks["read-only"] == "", "it refuses"
    assert approval_of("ask", [mode("yolo", "YOLO")]).asks == "never"
    assert approval_of("ask", [mode("auto", "Auto")]).asks == "not always"
