from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from acp_tui.store.agents import KnownAgent
from acp_tui.store.problem import Problem
from acp_tui.store.recorded import Recorded
from acp_tui.ui.screens.agents import StartChoice, StartScreen, ago, groups, matching
from tests.ui.screens.stage import Stage, look, screen_text, until

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
KNOWN = {
    "shell": KnownAgent("shell", "The [/x] shell", ("sh", "-c", "acp")),
    "gone": KnownAgent("gone", "Gone", ("no-such-program-here",), install="npm install gone"),
}


def recorded(name: str, cwd: str, title: str) -> Recorded:
    return Recorded(
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


def test_the_workspace_reached_by_an_alias_is_this_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")

    found = groups({}, [recorded("s", str(tmp_path / "real"), "")], str(tmp_path / "alias"), NOW)

    assert found[1].heading == "Sessions in this workspace"


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
def test_ages_are_told_in_the_largest_unit(seconds: int, text: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == text


def test_old_ages_are_dates() -> None:
    assert ago(NOW - timedelta(days=30), NOW) == "2026-02-03"


async def test_enter_starts_what_is_highlighted() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], look()))
    async with app.run_test() as pilot:
        assert "The [/x] shell" in screen_text(app)
        await pilot.press("down", "enter")

        assert app.results == [StartChoice("demo")]


async def test_a_typed_command_line_is_started_as_it_stands() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], look()))
    async with app.run_test() as pilot:
        app.screen.query_one(Input).value = "npx 'some agent' --flag"
        await until(pilot, lambda: "run  npx" in screen_text(app))
        await pilot.press("enter")

        assert app.results == [StartChoice("agent", "npx 'some agent' --flag")]


async def test_an_agent_that_is_not_installed_gives_its_install_line() -> None:
    app = Stage(StartScreen(KNOWN, [], "/w", [], look()))
    async with app.run_test() as pilot:
        app.screen.query_one(Input).value = "gone"
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 5)
        await pilot.press("enter")

        assert app.results == []
        assert app.clipboard == "npm install gone"


async def test_a_click_starts_a_session() -> None:
    session = recorded("s", "/w", "a title")
    app = Stage(StartScreen({}, [session], "/w", [], look()))
    async with app.run_test() as pilot:
        await pilot.click(OptionList, offset=(5, 4))

        assert app.results == [StartChoice("recorded", recorded=session)]


async def test_problems_of_the_settings_are_shown() -> None:
    problem = Problem(Path("/settings.toml"), 3, "theme: [not] a text")
    app = Stage(StartScreen({}, [], "/w", [problem], look()))
    async with app.run_test():
        assert "/settings.toml:3: theme: [not] a text" in screen_text(app)
