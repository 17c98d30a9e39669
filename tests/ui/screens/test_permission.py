"""The permission dialog under the hands of a person."""

import asyncio
import time
from datetime import UTC, datetime

import pytest
from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList

from acp_tui.acp.permissions import PermissionOption
from acp_tui.host.rules import Rule
from acp_tui.session.entries import ToolCall
from acp_tui.session.items import Diff, Item, Location
from acp_tui.session.questions import Permission
from acp_tui.store.precedents import MOST, Precedents
from acp_tui.ui.screens.background import NOTHING_KNOWN, Background
from acp_tui.ui.screens.permission import Answer, PermissionDialog, keys_of
from acp_tui.ui.screens.permission_reasons import before_words
from acp_tui.ui.widgets.diff_view import DiffView
from tests.ui.screens.dialogs import LOOK, NOTHING, Desk, let_the_pause_pass, shown
from tests.ui.screens.stage import until

FOUR = [
    ("A", "Always", "allow_always"),
    ("y1", "Yes", "allow_once"),
    ("no", "No", "reject_once"),
    ("never", "Never", "reject_always"),
]


def options(*given: tuple[str, str, str]) -> list[PermissionOption]:
    return [PermissionOption(option_id=one, name=name, kind=kind) for one, name, kind in given]


def dialog(
    *given: tuple[str, str, str],
    title: str = "Run it",
    content: list[Item] | None = None,
    agent: str = "demo",
    counter: tuple[int, int] = (1, 1),
) -> PermissionDialog:
    return PermissionDialog(
        Permission("q", "t", options(*(given or FOUR))),
        ToolCall("t", title, "edit", content=content or [], locations=[Location(path="/etc/hosts")]),
        agent=agent,
        cwd="/w",
        inside=lambda path: path.startswith("/w/"),
        look=LOOK,
        counter=counter,
    )


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


@pytest.mark.parametrize(("key", "answer"), [("y", "y1"), ("a", "A"), ("n", "no"), ("d", "never")])
async def test_one_key_answers_by_kind(key: str, answer: str) -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press(key)

        assert app.result == Answer(answer)


def test_a_kind_offered_twice_and_an_unknown_kind_have_no_key() -> None:
    given = options(
        ("1", "One", "allow_once"),
        ("2", "Two", "allow_once"),
        ("3", "Three", "allow_once"),
        ("4", "Allow", "tomorrow"),
        ("5", "No", "reject_once"),
    )

    assert {key: option.option_id for key, option in keys_of(given).items()} == {"n": "5"}


async def test_r21_three_options_of_one_kind_are_chosen_by_moving_to_them() -> None:
    three = [(f"id:{number}/x", f"Way {number}", "allow_once") for number in range(3)]
    async with shown(dialog(*three)) as (app, pilot):
        assert all(f"Way {number}" in app.text for number in range(3))
        await pilot.press("y", "enter")
        assert app.result is NOTHING, "nothing was moved to"

        await pilot.press("down", "down", "enter")
        assert app.result == Answer("id:1/x")


async def test_escape_puts_the_question_aside() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None


async def test_a_rejection_can_carry_a_reason() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("r", "y", "escape")
        assert app.result is NOTHING
        assert not app.screen.query_one("#reason").display

        await pilot.press("r")
        app.screen.query_one("#reason", Input).value = " not now "
        await pilot.press("enter")
        assert app.result == Answer("no", "not now")


async def test_without_a_reject_once_there_is_no_reason_to_give() -> None:
    async with shown(dialog(("a", "Yes", "allow_once"))) as (app, pilot):
        await pilot.press("r")

        assert not app.screen.query_one("#reason").display


async def test_r32_all_changes_are_in_view_or_announced_and_zoom_takes_the_keys() -> None:
    diffs: list[Item] = [
        Diff(path=f"/w/{name}.py", old_text="old = 1\n", new_text="new = 2\n") for name in "abc"
    ]
    async with shown(dialog(content=diffs), (120, 40)) as (app, pilot):
        for number, name in enumerate("abc", start=1):
            assert f"{number}/3 files" in app.text
            assert f"{name}.py" in app.text
        assert "outside the workspace" in app.text

        await pilot.press("z", "n", "y")
        assert app.result is NOTHING, "n and y belong to the changes now"
        assert isinstance(app.focused, DiffView)

        await pilot.press("escape", "n")
        assert app.result == Answer("no")


