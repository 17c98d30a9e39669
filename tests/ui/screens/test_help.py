from dataclasses import replace
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from acp_tui.ui.screens.help import HelpScreen, columns, folded, laid_out
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.rows.keys import KeyLine
from tests.ui.screens.stage import Stage, screen_text, styles, until


class Below(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+k,ctrl+j", "jump", "Jump high", id="below.jump"),
        Binding("x", "hidden", "No name of ours", show=False),
    ]

    def compose(self) -> ComposeResult:
        yield DiffView()


def test_no_heading_is_left_alone_at_the_foot_of_a_column() -> None:
    parts = [[Content(f"{part}{line}") for line in range(3)] for part in "ab"]

    assert [[line.plain for line in column] for column in columns(parts, 2)] == [
        ["a0", "a1", "a2", ""],
        ["b0", "b1", "b2"],
    ]


def test_every_line_is_in_some_column() -> None:
    parts = [[Content(f"{part}.{line}") for line in range(part)] for part in range(1, 9)]
    given = {line.plain for part in parts for line in part}

    for count in (1, 2, 3):
        assert {line.plain for column in columns(parts, count) for line in column if line.plain} == given


def test_lines_are_never_cut_there_are_fewer_columns_instead() -> None:
    parts = [[Content("word " * (3 + part)), Content("x")] for part in range(3)]

    for width in (120, 45, 30, 10):
        rows = [row.plain for row in laid_out(parts, width)]
        assert sum(row.count("word") for row in rows) == 12
        assert max(len(row.rstrip()) for row in rows) <= max(width, 25)


def test_actions_that_only_count_share_a_line_unless_one_has_a_key_of_its_own() -> None:
    node = Below()
    words = [
        ("Alt+1", "Session 1"),
        ("Alt+2", "Session 2"),
        ("Alt+3", "Session 3"),
        ("F2", "Chat"),
        ("F3", "Plan"),
    ]
    lines = [KeyLine("app.x", "app", (key,), what, "act", node) for key, what in words]

    assert folded(lines) == [("Alt+1-3", "Session 1 to 3"), ("F2", "Chat"), ("F3", "Plan")]
    lines[1] = replace(lines[1], keys=("F9",))
    assert folded(lines)[:3] == [("Alt+1", "Session 1"), ("F9", "Session 2"), ("Alt+3", "Session 3")]


async def test_keys_are_shown_as_they_are_after_rebinding() -> None:
    app = Stage(Below())
    async with app.run_test(size=(80, 50)) as pilot:
        app.set_keymap({"below.jump": "f7"})
        app.push_screen(HelpScreen(styles(), {"settings": "/home/[me]/settings.toml"}))
        await until(pilot, lambda: "Jump high" in screen_text(app))

        shown = screen_text(app)
        line = next(line for line in shown.splitlines() if "Jump high" in line)
        assert "f7" in line
        assert "^k" not in line
        assert "Next change" in shown  # of the widget
        assert "No name of ours" not in shown
        assert "/home/[me]/settings.toml" in shown
        assert "reject always" in shown


@pytest.mark.slow
async def test_the_help_closes_with_the_key_that_opened_it() -> None:
    app = Stage(Below())
    async with app.run_test() as pilot:
        app.push_screen(HelpScreen(styles()), app.results.append)
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("f1")

        assert app.results == [None]


@pytest.mark.slow
async def test_an_action_is_found_by_its_name_which_is_shown_then() -> None:
    app = Stage(Below())
    async with app.run_test(size=(80, 50)) as pilot:
        app.push_screen(HelpScreen(styles()))
        await until(pilot, lambda: "Jump high" in screen_text(app))
        assert "below.jump" not in screen_text(app)

        await pilot.press(*"w.jump")

        await until(pilot, lambda: "Next change" not in screen_text(app))
        line = next(line for line in screen_text(app).splitlines() if "Jump high" in line)
        assert "below.jump" in line
