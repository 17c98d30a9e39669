"""The theme of the app: theme files of the user, and ASCII."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.screen import Screen

from acp_tui.store.folders import config_folder
from acp_tui.ui.application.app_theme import AsciiFilter, is_ascii
from acp_tui.ui.application.theme_files import bundled_folder
from acp_tui.ui.screens.base.text_screens import SessionDetailsScreen
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.questions.permission import PermissionDialog
from tests.conversation.talks import PLAIN
from tests.tables import each
from tests.ui.seats import Seat, seat


def test_marks_are_drawn_in_ascii_cell_for_cell_and_letters_stay() -> None:
    style = Style(bold=True)
    row = [Segment("┌─┐│█→…", style), Segment("Ελλάδα 日本"), Segment("plain")]

    made = AsciiFilter().apply(row, Color(0, 0, 0))

    assert [segment.text for segment in made] == ["+-+|#>~", "Ελλάδα 日本", "plain"]
    assert made[0].style == style


@each(
    ("env", "ascii"),
    [
        ({}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({"LANG": "de_DE.utf8@euro"}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, True),
        ({"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, False),
        ({"LC_ALL": "", "LANG": "C"}, True),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
    ],
)
def test_only_a_locale_that_names_another_character_set_is_ascii(env: dict[str, str], ascii: bool) -> None:
    assert is_ascii(env) is ascii


NORD = (bundled_folder() / "nord.toml").read_text()


PINK = NORD.replace('background = "$nord0"', 'background = "#301020"')


def ground(here: Seat) -> str:
    """Return the background that widgets and drawn lines have, which is the same."""
    base = here.session.theme_styles.base.bgcolor
    assert base is not None
    assert here.app.screen.styles.background.hex6.lower() == base.name
    return base.name


@pytest.mark.slow
async def test_a_saved_theme_is_shown_at_once_and_a_broken_one_says_its_line_and_changes_nothing(
    tmp_path: Path,
) -> None:
    folder = config_folder() / "themes"
    folder.mkdir(parents=True)
    file = folder / "mine.toml"
    file.write_text(NORD.replace('name = "nord"', 'name = "mine"'))
    async with seat(tmp_path, PLAIN._replace(theme="mine")) as here:
        assert ground(here) == "#2e3440"

        file.write_text(PINK.replace('name = "nord"', 'name = "mine"'))
        await here.until(lambda: here.app.screen.styles.background.hex6 == "#301020")
        assert ground(here) == "#301020"

        broken = PINK.replace('accent = "$nord8"', 'accent = "$nord99"')
        file.write_text(broken)
        line = broken[: broken.index("nord99")].count("\n") + 1
        await here.until(lambda: any(one.title == "Theme" for one in here.notices))
        (notice,) = (one for one in here.notices if one.title == "Theme")
        assert notice.message == f"{file}:{line}: unknown colour $nord99"
        assert ground(here) == "#301020"

        file.write_text(NORD)
        await here.until(lambda: here.app.screen.styles.background.hex6 == "#2E3440")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opens", "over"), [("/ask", PermissionDialog), ("/keys", HelpScreen), ("/details", SessionDetailsScreen)]
)
async def test_all_that_lies_over_a_session_is_drawn_in_a_new_theme(
    tmp_path: Path, opens: str, over: type[Screen[Any]]
) -> None:
    async with seat(tmp_path) as here:
        await here.say(opens if over is not PermissionDialog else "ask")
        await here.is_before(over)

        here.app.app_theme.use("acp-light")

        screens: list[Any] = [here.session, here.app.screen]
        drawn = [
            widget
            for screen in screens
            for widget in screen.query("*")
            if hasattr(widget, "set_theme_styles")
        ]
        assert drawn
        assert {id(one.theme_styles) for one in (*drawn, *screens)} == {id(here.app.app_theme.styles)}