async def test_options_stay_in_view_on_a_small_screen_and_the_rest_scrolls() -> None:
    long: list[Item] = [
        Diff(path="/w/a.py", old_text=None, new_text="".join(f"line {number}\n" for number in range(500)))
    ]
    async with shown(dialog(content=long)) as (app, pilot):
        for name in ("Always", "Yes", "No", "Never", "more rows", "Esc"):
            assert name in app.text
        assert "line 30" not in app.text

        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert "line 30" in app.text


async def test_r34_r41_hostile_names_are_shown_as_written() -> None:
    bad = "[/x][@click=app.quit]\x1b[2J\x9b1m"
    async with shown(dialog((bad, bad, "allow_once"), title=bad, agent=bad)) as (app, pilot):
        assert app.text.count("[/x][@click=app.quit]␛[2J\ufffd1m") == 3

        await pilot.press("y")
        assert app.result == Answer(bad)


async def test_the_number_of_waiting_questions_is_shown() -> None:
    async with shown(dialog(counter=(2, 5)), armed=False) as (app, _):
        assert "2 of 5" in app.text


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


# ------------------------------------------------------------------ typing that goes on, and what changes


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


async def test_a_call_that_the_agent_changes_meanwhile_is_shown_anew_and_answers_wait() -> None:
    call = ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"})
    question = asks(call)
    async with shown(question, wary=True) as (app, pilot):
        question.refresh_call()
        assert question.armed, "nothing has changed"
        call.raw_input = {"command": "rm -rf build"}
        question.refresh_call()
        await pilot.press("y")
        await until(pilot, lambda: "rm -rf build" in app.text)

        assert "The agent has changed what it asks" in app.text
        assert app.result is NOTHING
        assert not question.armed

        call.content = [Diff(path="/w/a", old_text="a", new_text="b")]
        question.refresh_call()
        await until(pilot, lambda: bool(question.query(DiffView)) and " b" in app.text)


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
        call.raw_input = {"command": "rm -rf build"}
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


@pytest.mark.parametrize("keys", [("y",), ("down", "enter")])
async def test_an_answer_to_a_call_whose_change_is_not_drawn_yet_shows_the_change_instead(
    keys: tuple[str, ...],
) -> None:
    call = ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"})
    question = asks(call)
    async with shown(question, wary=True) as (app, pilot):
        *moves, answer = keys
        await pilot.press(*moves)
        call.raw_input = {"command": "rm -rf build"}

        await pilot.press(answer)
        await until(pilot, lambda: "rm -rf build" in app.text)

        assert app.result is NOTHING


async def test_a_choice_on_its_way_when_answers_begin_to_wait_is_not_given() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        answers = question.query_one(OptionList)
        question.pause_anew()
        answers.post_message(OptionList.OptionSelected(answers, answers.get_option_at_index(0), 0))
        await pilot.pause()

        assert app.result is NOTHING


async def test_a_reason_that_is_sent_while_answers_wait_rejects_nothing_yet() -> None:
    question = dialog()
    async with shown(question, wary=True) as (app, pilot):
        await pilot.press("r", *"why")
        line = question.query_one("#reason", Input)
        question.pause_anew()
        line.post_message(Input.Submitted(line, line.value))
        await pilot.pause()

        assert app.result is NOTHING
        assert question.words() == "why"


async def test_keys_that_belong_to_the_zoomed_changes_are_not_taken_for_a_word() -> None:
    diffs: list[Item] = [Diff(path=f"/w/{name}.py", old_text="1\n", new_text="2\n") for name in "abc"]
    question = dialog(content=diffs)
    async with shown(question, (120, 40), alone=30.0) as (app, pilot):
        await question.run_action("zoom")
        await pilot.press("n", "n", "n")

        assert question.armed
        assert app.result is NOTHING


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


# ------------------------------------------------------------------ what explains the question


def asks(
    call: ToolCall, background: Background = NOTHING_KNOWN, waiting: tuple[str, ...] = ()
) -> PermissionDialog:
    return PermissionDialog(
        Permission("q", "t", options(*FOUR)),
        call,
        agent="demo",
        cwd="/w",
        inside=lambda path: path == "/w" or path.startswith("/w/"),
        look=LOOK,
        background=background,
        waiting=waiting,
        counter=(2, max(2, len(waiting))),
    )


