"""What a permission dialog says beside the call: parts of the command, the rule that asks, what waits."""

from datetime import UTC, datetime

import pytest
from textual.widgets import OptionList

from acp_tui.host.rules import Rule
from acp_tui.session.entries import ToolCall
from acp_tui.store.precedents import MOST, Precedents
from acp_tui.ui.screens.background import Background
from acp_tui.ui.screens.permission import Answer
from acp_tui.ui.screens.permission_reasons import before_words
from tests.ui.screens.dialogs import NOTHING, shown
from tests.ui.screens.permissions import FOUR, asks, dialog
from tests.ui.screens.stage import until


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
    async with shown(question) as (app, pilot):
        question.show_waiting(("run make", "edit a.py"), (1, 2))
        await until(pilot, lambda: "2 edit a.py" in app.text)

        question.guard._placed += 60  # a moment, however slow the machine is
        await pilot.click(OptionList)
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
