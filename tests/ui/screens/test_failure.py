from typing import Any

import pytest
from textual.widgets import Input

from acp_tui.ui.screens.failure import FailureChoice, FailureScreen
from acp_tui.ui.widgets.transcript import Transcript
from tests.ui.screens.stage import Stage, look, screen_text, until


def failure(**given: Any) -> FailureScreen:
    facts: dict[str, Any] = {
        "command": ["gemini", "--say", "a b"],
        "title": "The agent [bold]ended[/x]",
        "reason": "It [/red] refused",
        "stderr": "first\nlast \x1b]0;title\x07 [/y]",
        "advice": ["Try [this]."],
        "can_log_in": False,
        "look": look(),
    }
    return FailureScreen(**{**facts, **given})


async def test_r34_what_the_agent_said_is_shown_as_written_and_obeyed_by_nothing() -> None:
    app = Stage(failure())
    async with app.run_test() as pilot:
        await until(pilot, lambda: "last" in screen_text(app))

        shown = screen_text(app)
        for text in ("The agent [bold]ended[/x]", "It [/red] refused", "␛]0;title␇ [/y]", "Try [this]."):
            assert text in shown
        assert "gemini --say 'a b'" in shown


async def test_a_login_is_offered_only_where_there_is_one() -> None:
    app = Stage(failure())
    async with app.run_test() as pilot:
        await pilot.press("l")

        assert app.results == []
        assert "Log in" not in screen_text(app)


async def test_keys_leave_with_a_wish() -> None:
    app = Stage(failure(can_log_in=True))
    async with app.run_test() as pilot:
        await pilot.press("l")

        assert app.results == [FailureChoice("log_in")]


async def test_keys_leave_with_a_wish_also_where_nothing_was_said() -> None:
    app = Stage(failure(stderr=""))
    async with app.run_test() as pilot:
        await pilot.press("r")

        assert app.results == [FailureChoice("retry")], "no hidden field has taken the key"


@pytest.mark.parametrize("can", [True, False])
async def test_a_new_session_is_offered_only_in_the_place_of_an_earlier_one(can: bool) -> None:
    app = Stage(failure(can_begin_new=can))
    async with app.run_test() as pilot:
        await pilot.press("n")

        assert app.results == ([FailureChoice("new")] if can else [])


async def test_the_command_is_edited_in_place() -> None:
    app = Stage(failure())
    async with app.run_test() as pilot:
        await pilot.press("e")
        app.screen.query_one(Input).value = "gemini 'open"
        await pilot.press("enter")
        assert app.results == []  # told, and nothing is lost
        app.screen.query_one(Input).value = "gemini --acp 'a b'"
        await pilot.press("enter")

        assert app.results == [FailureChoice("edit", ("gemini", "--acp", "a b"))]


async def test_escape_stops_editing_and_then_closes() -> None:
    app = Stage(failure())
    async with app.run_test() as pilot:
        await pilot.press("e", "r", "escape")
        assert app.results == []
        await pilot.press("escape")

        assert app.results == [None]


async def test_a_flood_on_stderr_shows_its_end() -> None:
    app = Stage(failure(stderr="\n".join(f"line {number}" for number in range(100_000))))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "line 99999" in screen_text(app))

        assert len(app.screen.query_one(Transcript).blocks) == 500
        await pilot.press("c")
        assert "line 0\n" in app.clipboard
        assert "line 99999" in app.clipboard


@pytest.mark.parametrize("lines", [1, 3, 8])
async def test_the_box_has_a_row_for_each_line_that_was_said_and_no_empty_ones(lines: int) -> None:
    app = Stage(failure(stderr="\n".join(f"line {number}" for number in range(lines))))
    async with app.run_test(size=(100, 40)) as pilot:
        said = app.screen.query_one(Transcript)
        await until(pilot, lambda: said.size.height == lines)

        await until(pilot, lambda: all(f"line {number}" in screen_text(app) for number in range(lines)))


async def test_long_advice_goes_on_below_its_first_word() -> None:
    app = Stage(failure(advice=["many words " * 12 + "end"]))
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: " end" in screen_text(app))

        begin, *_, last = [row for row in screen_text(app).splitlines() if "words" in row]
        assert begin.index("many") == min(last.index(word) for word in ("many", "words") if word in last)


async def test_a_box_that_is_being_taken_away_is_not_fitted_any_more() -> None:
    app = Stage(failure())
    async with app.run_test() as pilot:
        await until(pilot, lambda: "last" in screen_text(app))
        screen = app.screen
        assert isinstance(screen, FailureScreen)

        await screen.query_one(Transcript).remove()
        screen.on_resize()
        await pilot.pause()

        assert app.screen is screen
