"""The menu."""

from __future__ import annotations

import pytest
from textual.events import Key

from acp_tui.ui.screens.base.menu import Menu, MenuFilter, MenuItem, matching
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.stage import until

ITEMS = [
    MenuItem("m/1", "Default", "asks before edits"),
    MenuItem("m/2", "Plan", "changes nothing"),
    MenuItem("m/3", "[bold]Bypass\x1b[0m", "asks nothing", "Dangerous"),
]


def menu(current: str | None = "m/2") -> Menu:
    return Menu("Mode", ITEMS, current, STYLES)


def test_items_match_when_every_word_is_somewhere() -> None:
    assert [item.key for item in matching(ITEMS, "ASKS not")] == ["m/3"]
    assert [item.key for item in matching(ITEMS, "dangerous")] == ["m/3"]
    assert matching(ITEMS, " ") == ITEMS


@pytest.mark.slow
async def test_enter_takes_the_current_one_at_once() -> None:
    async with shown(menu(), turned=False) as (app, pilot):
        await pilot.press("enter")

        assert app.result == "m/2"


async def test_arrows_step_over_headings() -> None:
    async with shown(menu()) as (app, pilot):
        assert "Dangerous" in app.text
        assert "[bold]Bypass␛[0m" in app.text

        await pilot.press("down", "enter")
        assert app.result == "m/3"


@pytest.mark.slow
async def test_a_menu_of_a_few_items_shows_its_filter_once_something_is_typed() -> None:
    async with shown(menu(None)) as (app, pilot):
        assert "type to filter" not in app.text
        await pilot.press("e")
        assert app.screen.query_one("#filter").size.height == 1
        await pilot.press("backspace")
        assert app.screen.query_one("#filter").size.height == 0


@pytest.mark.slow
async def test_typing_narrows_the_list() -> None:
    async with shown(menu(None)) as (app, pilot):
        await pilot.press(*"edits")
        assert "Plan" not in app.text

        await pilot.press("enter")
        assert app.result == "m/1"


@pytest.mark.slow
async def test_a_number_chooses_while_nothing_is_typed() -> None:
    async with shown(menu(None)) as (app, pilot):
        assert "1   Default" in app.text
        await pilot.press("3")

        assert app.result == "m/3"


@pytest.mark.slow
async def test_behind_letters_and_beyond_the_items_a_number_is_a_part_of_the_filter() -> None:
    items = [MenuItem(str(number), f"gpt-{number}") for number in range(1, 4)]
    async with shown(Menu("Model", items, None, STYLES)) as (app, pilot):
        await pilot.press("-", "2")
        assert app.result is NOTHING
        assert "gpt-1" not in app.text

        await pilot.press("backspace", "backspace", "9")
        await until(pilot, lambda: "no matches" in app.text)
        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_letter_and_a_number_in_one_read_choose_nothing() -> None:
    async with shown(menu(None)) as (app, pilot):
        for key in ("p", "1"):
            app.post_message(Key(key, key))

        await until(pilot, lambda: "no matches" in app.text)
        assert app.result is NOTHING


@pytest.mark.slow
async def test_nothing_that_matches_is_nothing_to_choose() -> None:
    async with shown(menu()) as (app, pilot):
        await pilot.press(*"zz", "enter")
        assert "no matches" in app.text
        assert app.result is NOTHING

        await pilot.press("escape")
        assert app.result is None


@pytest.mark.slow
async def test_a_click_chooses() -> None:
    async with shown(menu()) as (app, pilot):
        await pilot.click("#body", offset=(5, 0))

        assert app.result == "m/1"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["enter", "2"])
async def test_a_list_that_changes_behind_the_key_keeps_what_was_chosen(key: str) -> None:
    items = [MenuItem(name, name) for name in ("a", "b", "c")]
    opened = Menu("Inbox", lambda: items, "b", STYLES)
    async with shown(opened) as (app, pilot):
        press(opened, key)
        items[:] = [MenuItem(name, name) for name in ("x", "a", "c", "b")]
        opened.refresh_items()

        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result == "b"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["enter", "2"])
async def test_an_item_that_is_gone_behind_the_key_chooses_nothing(key: str) -> None:
    items = [MenuItem(name, name) for name in ("a", "b", "c")]
    opened = Menu("Inbox", lambda: items, "b", STYLES)
    async with shown(opened) as (app, pilot):
        press(opened, key)
        items[:] = [MenuItem(name, name) for name in ("a", "c")]
        opened.refresh_items()
        await until(pilot, lambda: "2   c" in app.text)

        assert app.result is NOTHING


def press(menu: Menu, key: str) -> None:
    """Press a key so that the menu hears of it behind whatever comes next."""
    if key == "enter":
        menu.body.action_select()
    else:
        menu.query_one(MenuFilter).on_key(Key(key, key))


@pytest.mark.slow
async def test_many_items_stay_within_the_screen() -> None:
    items = [MenuItem(str(number), f"Session {number}") for number in range(300)]
    async with shown(Menu("Sessions", items, "250", STYLES)) as (app, pilot):
        await until(pilot, lambda: "Session 250" in app.text)
        assert "Esc" in app.text


class Watched(Menu):
    """Notes how wide it is to be, each time before it is laid out."""

    def __init__(self) -> None:
        super().__init__("Mode", ITEMS, None, STYLES)
        self.widths: list[str] = []

    def on_resize(self) -> None:
        self.widths.append(str(self.query_one("#box").styles.width))
        super().on_resize()


async def test_what_is_cut_in_a_row_is_shown_whole_below_the_list_while_it_is_highlighted() -> None:
    long = "most capable for the hardest tasks, " * 2 + "and at the end the price: $10 per million tokens"
    items = [MenuItem("a", "Short", "fast"), MenuItem("b", "Long", long)]
    async with shown(Menu("Model", items, "a", STYLES), (110, 24)) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one("#about").display)
        assert "$10 per million tokens" not in app.text

        await pilot.press("down")
        await until(pilot, lambda: "$10 per million tokens" in app.text)

    async with shown(menu(None)) as (app, pilot):
        await pilot.pause()
        assert not app.screen.query_one("#about").display


async def test_a_menu_is_as_wide_in_its_first_frame_as_later() -> None:
    watched = Watched()
    async with shown(watched, (120, 30)):
        assert len(set(watched.widths)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("notices", [1, 2])
@pytest.mark.parametrize("count", [2, 12, 40])
async def test_notices_never_cover_the_keys_of_a_dialog(count: int, notices: int) -> None:
    items = [MenuItem(str(number), f"item {number}") for number in range(count)]
    async with shown(Menu("Many", items, None, STYLES), notices=True) as (app, pilot):
        for number in range(notices):
            app.notify("something that has two lines to say, or even three", title=f"Title {number}")
        await until(pilot, lambda: f"Title {notices - 1}" in app.text)

        keys = next(row for row in app.text.splitlines() if "Esc close" in row)
        assert "▌" not in keys, app.text  # the left edge of a notice


@pytest.mark.slow
async def test_a_notice_is_shown_to_its_last_word() -> None:
    said = "Sent to the terminal (OSC 52). If paste fails, allow OSC 52 in the settings of your terminal."
    async with shown(menu(), notices=True) as (app, pilot):
        app.notify(said, title="Clipboard")

        await until(pilot, lambda: "Clipboard" in app.text)
        words = "".join(app.text.split("Clipboard")[1]).replace("▌", " ").split()
        assert [word for word in said.split() if word not in words] == []
