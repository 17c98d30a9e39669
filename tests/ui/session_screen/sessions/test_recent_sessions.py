"""The earlier sessions of the folder on the first screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.settings import Settings
from acp_tui.ui.panes.chat import ChatPane, RecentLine
from acp_tui.ui.session_screen.sessions import recent_sessions
from tests.ui.seats import seat, told


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


@pytest.mark.slow
async def test_recent_sessions_of_the_folder_are_on_the_first_screen_and_enter_resumes_one(
    tmp_path: Path,
) -> None:
    (here_folder := tmp_path / "here").mkdir()
    (other := tmp_path / "other").mkdir()
    for folder, prompt in ((other, "somewhere else"), (here_folder, "why is\x1b[2J the parser slow")):
        async with seat(folder, Settings(snapshots=False)) as before:
            await before.say(prompt)
            await before.sees("heard")

    async with seat(here_folder, Settings(snapshots=False)) as here:
        await here.sees("Recent in this folder", "the parser slow", "just now")
        assert "somewhere else" not in here.text
        assert not here.obeyed
        assert (
            len([one for one in here.session.query_one(ChatPane).blocks if isinstance(one, RecentLine)]) == 1
        )

        await here.press("f2", "shift+up", "enter")

        await here.until(lambda: len(here.tabs.screens) == 2)
        await here.sees("› why is", "heard why is")
        await here.until(lambda: here.conversation.phase == "ready")


@pytest.mark.slow
async def test_a_session_with_a_name_of_the_user_is_listed_by_it(tmp_path: Path) -> None:
    async with seat(tmp_path, Settings(snapshots=False)) as before:
        await before.say("why is the parser slow")
        await before.sees("heard")
        await before.say("/rename slow parser")
        assert told(before) == "Renamed to “slow parser”."

    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.sees("Recent in this folder", "slow parser")
        assert "why is" not in here.text

        await here.press("alt+s")
        await here.sees("recording")
        assert "why is" not in here.text


@pytest.mark.slow
async def test_they_go_with_the_welcome_as_soon_as_the_chat_begins(tmp_path: Path) -> None:
    async with seat(tmp_path, Settings(snapshots=False)) as before:
        await before.say("first")
        await before.sees("heard first")

    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.sees("Recent in this folder")

        await here.say("second")

        await here.sees("heard second")
        assert "Recent in this folder" not in here.text
        assert len(here.session.query_one(ChatPane).blocks) == 2


@pytest.mark.slow
async def test_only_as_many_are_listed_as_fit_below_the_welcome(tmp_path: Path) -> None:
    for prompt in ("first", "second", "third"):
        async with seat(tmp_path, Settings(snapshots=False)) as before:
            await before.say(prompt)
            await before.sees(f"heard {prompt}")

    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.sees("Recent in this folder", "first", "second", "third")
        rows = here.text.splitlines()
        above = next(place for place, row in enumerate(rows) if "Recent in this folder" in row) + 1

    async with seat(tmp_path, Settings(snapshots=False), size=(120, above + 1 + 3)) as here:
        await here.sees("Recent in this folder", "third")
        assert "acp-tui  in" in here.text, "the welcome stays in view"
        assert "first" not in here.text


@pytest.mark.slow
async def test_the_lines_changed_in_a_session_are_shown_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seat(tmp_path, Settings(snapshots=False)) as before:
        await before.say("first")
        await before.sees("heard first")
    monkeypatch.setattr(recent_sessions, "changed_lines", lambda _: (21, 4))

    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.sees("first", "+21 −4")


@pytest.mark.slow
async def test_a_welcome_higher_than_the_chat_is_shown_from_its_start_and_what_is_said_from_its_end(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, size=(40, 10)) as here:
        await here.sees("acp-tui  in")
        assert "all keys" not in here.text

        await here.say("hello")
        await here.sees("heard hello")
        assert here.session.query_one(ChatPane).follow
