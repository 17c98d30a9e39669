"""The form dialog."""

from typing import Any

import pytest
from textual.events import Key
from textual.widgets import Input

from acp_tui.session.questions import Elicitation
from acp_tui.ui.screens.questions.form import ElicitationAnswer, FormDialog
from acp_tui.ui.widgets.controls import Choices
from tests.ui.screens.dialogs import NOTHING, STYLES, let_the_pause_pass, shown
from tests.ui.screens.stage import until

FIELDS: dict[str, Any] = {
    "style": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "b", "title": "Big"}]},
    "max": {"type": "integer", "minimum": 1, "maximum": 9, "title": "Most files"},
    "areas": {"type": "array", "items": {"type": "string", "enum": ["api", "ui"]}, "minItems": 1},
    "ok": {"type": "boolean", "default": True},
    "note": {"type": "string"},
}


def form(properties: dict[str, Any] = FIELDS, required: tuple[str, ...] = ("style", "max")) -> FormDialog:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return FormDialog(Elicitation("q", "How [/x]?", schema=schema), agent="demo", styles=STYLES)


@pytest.mark.slow
async def test_a_form_is_filled_in_with_keys_and_sent() -> None:
    async with shown(form(), (80, 40)) as (app, pilot):
        await pilot.press("down", "space", "tab", "3", "enter", "enter", "ctrl+s")
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == ElicitationAnswer(
            "accept", {"style": "b", "max": 3, "areas": ["api"], "ok": True}
        )


@pytest.mark.slow
async def test_numbers_choose_in_a_list_and_are_digits_in_a_field() -> None:
    async with shown(form(), (80, 40)) as (app, pilot):
        assert "2 ○ Big" in app.text
        await pilot.press("2", "3", "tab", "3", "tab", "1", "2", "1", "ctrl+s")
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == ElicitationAnswer(
            "accept", {"style": "b", "max": 3, "areas": ["ui"], "ok": True}
        )


@pytest.mark.slow
async def test_what_is_typed_right_after_tab_is_for_the_next_field_however_fast_it_comes() -> None:
    async with shown(form({"a": {"type": "string"}, "b": {"type": "string"}}, ()), (80, 40)) as (app, pilot):
        for key in ("x", "tab", "y", "shift+tab", "z"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: [field.value for field in app.screen.query(Input)] == ["xz", "y"])


@pytest.mark.slow
async def test_problems_are_shown_at_their_fields_and_nothing_is_sent() -> None:
    async with shown(form(), (80, 40)) as (app, pilot):
        app.screen.query_one(Input).value = "12"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "The largest is 9." in app.text)

        assert "Required." in app.text
        assert isinstance(app.focused, Choices)
        assert app.result is NOTHING


@pytest.mark.slow
async def test_defaults_and_the_agent_are_shown() -> None:
    properties = {"a": {"type": "string", "default": "x\x1b[2J\ny"}, "b": {"type": "number", "default": 0.5}}
    async with shown(form(properties, ()), turned=False) as (app, _):
        assert "demo asks" in app.text
        assert "How [/x]?" in app.text
        assert [field.value for field in app.screen.query(Input)] == ["x␛[2J y", "0.5"]


@pytest.mark.slow
async def test_keys_before_the_pause_reach_no_field() -> None:
    dialog = form({"a": {"type": "string"}}, ())
    async with shown(dialog, turned=False) as (app, pilot):
        await pilot.press("x", "1", "enter", "ctrl+s")
        await until(pilot, lambda: let_the_pause_pass(dialog))

        assert app.screen.query_one(Input).value == ""
        assert app.result is NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_decline_and_cancel_are_apart(action: str) -> None:
    async with shown(form()) as (app, pilot):
        await pilot.click(f"#{action}")

        assert app.result == ElicitationAnswer(action)  # type: ignore[arg-type]  # one of its words


@pytest.mark.slow
async def test_escape_puts_the_form_aside() -> None:
    async with shown(form()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None


@pytest.mark.slow
async def test_c104_a_required_field_of_an_unknown_kind_leaves_only_no() -> None:
    async with shown(form({"odd": {"type": "object"}}, ("odd",))) as (app, pilot):
        assert "cannot be sent" in app.text
        await pilot.press("ctrl+s")
        await pilot.click("#send")
        assert app.result is NOTHING

        await pilot.press("enter")
        assert app.result == ElicitationAnswer("decline")


@pytest.mark.slow
async def test_a_field_that_asks_for_a_secret_is_marked() -> None:
    async with shown(form({"token": {"type": "string", "title": "API token"}}, ()), turned=False) as (app, _):
        assert "This form seems to ask for a secret." in app.text
        assert "asks for a secret?" in app.text


@pytest.mark.slow
async def test_a_form_that_asks_for_a_secret_in_its_message_warns() -> None:
    asked = Elicitation(
        "k", "Введите пароль", schema={"type": "object", "properties": {"a": {"type": "string"}}}
    )
    async with shown(FormDialog(asked, agent="An agent", styles=STYLES), turned=False) as (app, _):
        assert "This form seems to ask for a secret." in app.text


@pytest.mark.slow
async def test_a_form_says_that_what_is_written_is_sent_as_plain_text() -> None:
    async with shown(form({"a": {"type": "string"}}, ()), turned=False) as (app, _):
        assert "plain text: no password, no key" in app.text
        assert "seems to ask" not in app.text
    async with shown(form({"a": {"type": "boolean"}}, ()), turned=False) as (app, _):
        assert "plain text" not in app.text


@pytest.mark.slow
async def test_what_a_choice_sends_is_shown() -> None:
    titled = {"type": "string", "oneOf": [{"const": "all", "title": "Nothing", "description": "safe"}]}
    async with shown(form({"a": titled}, ()), turned=False) as (app, _):
        assert "safe, sends all" in app.text


@pytest.mark.slow
async def test_a_pattern_is_checked_before_sending() -> None:
    properties = {"a": {"type": "string", "pattern": "^[a-z]+$", "default": "A"}}
    async with shown(form(properties, ())) as (app, pilot):
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "This should match ^[a-z]+$" in app.text)

        app.screen.query_one(Input).value = "a"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result == ElicitationAnswer("accept", {"a": "a"})
