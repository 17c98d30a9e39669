"""The permission dialog under the hands of a user."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.rules.model import Rule
from acp_tui.session.entries import Diff, Item, ToolCall
from acp_tui.session.questions import KINDS, Flaws, OldText
from acp_tui.ui.application.key_guard import KeyHistory
from acp_tui.ui.screens.base.dialog import Details
from acp_tui.ui.screens.questions.permission import (
    KEYS,
    PermissionAnswer,
    PermissionDialog,
    keys_of,
    waiting_list,
)
from acp_tui.ui.screens.questions.permission_details import AGENT_ONLY, AlwaysScope
from acp_tui.ui.widgets.controls import AnswerList
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from acp_tui.workspace.files import Files
from tests.ui.screens.dialogs import NOTHING, shown
from tests.ui.screens.permissions import FOUR, asks, dialog, options
from tests.ui.screens.stage import until


@pytest.mark.slow
@pytest.mark.parametrize(("key", "answer"), [("y", "y1"), ("n", "no")])
async def test_one_key_answers_by_kind(key: str, answer: str) -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press(key)

        assert app.result == PermissionAnswer(answer)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [("a",), ("d",), ("down", "enter")])
async def test_always_is_never_one_key_and_says_what_it_means_first(keys: tuple[str, ...]) -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        await pilot.press(*keys)
        await until(pilot, lambda: "how far does it go in this session?" in app.text)
        await pilot.press("y", "a", "n", "d", "r", "enter")
        assert app.result is NOTHING, "nothing was moved to"
        assert "the agent remembers it; acp-tui adds nothing" in app.text

        await pilot.press("escape")
        await until(pilot, lambda: "Yes" in app.text and "how far does it go" not in app.text)
        await pilot.press(*keys)
        await pilot.press("down", "enter")

        assert app.result == PermissionAnswer("never" if keys == ("d",) else "A")


@pytest.mark.slow
async def test_what_always_means_is_chosen_from_the_narrowest_on() -> None:
    rule = Rule("allow", command="ls", exact=True)
    scopes = [AGENT_ONLY, AlwaysScope("also this very command", rule)]
    question = asks(ToolCall("t", "List", "execute", raw_input={"command": "ls"}), scopes=lambda: scopes)
    async with shown(question) as (app, pilot):
        await pilot.press("a", "down", "down")
        assert app.text.index("the agent remembers it") < app.text.index("also this very command")
        await pilot.press("enter")

        assert app.result == PermissionAnswer("A", rule=rule)


@pytest.mark.slow
async def test_a_change_of_the_call_makes_half_an_answer_none() -> None:
    question = asks(ToolCall("t", "List", "execute", raw_input={"command": "ls"}))
    async with shown(question) as (app, pilot):
        await pilot.press("a", "down")
        told_since(question, raw_input={"command": "rm -rf build"})
        question.refresh_call()
        await until(pilot, lambda: "rm -rf build" in app.text)
        assert "how far does it go" not in app.text
        await pilot.press("enter")

        assert app.result is NOTHING


@pytest.mark.slow
@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (("x", "Reject", "allow_once"), "its name contradicts its kind: it allows it once"),
        (("x", "Allow", "reject_once"), "its name contradicts its kind: it rejects it once"),
        (("x", "", "allow_once"), "without a name; it allows it once"),
        (("x", "Sure", "tomorrow"), "of an unknown kind: tomorrow"),
    ],
)
async def test_an_odd_option_is_named_has_no_key_and_can_be_moved_to(
    odd: tuple[str, str, str], said: str
) -> None:
    async with shown(dialog(odd)) as (app, pilot):
        assert app.text.count(said) >= 1
        await pilot.press("y", "n", "a", "d")
        assert app.result is NOTHING

        await pilot.press("down", "enter")
        assert app.result == PermissionAnswer("x")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Nein", "拒否"])
async def test_a_name_that_is_not_understood_has_no_key_and_its_kind_beside_it(name: str) -> None:
    async with shown(dialog(("x", name, "allow_once"))) as (app, pilot):
        assert f"{name}  the agent means: allow once" in app.text
        assert "is odd" not in app.text
        await pilot.press("y", "enter")
        assert app.result is NOTHING

        await pilot.press("down", "enter")
        assert app.result == PermissionAnswer("x")


@pytest.mark.slow
async def test_every_option_has_a_number_also_of_a_kind_that_is_offered_twice() -> None:
    twice = [("all", "Yes, move them", "allow_once"), ("copy", "Yes, but copy", "allow_once"), FOUR[2]]
    async with shown(dialog(*twice)) as (app, pilot):
        assert "1    Yes, move them" in app.text
        assert "2    Yes, but copy" in app.text
        assert "3 n  No" in app.text
        await pilot.press("2")

        assert app.result == PermissionAnswer("copy")


@pytest.mark.slow
async def test_a_number_beyond_the_options_is_no_answer() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("5", "9", "0")

        assert app.result is NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("option", [("x", "Nein", "allow_once"), ("x", "Reject", "allow_once")])
async def test_the_number_of_a_name_that_does_not_say_that_it_allows_only_moves_to_it(
    option: tuple[str, str, str],
) -> None:
    question = dialog(FOUR[2], option)
    async with shown(question) as (app, pilot):
        await pilot.press("2", "2")
        assert app.result is NOTHING
        assert question.query_one(AnswerList).highlighted == 1

        await pilot.press("enter")
        assert app.result == PermissionAnswer("x")


@pytest.mark.slow
async def test_a_number_that_is_held_down_does_not_choose_what_always_means() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        await pilot.press("1", "1", "1")
        await until(pilot, lambda: "how far does it go in this session?" in app.text)
        assert app.result is NOTHING

        question.guard.note_answers_replaced(KeyHistory())  # the key is let go
        await pilot.press("1")
        assert app.result == PermissionAnswer("A")


def test_each_kind_of_option_has_a_key() -> None:
    assert KEYS.keys() == KINDS.keys()


def test_a_kind_offered_twice_and_an_unknown_kind_have_no_key() -> None:
    given = options(
        ("1", "One", "allow_once"),
        ("2", "Two", "allow_once"),
        ("3", "Three", "allow_once"),
        ("4", "Allow", "tomorrow"),
        ("5", "No", "reject_once"),
    )

    assert {key: option.option_id for key, option in keys_of(given, Flaws(given)).items()} == {"n": "5"}


@pytest.mark.slow
async def test_r21_three_options_of_one_kind_are_chosen_by_moving_to_them() -> None:
    three = [(f"id:{number}/x", f"Way {number}", "allow_once") for number in range(3)]
    async with shown(dialog(*three)) as (app, pilot):
        assert all(f"Way {number}" in app.text for number in range(3))
        await pilot.press("y", "enter")
        assert app.result is NOTHING, "nothing was moved to"

        await pilot.press("down", "down", "enter")
        assert app.result == PermissionAnswer("id:1/x")


@pytest.mark.slow
async def test_escape_puts_the_question_aside() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None


@pytest.mark.slow
async def test_a_rejection_can_carry_a_reason() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("r", "y", "escape")
        assert app.result is NOTHING
        assert not app.screen.query_one("#reason").display

        await pilot.press("r")
        app.screen.query_one("#reason", Input).value = " not now "
        await pilot.press("enter")
        assert app.result == PermissionAnswer("no", "not now")


@pytest.mark.slow
async def test_without_a_reject_once_there_is_no_reason_to_give() -> None:
    async with shown(dialog(("a", "Yes", "allow_once"))) as (app, pilot):
        await pilot.press("r")

        assert not app.screen.query_one("#reason").display


@pytest.mark.slow
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
        assert app.result == PermissionAnswer("no")


@pytest.mark.slow
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


SIXTY = "".join(f"line {number}\n" for number in range(60))


@pytest.mark.slow
@pytest.mark.parametrize("told", [None, ""])
@pytest.mark.parametrize(
    ("found", "words", "never"),
    [
        (OldText(), ["new file", "+1"], "Replaces"),
        (OldText(SIXTY), ["+1", "−60", "line 0"], "new file"),
        (OldText(""), ["+1"], "new file"),
        (OldText(why_not="60 lines"), ["Replaces the whole file a.py: 60 lines.", "+1"], "new file"),
    ],
)
async def test_a_change_without_its_old_text_is_shown_against_what_is_there(
    told: str | None, found: OldText, words: list[str], never: str
) -> None:
    change = Diff(path="/w/a.py", old_text=told, new_text="all\n")
    question = asks(ToolCall("t", "Write", "edit", content=(change,)), find=lambda paths: {paths[0]: found})
    async with shown(question, turned=False) as (app, pilot):
        await until(pilot, lambda: all(word in app.text for word in words))

        assert never not in app.text


@pytest.mark.slow
async def test_what_is_there_is_looked_at_off_the_loop_and_answers_wait_for_it_to_be_seen() -> None:
    looks, change = threading.Event(), Diff(path="/w/a.py", new_text="all\n")

    def find(paths: Sequence[str]) -> dict[str, OldText]:
        looks.wait(10)
        return dict.fromkeys(paths, OldText(SIXTY))

    question = asks(ToolCall("t", "Write", "edit", content=(change,)), find=find)
    async with shown(question) as (app, pilot):
        await until(pilot, lambda: "reading the current file" in app.text)
        assert "new file" not in app.text
        assert question.armed

        looks.set()
        await until(pilot, lambda: "−60" in app.text)
        await until(pilot, lambda: "allowing works in a moment" in app.text)


def edits_in(folder: Path) -> EditPlaces:
    files = Files([folder])
    return EditPlaces(lambda: files, str(folder))


@pytest.mark.slow
async def test_a_snippet_is_shown_in_its_line_of_the_file_with_three_lines_around_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 21)))
    change = Diff(path=str(tmp_path / "a.txt"), old_text="line 10", new_text="the tenth")
    call = ToolCall("t", "Edit", "edit", content=(change,))
    question = asks(call, cwd=str(tmp_path), edits=edits_in(tmp_path))
    async with shown(question, turned=False) as (app, pilot):
        await until(pilot, lambda: "the tenth" in app.text and "line 13" in app.text)
        rows = [" ".join(row.strip("│ ").split()) for row in app.text.splitlines()]

        start = rows.index("a.txt +1 −1")
        assert rows[start + 1 : start + 9] == [
            *(f"{number} {number} line {number}" for number in (7, 8, 9)),
            "10 − line 10",
            "10 + the tenth",
            *(f"{number} {number} line {number}" for number in (11, 12, 13)),
        ]
        assert question.question.call.content == (change,), "what is allowed is what the agent asked for"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [("you\nyou\nyou\n", "found 3 times in the file"), ("me\n", "not found in the file")],
)
async def test_a_snippet_without_a_place_has_no_numbers_and_says_so(
    text: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(text)
    change = Diff(path=str(tmp_path / "a.txt"), old_text="you", new_text="all")
    call = ToolCall("t", "Edit", "edit", content=(change,))
    async with shown(asks(call, cwd=str(tmp_path), edits=edits_in(tmp_path)), turned=False) as (app, pilot):
        await until(pilot, lambda: f"a.txt  +1 −1  {said}" in app.text)
        rows = [row.strip("│ ") for row in app.text.splitlines()]

        assert "− you" in rows
        assert "+ all" in rows


@pytest.mark.slow
async def test_changed_lines_that_are_cut_are_counted_where_the_rows_below_are() -> None:
    change = Diff(path="/w/a.py", old_text="x" * 300, new_text="y" * 300)
    async with shown(asks(ToolCall("t", "Edit", "edit", content=(change,)))) as (app, pilot):
        assert app.text.count("y") >= 300, "long lines are wrapped"
        assert "cut" not in app.text
        view = app.screen.query_one(DiffView)

        view.action_toggle_wrap()

        await until(pilot, lambda: "2 changed lines are cut, z l wraps them" in app.text)


@pytest.mark.slow
async def test_r34_r41_hostile_names_are_shown_as_written() -> None:
    bad = "[/x][@click=app.quit]\x1b[2J\x9b1m"
    async with shown(dialog((bad, bad, "allow_once"), title=bad, agent=bad)) as (app, pilot):
        assert app.text.count("[/x][@click=app.quit]␛[2J\ufffd1m") == 4

        await pilot.press("down", "enter")
        assert app.result == PermissionAnswer(bad)


@pytest.mark.slow
async def test_the_number_of_waiting_questions_is_shown() -> None:
    async with shown(dialog(counter=(2, 5)), turned=False) as (app, _):
        assert "2 of 5" in app.text


def told_since(question: PermissionDialog, **changes: Any) -> None:
    """Have the agent tell something else of the call that it asked about."""
    known = question.question.later or question.question.call
    question.question.later = replace(known, **changes)


@pytest.mark.slow
async def test_what_the_agent_tells_since_it_asked_is_shown_beside_that_and_answers_wait() -> None:
    question = asks(ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"}))
    async with shown(question) as (app, pilot):
        question.refresh_call()
        assert question.armed, "nothing has changed"
        told_since(question, raw_input={"command": "rm -rf build"})
        question.refresh_call()
        await pilot.press("y")
        await until(pilot, lambda: "rm -rf build" in app.text)

        assert "ls build" in app.text
        assert "your answer is about the original request." in app.text
        assert app.result is NOTHING
        await until(pilot, lambda: "allowing works in a moment" in app.text)

        told_since(question, content=[Diff(path="/w/a", old_text="a", new_text="b")])
        question.refresh_call()
        await until(pilot, lambda: bool(question.query(DiffView)) and " b" in app.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("n",), PermissionAnswer("no")),
        (("r", "w", "enter"), PermissionAnswer("no", "w")),
        (("d", "down", "enter"), PermissionAnswer("never")),
        (("down", "down", "down", "enter"), PermissionAnswer("no")),
        (("escape",), None),
    ],
)
async def test_a_call_that_changes_without_end_is_not_allowed_and_can_be_rejected_and_put_aside(
    keys: tuple[str, ...], answer: PermissionAnswer | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = asks(ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"}))
    async with shown(question) as (app, pilot):
        draws: list[object] = []
        monkeypatch.setattr(Details, "show", lambda *_: draws.append(1))
        began = time.monotonic()
        for number, key in enumerate(("down", "up", "y", *keys)):
            for step in range(10):
                told_since(question, raw_input={"command": f"rm {number} {step}"})
                question.refresh_call()
            await pilot.pause()
            if number < 3:
                assert 0 < len(draws) <= 1 + number + (time.monotonic() - began)
            if key == keys[0]:
                assert app.result is NOTHING
            await pilot.press(key)

        assert app.result == answer


@pytest.mark.slow
async def test_where_a_link_leads_is_shown_and_an_answer_allows_once_that_was_seen(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "readme.md").symlink_to(".git/config")
    call = ToolCall("t", "Write", "edit", content=(Diff(f"{tmp_path}/readme.md", "x", "y"),))
    question = asks(call, cwd=str(tmp_path))
    async with shown(question) as (app, pilot):
        await until(pilot, lambda: app.text.count("readme.md → .git/config") == 2)
        await until(pilot, lambda: "protected: git reads settings" in " ".join(app.text.split()))
        await pilot.press("y")
        assert app.result is NOTHING
        await until(pilot, lambda: "allowing works in a moment" not in app.text)
        await pilot.press("y")

        assert app.result == PermissionAnswer("y1")


@pytest.mark.slow
async def test_an_answer_allows_again_what_has_been_on_the_screen_unchanged() -> None:
    question = asks(ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"}))
    async with shown(question) as (app, pilot):
        told_since(question, raw_input={"command": "rm 1"})
        question.refresh_call()
        told_since(question, raw_input={"command": "rm 2"})
        question.refresh_call()
        await until(pilot, lambda: "rm 2" in app.text)
        await pilot.press("y")
        assert app.result is NOTHING
        await until(pilot, lambda: "allowing works in a moment" not in app.text)
        await pilot.press("y")

        assert app.result == PermissionAnswer("y1")


@pytest.mark.slow
@pytest.mark.parametrize("keys", [("y",), ("down", "down", "enter")])
async def test_an_answer_to_a_call_whose_change_is_not_drawn_yet_shows_the_change_instead(
    keys: tuple[str, ...],
) -> None:
    call = ToolCall("t", "Clean up", "execute", raw_input={"command": "ls build"})
    question = asks(call)
    async with shown(question) as (app, pilot):
        *moves, answer = keys
        await pilot.press(*moves)
        told_since(question, raw_input={"command": "rm -rf build"})

        await pilot.press(answer)
        await until(pilot, lambda: "rm -rf build" in app.text)

        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_choice_on_its_way_when_answers_begin_to_wait_is_not_given() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        answers = question.query_one(OptionList)
        question.guard_anew()
        answers.post_message(OptionList.OptionSelected(answers, answers.get_option_at_index(0), 0))
        await pilot.pause()

        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_reason_that_is_sent_while_answers_wait_rejects_nothing_yet() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        await pilot.press("r", *"why")
        line = question.query_one("#reason", Input)
        question.guard_anew()
        line.post_message(Input.Submitted(line, line.value))
        await pilot.pause()

        assert app.result is NOTHING
        assert question.words() == "why"


@pytest.mark.slow
async def test_keys_that_belong_to_the_zoomed_changes_are_not_taken_for_a_word() -> None:
    diffs: list[Item] = [Diff(path=f"/w/{name}.py", old_text="1\n", new_text="2\n") for name in "abc"]
    question = dialog(content=diffs)
    async with shown(question, (120, 40)) as (app, pilot):
        await question.run_action("zoom")
        await pilot.press("n", "n", "n")

        assert question.armed
        assert app.result is NOTHING


@pytest.mark.slow
async def test_thousands_of_options_are_a_list_as_high_as_the_screen_below_what_is_asked() -> None:
    many = [(f"o{number}", f"Choice {number}", "allow_once") for number in range(5_000)]
    question = dialog(*many, title="Which of these?")
    async with shown(question, (100, 30)) as (app, pilot):
        answers = question.query_one(AnswerList)
        await until(pilot, lambda: answers.size.height > 20)
        assert "Which of these?" in app.text
        assert "Choice 19" in app.text

        await pilot.press("down", "down")
        assert answers.highlighted == 1
        await until(pilot, lambda: answers.option_count == 5_000)
        await pilot.press("up", "up")
        assert answers.highlighted == 4_999
        await until(pilot, lambda: "Choice 4999" in app.text)
        await pilot.press("enter")
        assert app.result == PermissionAnswer("o4999")


STYLES = Styles()


def rows(waiting: list[str], place: int, most: int) -> list[str]:
    return [
        row_text(row).strip()
        for block in waiting_list(waiting, place, most, STYLES)
        for row in block.rows(100, STYLES)
    ]


def test_one_question_alone_has_no_list() -> None:
    assert rows(["only"], 0, 5) == []


def test_the_one_that_is_asked_is_marked_and_always_among_those_shown() -> None:
    mark = STYLES.symbol("current")
    waiting = [f"ask {number}" for number in range(1, 8)]

    assert rows(waiting, 0, 3) == [f"{mark} 1 ask 1", "2 ask 2", "3 ask 3", "and 4 more", ""]
    assert rows(waiting, 6, 3) == ["5 ask 5", "6 ask 6", f"{mark} 7 ask 7", "and 4 more", ""]
    assert rows(waiting[:2], 1, 3) == ["1 ask 1", f"{mark} 2 ask 2", ""]


def test_a_long_question_is_cut_and_its_control_characters_are_shown() -> None:
    first = rows(["x" * 99, "\x1b[2J"], 1, 3)

    assert first[0] == f"1 {'x' * 59}…"
    assert "\x1b" not in first[1]


async def test_thousands_of_changes_in_one_question_are_each_put_together_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    real = PermissionDialog._change

    def change(self: PermissionDialog, diff: Diff, note: str) -> FileDiff:
        made.append(diff.path)
        return real(self, diff, note)

    monkeypatch.setattr(PermissionDialog, "_change", change)  # private: it was called n² times
    call = ToolCall("t", "x", "edit", content=[Diff("a.txt", f"{number}\n", "x\n") for number in range(300)])
    question = asks(call, notes=LineNotes(lambda: None))
    async with shown(question) as (app, pilot):
        await until(pilot, lambda: "300 files" in app.text or "1/300" in app.text)

        assert len(made) <= 3 * 300
