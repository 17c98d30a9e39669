"""A dialog cannot be answered by accident: what is typed, pasted or clicked meanwhile answers nothing."""

import asyncio
import time
from dataclasses import replace

from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList

from acp_tui.session.entries import ToolCall
from acp_tui.ui.screens.permission import Answer
from tests.ui.screens.dialogs import NOTHING, Desk, let_the_pause_pass, shown
from tests.ui.screens.permissions import asks, dialog
from tests.ui.screens.stage import until


def press_at(app: Desk, key: str, at: float) -> None:
    event = events.Key(key, key if len(key) == 1 else None)
    event.time = at
    app.post_message(event)


async def test_c82_r24_typing_hands_answer_nothing() -> None:
    question = dialog()
    async with shown(question, armed=False) as (app, pilot):
        began = time.monotonic()
        keys = ["y", "enter", "a", "n", "escape", "d"] * 5
        for number, key in enumerate(keys):
            press_at(app, key, began + number * 0.05)
        await pilot.pause()

        assert app.result is NOTHING
        assert "waiting for typing to pause" in app.text
        assert question.typing_pause.left(began + len(keys) * 0.05) > 0.3


async def test_r24_an_enter_or_a_click_within_a_tenth_of_a_second_does_nothing() -> None:
    question = dialog()
    async with shown(question, armed=False) as (app, pilot):
        press_at(app, "enter", time.monotonic())
        await pilot.pause()
        await pilot.click(OptionList)
        await until(pilot, lambda: let_the_pause_pass(question))

        assert app.result is NOTHING


async def test_a_key_that_waited_in_the_queue_counts_as_typed_when_it_was() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        press_at(app, "y", time.monotonic() - 30)
        await pilot.pause()
        await until(pilot, lambda: question.armed)

        assert app.result is NOTHING


async def test_a_key_that_a_field_below_let_pass_answers_nothing() -> None:
    question = dialog()
    async with shown(question, armed=False) as (app, pilot):
        await question.run_action("answer('y')")
        await pilot.pause()

        assert app.result is NOTHING


async def test_a_paste_answers_nothing_and_is_taken_for_typing() -> None:
    question = dialog()
    async with shown(question, armed=False) as (app, pilot):
        paste = events.Paste("y\n")
        paste.time += 5
        app.post_message(paste)
        await pilot.pause()

        assert app.result is NOTHING
        assert question.typing_pause.left(paste.time) > 0


async def test_r24_a_click_that_brings_the_window_to_the_front_answers_nothing() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        app.post_message(events.AppBlur())
        app.post_message(events.AppFocus())
        await pilot.click(OptionList)
        assert app.result is NOTHING

        await until(pilot, lambda: let_the_pause_pass(question))
        await pilot.click(OptionList)
        assert app.result == Answer("A")


async def test_r24_the_draft_below_keeps_its_text() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("h", "i")
        question = dialog()
        await app.push_screen(question, app.take)
        await pilot.press("y", "enter")
        await asyncio.sleep(0)
        assert app.screen is question
        assert app.screen_stack[0].query_one("#draft", Input).value == "hi"


async def test_a_word_that_begins_with_the_key_of_an_answer_answers_nothing() -> None:
    """The person thought for a moment, did not see the dialog, and types on."""
    question = dialog()
    async with shown(question, wary=True, alone=5.0) as (app, pilot):
        began = time.monotonic()
        for number, key in enumerate(["y", "e", "s", "enter", "a", "n", "d"]):
            press_at(app, key, began + number * 0.05)
        await pilot.pause()

        assert not question.armed
        assert question._meant is None
        await until(pilot, lambda: let_the_pause_pass(question))
        assert app.result is NOTHING


async def test_a_word_that_begins_with_the_key_of_a_reason_opens_none() -> None:
    question = dialog()
    async with shown(question, wary=True, alone=5.0) as (app, pilot):
        began = time.monotonic()
        for number, key in enumerate("run it"):
            press_at(app, "space" if key == " " else key, began + number * 0.05)
        await pilot.pause()

        assert "Why not?" not in app.text
        assert app.result is NOTHING


async def test_a_key_that_stays_alone_answers() -> None:
    async with shown(dialog(), alone=0.05) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == Answer("no")
        assert app.result.how == "key n"


async def test_a_paste_starts_the_pause_anew_also_when_keys_count_already() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        await until(pilot, lambda: question.armed)
        app.post_message(events.Paste("y\n"))
        await until(pilot, lambda: not question.armed)

        assert app.result is NOTHING


async def test_an_answer_that_waits_to_stay_alone_is_not_given_once_something_else_is_shown() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        question.alone = 0.05
        question.action_answer("y")
        await app.push_screen(ModalScreen())
        await until(pilot, lambda: question._meant is None)
        await pilot.pause()

        assert app.result is NOTHING


async def test_an_answer_that_waits_to_stay_alone_is_not_given_to_another_call() -> None:
    call = ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"})
    question = asks(call)
    async with shown(question, wary=True) as (app, pilot):
        question.alone = 0.05
        question.action_answer("y")
        question._question.later = replace(call, raw_input={"command": "rm -rf build"})
        question.refresh_call()
        after = asyncio.Event()
        app.set_timer(0.1, after.set)
        await after.wait()
        await pilot.pause()

        assert app.result is NOTHING


async def test_what_is_put_off_until_a_dialog_has_lost_its_parts_is_not_done() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        done: list[bool] = []
        await question.query("*").remove()

        question.after_refresh(lambda: done.append(True))
        question.on_resize()
        question._arm_if_quiet()
        await pilot.pause()
        await pilot.pause()

        assert done == []
        assert app.screen is question


async def test_an_answer_whose_moment_is_late_on_a_busy_machine_is_taken_back_by_the_next_key() -> None:
    question = dialog()
    async with shown(question, wary=True, alone=30.0) as (app, pilot):
        now = time.monotonic()
        press_at(app, "y", now)
        await pilot.pause()
        assert question._meant is not None
        press_at(app, "e", now + 31)
        await pilot.pause()

        assert question._meant is None
        assert app.result is NOTHING


async def test_a_terminal_with_too_few_rows_for_the_answers_says_so_until_it_has_more() -> None:
    async with shown(dialog(), (60, 6)) as (app, pilot):
        await until(pilot, lambda: "Too few rows here" in app.text)

        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "demo wants to change files" in app.text)
        assert "Too few rows here" not in app.text
