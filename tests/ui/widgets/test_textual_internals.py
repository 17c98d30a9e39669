"""Each private part of Textual does what we expect of it: private names are the subject here."""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import pkgutil
import re
import weakref
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from rich.segment import Segment
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.css.model import RuleSet
from textual.css.stylesheet import StylesheetParseError
from textual.events import Key
from textual.geometry import Region, Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea
from typing_extensions import override

import acp_tui.ui
from acp_tui.ui.widgets import textual_internals as internals
from acp_tui.ui.widgets.rows.row_view import StatusRows
from tests.tables import each
from tests.waiting import until

PRIVATE = re.compile(
    r"(?<!super\(\))\._(bindings|keymap|merged_bindings|modal_binding_chain|screen_stacks?|notifications|unnotify"
    r"|clipboard|driver|exception|exit_renderables|forward_event|check_bindings|pruning)\b|from textual\._"
)
MAY = "textual_internals.py"


class Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "app.note('field')", "Note", id="field.note")]


class Home(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f3", "note('app')", "Note", id="app.note")]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def compose(self) -> ComposeResult:
        yield Field()

    def action_note(self, where: str) -> None:
        self.noted.append(where)


def test_no_other_module_touches_these_parts() -> None:
    root = Path(acp_tui.ui.__path__[0])
    touched = [
        f"{path.relative_to(root)}:{number}"
        for path in root.rglob("*.py")
        if path.name != MAY
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if PRIVATE.search(line)
    ]

    assert touched == []


@each(
    ("kind", "name", "parameters"),
    [
        (App, "_check_bindings", ["self", "key", "priority"]),
        (App, "_dispatch_action", ["self", "namespace", "action_name", "params"]),
        (App, "_handle_exception", ["self", "error"]),
        (Screen, "_forward_event", ["self", "event"]),
        (Widget, "_forward_event", ["self", "event"]),
        (Input, "_on_paste", ["self", "event"]),
        (Input, "_position_to_cell", ["self", "position"]),
        (Input, "_cell_offset_to_index", ["self", "offset"]),
        (TextArea, "_on_key", ["self", "event"]),
        (TextArea, "_on_paste", ["self", "event"]),
        (TextArea, "_set_document", ["self", "text", "language"]),
        (TextArea, "_toggle_cursor_blink_visible", ["self"]),
        (Screen, "_on_message", ["self", "message"]),
        (Screen, "_refresh_layout", ["self", "size", "scroll"]),
        (Compositor, "render_partial_update", ["self"]),
        (Compositor, "reflow", ["self", "parent", "size"]),
        (Compositor, "clear", ["self"]),
        (Compositor, "_regions_to_spans", ["regions"]),
    ],
)
def test_private_methods_that_are_overridden_are_there(kind: type, name: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(kind, name)).parameters) == parameters


def test_the_value_of_an_input_is_a_property() -> None:
    assert isinstance(inspect.getattr_static(Input, "_value"), property)


async def test_keys_of_the_settings_take_the_place_of_the_defaults() -> None:
    app = Home()
    async with app.run_test():
        app.set_keymap({"field.note": "f9"})
        field = app.query_one(Field)

        assert internals.keymap_of(app) == {"field.note": "f9"}
        assert "f9" in internals.bindings_of(field).key_to_bindings
        assert "f2" not in internals.bindings_of(field).key_to_bindings
        assert ("f2", "field.note") in [(key, one.id) for key, one in internals.default_bindings_of(field)]


def test_a_class_tells_its_bindings_and_those_of_its_bases() -> None:
    keys = {key: binding.id for key, binding in internals.class_bindings_of(Field)}

    assert keys["f2"] == "field.note"
    assert "left" in keys


async def test_the_chain_of_bindings_ends_at_a_modal_screen() -> None:
    app = Home()
    async with app.run_test():
        assert [type(node) for node, _ in internals.binding_chain(app.screen)] == [Field, Screen, Home]

        dialog: ModalScreen[None] = ModalScreen()
        await app.push_screen(dialog)

        assert [node for node, _ in internals.binding_chain(dialog)] == [dialog]


