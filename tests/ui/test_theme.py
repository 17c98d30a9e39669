"""Tests of `ui/theme.py`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment

from acp_tui.store.settings import Settings
from acp_tui.ui import theme
from acp_tui.ui.app import AcpApp
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.theme import Colors, colors_of_terminal, with_few_colors, with_forms
from tests.conversation.talks import start
from tests.ui.screens.stage import drawn
from tests.ui.seats import Seat


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


@pytest.mark.parametrize("name", sorted(theme.find()))
def test_no_text_falls_together_with_its_ground_in_16_colours(name: str) -> None:
    few = with_few_colors(theme.choose(name)[0])
    look = with_forms(theme.look_of(few))

    def named(color: Color | str) -> int | None:
        color = Color.parse(color) if isinstance(color, str) else color
        return color.downgrade(ColorSystem.STANDARD).number

    ground = named(few.colors["background"])
    for role, style in look.styles.items():
        if style.color is not None:
            assert named(style.color) != ground, role
    assert look["cursor"].reverse
    assert look["match"].reverse
    assert named(few.colors["muted"]) != named(few.colors["panel"])


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
    async with interface(tmp_path, "none", Settings(journal=False)) as here:
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
    async with interface(tmp_path, "sixteen", Settings(journal=False), ascii=True) as here:
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
    async with interface(tmp_path, "many", Settings(journal=False, reduced_motion=True)) as here:
        assert here.app.animation_level == "none"
        assert here.session.prompt.cursor_blink is False
        await here.press("f10")
        await here.until(lambda: here.app.screen.query("#filter"))
        from textual.widgets import Input

        assert here.app.screen.query_one(Input).cursor_blink is False


@pytest.mark.slow
async def test_the_settings_know_better_than_the_locale(tmp_path: Path) -> None:
    async with interface(tmp_path, "many", Settings(journal=False, ascii=False), ascii=True) as here:
        assert here.app.app_theme.look.glyph("prompt") == "›"
