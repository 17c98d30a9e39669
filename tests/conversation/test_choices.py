"""Choices for a new session."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.replay import replay
from acp_tui.conversation.choices import mode_named
from acp_tui.conversation.conversation import Conversation
from acp_tui.protocol.schema import BooleanOption, OptionValue, SelectOption
from acp_tui.session.entries import Entry, Notice
from acp_tui.session.events import Noted
from acp_tui.session.options import Option, acts_unasked
from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import RememberedChoices
from acp_tui.store.settings import Settings
from tests.conversation.talks import PLAIN, said, start, talk
from tests.journals import Line
from tests.waiting import until


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "became"), [("plan", "plan"), ("PLAN", "plan")])
async def test_the_mode_of_the_command_line_is_set_before_anything_is_said(
    tmp_path: Path, asked: str, became: str
) -> None:
    async with talk(start(tmp_path, modes=["ask", "plan"]), mode=asked) as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == became
        assert conversation.choices.pending_value(option) == became


@pytest.mark.slow
async def test_whatever_stands_in_the_chat_stands_in_the_journal(tmp_path: Path) -> None:
    async with talk(start(tmp_path, Settings(snapshots=False))) as (conversation, _):
        await conversation.begin()
        conversation.choices.set_policy("ask-edits-and-commands")
        conversation.choices.set_policy("allow-everything")
        conversation.note(Noted("It did not work.", "error", "why", is_act=True))
        assert conversation.session is not None
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        live, path = conversation.session, conversation.journal.path

    rows = map(json.loads, path.read_text().splitlines())
    told = replay(Line(row["t"], row["dir"], row["msg"]) for row in rows if "t" in row).sessions[live.id]
    assert [one for one in map(_notice, told.entries) if one] == [
        ("From now on this session asks before edits and commands.", "info", ""),
        ("From now on this session allows everything.", "warning", ""),
        ("It did not work.", "error", "why"),
    ]
    assert list(map(_notice, told.entries)) == list(map(_notice, live.entries))


def _notice(entry: Entry) -> tuple[str, str, str] | None:
    return (entry.text, entry.severity, entry.detail) if isinstance(entry, Notice) else None


@pytest.mark.slow
async def test_a_mode_that_the_agent_does_not_have_is_told(tmp_path: Path) -> None:
    async with talk(start(tmp_path, modes=["ask"]), mode="yolo") as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent has no mode yolo."]


def select(option_id: str, current: str, *values: str, **more: Any) -> dict[str, Any]:
    options = [{"value": value, "name": value.title()} for value in values]
    return {
        "id": option_id,
        "name": option_id.title(),
        "type": "select",
        "currentValue": current,
        "options": options,
        **more,
    }


OPTIONS = [
    select("mode", "ask", "ask", "plan", "yolo", category="mode"),
    select("model", "small", "small", "large", category="model"),
]


@asynccontextmanager
async def begun(folder: Path, settings: Settings | None = None, **like: Any) -> AsyncIterator[Conversation]:
    like.setdefault("options", OPTIONS)
    async with talk(start(folder, settings, **like)) as (conversation, _):
        await conversation.begin()
        yield conversation


async def choose(conversation: Conversation, option_id: str, value: str) -> None:
    assert conversation.session is not None
    option = next(one for one in conversation.session.options if one.config.id == option_id)
    await conversation.choices.set_option(option, value)


def values(conversation: Conversation) -> dict[str, Any]:
    assert conversation.session is not None
    return {option.config.id: option.config.current_value for option in conversation.session.options}


@pytest.mark.slow
async def test_what_the_user_chose_is_chosen_again_before_anything_is_said(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "mode", "plan")
        await choose(conversation, "model", "large")

    async with talk(start(tmp_path, Settings(snapshots=False), options=OPTIONS)) as (conversation, _):
        conversation.say("hello")
        await conversation.begin()
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert values(conversation) == {"mode": "plan", "model": "large"}
        assert said(conversation) == ["hello", "heard hello"]
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        rows = [json.loads(line) for line in conversation.journal.path.read_text().splitlines()]
        sent = [row["msg"]["method"] for row in rows if row["dir"] == "out"]
        assert sent[-3:] == ["session/set_config_option"] * 2 + ["session/prompt"]


@pytest.mark.slow
async def test_modes_of_older_agents_are_chosen_again_by_their_own_method(tmp_path: Path) -> None:
    like: dict[str, Any] = {"options": [], "modes": ["ask", "plan"]}
    async with begun(tmp_path, **like) as conversation:
        await choose(conversation, "mode", "plan")
    async with begun(tmp_path, **like) as conversation:
        await until(lambda: values(conversation) == {"mode": "plan"})


@pytest.mark.slow
async def test_a_mode_that_asks_less_is_not_chosen_again_unless_the_settings_say_so(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "mode", "yolo")

    async with begun(tmp_path) as conversation:
        await until(lambda: said(conversation))
        assert said(conversation) == [
            "Mode Yolo was not restored: with it, the agent may act without asking."
        ]
        assert values(conversation)["mode"] == "ask"

    by_hand = PLAIN._replace(options={"plain": {"mode": "yolo"}})
    async with begun(tmp_path, by_hand) as conversation:
        await until(lambda: values(conversation)["mode"] == "yolo")
        assert said(conversation) == []
        assert conversation.session is not None
        assert conversation.session.consent, "the settings name it so"


async def unasked_plan(conversation: Conversation) -> None:
    """Have the agent tell that its mode "plan" is one that acts unasked."""
    await until(lambda: values(conversation)["mode"] == "plan")
    mode = select("mode", "plan", "ask", "plan", "yolo", category="mode")
    mode["options"][1]["description"] = "Looks only, without asking"
    news = [{"kind": "config_option_update", "configOptions": [mode]}]
    conversation.say(f"updates {json.dumps(news)}")
    session = conversation.session
    assert session is not None
    await until(lambda: acts_unasked(session.options[0].config, "plan"))


@pytest.mark.slow
async def test_a_mode_that_is_chosen_again_lets_nothing_whatever_it_is_called_later(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "mode", "plan")
        await unasked_plan(conversation)
        assert conversation.session is not None
        assert not conversation.session.consent, "the user chose a mode that asks"
        await choose(conversation, "mode", "ask")
        await choose(conversation, "mode", "plan")

    async with begun(tmp_path) as conversation:
        await unasked_plan(conversation)
        assert conversation.session is not None
        assert not conversation.session.consent


@pytest.mark.slow
@pytest.mark.parametrize("where", ["settings", "command line"])
@pytest.mark.parametrize(("mode", "lets"), [("plan", False), ("yolo", True)])
async def test_a_mode_that_the_user_wrote_down_lets_as_much_as_its_own_name_says(
    tmp_path: Path, where: str, mode: str, lets: bool
) -> None:
    options = copy.deepcopy(OPTIONS)
    options[0]["options"][1]["description"] = "Looks only, without asking"
    by_hand = {"plain": {"mode": mode}} if where == "settings" else {}
    more: dict[str, Any] = {"mode": mode} if where == "command line" else {}
    given = start(tmp_path, PLAIN._replace(options=by_hand), options=options)
    async with talk(given, **more) as (conversation, _):
        await conversation.begin()
        await until(lambda: values(conversation)["mode"] == mode)
        assert conversation.session is not None
        assert bool(conversation.session.consent) is lets


@pytest.mark.slow
async def test_a_mode_written_down_for_the_name_that_an_agent_gives_itself_lets_nothing(
    tmp_path: Path,
) -> None:
    by_hand = PLAIN._replace(options={"trusted": {"mode": "yolo"}})
    async with talk(start(tmp_path, by_hand, options=OPTIONS, name="trusted")) as (conversation, _):
        await conversation.begin()
        await until(lambda: values(conversation)["mode"] == "yolo")
        assert conversation.session is not None
        assert not conversation.session.consent


@pytest.mark.slow
async def test_a_value_that_is_not_offered_any_more_is_forgotten_and_told(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "model", "large")

    without = [OPTIONS[0], select("model", "small", "small")]
    async with begun(tmp_path, options=without) as conversation:
        await until(lambda: said(conversation))
        assert said(conversation) == ["Model large was not restored: the agent no longer offers it."]
        await until(lambda: not RememberedChoices(state_folder() / "choices.json").of("plain"))

    strange = PLAIN._replace(options={"plain": {"model": "huge"}})
    async with begun(tmp_path, strange) as conversation:
        await until(lambda: said(conversation))
        assert said(conversation) == ["The settings choose Model huge, which the agent does not offer."]


@pytest.mark.slow
async def test_an_error_of_the_agent_is_shown_and_the_choice_stays_remembered(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "model", "large")

    async with begun(tmp_path, refuses=["large"]) as conversation:
        await until(lambda: said(conversation))
        assert said(conversation) == ["The agent did not change it: not large"]
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])
    assert RememberedChoices(state_folder() / "choices.json").of("plain") == {"model": "large"}


@pytest.mark.slow
async def test_what_the_agent_or_the_command_line_chooses_is_not_remembered(tmp_path: Path) -> None:
    async with talk(start(tmp_path, options=OPTIONS), mode="plan") as (conversation, _):
        await conversation.begin()
        news = [{"kind": "current_mode_update", "currentModeId": "yolo"}]
        conversation.say(f"updates {json.dumps(news)}")
        await until(lambda: values(conversation)["mode"] == "yolo")
    assert RememberedChoices(state_folder() / "choices.json").of("plain") == {}


@pytest.mark.slow
async def test_the_command_line_comes_before_the_last_choice(tmp_path: Path) -> None:
    async with begun(tmp_path) as conversation:
        await choose(conversation, "mode", "plan")
        await choose(conversation, "model", "large")
    async with talk(start(tmp_path, options=OPTIONS), mode="ask") as (conversation, _):
        await conversation.begin()
        await until(lambda: values(conversation)["model"] == "large")
        assert values(conversation)["mode"] == "ask"


@pytest.mark.slow
@pytest.mark.parametrize("settings", [PLAIN._replace(remember_choices=False)])
async def test_nothing_is_remembered_where_the_user_does_not_want_it(
    tmp_path: Path, settings: Settings
) -> None:
    async with begun(tmp_path, settings) as conversation:
        await choose(conversation, "mode", "plan")
    assert not (state_folder() / "choices.json").exists()


MODES = [
    OptionValue(value="https://example.com/modes#plan", name="Plan first"),
    OptionValue(value="plan-b", name="Plan"),
    OptionValue(value="code", name="Code"),
]


def option(choices: list[OptionValue]) -> Option:
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


@pytest.mark.slow
async def test_a_read_only_session_begins_in_the_mode_of_the_agent_that_only_reads(tmp_path: Path) -> None:
    modes = ["ask", "read-only"]
    async with talk(start(tmp_path, modes=modes), policy="read-only") as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == "read-only"
        assert conversation.choices.policy == "read-only"


@pytest.mark.slow
async def test_a_read_only_session_repeats_no_mode_of_the_settings_and_says_what_is_not_refused(
    tmp_path: Path,
) -> None:
    settings = PLAIN._replace(options={"plain": {"mode": "yolo"}})
    async with talk(start(tmp_path, settings, modes=["ask", "yolo"]), policy="read-only") as (
        conversation,
        _,
    ):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == "ask"
    async with talk(start(tmp_path, modes=["yolo", "ask"], mode="yolo"), policy="read-only") as (
        conversation,
        _,
    ):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == "ask", "the agent begins in a mode that does not ask"
    async with talk(start(tmp_path, modes=["yolo"], mode="yolo"), policy="read-only") as (conversation, _):
        await conversation.begin()

        assert "What it does by itself is not refused." in said(conversation)[-1]