async def test_a_stack_of_screens_can_be_changed() -> None:
    app = Home()
    assert not internals.has_screens(app)
    async with app.run_test():
        lower: Screen[None] = Screen()
        await app.push_screen(lower)
        await app.push_screen(Screen())
        stack = next(stack for stack in internals.screen_stacks(app) if lower in stack)

        assert internals.has_screens(app)
        assert app.screen_stack == stack
        stack.remove(lower)
        assert lower not in app.screen_stack


async def test_a_mode_is_mounted_while_another_stays_in_view() -> None:
    app = Home()
    coming: Screen[None] = Screen()
    app.add_mode("coming", lambda: coming)
    async with app.run_test():
        await internals.mount_mode(app, "coming")

        assert coming.is_running
        assert app.screen is not coming
        await app.switch_mode("coming")
        assert app.screen is coming


class Slow(Screen[None]):
    """A screen that comes and goes only when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def on_mount(self) -> None:
        await self.may.wait()

    async def on_unmount(self) -> None:
        await self.may.wait()


async def test_keys_are_taken_while_a_mode_is_mounted_and_while_it_is_taken_away() -> None:
    app = Home()
    coming = Slow()
    app.add_mode("coming", lambda: coming)

    def has_typed(key: str) -> bool:
        return app.query_one(Field).value.endswith(key)

    async with app.run_test() as pilot:
        for key, work in (("a", internals.mount_mode), ("b", internals.take_mode_away)):
            coming.may.clear()
            working = asyncio.create_task(work(app, "coming"))
            await until(lambda: coming.is_running)
            app.post_message(Key(key, key))
            await until(partial(has_typed, key))
            assert not working.done()
            coming.may.set()
            await working
        await pilot.pause()

        assert not coming.is_running


async def test_a_key_that_is_forwarded_reaches_the_widget() -> None:
    app = Home()
    async with app.run_test() as pilot:
        field = app.query_one(Field)
        internals.forward_event(field, Key("x", "x"))
        await pilot.pause()

        assert field.value == "x"


async def test_notices_of_one_title_are_withdrawn() -> None:
    app = Home()
    async with app.run_test() as pilot:
        app.notify("one", title="Stopped")
        app.notify("other", title="Copied")
        await pilot.pause()
        internals.withdraw_notices(app, "Stopped")

        assert [notice.message for notice in app._notifications] == ["other"]


async def test_the_binding_of_a_key_runs() -> None:
    app = Home()
    async with app.run_test() as pilot:
        assert await internals.run_bindings(app, "f3")
        assert not await internals.run_bindings(app, "f12")
        await pilot.pause()

        assert app.noted == ["app"]


def test_sequences_and_marks_of_a_paste_are_known() -> None:
    assert internals.ANSI_SEQUENCES_KEYS["\x1b[A"]
    parser = internals.XTermParser()
    start, end = internals.BRACKETED_PASTE_START, internals.BRACKETED_PASTE_END
    events: list[Any] = list(parser.feed(f"{start}one{end}"))

    assert [event.text for event in events] == ["one"]


async def test_the_clipboard_is_set_and_a_driver_written_to() -> None:
    app = Home()
    internals.write_raw(app, "nobody reads it")
    assert internals.driver_of(app) is None
    async with app.run_test():
        internals.set_clipboard(app, "copied")
        written: list[str] = []
        driver = internals.driver_of(app)
        assert driver is not None
        driver.write = written.append  # type: ignore[method-assign, assignment]
        internals.write_raw(app, "\x1b[5n")

        assert app.clipboard == "copied"
        assert written == ["\x1b[5n"]


async def test_an_application_ends_with_the_report_of_its_first_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def fail_twice() -> None:
        app = Home()
        async with app.run_test():
            internals.fail_with(app, LookupError("first"), "its report")
            internals.fail_with(app, ValueError("second"), "another")

    with pytest.raises(LookupError, match="first"):
        await fail_twice()

    assert capsys.readouterr().err == "its report\n"


async def test_a_widget_that_is_removed_is_pruned() -> None:
    app = Home()
    async with app.run_test():
        field = app.query_one(Field)
        assert not internals.is_pruned(field)
        await field.remove()

        assert internals.is_pruned(field)


def test_a_full_strip_is_drawn_and_cut_as_any_strip() -> None:
    strip = internals.FullStrip([Segment("abc")], 3)

    assert [part.text for part in strip.divide([1, 3])] == ["a", "bc"]
    assert strip.crop(1, 3).text == "bc"


@pytest.mark.slow
def test_a_full_strip_is_freed_when_nobody_keeps_it() -> None:
    strip = internals.FullStrip([Segment("abc")], 3)
    gone = weakref.ref(strip)
    gc.disable()
    try:
        assert list(strip.divide([3])) == [strip]
        del strip
        assert gone() is None
    finally:
        gc.enable()


class Letters(Widget):
    """Rows of one letter each; notes which of them it is asked for."""

    def __init__(self, letter: str, id: str) -> None:
        super().__init__(id=id)
        self.letter = letter
        self.asked: list[tuple[int, int]] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked.append((crop.y, crop.bottom))
        return [Strip([Segment(self.letter * crop.width)])] * crop.height


class Rows(Screen[None]):
    CSS = """
    #left, #right { width: 10; height: 8; }
    #cover { layer: above; width: 6; height: 2; offset: 3 2; }
    Rows { layout: horizontal; layers: below above; }
    """

    def __init__(self) -> None:
        super().__init__()
        internals.draw_few_rows(self)

    def compose(self) -> ComposeResult:
        for letter, name in (("l", "left"), ("r", "right"), ("c", "cover")):
            yield Letters(letter, name)


async def test_only_rows_that_have_changed_are_asked_for_and_drawn_at_their_places() -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        left, right, cover = (screen.query_one(f"#{name}", Letters) for name in ("left", "right", "cover"))
        for widget in (left, right, cover):
            widget.asked.clear()
        left.letter = "L"

        screen._compositor._dirty_regions = {Region(0, 1, 10, 2)}
        update = screen._compositor.render_update()

        assert isinstance(update, internals.PiecesUpdate)
        assert [(x, y, strip.text) for x, y, strip in update.pieces] == [
            (0, 1, "L" * 10),
            (0, 2, "LLL"),
            (3, 2, "c" * 6),
            (9, 2, "L"),
        ]
        assert (left.asked, right.asked, cover.asked) == ([(1, 3)], [], [(0, 1)])


async def test_a_frame_of_a_few_rows_shows_what_a_whole_one_does() -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        whole = [strip.text for strip in screen._compositor.render_strips()]
        screen._compositor._dirty_regions = {Region(0, 0, 30, 9), Region(2, 8, 4, 2)}

        update = screen._compositor.render_update()

        assert isinstance(update, internals.PiecesUpdate)
        for x, y, strip in update.pieces:
            assert strip.text == whole[y][x : x + strip.cell_length]
        assert sum(strip.cell_length for _, _, strip in update.pieces) == 30 * 9 + 4
        assert update.render_segments(app.console).startswith("\x1b[1;1H")


async def test_nothing_is_drawn_where_nothing_has_changed() -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        screen._compositor._dirty_regions = set()

        assert screen._compositor.render_update() is None


async def test_what_moves_is_drawn_also_if_its_place_was_asked_for_before_the_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        compositor, right = screen._compositor, screen.query_one("#right")
        drawn: list[object] = []
        monkeypatch.setattr(app, "_display", lambda _, update: drawn.append(update))
        screen.query_one("#left").styles.width = 12

        screen._clear_arrangement_cache()  # as when the widget is idle
        compositor._full_map_invalidated = True  # as after a scroll
        assert compositor.full_map[right].region.x == 12
        await pilot.pause()

        pieces = [
            each for update in drawn if isinstance(update, internals.PiecesUpdate) for each in update.pieces
        ]
        assert (12, 0, "r" * 10) in [(x, y, strip.text) for x, y, strip in pieces]


async def test_marked_rows_are_drawn_at_once_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        drawn: list[object] = []
        monkeypatch.setattr(app, "_display", lambda _, update: drawn.append(update))

        internals.mark_rows(screen.query_one("#right"), [Region(0, 4, 10, 1)])
        assert not drawn
        internals.draw_now(screen)
        internals.draw_now(screen)

        (update,) = drawn
        assert isinstance(update, internals.PiecesUpdate)
        assert [(x, y, strip.text) for x, y, strip in update.pieces] == [(10, 4, "r" * 10)]


async def test_marked_rows_are_drawn_after_a_layout_that_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Home()
    async with app.run_test(size=(30, 10)) as pilot:
        screen = Rows()
        await app.push_screen(screen)
        await pilot.pause()
        right = screen.query_one("#right", Letters)
        right.asked.clear()
        screen.refresh(layout=True)

        internals.mark_rows(right, [Region(0, 4, 10, 1)])
        internals.draw_now(screen)
        assert not right.asked
        await pilot.pause()
        assert right.asked


class Counted(internals.KeptStylesheet):
    parsed = 0

    @override
    def _parse_rules(self, css: str, *args: Any, **more: Any) -> list[RuleSet]:
        size = len(self._parse_cache)
        found = super()._parse_rules(css, *args, **more)
        self.parsed += len(self._parse_cache) > size
        return found


def sheets(count: int) -> Counted:
    sheet = Counted(variables={"hue": "red"})
    for number in range(count):
        sheet.add_source(f"#w{number} {{ color: $hue; }}", ("sheet", str(number)))
    return sheet


def color_of(sheet: internals.KeptStylesheet, number: int) -> str:
    (rule,) = (one for one in sheet.rules if f"#w{number} " in one.css)
    return str(rule.styles.color.hex)


def test_each_source_of_styles_is_parsed_once() -> None:
    sheet = sheets(100)
    assert len(sheet.rules) == sheet.parsed == 100

    sheet.add_source("#more { color: $hue; }", ("sheet", "more"))
    assert len(sheet.rules) == sheet.parsed == 101

    sheet.set_variables({"hue": "red"})
    sheet.reparse()
    assert len(sheet.rules) == sheet.parsed == 101


def test_new_variables_and_changed_sources_count_at_once() -> None:
    sheet = sheets(2)
    assert color_of(sheet, 1) == "#FF0000"

    sheet.set_variables({"hue": "lime"})
    sheet.reparse()
    assert color_of(sheet, 1) == "#00FF00"

    sheet.add_source("#w1 { color: blue; }", ("sheet", "1"))
    assert color_of(sheet, 1) == "#0000FF"
    assert color_of(sheet, 0) == "#00FF00"


def test_a_mistake_in_a_sheet_leaves_the_rules_as_they_were() -> None:
    sheet = sheets(1)
    before = list(sheet.rules)
    sheet.add_source("#w1 { color: nothing-like-it; }", ("sheet", "1"))
    with pytest.raises(StylesheetParseError):
        sheet.reparse()
    assert sheet._rules == before


async def test_a_new_screen_is_not_styled_a_second_time() -> None:
    class Shown(Screen[None]):
        DEFAULT_CSS = "Shown { color: $primary; }"

    class Themed(App[None]):
        refreshed = 0

        @override
        def refresh_css(self, animate: bool = True) -> None:
            self.refreshed += 1
            super().refresh_css(animate)

    app = Themed()
    async with app.run_test() as pilot:
        app.theme = "nord"
        await pilot.pause()
        known = app.refreshed
        screen = Shown()
        app.add_mode("one", lambda: internals.in_present_style(app, screen))
        await app.switch_mode("one")
        await pilot.pause()

        assert app.refreshed == known
        assert screen.styles.color.hex == app.get_css_variables()["primary"]

        app.theme = "gruvbox"
        await pilot.pause()
        assert screen.styles.color.hex == app.get_css_variables()["primary"]


class Growing(Widget):
    DEFAULT_CSS = "Growing { height: auto; }"

    rows = 1

    def become(self, rows: int) -> None:
        self.rows = rows
        self.refresh(layout=True)

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.rows


class Exact(internals.ExactLayout, Screen[None]):
    @override
    def compose(self) -> ComposeResult:
        with Vertical() as frame:
            frame.styles.height = "auto"
            yield Growing()


async def test_a_height_that_changes_again_before_it_was_told_is_the_last_one() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = Exact()
        await app.push_screen(screen)
        await pilot.pause()
        growing = screen.query_one(Growing)
        growing.become(20)
        screen._refresh_layout()  # as for something else, before the widget is idle
        assert growing.size.height == 20
        growing.become(3)
        await pilot.pause()

        assert growing.size.height == 3
        assert screen.query_one(Vertical).size.height == 3


class Leaving(Vertical):
    """A box that has its screen drawn when its parts have gone, before a layout."""

    drawn: int | None = None
    parts: Sequence[Widget] = ()

    @override
    def compose(self) -> ComposeResult:
        yield TextArea()
        yield Input()
        yield OptionList("one")

    def on_mount(self) -> None:
        self.parts = list(self.query(Widget))

    def on_unmount(self) -> None:
        for part in self.parts:
            part.notify_style_update()  # as for the loss of the focus: styles are asked for again
        self.drawn = len(self.screen._compositor.render_strips())  # private: as the timer of a screen does


class Left(internals.ExactLayout, Screen[None]):
    @override
    def compose(self) -> ComposeResult:
        yield Leaving()


async def test_parts_that_have_gone_are_not_drawn_before_the_next_layout() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = Left()
        await app.push_screen(screen)
        await pilot.pause()
        leaving = screen.query_one(Leaving)
        await leaving.remove()

        assert leaving.drawn == screen.size.height


class Nested(internals.ExactLayout, Screen[None]):
    counted: int | None = None

    @override
    def compose(self) -> ComposeResult:
        with Vertical(), Vertical():
            yield StatusRows()

    def on_mount(self) -> None:
        self.counted = len(self.query(StatusRows))


async def test_a_screen_that_is_closed_while_it_gets_its_parts_is_not_mounted_without_them() -> None:
    app: App[None] = App()
    counted = []
    async with app.run_test() as pilot:
        for turns in range(30):
            screen = Nested()
            shown = app.push_screen(screen)
            for _ in range(turns):  # of the loop: more of the screen is there each time
                await asyncio.sleep(0)
            await app.pop_screen()
            await shown
            await pilot.pause(0)
            counted.append(screen.counted)

    assert set(counted) == {None, 1}


class Titled(internals.ExactLayout, Screen[None]):
    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield StatusRows()


async def test_a_title_that_had_no_row_when_its_screen_was_laid_out_is_drawn() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        screen = Titled()
        await app.push_screen(screen)
        await pilot.pause()
        title = screen.query_one(StatusRows)
        title.refresh(layout=True)  # as at its mount, before it is idle
        screen._refresh_layout()
        title.set_rows([([("text", "plan")], ())])
        await pilot.pause()

        assert title.size.height == 1


def test_all_screens_have_the_exact_layout() -> None:
    for info in pkgutil.walk_packages(acp_tui.ui.__path__, "acp_tui.ui."):
        importlib.import_module(info.name)
    ours = [kind for kind in kinds_of(Screen) if kind.__module__.startswith("acp_tui.")]

    assert len(ours) > 20
    assert not [kind.__name__ for kind in ours if not issubclass(kind, internals.ExactLayout)]


def kinds_of(kind: type[Screen[Any]]) -> list[type[Screen[Any]]]:
    below = kind.__subclasses__()
    return below + [one for child in below for one in kinds_of(child)]


class ListApp(App[None]):
    @override
    def compose(self) -> ComposeResult:
        yield OptionList(*map(str, range(50)))


@pytest.mark.parametrize(("height", "moved"), [(1, False), (10, True)])
async def test_a_page_in_a_list_without_room_for_a_row_moves_nothing(height: int, moved: bool) -> None:
    async with ListApp().run_test(size=(40, height)) as pilot:
        options = pilot.app.query_one(OptionList)
        options.highlighted = 1

        internals.move_highlight(options, "page_down")

        assert (options.highlighted != 1) is moved
