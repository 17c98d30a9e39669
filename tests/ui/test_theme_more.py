"""Theme files: every bundled one is complete and legible, a broken one says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from acp_tui.ui.theme import (
    DEFAULT_ROLES,
    LEAST,
    ThemeFile,
    ThemeProblem,
    bundled_folder,
    choose,
    contrast,
    find,
    load,
    look_of,
    textual_theme,
)
from acp_tui.ui.widgets.look import ROLES

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


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_theme_resolves_every_role(name: str) -> None:
    look = look_of(bundled(name))

    assert set(look.styles) == set(ROLES)
    for role in ("cursor", "match", "code-block", "added-word", "removed-word"):
        assert look[role].bgcolor is not None, role
    for role in ("added", "removed", "text", "muted"):
        assert look[role].bgcolor is None, role


@pytest.mark.parametrize("name", BUNDLED)
def test_text_of_a_bundled_theme_is_legible_on_every_ground(name: str) -> None:
    theme = bundled(name)
    text, ground = theme.colors["foreground"], theme.colors["background"]
    least = 7.0 if name == "high-contrast" else LEAST

    assert contrast(text, ground) >= least
    for color in ("muted", "accent", "success", "warning", "error"):  # of dialogs, and below
        assert contrast(theme.colors[color], ground) >= (least if color == "muted" else LEAST), color
    for role, style in look_of(theme).styles.items():
        if style.bgcolor is not None:
            shown = (
                Color.from_rich_color(style.color).hex6 if style.color and role.endswith("-word") else text
            )
            assert contrast(shown, Color.from_rich_color(style.bgcolor).hex6) >= min(least, 4.2), role


@pytest.mark.parametrize("name", BUNDLED)
def test_coloured_words_of_a_bundled_theme_stand_out_from_their_ground(name: str) -> None:
    theme = bundled(name)
    for role, style in look_of(theme).styles.items():
        if style.color is not None and role not in ("faint", "table-border"):
            shown = Color.from_rich_color(style.color).hex6
            ground = Color.from_rich_color(style.bgcolor).hex6 if style.bgcolor is not None else None
            assert contrast(shown, ground or theme.colors["background"]) >= LEAST, role


@pytest.mark.parametrize("name", BUNDLED)
def test_added_and_removed_words_differ_from_the_ground_and_from_each_other(name: str) -> None:
    look = look_of(bundled(name))
    grounds = {str(look.base.bgcolor), str(look["added-word"].bgcolor), str(look["removed-word"].bgcolor)}
    assert len(grounds) == 3


@pytest.mark.parametrize("name", BUNDLED)
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
    assert str(look_of(theme)["heading"]) == "underline #ff8899 on #101010"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('accent = "#b48ead"', 'accent = "#b48"ead"', 9, "Expected newline"),
        ('accent = "#b48ead"', 'accent = "purplish"', 9, "'purplish' is not a colour"),
        ('accent = "#b48ead"', "accent = 7", 9, "must be a text"),
        ('accent = "#b48ead"', 'accent = "$rose"', 9, "no colour named $rose"),
        ('accent = "#b48ead"\n', "", 5, "'accent' is missing"),
        ('accent = "#b48ead"', 'acccent = "#b48ead"', 9, "unknown colour 'acccent'"),
        ("dark = true", 'dark = "yes"', 3, "true or false"),
        ("[theme]", "[thema]", 1, "unknown table [thema]"),
        ('error = "#bf616a"', 'error = "#bf616a"\n[roles]\nheadding = "bold"', 14, "no role 'headding'"),
        ('error = "#bf616a"', 'error = "#bf616a"\n[roles]\nheading = "bald"', 14, "is not a style"),
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
    assert look_of(bundled("acp-dark"), ascii=True).glyph("folded") == "+"


def bundled(name: str) -> ThemeFile:
    theme = load(bundled_folder() / f"{name}.toml")
    assert isinstance(theme, ThemeFile)
    return theme
