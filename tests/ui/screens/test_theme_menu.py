"""Tests of `ui/screens/theme_menu.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.screens.theme_menu import ThemeMenu
from tests.conversation.talks import PLAIN
from tests.ui.seats import seat


@pytest.mark.slow
async def test_a_theme_is_seen_when_it_is_moved_to_and_gone_with_escape(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f10")
        menu = await here.is_before(ThemeMenu)
        assert menu.highlighted_key() == "acp-dark"
        await here.press("down")
        await here.until(lambda: here.app.theme == "acp-light")
        await here.press(*"nord")
        await here.until(lambda: here.app.theme == "nord")

        await here.press("escape")
        await here.until(lambda: here.app.theme == "acp-dark")
        assert here.session.theme_styles == here.app.app_theme.styles


@pytest.mark.slow
async def test_a_theme_that_was_chosen_is_that_of_the_next_run_unless_the_settings_change(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await here.press("f10")
        await here.is_before(ThemeMenu)
        await here.press(*"nord", "enter")
        await here.until(lambda: here.app.theme == "nord" and here.app.screen is here.session)

    async with seat(tmp_path) as here:
        assert here.app.theme == "nord"
    async with seat(tmp_path, PLAIN._replace(theme="dracula")) as here:
        assert here.app.theme == "dracula"
