"""Tests of `ui/session_screen/sessions/folder_choice.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.store.settings import Settings
from acp_tui.ui.screens.base.menu import LineDialog
from tests.recordings import recording
from tests.ui.seats import Seat, seat

GONE = "no longer exists"


async def recorded(tmp_path: Path, here: Seat) -> None:
    """Show a session that was recorded in a folder that is gone."""
    journal = tmp_path / "home" / "data" / "journals"
    (file,) = journal.iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        params = row["msg"].get("params") if isinstance(row["msg"], dict) else None
        if isinstance(params, dict) and "cwd" in params:
            params["cwd"] = str(tmp_path / "old")
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    await here.tabs.open(recorded=recording(file))
    await here.sees("heard hello", "recorded, F12 resumes it")


async def say_hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.say("hello")
        await here.sees("heard hello")


@pytest.mark.slow
async def test_read_only_starts_nothing_and_gives_back_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say_hello(tmp_path, monkeypatch)
    async with seat(tmp_path) as here:
        await recorded(tmp_path, here)
        await here.say("go on")
        await here.sees(GONE, "Read only", "Continue here", "Choose a folder")
        await here.press("enter")

        await here.until(lambda: here.draft == "go on")
        assert here.conversation.phase == "recorded"
        assert here.conversation.agent is None


@pytest.mark.slow
async def test_it_goes_on_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await say_hello(tmp_path, monkeypatch)
    async with seat(tmp_path) as here:
        await recorded(tmp_path, here)
        await here.say("go on")
        await here.sees(GONE)
        await here.press("down", "enter")

        await here.until(lambda: here.conversation.phase == "ready")
        assert here.conversation.cwd == str(tmp_path)


@pytest.mark.slow
async def test_it_goes_on_in_a_folder_that_is_typed_and_asks_again_for_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say_hello(tmp_path, monkeypatch)
    (tmp_path / "new").mkdir()
    async with seat(tmp_path) as here:
        await recorded(tmp_path, here)
        await here.say("go on")
        await here.sees(GONE)
        await here.press("down", "down", "enter")
        await here.is_before(LineDialog)
        here.app.screen.query_one(Input).value = str(tmp_path / "no")
        await here.press("enter")
        await here.sees("The folder does not exist")
        await here.is_before(LineDialog)
        here.app.screen.query_one(Input).value = str(tmp_path / "new")
        await here.press("enter")

        await here.until(lambda: here.conversation.phase == "ready")
        assert here.conversation.cwd == str(tmp_path / "new")
