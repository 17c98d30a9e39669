"""Tests of `ui/screens/start.py`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from acp_tui.store.agents import KnownAgent
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.toml_check import Problem
from acp_tui.ui.screens.start import (
    FailureChoice,
    FailureScreen,
    StartChoice,
    StartScreen,
    ago,
    groups,
    matching,
)
from acp_tui.ui.widgets.rows.keys import Keys
from acp_tui.ui.widgets.transcript.transcript import Transcript
from tests.ui.screens.stage import Stage, screen_text, styles, until

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
KNOWN = {
    "shell": KnownAgent("shell", "The [/x] shell", ("sh", "-c", "acp")),
    "gone": KnownAgent("gone", "Gone", ("no-such-program-here",), install="npm install gone"),
}


def recorded(name: str, cwd: str, title: str) -> RecordedSession:
    return RecordedSession(
        Path(f"/journals/{name}"), "gemini", ("gemini",), cwd, title, NOW - timedelta(hours=3), 10
    )


def test_what_runs_here_comes_first_and_what_is_missing_last(tmp_path: Path) -> None:
    sessions = [recorded("there", "/elsewhere", "other"), recorded("here", str(tmp_path), "this")]

    found = groups(KNOWN, sessions, str(tmp_path), NOW)

    assert [group.heading for group in found] == [
        "On this machine",
        "Sessions in this workspace",
        "Sessions elsewhere",
        "Not installed",
    ]
    assert [row.choice for row in found[0].rows] == [StartChoice("agent", "shell"), StartChoice("demo")]
    assert found[1].rows[0].choice == StartChoice("recorded", recorded=sessions[1])
    assert found[3].rows[0].choice is None
    assert "npm install gone" in found[3].rows[0].text.plain


def test_sessions_come_first_if_the_user_asked_for_one(tmp_path: Path) -> None:
    sessions = [recorded("there", "/elsewhere", "other"), recorded("here", str(tmp_path), "this")]

    found = groups(KNOWN, sessions, str(tmp_path), NOW, sessions_first=True)

    assert [group.heading for group in found][:3] == [
        "Sessions in this workspace",
        "Sessions elsewhere",
        "On this machine",
    ]


def test_agents_that_lack_only_their_adapter_come_before_those_that_are_missing(tmp_path: Path) -> None:
    known = {"gone": KNOWN["gone"], "half": KNOWN["gone"]._replace(name="half", adapts="sh")}

    found = groups(known, [], str(tmp_path), NOW)

    assert [group.heading for group in found[1:]] == ["ACP adapter not installed", "Not installed"]
    assert "half" in found[1].rows[0].text.plain


def test_the_workspace_reached_by_an_alias_is_this_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")

    found = groups({}, [recorded("s", str(tmp_path / "real"), "")], str(tmp_path / "alias"), NOW)

    assert found[1].heading == "Sessions in this workspace"


def test_a_session_whose_folder_is_no_path_is_listed_elsewhere(tmp_path: Path) -> None:
    found = groups({}, [recorded("s", "/no\0", "broken")], str(tmp_path), NOW)

    assert found[1].heading == "Sessions elsewhere"


def test_typing_filters_by_all_words_and_can_be_run() -> None:
    everything = groups(KNOWN, [recorded("s", "/w", "add a flag")], "/w", NOW)

    found = matching(everything, "FLAG gem")

    assert [group.heading for group in found] == ["Sessions in this workspace", "Command line"]
    assert found[-1].rows[0].choice == StartChoice("agent", "FLAG gem")


def test_a_program_with_arguments_is_run_rather_than_searched() -> None:
    everything = groups(KNOWN, [], "/w", NOW)

    assert matching(everything, "sh -c acp")[0].heading == "Command line"
    assert matching(everything, "gone --flag", KNOWN)[0].heading == "Command line"
    assert matching(everything, "shell", KNOWN)[0].heading == "On this machine"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "just now"), (59, "just now"), (60, "1 min ago"), (7300, "2 h ago"), (90000, "1 d ago")],
)
def test_ages_are_shown_in_the_largest_unit(seconds: int, text: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == text


def test_old_ages_are_dates() -> None:
    assert ago(NOW - timedelta(days=30), NOW) == "2026-02-03"


async def test_enter_starts_what_is_highlighted() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], styles()))
    async with app.run_test() as pilot:
        assert "The [/x] shell" in screen_text(app)
        await pilot.press("down", "enter")

        assert app.results == [StartChoice("demo")]


async def test_a_number_starts_a_row_while_the_field_is_empty() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], styles()))
    async with app.run_test() as pilot:
        assert "2 demo" in screen_text(app)
        await pilot.press("9")
        field = app.screen.query_one(Input)
        await until(pilot, lambda: field.value == "9")
        await pilot.press("1")
        assert (field.value, app.results) == ("91", [])
        await until(pilot, lambda: "2 demo" not in screen_text(app))

        await pilot.press("escape", "2")
        await until(pilot, lambda: app.results == [StartChoice("demo")])


async def test_escape_in_an_empty_field_goes_back_where_there_is_a_way() -> None:
    for has_back in (False, True):
        app = Stage(StartScreen(KNOWN, [], "/w", [], styles(), has_back=has_back))
        async with app.run_test() as pilot:
            await pilot.press("x", "escape", "escape")
            assert app.results == ([None] if has_back else [])


async def test_a_typed_command_line_is_started_as_it_stands() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], styles()))
    async with app.run_test() as pilot:
        app.screen.query_one(Input).value = "npx 'some agent' --flag"
        await until(pilot, lambda: "run  npx" in screen_text(app))
        await pilot.press("enter")

        assert app.results == [StartChoice("agent", "npx 'some agent' --flag")]


async def test_an_agent_that_is_not_installed_gives_its_install_line() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], styles()))
    async with app.run_test() as pilot:
        app.screen.query_one(Input).value = "gone"
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 5)
        await pilot.press("enter")

        assert app.results == []
        assert app.clipboard == "npm install gone"


@pytest.mark.slow
async def test_a_click_starts_a_session() -> None:
    session = recorded("s", "/w", "a title")
    app = Stage(StartScreen({}, [session], "/w", [], styles()))
    async with app.run_test() as pilot:
        await pilot.click(OptionList, offset=(5, 4))

        assert app.results == [StartChoice("recorded", recorded=session)]


async def test_problems_of_the_settings_are_shown() -> None:
    problem = Problem(Path("/settings.toml"), 3, "theme: [not] a text")
    app = Stage(StartScreen({}, [], "/w", [problem], styles()))
    async with app.run_test():
        assert "/settings.toml:3: theme: [not] a text" in screen_text(app)


def failure(**given: Any) -> FailureScreen:
    facts: dict[str, Any] = {
        "command": ["gemini", "--say", "a b"],
        "title": "The agent [bold]ended[/x]",
        "reason": "It [/red] refused",
        "stderr": "first\nlast \x1b]0;title\x07 [/y]",
        "advice": ["Try [this]."],
        "can_log_in": False,
        "styles": styles(),
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


@pytest.mark.slow
async def test_a_flood_on_stderr_shows_its_end() -> None:
    app = Stage(failure(stderr="\n".join(f"line {number}" for number in range(100_000))))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "line 99999" in screen_text(app))

        assert len(app.screen.query_one(Transcript).blocks) == 500
        await pilot.press("c")
        assert "line 0\n" in app.clipboard
        assert "line 99999" in app.clipboard


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, 3, 8])
async def test_the_box_has_a_row_for_each_line_that_was_said_and_no_empty_ones(lines: int) -> None:
    app = Stage(failure(stderr="\n".join(f"line {number}" for number in range(lines))))
    async with app.run_test(size=(100, 40)) as pilot:
        said = app.screen.query_one(Transcript)
        await until(pilot, lambda: said.size.height == lines)

        await until(pilot, lambda: all(f"line {number}" in screen_text(app) for number in range(lines)))


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40)])
@pytest.mark.parametrize("stderr", ["", "said"])
async def test_the_keys_of_a_failure_stand_in_its_box(size: tuple[int, int], stderr: str) -> None:
    app = Stage(failure(stderr=stderr))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "Retry" in screen_text(app))

        box, keys = app.screen.query_one("#failure"), app.screen.query_one(Keys)
        assert box.region.shrink((1, 1, 1, 1)).contains_region(keys.region)
        rows = screen_text(app).splitlines()
        assert [row for row in rows if "Retry" in row and "Close" in row] == [rows[keys.region.y]]


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


async def test_after_a_command_line_that_failed_another_row_is_one_key_away() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], styles(), wanted="/bin/false --x"))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "run  /bin/false --x" in screen_text(app))
        listed = app.screen.query_one(OptionList)
        first = listed.highlighted

        await pilot.press("down")
        assert listed.highlighted != first
        await pilot.press("up")
        assert listed.highlighted == first

        await pilot.press("y")
        await until(pilot, lambda: listed.option_count == 2)  # what is typed filters
