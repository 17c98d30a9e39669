"""Tests of `ui/widgets/keys.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from acp_tui.ui.widgets.rows.keys import Keys, key_map
from tests.ui.screens.stage import screen_text, until
from tests.ui.seats import seat


@pytest.mark.slow
async def test_no_key_does_two_things_where_both_are_heard(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.until(lambda: bool(here.session.query("#prompt")))
        heard = [
            line
            for line in key_map(here.session)
            if line.group in ("Everywhere", "Session", "Prompt", "Chat")
        ]

        keys = Counter(key for line in heard for key in line.keys)
        assert {key: count for key, count in keys.items() if count > 1} == {}


@pytest.mark.slow
async def test_a_group_of_keys_stands_together(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        groups = [line.group for line in key_map(here.session)]

        changes = sum(before != after for before, after in pairwise(groups))
        assert changes == len(set(groups)) - 1
        assert groups[-1] == "Everywhere"


class Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "one", "One", id="field.one"),
        Binding("enter", "submit", "Send", id="field.send"),
        Binding("ctrl+d", "leave", "Leave", id="field.leave"),
    ]


async def test_actions_stand_in_the_order_of_their_class_also_on_keys_of_its_base() -> None:
    class Asking(Screen[None]):
        def compose(self) -> ComposeResult:
            yield Field()

    app: App[None] = App()
    async with app.run_test():
        await app.push_screen(Asking())

        found = [line.name for line in key_map(app.screen) if line.group == "Field"]

    assert found == ["field.one", "field.send", "field.leave"]


class Page(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next change"),
        Binding("r", "take('back')", "Take it back"),
        Binding("x,y", "secret", "Not shown", show=False),
        Binding("escape", "close", "Close"),
    ]

    def __init__(self, later: Collection[str], short: Mapping[str, str]) -> None:
        super().__init__()
        self.took: list[str] = []
        self.later, self.short = later, short

    def compose(self) -> ComposeResult:
        yield Keys(later=self.later, short=self.short)

    def action_next(self) -> None:
        self.took.append("next")

    def action_take(self, what: str) -> None:
        self.took.append(what)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        return action != "next" or not self.took


class Book(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1", "help", "Help", id="app.help")]

    def __init__(self, *later: str, short: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__()
        self.page = Page(later, short)

    def on_mount(self) -> None:
        self.push_screen(self.page)


def row(app: App[None]) -> str:
    return screen_text(app).splitlines()[-1]


async def test_the_way_out_and_all_keys_stand_at_the_end() -> None:
    app = Book()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: "Next change" in row(app))

        assert row(app).split("  ")[0] == " n Next change"
        assert row(app).rstrip().endswith("esc Close  f1 Help")
        assert "Not shown" not in row(app)


async def test_keys_that_do_not_fit_are_left_out_whole() -> None:
    app = Book()
    async with app.run_test(size=(40, 5)) as pilot:
        await until(pilot, lambda: "Next change" in row(app))
        assert "r Take" not in row(app)

        await pilot.resize_terminal(80, 5)

        await until(pilot, lambda: "r Take it back" in row(app))


async def test_a_click_is_like_the_key_and_what_cannot_be_done_now_is_not_shown() -> None:
    app = Book()
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: "Take it back" in row(app))

        await pilot.click(Keys, offset=(row(app).index("Take"), 0))

        await until(pilot, lambda: app.page.took == ["back"])
        app.page.refresh_bindings()
        await until(pilot, lambda: "Next change" not in row(app))


async def test_what_is_less_wanted_stands_behind_the_rest_of_the_screen_and_before_the_program() -> None:
    app = Book("next")
    app._bindings.bind("f10", "theme", "Theme")
    async with app.run_test(size=(80, 5)) as pilot:
        await until(pilot, lambda: "Next change" in row(app))

        assert row(app).split("  ")[:3] == [" r Take it back", "n Next change", "f10 Theme"]


async def test_where_the_wanted_keys_do_not_fit_they_are_named_shortly() -> None:
    app = Book(short={"next": "Next", "take('back')": "Back"})
    async with app.run_test(size=(43, 5)) as pilot:
        await until(pilot, lambda: "n Next  r Back  " in row(app))
        assert row(app).rstrip().endswith("esc Close  f1 Help")

        await pilot.resize_terminal(80, 5)
        await until(pilot, lambda: "n Next change  r Take it back" in row(app))
