"""Tests of `ui/config_files.py`: the user's files count as soon as they are saved."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import AppFocus

from acp_tui.store.folders import config_folder
from acp_tui.store.settings import Settings, load
from acp_tui.ui.config_files import deferred
from acp_tui.ui.panes.pane import PaneFrame
from acp_tui.ui.screens.rules.rules import RulesScreen, RuleTrust
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.workspace import folder_events
from tests.ui.seats import Seat, seat

QUIET = "journal = false\n"


@asynccontextmanager
async def seat_with(folder: Path, text: str | None) -> AsyncIterator[tuple[Seat, Path]]:
    """Sit before the interface with settings in a file."""
    file = config_folder() / "settings.toml"
    if text is not None:
        file.write_text(text)
    async with seat(folder, load(file)[0], settings_file=file) as here:
        yield here, file


def told(here: Seat, title: str) -> list[str]:
    return [notice.message for notice in here.notices if notice.title == title]


def panes(here: Seat) -> list[str]:
    return [frame.pane.NAME for frame in here.session.query(PaneFrame) if not frame.has_class("-hidden")]


@pytest.mark.slow
async def test_saved_settings_apply_at_once(tmp_path: Path) -> None:
    async with seat_with(tmp_path, QUIET) as (here, file):
        before = here.app.screen.styles.background
        file.write_text(
            f'{QUIET}theme = "acp-light"\nlayout = ["changes"]\nenter_sends = false\nreduced_motion = true\n'
            'notifications = "never"\n[keys]\n"app.help" = "f7"\n"session.model" = "alt+f7"\n'
        )

        await here.until(lambda: here.app.screen.styles.background != before)
        assert panes(here) == ["changes"]
        assert here.session.prompt.enter_sends is False
        assert here.session.prompt.cursor_blink is False
        assert here.app.animation_level == "none"
        assert here.app.attention.calls == "never"
        await here.sees("F7 help")
        assert told(here, "Settings") == []

        file.unlink()
        await here.until(lambda: here.app.screen.styles.background == before)
        assert here.session.prompt.enter_sends is True
        await here.sees("F1 help")


@pytest.mark.slow
async def test_a_mistake_says_its_line_and_what_counted_before_stays(tmp_path: Path) -> None:
    async with seat_with(tmp_path, f'{QUIET}layout = ["changes"]\n') as (here, file):
        file.write_text(f"{QUIET}layout = 5\nenter_sends = false\n")
        await here.until(lambda: told(here, "Settings"))
        (notice,) = told(here, "Settings")
        assert here.session.prompt.enter_sends is False
        assert notice.startswith(f"{file}:2: 'layout' must be ")
        assert panes(here) == ["changes"]

        file.write_text(f'{QUIET}enter_sends = true\n\ntheme = "acp-light\n')
        await here.until(lambda: any(":4:" in text for text in told(here, "Settings")))
        (notice,) = told(here, "Settings")  # the one before is settled
        assert notice.endswith("; the settings are unchanged")
        assert here.session.prompt.enter_sends is False

        file.write_text(QUIET)
        await here.until(lambda: here.session.prompt.enter_sends is True)
        assert told(here, "Settings") == []


@pytest.mark.slow
async def test_a_key_with_a_mistake_leaves_the_action_the_key_that_it_has(tmp_path: Path) -> None:
    async with seat_with(tmp_path, f'{QUIET}[keys]\n"app.help" = "f7"\n"session.model" = "alt+f7"\n') as (
        here,
        file,
    ):
        await here.sees("F7 help")
        file.write_text(f'{QUIET}[keys]\n"app.help" = "f77"\n"session.model" = "alt+f7"\n')

        await here.until(lambda: told(here, "Keys"))
        assert told(here, "Keys") == [
            f"{file}:3: 'f77' is not a key, so app.help keeps its default; "
            "write ctrl+k, alt+up, f7 or shift+tab"
        ]
        await here.sees("F7 help")


@pytest.mark.slow
async def test_what_waits_for_the_next_start_is_said_in_one_notice_that_names_it(tmp_path: Path) -> None:
    async with seat_with(tmp_path, QUIET) as (here, file):
        file.write_text('ascii = true\npolicy = "allow-edits"\nenter_sends = false\n')
        await here.until(lambda: told(here, "Settings"))

        assert told(here, "Settings") == [
            "Applies at the next start of acp-tui: ascii, journal.\n"
            "Applies to agents started from now on: policy."
        ]
        assert here.session.prompt.enter_sends is False
        assert here.conversation.choices.policy == "ask"
        assert here.session.start.settings.journal is False


def test_what_is_set_back_before_the_next_start_waits_for_nothing() -> None:
    now = Settings()
    assert deferred(now._replace(ascii=True), now, now) == ""
    assert deferred(now, now._replace(theme="nord"), now) == ""


@pytest.mark.slow
async def test_a_file_that_is_made_later_counts_as_well(tmp_path: Path) -> None:
    async with seat_with(tmp_path, None) as (here, file):
        file.write_text("enter_sends = false\n")

        await here.until(lambda: here.session.prompt.enter_sends is False)


RULE = '[[rules]]\ndecision = "{}"\ncommand = "{}"\n'


@pytest.mark.slow
async def test_rules_that_are_saved_are_listed_at_once_and_a_mistake_says_its_line(tmp_path: Path) -> None:
    async with seat_with(tmp_path, QUIET) as (here, _):
        await here.press("alt+l")
        await here.is_before(RulesScreen)
        file = config_folder() / "rules.toml"
        file.write_text(RULE.format("deny", "make"))
        await here.sees("make …")

        file.write_text(RULE.format("deny", "make") + RULE.format("sometimes", "ls"))
        await here.until(lambda: told(here, "Rules"))
        (notice,) = told(here, "Rules")
        assert notice.startswith(f"{file}:5: ")

        file.write_text(RULE.format("deny", "cat"))
        await here.sees("cat …")


@pytest.mark.slow
async def test_rules_of_a_workspace_that_are_saved_are_put_to_the_user_before_they_allow(
    tmp_path: Path,
) -> None:
    async with seat_with(tmp_path, QUIET) as (here, _):
        file = tmp_path / ".acp-tui" / "rules.toml"
        file.parent.mkdir()
        file.write_text(RULE.format("allow", "make"))

        await here.is_before(RuleTrust)
        assert not here.session.parts.rules.book.is_trusted(file)
        await here.press("n")
        await here.is_before(SessionScreen)
        file.write_text(RULE.format("allow", "make test"))
        await here.is_before(RuleTrust)
        await here.sees("make test")


@pytest.mark.slow
async def test_without_watches_it_is_said_once_and_the_files_count_when_the_user_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_events, "RustNotify", refuse)
    async with seat_with(tmp_path, QUIET) as (here, file):
        await here.until(lambda: told(here, "Not watching"))
        (notice,) = told(here, "Not watching")
        assert "No space left on device" in notice

        file.write_text(f"{QUIET}enter_sends = false\n")
        here.app.post_message(AppFocus())
        await here.until(lambda: here.session.prompt.enter_sends is False)
        file.write_text(f"{QUIET}enter_sends = true\n")
        await here.press("enter")
        await here.until(lambda: here.session.prompt.enter_sends is True)
        assert len(told(here, "Not watching")) == 1
