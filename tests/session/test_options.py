"""Options, however an agent offers them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_tui.protocol.schema import (
    BooleanOption,
    ConfigOptionUpdate,
    NewSessionResponse,
    OptionValue,
    SelectOption,
)
from acp_tui.protocol.validation import read, read_update
from acp_tui.session.events import OptionChosen, Resumed, SetUp
from acp_tui.session.options import Consent, Option, acts_unasked, consent_in
from acp_tui.session.session import Session
from tests import recordings
from tests.tables import each

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


MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Go"}]}
MODE_OPTION = {
    "id": "approval",
    "name": "Approval",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [{"value": "ask", "name": "Ask"}],
}


def set_up(*options: Any) -> Session:
    session = Session("s")
    answer = {"sessionId": "s", "modes": MODES, "configOptions": list(options)}
    session.apply(SetUp(read(NewSessionResponse, answer)))
    return session


@pytest.mark.parametrize(
    "likeness",
    [
        {},
        {"id": "mode", "category": None},
        {"category": None, "options": [{"value": "go", "name": "Go"}, {"value": "ask", "name": "Ask"}]},
    ],
    ids=["by its category", "by its id", "by its values"],
)
def test_c110_modes_are_hidden_as_long_as_an_option_stands_for_them(likeness: dict[str, Any]) -> None:
    session = set_up(PLAIN, {**MODE_OPTION, **likeness})
    assert [option.set_by for option in session.options] == ["set_config_option"] * 2

    session.apply(read_update({"sessionUpdate": "config_option_update", "configOptions": []}))
    assert [option.config.id for option in session.options] == ["mode"]
    assert session.options[0].set_by == "set_mode"


def test_c110_modes_that_no_option_stands_for_are_not_taken_from_the_user() -> None:
    session = set_up(PLAIN)

    assert [(option.config.id, option.set_by) for option in session.options] == [
        ("a", "set_config_option"),
        ("mode", "set_mode"),
    ]


def test_thinking_levels_that_are_offered_as_modes_too_are_offered_once() -> None:
    levels = [{"value": "ask", "name": "Ask"}, {"value": "go", "name": "Go"}]
    session = set_up({**MODE_OPTION, "id": "thinking", "category": "thought_level", "options": levels})

    assert [option.config.id for option in session.options] == ["thinking"]


def test_the_model_is_prominent_also_where_its_provider_comes_first() -> None:
    provider = {**PLAIN, "id": "provider", "name": "Provider", "category": "model"}
    model = {**PLAIN, "id": "model", "name": "Model", "category": "model"}

    chosen = set_up(provider, model).option("model")
    assert chosen is not None
    assert chosen.config.id == "model"

    chosen = set_up({**model, "id": "x", "name": "X"}, provider).option("model")
    assert chosen is not None
    assert chosen.config.id == "x", "without one of that name it is the first"
    assert set_up(PLAIN).option("model") is None


def test_an_option_without_a_category_is_found_by_its_id() -> None:
    bare = {**PLAIN, "id": "mode"}
    assert set_up(PLAIN, bare).option("mode") == offered(bare)[0]
    assert set_up({**bare, "category": "_vendor"}).option("mode") is not None


@pytest.mark.parametrize("category", [None, "mode", "thought_level", "_vendor", "model"])
def test_what_hides_the_modes_is_found_as_the_mode_whatever_its_category_says(category: str | None) -> None:
    values = [{"value": "ask", "name": "Ask"}, {"value": "go", "name": "Go"}]
    session = set_up(PLAIN, {**MODE_OPTION, "category": category, "options": values})

    option = session.option("mode")
    assert option is not None
    assert (option.config.id, option.set_by, len(session.options)) == ("approval", "set_config_option", 2)
    session.apply(read_update({"sessionUpdate": "current_mode_update", "currentModeId": "go"}))
    assert option.config.current_value == "go"


@pytest.mark.parametrize("likeness", [{"category": "model"}, {"id": "model"}, {"category": "_vendor"}])
def test_what_hides_the_models_is_found_as_the_model(likeness: dict[str, Any]) -> None:
    models = {
        "currentModelId": "s",
        "availableModels": [{"modelId": "s", "name": "S"}, {"modelId": "l", "name": "L"}],
    }
    session = Session("s")
    answer = {"sessionId": "s", "models": models, "configOptions": [{**PLAIN, **likeness}]}
    session.apply(SetUp(read(NewSessionResponse, answer)))

    option = session.option("model")
    assert option is not None
    assert [option] == session.options


ASKS = {
    "default", "plan", "ask", "read-only", "always-ask", "build", "act", "agent",
    "https://agentclientprotocol.com/protocol/session-modes#agent",
    "https://agentclientprotocol.com/protocol/session-modes#plan", "off",
}  # fmt: skip
"""Modes of real agents that ask or do nothing; codex calls its automatic review `agent`."""


def named(name: str, option: SelectOption) -> SelectOption:
    return option.model_copy(update={"name": name})


def select(value: str, name: str = "", about: str = "", **more: str) -> SelectOption:
    choices = [OptionValue(value=value, name=name or value, description=about)]
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


@each(
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


UNASKED = (
    *("Never ask", "Never", "Don't Ask", "Full access", "Full auto", "Auto-approve", "Run without asking"),
    *("Autopilot", "Yolo mode", "Skip permissions", "Accept all", "Unattended"),
)
EDITS = ("Auto-edit", "Auto-accept edits", "acceptEdits", "Workspace write", "Accept all edits")
ASKING = (
    *("No auto-approve", "Never auto-approve", "Don't auto-run", "Disable auto-accept", "No full access"),
    *("Auto-edit: off", "Not unattended", "No bypass", "Never auto-edit", "Auto-approve nothing", "No YOLO"),
    *("Ask (no auto-run)", "Auto-approve off", "Stop auto-approve", "Autopilot off", "Never skip asking"),
    *("Never skip permissions", "Does not auto-accept", "Cannot auto-accept", "Without autopilot"),
    *("Non-autonomous", "Ask before auto-run", "Refuse full access", "Plan: YOLO never", "Auto review"),
    *("Auto-approve reads", "Auto-approve reads, ask for the rest", "Auto-approve, but ask for commands"),
    *("Read without asking", "Accept", "Block without asking", "Auto-accept rejections", "Anti-yolo"),
    *("Dry run, unattended", "Handles permission requests with you", "No prompt caching", "Bypass the cache"),
    *("Accept all questions", "Trust all hosts", "Auto-confirm each", "не yolo", "yolo: нет"),
    *(
        "❌ YOLO",
        "Y\u0336O\u0336L\u0336O\u0336",
        "≠ yolo",
        "!yolo",
        "¬YOLO",
        "yolo = 0",
        "Full access ⛔",
        "-yolo",
    ),
    *("🚫 Accept edits", "Accept edits ✗", "accept edits?", "Auto-approve (0 edits)", "yolo\u20e0", "~yolo~"),
)


@each(
    ("option", "value", "agrees"),
    [
        (select("yolo", "YOLO"), "yolo", "everything"),
        (select("x", "Bypass Permissions"), "x", "everything"),
        (select("x", "Accept Edits"), "x", "edits"),
        (select("x", "Agent (full access)"), "x", "everything"),
        (select("yolo", "Careful"), "yolo", ""),
        (select("x", "Turbo", "Runs everything without asking"), "x", ""),
        (select("x", "Look and read the text only, without asking"), "x", ""),
        (select("x", "YOLO", id="model", category="model"), "x", ""),
        (select("x", "Auto"), "x", "everything"),
        (named("Thinking", select("x", "Auto")), "x", ""),
        (
            BooleanOption(id="x", name="Auto-approve", category="mode", current_value=False),
            True,
            "everything",
        ),
        (BooleanOption(id="x", name="Auto-approve", category="mode", current_value=False), False, ""),
        (BooleanOption(id="x", name="Ask first", category="mode", current_value=True), False, "everything"),
        (BooleanOption(id="x", name="≠ Ask first", category="mode", current_value=True), False, ""),
        (BooleanOption(id="x", name="Ask about reads", category="mode", current_value=True), False, ""),
        (BooleanOption(id="approve", name="Fast", category="mode", current_value=True), False, ""),
        *((select("x", name), "x", "everything") for name in UNASKED),
        *((select("x", name), "x", "edits") for name in EDITS),
        *((select("x", name), "x", "") for name in ASKING),
    ],
)
def test_a_user_agrees_to_unasked_acts_by_the_shown_name_of_a_mode_alone(
    option: SelectOption | BooleanOption, value: str | bool, agrees: Consent
) -> None:
    assert consent_in(option, value) == agrees


def test_of_two_modes_with_one_id_neither_is_agreed_to() -> None:
    option = select("m", "YOLO")
    option.options.append(OptionValue(value="m", name="Plan only"))

    assert not consent_in(option, "m")


@pytest.mark.parametrize("leaves", ["by another value", "behind another option", "as no option"])
def test_consent_to_a_mode_that_the_agent_has_left_does_not_come_back(leaves: str) -> None:
    free = named("Permissions", select("yolo", "YOLO", id="access"))
    asking = named("Permissions", select("ask", "Ask", id="access"))
    away = {
        "by another value": [asking],
        "behind another option": [select("ask", "Ask"), free],
        "as no option": [],
    }[leaves]
    session = Session("s", "/w")
    session.apply(ConfigOptionUpdate(config_options=[asking]))
    session.apply(OptionChosen("access", "yolo", consent="everything"))
    session.apply(ConfigOptionUpdate(config_options=[asking]))
    session.apply(ConfigOptionUpdate(config_options=[free]))
    assert session.consent, "the agent may tell once more of the mode before"

    session.apply(ConfigOptionUpdate(config_options=[*away]))
    assert not session.consent
    session.apply(ConfigOptionUpdate(config_options=[free]))
    assert not session.consent


def test_consent_to_a_mode_that_the_agent_renames_does_not_come_back() -> None:
    free, asking = select("plan", "YOLO"), select("plan", "Plan")
    session = Session("s", "/w")
    session.apply(ConfigOptionUpdate(config_options=[free]))
    session.apply(OptionChosen(free.id, "plan", consent="everything"))
    assert session.consent

    session.apply(ConfigOptionUpdate(config_options=[asking]))
    session.apply(ConfigOptionUpdate(config_options=[free]))
    assert not session.consent


def test_consent_stays_if_a_new_name_says_the_same() -> None:
    session = Session("s", "/w")
    session.apply(ConfigOptionUpdate(config_options=[select("free", "YOLO")]))
    session.apply(OptionChosen("mode", "free", consent="everything"))

    session.apply(ConfigOptionUpdate(config_options=[select("free", "Full access")]))

    assert session.consent == "everything"


def test_consent_ends_with_the_process_of_the_agent() -> None:
    free = select("yolo", "YOLO")
    session = Session("s", "/w")
    session.apply(ConfigOptionUpdate(config_options=[free]))
    session.apply(OptionChosen(free.id, "yolo", consent="everything"))
    assert session.consent

    session.apply(Resumed())
    assert not session.consent
    session.apply(ConfigOptionUpdate(config_options=[free]))
    assert not session.consent


def test_only_the_mode_that_the_status_line_shows_can_be_agreed_to() -> None:
    asking, level = select("ask", "Ask"), select("auto", "Auto", id="level")
    session = Session("s", "/w")
    session.apply(ConfigOptionUpdate(config_options=[asking, level]))
    session.apply(OptionChosen("level", "auto", consent="everything"))
    assert not session.consent

    session.apply(ConfigOptionUpdate(config_options=[level]))
    assert not session.consent, "it was not the mode when it was chosen"
    session.apply(OptionChosen("level", "auto", consent="everything"))
    assert session.consent


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
