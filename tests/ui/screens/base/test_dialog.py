"""A dialog cannot be answered by accident: what is typed, pasted or clicked meanwhile answers nothing."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.input import Selection

from acp_tui.changes.git_tree import ChangedFile
from acp_tui.protocol.schema import AuthMethod
from acp_tui.rules.rule_files import RuleFile
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Elicitation, StaleWrite
from acp_tui.ui.application import key_guard
from acp_tui.ui.screens.base import dialog as dialog_screens
from acp_tui.ui.screens.base.dialog import Dialog, hint_row
from acp_tui.ui.screens.base.unasked_screen import UnaskedScreen, withdraw
from acp_tui.ui.screens.questions.address import AddressDialog
from acp_tui.ui.screens.questions.form import FormDialog
from acp_tui.ui.screens.questions.login import LoginDialog
from acp_tui.ui.screens.questions.permission import PermissionAnswer, PermissionDialog
from acp_tui.ui.screens.questions.stale_write import StaleWriteDialog
from acp_tui.ui.screens.rules.rules import RuleTrust
from acp_tui.ui.screens.start import FailureScreen
from acp_tui.ui.session_screen.review.restore import RestoreDialog, SnapshotChanges
from tests.ui.screens.dialogs import NOTHING, STYLES, Desk, shown
from tests.ui.screens.permissions import asks, dialog
from tests.ui.screens.stage import until


def press_at(app: Desk, key: str, at: float) -> None:
    event = events.Key("space" if key == " " else key, key if len(key) == 1 else None)
    event.time = at
    app.post_message(event)


async def drafting(app: Desk, pilot: Pilot[None], text: str = "a draft ") -> Input:
    """Write in the field below; the hands were off for long since."""
    draft = app.screen_stack[0].query_one("#draft", Input)
    draft.value = text
    draft.cursor_position = len(text)
    await pilot.pause()
    return draft


def dialogs() -> list[UnaskedScreen[Any]]:
    """One of each kind of screen that comes unasked."""
    write = StaleWrite("w", "/w/a", "one", "two", "three")
    form = {"type": "object", "properties": {"why": {"type": "string"}}}
    method = AuthMethod.model_validate({"id": "m", "name": "Log in", "description": ""})
    return [
        dialog(),
        StaleWriteDialog(write, agent="demo", cwd="/w", styles=STYLES),
        FormDialog(Elicitation("f", "Why?", schema=form), agent="demo", styles=STYLES),
        AddressDialog(Elicitation("u", "Go", url="https://example.org/"), agent="demo", styles=STYLES),
        LoginDialog([method], agent="demo", hint="", styles=STYLES),
        RuleTrust(RuleFile(Path("/w/rules.toml")), STYLES),
        RestoreDialog(
            SnapshotChanges([ChangedFile("a", "M", "a", 0o100644, 0o100644, "1", "2")]), STYLES, can_undo=True
        ),
        FailureScreen(["agent"], "It ended", "", "", [], True, STYLES, can_begin_new=True),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(dialogs())))
@pytest.mark.parametrize("hands_off", [0.05, 1.0, 60.0])
async def test_c82_r24_over_a_draft_every_screen_lets_it_go_on_and_is_answered_by_nothing(
    place: int, hands_off: float
) -> None:
    question = dialogs()[place]
    async with shown(question, turned=False) as (app, pilot):
        draft = await drafting(app, pilot)
        began = time.monotonic() + hands_off
        for number, key in enumerate("yes and now run it twice"):
            press_at(app, key, began + number * 0.6)
        press_at(app, "enter", began + 20)
        press_at(app, "ctrl+s", began + 21)
        press_at(app, "backspace", began + 22)
        await pilot.pause()

        assert draft.value == "a draft yes and now run it twic"
        assert app.result is NOTHING
        assert app.screen is question
        assert "Tab to answer" in app.text


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(dialogs())))
async def test_after_tab_a_letter_answers_at_once_over_a_draft_too(place: int) -> None:
    question = dialogs()[place]
    key = {PermissionDialog: "y", StaleWriteDialog: "k", AddressDialog: "d", RuleTrust: "n"}.get(
        type(question),
        "enter",
    )
    key = {FailureScreen: "r", RestoreDialog: "y"}.get(type(question), key)
    async with shown(question, turned=False) as (app, pilot):
        draft = await drafting(app, pilot)
        now = time.monotonic() + 5
        press_at(app, "tab", now)
        if isinstance(question, FormDialog):
            await pilot.pause()
            assert question.query_one(Input).has_focus
            press_at(app, "q", now + 0.1)
            press_at(app, "ctrl+s", now + 0.2)
        else:
            press_at(app, key, now + 0.1)
        await until(pilot, lambda: app.result is not NOTHING)

        assert draft.value == "a draft "


@pytest.mark.slow
@pytest.mark.parametrize("key", ["y", "enter", "down", "escape", "tab"])
async def test_a_key_that_waited_in_the_queue_counts_as_typed_when_it_was(key: str) -> None:
    question = dialog()
    async with shown(question, turned=False) as (app, pilot):
        press_at(app, key, time.monotonic() - 30)
        await pilot.pause()

        assert app.result is NOTHING
        assert question.guard.waiting is None
        assert not question.guard.turned


@pytest.mark.slow
async def test_a_letter_over_an_empty_draft_answers_within_seven_tenths_of_a_second() -> None:
    question = dialog()
    async with shown(question, turned=False) as (app, pilot):
        press_at(app, "n", time.monotonic())
        await pilot.pause()
        assert question.guard.waiting is not None
        key, until_when = question.guard.waiting
        assert until_when - key.at < 0.6
        assert "n: answers unless you keep typing" in app.text
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == PermissionAnswer("no")
        assert app.result.how == "key n"


@pytest.mark.slow
async def test_a_word_that_begins_with_the_key_of_an_answer_goes_into_the_draft_whole() -> None:
    question = dialog()
    async with shown(question, turned=False) as (app, pilot):
        began = time.monotonic()
        for number, key in enumerate("yes and run it"):
            press_at(app, key, began + number * 0.3)
        await pilot.pause()

        assert app.screen_stack[0].query_one("#draft", Input).value == "yes and run it"
        assert app.result is NOTHING
        assert "Reason (sent" not in app.text


@pytest.mark.slow
async def test_a_letter_that_waits_goes_into_the_draft_when_its_question_is_withdrawn() -> None:
    question = dialog()
    async with shown(question, turned=False) as (app, pilot):
        press_at(app, "y", time.monotonic() + 60)
        await pilot.pause()
        withdraw(question)
        press_at(app, "e", time.monotonic() + 60.1)
        await pilot.pause()

        assert app.screen.query_one("#draft", Input).value == "ye"


@pytest.mark.slow
async def test_a_letter_that_waits_answers_nothing_once_something_else_is_shown() -> None:
    question = dialog()
    async with shown(question, turned=False) as (app, pilot):
        press_at(app, "y", time.monotonic())
        await pilot.pause()
        await app.push_screen(ModalScreen())
        await asyncio.sleep(0.6)
        await pilot.pause()

        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_letter_that_waits_is_not_given_to_another_call() -> None:
    question = asks(ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"}))
    async with shown(question, turned=False) as (app, pilot):
        press_at(app, "y", time.monotonic())
        await pilot.pause()
        question.question.later = replace(question.question.call, raw_input={"command": "rm -rf build"})
        question.refresh_call()
        await asyncio.sleep(0.6)
        await pilot.pause()

        assert app.result is NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
async def test_a_paste_answers_nothing_and_goes_into_the_draft_if_the_user_has_not_turned(
    turned: bool,
) -> None:
    async with shown(dialog(), turned=turned) as (app, pilot):
        app.post_message(events.Paste("yes y"))
        await pilot.pause()

        assert app.result is NOTHING
        assert app.screen_stack[0].query_one("#draft", Input).value == ("" if turned else "yes y")


@pytest.mark.slow
async def test_r24_a_click_answers_once_the_answers_were_on_the_screen_for_a_moment() -> None:
    question = dialog(("y1", "Yes", "allow_once"))
    async with shown(question, turned=False) as (app, pilot):
        question.guard.note_answers_moved(time.monotonic() + 60)
        await pilot.click(OptionList)
        assert app.result is NOTHING

        question.guard.restart(0.0)
        await pilot.click(OptionList)
        assert app.result == PermissionAnswer("y1")


@pytest.mark.slow
@pytest.mark.parametrize("why", ["window", "list"])
async def test_r24_a_click_answers_nothing_just_after_the_window_came_or_the_answers_moved(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_guard, "SHOWN_FOR", 60)  # a moment, however slow the machine is
    question = asks(ToolCall("t", "one"), waiting=("one", "two"))
    async with shown(question) as (app, pilot):
        if why == "window":
            app.post_message(events.AppBlur())
            app.post_message(events.AppFocus())
        else:
            question.show_waiting(("one", "two", "three"), (2, 3))
        await pilot.pause()
        await pilot.click(OptionList)

        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_draft_takes_what_is_typed_at_its_cursor_and_over_its_selection() -> None:
    async with shown(dialog(), turned=False) as (app, pilot):
        draft = await drafting(app, pilot, "fix the bug")
        draft.selection = Selection(4, 7)
        now = time.monotonic()
        for number, key in enumerate(["a", "n", "left", "m", "home", "y", "end", "s", "backspace", "!"]):
            press_at(app, key, now + number * 0.1)
        await pilot.pause()

        assert draft.value == "yfix amn bug!"


@pytest.mark.slow
async def test_nothing_is_touched_of_a_dialog_that_is_pushed_and_not_composed_yet() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        for question in (one for one in dialogs() if isinstance(one, Dialog)):
            pushed = app.push_screen(question, app.take)
            assert not question.query("#hints"), "the mount is held back: nothing has run since the push"
            question.show_waiting(("one", "two"), (1, 2))
            question.show_note("a note")
            question.show_hints()
            question.guard_changed()
            question.answers_moved()
            if isinstance(question, PermissionDialog):
                question.question.later = replace(question.question.call, title="Other")
                question.refresh_call()
            press_at(app, "y", time.monotonic())
            await pushed
            await until(pilot, lambda: "a note" in app.text and "1 of 2" in app.text)
            withdraw(question)
            await pilot.pause()


@pytest.mark.slow
async def test_what_is_put_off_until_a_dialog_has_lost_its_parts_is_not_done() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        done: list[bool] = []
        await question.query("*").remove()

        question.after_refresh(lambda: done.append(True))
        question.on_resize()
        question.look_at_guard()
        await pilot.pause()
        await pilot.pause()

        assert done == []
        assert app.screen is question


@pytest.mark.slow
async def test_a_terminal_with_too_few_rows_for_the_answers_says_so_until_it_has_more() -> None:
    async with shown(dialog(), (60, 6)) as (app, pilot):
        await until(pilot, lambda: "Too small" in app.text)

        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "demo wants to change files" in app.text)
        assert "Too small" not in app.text


@pytest.mark.slow
async def test_a_command_that_is_higher_than_the_screen_is_asked_about_by_its_name() -> None:
    lines = "\n".join(f"echo {number}" for number in range(120))
    question = asks(ToolCall("t", "build", "execute", raw_input={"command": lines}))
    async with shown(question, (120, 36)) as (app, pilot):
        await until(pilot, lambda: question.may_allow)

        await until(pilot, lambda: "demo wants to run a command" in app.text)
        assert "Too small" not in app.text


@pytest.mark.slow
async def test_hints_stand_beside_a_notice_that_lies_over_them_and_take_the_row_when_it_is_gone() -> None:
    question = asks(ToolCall("t", "x", "execute", raw_input={"command": "echo " + "safe " * 400}))
    async with shown(question, (80, 24), notices=True) as (app, pilot):
        await until(pilot, lambda: "reject with a reason" in app.text)
        app.notify("words of an agent, " * 20, title="Notice", timeout=60)

        await until(pilot, lambda: bool(app.screen.query("Toast")) and "…  Esc" in app.text)
        (row,) = (row for row in app.text.splitlines() if "…  Esc" in row)
        assert "Esc all later" in row
        assert "reject with a" not in row

        app.clear_notifications()
        await until(pilot, lambda: "reject with a reason" in app.text)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(20, 4), (10, 3), (110, 5), (23, 30)])
async def test_what_cannot_be_seen_cannot_be_allowed_but_rejected(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[float] = []
    monkeypatch.setattr(dialog_screens, "monotonic", lambda: stopped[0] if stopped else time.monotonic())
    question = asks(ToolCall("t", "x", "execute", raw_input={"command": "echo safe; make all"}))
    async with shown(question, size) as (app, pilot):
        await until(pilot, lambda: question.is_too_small)
        await pilot.press("y")
        assert app.result is NOTHING

        stopped.append(time.monotonic())
        await pilot.resize_terminal(80, 24)
        await pilot.press("y")
        await until(pilot, lambda: "wants to run" in app.text)
        assert app.result is NOTHING, "the key may have been pressed before"

        stopped.clear()
        await until(pilot, lambda: question.may_allow)
        await pilot.press("y")
        await until(pilot, lambda: app.result == PermissionAnswer("y1"))


@pytest.mark.slow
async def test_a_rejection_counts_also_where_nothing_can_be_seen() -> None:
    question = asks(ToolCall("t", "x", "execute", raw_input={"command": "echo safe; make all"}))
    async with shown(question, (20, 4)) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: app.result == PermissionAnswer("no"))


HINTS = [("↑↓ Enter", "choose"), ("r", "reject with a reason"), ("m", "rule"), ("Esc", "later")]


def test_hints_stand_apart_as_far_as_there_is_room() -> None:
    assert hint_row(HINTS, 80, "…").plain == "↑↓ Enter choose   r reject with a reason   m rule   Esc later"
    assert hint_row(HINTS, 59, "…").plain == "↑↓ Enter choose  r reject with a reason  m rule  Esc later"


def test_the_way_out_stays_and_what_is_left_out_has_a_mark() -> None:
    assert hint_row(HINTS, 56, "…").plain == "↑↓ Enter choose  r reject with a reason  …  Esc later"
    assert hint_row(HINTS, 30, "…").plain == "↑↓ Enter choose  …  Esc later"
    assert hint_row(HINTS, 12, "~").plain == "~  Esc later"
    assert hint_row(HINTS[-1:], 20, "…").plain == "Esc later"


@pytest.mark.slow
@pytest.mark.parametrize("height", [12, 16, 24, 40])
async def test_notices_cover_neither_what_is_asked_nor_the_answers(height: int) -> None:
    question = asks(ToolCall("t", "x", "execute", raw_input={"command": "echo " + "safe " * 60}))
    async with shown(question, (80, height), notices=True) as (app, pilot):
        for number in range(4):
            app.notify("words of an agent, " * 20, title=f"Notice {number}")

        def seen() -> list[Region]:
            places = ((toast.region, toast.screen.region) for toast in app.screen.query("Toast"))
            return [here for toast, whole in places if (here := toast.intersection(whole)).area]

        await until(pilot, lambda: bool(seen()))
        places = [question.body.region, question.query_one("#answers").region]
        assert not [toast for toast in seen() for place in places if toast.overlaps(place)]
