"""The search screen."""

from __future__ import annotations

from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from acp_tui.store.search_index import Hit, build, index_folder
from acp_tui.ui.screens import search
from acp_tui.ui.screens.search import SearchScreen
from acp_tui.workspace.short_programs import start_process
from tests.recorded_talks import TALK, chunk, prompt, start, write
from tests.ui.screens.stage import Stage, screen_text, styles, until

pytestmark = pytest.mark.slow


@pytest.fixture
def journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    monkeypatch.setattr(search, "build_command", lambda: ("true",))
    folder = tmp_path / "data" / "journals"
    write(folder / "old.ndjson", TALK)
    write(
        folder / "new.ndjson",
        [start("gemini", "/work/site", "2026-03-02T12:00:00+00:00"), prompt("Paint the parser blue", "s2")],
    )
    return folder


@asynccontextmanager
async def searching(journals: Path, words: str = "") -> AsyncIterator[tuple[Pilot[Any], list[Hit], Stage]]:
    opened: list[Hit] = []
    app = Stage(SearchScreen(journals, index_folder(), opened.append, words, styles()))
    async with app.run_test(size=(110, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.focused, Input))
        yield pilot, opened, app


def shows(app: Stage, *words: str) -> Callable[[], bool]:
    return lambda: all(word in screen_text(app) for word in words)


async def test_places_are_listed_while_the_user_types_the_newest_first(journals: Path) -> None:
    build(journals, index_folder())
    async with searching(journals) as (pilot, _, app):
        await until(pilot, shows(app, "Type words", "agent:claude"))
        await pilot.press(*"parser")
        await until(pilot, shows(app, "3 places", "Paint the parser blue"))

        rows = [line for line in screen_text(app).splitlines() if "2026-03-" in line]
        assert ["Paint the parser blue" in rows[0], "Edit parser.py" in rows[1]] == [True, True]
        assert ["gemini site" in rows[0], "claude app" in rows[1]] == [True, True]
        assert [row.split()[2] for row in rows] == ["prompt", "tool", "prompt"]

        await pilot.press(*" agent:claude in:prompt")
        await until(pilot, shows(app, "1 place\n", "mend the flaky parser"))
        await pilot.press(*" xyz")
        await until(pilot, shows(app, "0 places", "Nothing found.", "until:2026-03-01"))
        await pilot.press("ctrl+u", *"parser after:x")
        await until(pilot, shows(app, "Nothing found. after: is not a filter."))
        await pilot.press("enter", "ctrl+u", *"parser")
        await until(pilot, shows(app, "3 places"))


async def test_a_wrong_filter_is_named_and_the_places_stay(journals: Path) -> None:
    build(journals, index_folder())
    async with searching(journals, "parser") as (pilot, _, app):
        await until(pilot, shows(app, "3 places"))
        app.screen.query_one(Input).value = "parser since:soon"
        await until(pilot, shows(app, "3 places", "must be like 7d"))


async def test_enter_opens_the_place_of_the_cursor(journals: Path) -> None:
    build(journals, index_folder())
    async with searching(journals, "parser") as (pilot, opened, app):
        await until(pilot, shows(app, "3 places", "Paint the parser blue"))
        await pilot.press("down", "down", "up", "enter")
        await until(pilot, lambda: bool(opened))

        assert [(hit.session, hit.call) for hit in opened] == [("s1", "c1")]
        assert app.results == [None]


async def test_an_index_that_is_made_fills_the_list(journals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def made(*argv: str, **how: Any) -> Process:
        build(journals, index_folder())
        return await start_process("true", **how)

    monkeypatch.setattr(search, "start_process", made)
    async with searching(journals, "parser") as (pilot, _, app):
        await until(pilot, shows(app, "3 places"))


async def test_a_closed_search_ends_the_program_that_makes_the_index(
    journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Process] = []

    async def begins(*argv: str, **how: Any) -> Process:
        made.append(await start_process("sleep", "600", **how))
        return made[0]

    monkeypatch.setattr(search, "start_process", begins)
    async with searching(journals, "parser") as (pilot, _, app):
        await until(pilot, shows(app, "indexing: 0 %", "Nothing found so far."))
        await pilot.press("escape")
        await until(pilot, lambda: made[0].returncode is not None)

        assert app.results == [None]


async def test_without_full_text_search_the_alternative_is_shown(
    journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "has_full_text", lambda: False)
    async with searching(journals, "parser") as (pilot, _, app):
        await until(pilot, shows(app, "no full text search", "acp-tui search WORDS"))


async def test_text_of_an_agent_is_drawn_without_controls(journals: Path) -> None:
    write(
        journals / "odd.ndjson", [start("od\x1bd", "/w/\x1b[31m"), chunk("sinister \x1b]52;c;eA==\x07 end")]
    )
    build(journals, index_folder())
    async with searching(journals, "sinister") as (pilot, _, app):
        await until(pilot, shows(app, "1 place\n", "␛]52"))

        assert "\x1b" not in screen_text(app)
