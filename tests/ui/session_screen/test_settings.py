"""The settings screen from a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.folders import config_folder
from acp_tui.store.settings import load
from acp_tui.ui.screens.rules.rules import RulesScreen
from acp_tui.ui.screens.settings import SettingsScreen
from tests.ui.seats import Seat, seat


def row_of(here: Seat, name: str) -> list[str]:
    return next(line for line in here.text.splitlines() if line.split()[:1] == [name]).split()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["settings", "config"])
async def test_a_word_opens_the_settings(tmp_path: Path, word: str) -> None:
    file = config_folder() / "settings.toml"
    file.write_text("journal = false\n")
    async with seat(tmp_path, load(file)[0], settings_file=file) as here:
        await here.say(f"/{word}")

        await here.is_before(SettingsScreen)
        assert row_of(here, "journal")[1] == "false"
        assert row_of(here, "journal")[-1] == "settings.toml:1"


async def test_what_was_chosen_on_the_screen_is_the_value(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        here.app.app_theme.choose("acp-light")
        here.session.parts.pane_layout.show_panes(["plan"])
        await here.say("/settings")

        await here.is_before(SettingsScreen)
        assert '"acp-light"' in row_of(here, "theme")
        assert " ".join(row_of(here, "theme")).endswith("chosen with F10")
        assert '["plan"]' in row_of(here, "layout")

        await here.press("r")
        await here.is_before(RulesScreen)
