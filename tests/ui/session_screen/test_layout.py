"""The panes in view, with much room and with little."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from acp_tui.ui.panes.pane import Pane
from tests.ui.seats import seat


@pytest.mark.slow
async def test_where_there_is_no_room_one_pane_is_shown_at_a_time(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(80, 24)) as here:
        await here.sees("chat F2", "plan F3", "tool calls F4", "changes F5")
        assert "No changes yet" not in here.text

        await here.press("f5")
        await here.sees("No changes yet")
        assert here.session.focused is here.session.query_one("#changes")
        await here.press("f5")

        await here.until(lambda: "No changes yet" not in here.text)
        assert here.session.focused is here.session.prompt
        assert here.text.splitlines()[-1].startswith(" Plain agent")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("key", ["f2", "f3", "f4", "f5"])
async def test_keys_right_after_that_of_a_pane_are_for_the_pane(
    tmp_path: Path, key: str, size: tuple[int, int]
) -> None:
    async with seat(tmp_path, size=size) as here:
        here.press_together("a", key, "x", "ctrl+l", "b")

        await here.until(lambda: "b" in here.draft)
        assert here.draft == "ab"


@pytest.mark.slow
async def test_what_has_the_keys_is_framed_in_the_accent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        row, chat = here.session.query_one("#prompt-row"), here.session.query_one("#chat-box")
        accent = Color.parse(here.app.theme_variables["accent"])
        assert (row.styles.border_top[1] == accent, chat.styles.border_left[0]) == (True, "blank")

        await here.press("f2")

        assert (row.styles.border_top[1] == accent, chat.styles.border_left) == (False, ("outer", accent))


@pytest.mark.slow
async def test_hidden_panes_stay_hidden_in_the_next_run(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f3", "h")
        assert here.session.focused is here.session.prompt
        await here.until(lambda: "─ plan ─" not in here.text)

    async with seat(tmp_path) as here:
        assert "─ plan ─" not in here.text
        await here.press("f3")
        await here.sees("No plan yet")
        await here.press("f9")
        await here.until(lambda: "─ changes ─" not in here.text)
        assert here.session.focused is here.session.prompt

    async with seat(tmp_path) as here:
        assert "─ changes ─" not in here.text
        await here.press("f9")
        await here.sees("─ plan ─", "─ changes ─")


@pytest.mark.slow
async def test_a_pane_is_zoomed_and_given_back(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f5", "f11")
        await here.until(lambda: "─ plan ─" not in here.text)
        assert here.session.maximized is here.session.query_one("#changes", Pane)

        await here.press("escape")

        await here.sees("─ plan ─", "─ changes ─")
        assert here.session.focused is here.session.prompt