def runs(command: str) -> ToolCall:
    return ToolCall("t", "", "execute", raw_input={"command": command})


async def test_a_chain_is_told_in_parts_with_what_to_look_at() -> None:
    question = asks(runs("git fetch && sudo rm -rf /opt/x | tee log > /etc/x"))
    async with shown(question) as (app, _pilot):
        rows = [row.strip("│ ") for row in app.text.splitlines()]

        assert "parts     git fetch  network" in rows
        assert any(row.startswith("sudo rm -rf /opt/x  as another user, deletes, outside") for row in rows)
        assert "tee log > /etc/x  writes /etc/x, outside the workspace" in rows


async def test_a_plain_command_is_not_explained_and_one_with_a_note_in_one_row() -> None:
    async with shown(asks(runs("pytest -q"))) as (app, _pilot):
        assert "parts" not in app.text
        assert "notes" not in app.text
    async with shown(asks(runs("curl https://x.example"))) as (app, _pilot):
        assert "notes     network" in app.text


async def test_many_parts_are_cut_and_a_key_shows_them_all() -> None:
    async with shown(asks(runs(" && ".join(f"run{number}" for number in range(9)))), (80, 40)) as (
        app,
        pilot,
    ):
        assert "3 more parts (i shows them)" in app.text
        await pilot.press("i")
        await until(pilot, lambda: "more parts" not in app.text)

        assert "          run8" in app.text


async def test_a_line_that_cannot_be_read_is_marked() -> None:
    async with shown(asks(runs("echo 'open"))) as (app, _pilot):
        assert "not all of it could be read as a shell command" in app.text


async def test_the_rule_that_asks_is_named_with_its_place_and_what_was_before() -> None:
    rule = Rule("ask", command="git push", note="I look first [/x]", where="settings.toml:12")
    before = Precedents(2, 1, datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
    async with shown(asks(runs("git push"), Background(rule, before)), (110, 30)) as (app, _pilot):
        assert "rule      asks: git push …, “I look first [/x]” (settings.toml:12)" in app.text
        assert "before    allowed 2 times, rejected once in this workspace, last 2026-03-01" in app.text


def test_commands_that_only_begin_alike_are_told_as_such() -> None:
    alike = Precedents(1, 0, datetime.now(UTC), "git push")

    assert before_words(alike).startswith("“git push …” allowed once in this workspace, last today ")


def test_more_than_are_looked_at_are_told_as_at_least_so_many() -> None:
    assert before_words(Precedents(MOST, 0, datetime.now(UTC))).startswith(f"at least allowed {MOST} times")


async def test_questions_that_wait_are_listed_and_gone_to_without_an_answer() -> None:
    steps: list[int] = []
    waiting = tuple(f"run make {number}" for number in range(5))
    question = asks(runs("make 1"), waiting=waiting)
    question._go = steps.append
    async with shown(question) as (app, pilot):
        assert "2 of 5" in app.text
        assert "▶ 2 run make 1" in app.text
        assert "and 2 more" in app.text
        await pilot.press("tab", "shift+tab")

        assert steps == [1, -1]
        assert app.result is NOTHING


async def test_a_question_that_comes_meanwhile_is_listed_and_clicks_wait_since_answers_move() -> None:
    question = asks(runs("make"), waiting=("run make",))
    async with shown(question, wary=True) as (app, pilot):
        question.show_waiting(("run make", "edit a.py"), (1, 2))
        await until(pilot, lambda: "2 edit a.py" in app.text)

        assert not question.armed
        await pilot.press("y")
        assert app.result is NOTHING


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_long_command_with_many_parts_leaves_its_beginning_and_all_answers_in_view(
    size: tuple[int, int],
) -> None:
    command = " && ".join(f"make target-number-{number} --with-a-long-option" for number in range(40))
    waiting = tuple(f"run make {number}" for number in range(9))
    async with shown(asks(runs(command), waiting=waiting), size) as (app, pilot):
        assert "command   make target-number-0" in app.text
        assert all(name in app.text for _, name, _ in FOUR)
        await until(pilot, lambda: "more rows, PgDn shows them" in app.text)


async def test_a_second_answer_takes_no_other_screen_away() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        question.dismiss(Answer("y1"))
        question.dismiss(Answer("no"))  # as by a timer that was on its way
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == Answer("y1")
        assert len(app.screen_stack) == 1
