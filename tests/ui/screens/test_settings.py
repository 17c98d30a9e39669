"""The settings screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.store.setting_list import listed
from acp_tui.store.settings import Settings
from acp_tui.ui.screens import settings as module
from acp_tui.ui.screens.settings import SettingsScreen
from tests.ui.screens.stage import Stage, screen_text, styles, until


def screen(file: Path, show_rules: Callable[[], None] = lambda: None) -> SettingsScreen:
    return SettingsScreen(file, lambda: listed(file, Settings(), {}), styles(), show_rules)


def row_of(app: Stage, name: str) -> list[str]:
    return next(line for line in screen_text(app).splitlines() if line.split()[:1] == [name]).split()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\nthoughts = "never"\nenter_sends = 3\njournal = false\n')
    return path


async def test_each_setting_is_listed_with_value_source_and_meaning(file: Path) -> None:
    app = Stage(screen(file))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "3 set" in screen_text(app))

        assert row_of(app, "thoughts")[:2] == ["thoughts", '"never"']
        assert row_of(app, "thoughts")[-1] == "settings.toml:2"
        assert "Thoughts: auto" in " ".join(row_of(app, "thoughts"))
        assert row_of(app, "theme")[-1] == "default"
        assert "settings.toml:3: 'enter_sends' must be true or false" in screen_text(app)


async def test_the_setting_under_the_cursor_is_explained(file: Path) -> None:
    app = Stage(screen(file))
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "Theme: a bundled one" in screen_text(app))

        await pilot.press("slash", *"journ", "enter")
        await until(pilot, lambda: "Record sessions, prompts and drafts." in screen_text(app))
        assert "applies at the next start" in screen_text(app)

        await pilot.press("down")
        await until(pilot, lambda: "Total size of recorded sessions" in screen_text(app))


async def test_a_long_value_is_cut_in_its_column_and_whole_below(file: Path) -> None:
    app = Stage(screen(file))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "Panes beside the chat" in screen_text(app))
        rows = screen_text(app).splitlines()
        theme = next(row for row in rows if row.strip().startswith("theme "))
        layout = next(row for row in rows if row.strip().startswith("layout "))
        assert layout.index("Panes beside") == theme.index("Theme: a bundled")

        await pilot.press("down")

        await until(pilot, lambda: '["plan", "tool-calls", "changes"]' in screen_text(app))


async def test_enter_opens_the_file_at_the_line_and_shows_what_was_saved(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Path, int | None]] = []

    async def edit(_: object, path: Path, line: int | None = None) -> str:
        opened.append((path, line))
        path.write_text('thoughts = "always"\n')
        return ""

    monkeypatch.setattr(module, "open_in_editor", edit)
    app = Stage(screen(file))
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "3 set" in screen_text(app))

        await pilot.press("down", "down", "enter")

        await until(pilot, lambda: '"always"' in screen_text(app))
        assert opened == [(file, 2)]


async def test_a_word_that_no_setting_has_leaves_nothing(file: Path) -> None:
    app = Stage(screen(file))
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "3 set" in screen_text(app))

        await pilot.press("slash", *"zzz")

        await until(pilot, lambda: "No setting matches." in screen_text(app))


async def test_the_rules_are_one_key_away(file: Path) -> None:
    shown: list[bool] = []
    app = Stage(screen(file, lambda: shown.append(True)))
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "3 set" in screen_text(app))

        await pilot.press("r")

        await until(pilot, lambda: bool(shown))
