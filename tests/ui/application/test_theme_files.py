"""Theme files are complete and legible; terminals with few colours, ASCII and no motion."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.segment import Segment
from textual.color import Color

from acp_tui.desktop import Colors, colors_of_terminal
from acp_tui.store.settings import Settings
from acp_tui.ui.application import theme_files
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.theme_files import (
    DECORATION,
    DEFAULT_ROLES,
    ThemeFile,
    ThemeProblem,
    bundled_folder,
    choose,
    find,
    load,
    styles_of,
    textual_theme,
    with_few_colors,
    with_forms,
)
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.contrast import LEAST, LEAST_OF_DECORATION, contrast
from acp_tui.ui.widgets.diff.line_diff import compute
from acp_tui.ui.widgets.diff.paint import diff_rows
from acp_tui.ui.widgets.styles import ROLES
from tests.conversation.talks import PLAIN, start
from tests.tables import each
from tests.ui.screens.stage import drawn
from tests.ui.seats import Seat

BUNDLED = sorted(find())


MINIMAL = """\
[theme]
name = "mine"
dark = true

[colors]
background = "#101010"
foreground = "#f0f0f0"
primary = "#88c0d0"
accent = "#b48ead"
success = "#a3be8c"
warning = "#ebcb8b"
error = "#bf616a"
"""


def test_the_themes_that_were_promised_are_there() -> None:
    assert {"acp-dark", "acp-light", "high-contrast", "nord", "solarized-light"} <= set(BUNDLED)
    assert len(BUNDLED) >= 16


def test_every_role_has_a_default() -> None:
    assert set(DEFAULT_ROLES) == set(ROLES)


@each("name", BUNDLED)
def test_a_bundled_theme_resolves_every_role(name: str) -> None:
    styles = styles_of(bundled(name))

    assert set(styles.by_role) == set(ROLES)
    for role in ("cursor", "match", "code-block", "added-word", "removed-word"):
        assert styles[role].bgcolor is not None, role
    for role in ("added", "removed", "text", "muted"):
        assert styles[role].bgcolor is None, role


@each("name", BUNDLED)
def test_text_of_a_bundled_theme_is_legible_on_every_ground(name: str) -> None:
    theme = bundled(name)
    text, ground = theme.colors["foreground"], theme.colors["background"]
    least = 7.0 if name == "high-contrast" else LEAST

    assert contrast(text, ground) >= least
    for color in ("muted", "accent", "success", "warning", "error"):  # of dialogs, and below
        assert contrast(theme.colors[color], ground) >= (least if color == "muted" else LEAST), color
    for role, style in styles_of(theme).by_role.items():
        if style.bgcolor is not None:
            shown = (
                Color.from_rich_color(style.color).hex6 if style.color and role.endswith("-word") else text
            )
            assert contrast(shown, Color.from_rich_color(style.bgcolor).hex6) >= min(least, 4.2), role


@each("name", BUNDLED)
def test_every_role_of_a_bundled_theme_can_be_read_in_panes_on_bars_and_under_the_cursor(name: str) -> None:
    theme = bundled(name)
    styles = styles_of(theme)
    for role, style in styles.by_role.items():
        shown = Color.from_rich_color(style.color or styles.base.color).hex6
        cursor = styles["cursor"].bgcolor
        assert cursor is not None
        grounds = [theme.colors["background"], theme.colors["surface"], Color.from_rich_color(cursor).hex6]
        if style.bgcolor is not None:
            grounds = [Color.from_rich_color(style.bgcolor).hex6]
        least = LEAST_OF_DECORATION if role in DECORATION else LEAST
        for ground in grounds:
            assert contrast(shown, ground) >= least, role


@each("name", BUNDLED)
def test_code_and_numbers_on_changed_lines_can_be_read(name: str) -> None:
    old = "def tally(words):  # of all\n    return 'no' + str(12)\n"
    new = "def tally(lines):  # of some\n    return 'yes' + str(13)\nclass A: pass\n"

    for row in diff_rows(compute(old, new), "tally.py", 100, styles_of(bundled(name)), 20):
        for text, style, _ in row:
            if text.strip():
                assert style is not None
                assert style.color is not None
                assert style.bgcolor is not None
                shown, ground = (Color.from_rich_color(color).hex6 for color in (style.color, style.bgcolor))
                assert contrast(shown, ground) >= LEAST, text


@each("name", BUNDLED)
def test_added_and_removed_words_differ_from_the_ground_and_from_each_other(name: str) -> None:
    styles = styles_of(bundled(name))
    grounds = {
        str(styles.base.bgcolor),
        str(styles["added-word"].bgcolor),
        str(styles["removed-word"].bgcolor),
    }
    assert len(grounds) == 3


@each("name", BUNDLED)
def test_textual_accepts_a_bundled_theme(name: str) -> None:
    theme = textual_theme(bundled(name))
    variables = theme.to_color_system().generate()

    assert variables["background"].lower() == bundled(name).colors["background"]
    assert theme.variables["tool-pending"].startswith("#")
    assert "text" not in theme.variables


def test_a_theme_is_named_like_its_file() -> None:
    assert [bundled(name).name for name in BUNDLED] == BUNDLED


def test_a_role_may_name_a_colour_and_a_palette_feeds_the_colours(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "[palette]\nrose = '#ff8899'\n"
        + MINIMAL.replace('accent = "#b48ead"', 'accent = "$rose"')
        + '\n[roles]\nheading = "underline $accent on $background"\n'
    )

    theme = load(path)

    assert isinstance(theme, ThemeFile)
    assert theme.colors["accent"] == "#ff8899"
    assert str(styles_of(theme)["heading"]) == "underline #ff8899 on #101010"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('accent = "#b48ead"', 'accent = "#b48"ead"', 9, "Expected newline"),
        ('accent = "#b48ead"', 'accent = "purplish"', 9, "'purplish' is not a colour"),
        ('accent = "#b48ead"', "accent = 7", 9, "must be a string"),
        ('accent = "#b48ead"', 'accent = "$rose"', 9, "unknown colour $rose"),
        ('accent = "#b48ead"\n', "", 5, "'accent' is missing"),
        ('accent = "#b48ead"', 'acccent = "#b48ead"', 9, "unknown colour 'acccent'"),
        ("dark = true", 'dark = "yes"', 3, "true or false"),
        ("[theme]", "[thema]", 1, "unknown table [thema]"),
        ('error = "#bf616a"', 'error = "#bf616a"\n[roles]\nheadding = "bold"', 14, "unknown role 'headding'"),
        ('error = "#bf616a"', 'error = "#bf616a"\n[roles]\nheading = "bald"', 14, "is not a style"),
        ('error = "#bf616a"', 'error = "#bf616a"\n[roles]\nwarning = "conceal"', 14, "would hide"),
        (
            'error = "#bf616a"',
            'error = "#bf616a"\n[roles]\ntext = "link https://x.y"',
            14,
            "cannot be a link",
        ),
        ('foreground = "#f0f0f0"', 'foreground = "#202020"', 7, "foreground cannot be read on background"),
        ('error = "#bf616a"', 'error = "#bf616a"\nsurface = "#f0f0f0"', 7, "cannot be read on surface"),
        ('error = "#bf616a"', 'error = "#bf616a', 12, "Illegal character"),
    ],
)
def test_a_broken_file_says_where_and_why(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(MINIMAL.replace(old, new))

    problem = load(path)

    assert isinstance(problem, ThemeProblem)
    assert problem.line == line
    assert words in problem.message
    assert str(problem).startswith(f"{path}:{line}: ")


def test_a_broken_theme_falls_back_to_acp_dark(tmp_path: Path) -> None:
    (tmp_path / "acp-dark.toml").write_text("[colors")

    theme, problem = choose("acp-dark", tmp_path)

    assert theme.path.parent == bundled_folder()
    assert problem is not None
    assert problem.line == 1


def test_an_unknown_theme_name_falls_back_to_acp_dark() -> None:
    theme, problem = choose("no-such-theme")

    assert theme.name == "acp-dark"
    assert problem is not None
    assert "no-such-theme" in str(problem)


def test_the_users_theme_hides_the_bundled_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "nord.toml").write_text(MINIMAL)

    theme, problem = choose("nord", tmp_path)

    assert problem is None
    assert theme.colors["background"] == "#101010"


def test_a_file_that_is_no_text_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe\x00")

    assert isinstance(load(tmp_path / "odd.toml"), ThemeProblem)
    assert isinstance(load(tmp_path / "missing.toml"), ThemeProblem)


def test_the_ascii_look_draws_ascii_marks() -> None:
    assert styles_of(bundled("acp-dark"), ascii=True).symbol("folded") == "+"


def bundled(name: str) -> ThemeFile:
    theme = load(bundled_folder() / f"{name}.toml")
    assert isinstance(theme, ThemeFile)
    return theme


@pytest.mark.parametrize(
    ("env", "colors"),
    [
        ({"TERM": "xterm-256color"}, "many"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "many"),
        ({"TERM": "screen-16color"}, "sixteen"),
        ({"TERM": "linux"}, "sixteen"),
        ({"TERM": "vt100"}, "none"),
        ({"TERM": "xterm-mono"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "many"),  # empty says nothing, says no-color.org
    ],
)
def test_the_terminal_says_how_many_colours_there_are(env: dict[str, str], colors: Colors) -> None:
    assert colors_of_terminal(env) == colors


@each("name", sorted(theme_files.find()))
def test_no_text_falls_together_with_its_ground_in_16_colours(name: str) -> None:
    few = with_few_colors(theme_files.choose(name)[0])
    styles = with_forms(theme_files.styles_of(few))

    def named(color: RichColor | str) -> int | None:
        color = RichColor.parse(color) if isinstance(color, str) else color
        return color.downgrade(ColorSystem.STANDARD).number

    ground = named(few.colors["background"])
    for role, style in styles.by_role.items():
        if style.color is not None:
            assert named(style.color) != ground, role
    assert styles["cursor"].reverse
    assert styles["match"].reverse
    assert named(few.colors["muted"]) != named(few.colors["panel"])


def too_faint(here: Seat) -> list[str]:
    """Return the words on the screen that cannot be read on their ground; below a dialog, only its own."""
    found = []
    box = here.app.screen.query("#box, #help")
    region = box.first().region if box else here.app.screen.region
    rows = (strip.crop(region.x, region.right) for strip in drawn(here.app.screen)[region.y : region.bottom])
    for segment in (segment for row in rows for segment in row):
        style = segment.style
        if (
            style is None
            or style.color is None
            or style.bgcolor is None
            or not re.search(r"\w", segment.text)
        ):
            continue
        text, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
        if style.dim:
            text = text.blend(ground, 0.5)
        if contrast(text.hex6, ground.hex6) < LEAST:
            found.append(f"{segment.text.strip()}: {contrast(text.hex6, ground.hex6):.2f}")
    return found


@pytest.mark.slow
async def test_all_words_on_the_screen_can_be_read_in_every_theme(tmp_path: Path) -> None:
    async with interface(tmp_path, "many", Settings(journal=False)) as here:
        await here.say("hello")
        await here.sees("heard hello")
        for keys, shown in (
            (("f2", "left_square_bracket"), "heard hello"),  # the cursor in the chat
            (("f1",), "type to filter"),
            (("escape", "f10"), "acp-light"),  # a menu, its filter and its cursor
        ):
            await here.press(*keys)
            await here.sees(shown)
            for name in BUNDLED:
                here.app.app_theme.use(name)
                await here.pilot.pause()
                assert too_faint(here) == [], name


@asynccontextmanager
async def interface(
    folder: Path, colors: Colors, settings: Settings, ascii: bool = False
) -> AsyncIterator[Seat]:
    """The interface on a terminal with so many colours."""
    began = start(folder, settings)
    app = AcpApp(began, colors, ascii)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            here = Seat(app, pilot)
            await here.until(lambda: app.is_complete)
            await here.until(lambda: here.conversation.phase == "ready")
            yield here
            await here.conversation.end()
    finally:
        began.guard.close()


def segments(here: Seat) -> list[Segment]:
    return [segment for strip in drawn(here.app.screen) for segment in strip]


@pytest.mark.slow
async def test_without_colours_none_is_drawn_and_what_the_keys_are_on_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with interface(tmp_path, "none", PLAIN) as here:
        await here.say("hello")
        await here.sees("heard hello")
        await here.press("f2", "left_square_bracket")
        await here.until(
            lambda: any(one.style and one.style.reverse and "heard" in one.text for one in segments(here))
        )
        await here.press("f10")
        await here.sees("acp-light")

        marked = [one.text for one in segments(here) if one.style and one.style.bold and one.style.underline]
        assert "acp-dark" in "".join(marked)
        for one in segments(here):
            for color in (one.style.color, one.style.bgcolor) if one.style else ():
                assert color is None or color.is_default, one


@pytest.mark.slow
async def test_with_ascii_every_mark_of_ours_is_ascii(tmp_path: Path) -> None:
    async with interface(tmp_path, "sixteen", PLAIN, ascii=True) as here:
        await here.say("hello")
        await here.sees("heard hello")
        for keys in (
            ("f3",),
            ("f4",),
            ("f5",),
            ("f2", "left_square_bracket"),
            ("f1",),
            ("escape", "f10"),
            ("escape",),
        ):
            await here.press(*keys)
            await here.pilot.pause()
            assert re.findall(r"[^\x00-\x7f]", here.text) == [], here.text
        assert isinstance(here.session.query_one("#chat"), Pane)


@pytest.mark.slow
async def test_with_reduced_motion_nothing_blinks_or_slides(tmp_path: Path) -> None:
    async with interface(tmp_path, "many", PLAIN._replace(reduced_motion=True)) as here:
        assert here.app.animation_level == "none"
        assert here.session.prompt.cursor_blink is False
        await here.press("f10")
        await here.until(lambda: here.app.screen.query("#filter"))
        from textual.widgets import Input

        assert here.app.screen.query_one(Input).cursor_blink is False


@pytest.mark.slow
async def test_the_settings_know_better_than_the_locale(tmp_path: Path) -> None:
    async with interface(tmp_path, "many", PLAIN._replace(ascii=False), ascii=True) as here:
        assert here.app.app_theme.styles.symbol("prompt") == "›"


def test_a_role_with_a_ground_alone_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL + '\n[roles]\nwarning = "on #f0f0f0"\n')
    theme = load(path)
    assert isinstance(theme, ThemeFile)

    shown = styles_of(theme)["warning"].color

    assert shown is not None
    assert contrast(Color.from_rich_color(shown).hex6, "#f0f0f0") >= LEAST
