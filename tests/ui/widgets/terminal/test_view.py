"""Keys become the bytes that programs in terminals know."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.widgets import Input

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.links import LinksWanted
from acp_tui.ui.widgets.rows.row_view import StatusRows
from acp_tui.ui.widgets.rows.search_bar import FindBar
from acp_tui.ui.widgets.terminal import view as view_module
from acp_tui.ui.widgets.terminal.screen import ScreenBroken, TerminalScreen
from acp_tui.ui.widgets.terminal.view import TerminalView, bytes_of_key
from tests.tables import each
from tests.waiting import PATIENCE


@each(
    ("key", "character", "application", "data"),
    [
        ("a", "a", False, b"a"),
        ("ü", "ü", False, "ü".encode()),
        ("A", "A", False, b"A"),
        ("full_stop", ".", False, b"."),
        ("ctrl+d", "\x04", False, b"\x04"),
        ("alt+b", None, False, b"\x1bb"),
        ("up", None, True, b"\x1bOA"),
        ("ctrl+right", None, False, b"\x1b[1;5C"),
        ("shift+tab", None, False, b"\x1b[Z"),
        ("backspace", "\x7f", False, b"\x7f"),
        ("f5", None, False, b"\x1b[15~"),
        ("unknown_key", None, False, b""),
    ],
)
def test_keys_become_bytes(key: str, character: str | None, application: bool, data: bytes) -> None:
    assert bytes_of_key(key, character, application) == data


@pytest.mark.parametrize(
    ("key", "sent"), [("alt+h", b"\x1bh"), ("alt+full_stop", b"\x1b."), ("alt+f12", b""), ("alt+enter", b"")]
)
def test_a_key_with_alt_is_the_key_behind_an_escape(key: str, sent: bytes) -> None:
    assert bytes_of_key(key, None) == sent


STYLES = styles_of(choose("acp-dark")[0])


class Scripted:
    """A terminal whose output the test writes."""

    def __init__(self, kept: bytes = b"") -> None:
        self.stable_rows = kept
        self.typed = b""
        self.size = (0, 0)
        self.exit_status: int | None = None
        self.listeners: list[Callable[[bytes], None]] = []

    def attach(self, listener: Callable[[bytes], None]) -> bytes:
        self.listeners.append(listener)
        return self.stable_rows

    def detach(self, listener: Callable[[bytes], None]) -> None:
        self.listeners.remove(listener)

    def write(self, data: bytes) -> None:
        self.typed += data

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)

    def emit(self, data: bytes) -> None:
        self.stable_rows += data
        for listener in tuple(self.listeners):
            listener(data)


class Viewer(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.view = TerminalView(STYLES)
        self.draws = 0
        self.ended = 0
        self.links: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_links_wanted(self, event: LinksWanted) -> None:
        self.links += event.links

    def on_terminal_view_ended(self) -> None:
        self.ended += 1


def screen(view: TerminalView) -> list[str]:
    return [view.render_line(y).text[:-1].rstrip() for y in range(view.size.height)]


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        await pilot.pause(0.005)


async def test_kept_and_new_output_is_shown_and_the_size_is_sent() -> None:
    app, source = Viewer(), Scripted(b"before\r\n")
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        assert source.size == (39, 8)
        source.emit(b"after\r\n")
        await until(pilot, lambda: screen(app.view)[:2] == ["before", "after"])
        await pilot.resize_terminal(60, 10)
        await until(pilot, lambda: source.size == (59, 10))


async def test_the_end_is_followed_until_the_reader_scrolls_up() -> None:
    app, source = Viewer(), Scripted(b"".join(b"line %d\r\n" % number for number in range(100)))
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: "line 99" in screen(app.view))
        app.view.scroll_to(y=10, animate=False, immediate=True)
        source.emit(b"more\r\n" * 20)
        await until(pilot, lambda: "more" in app.view.text())
        assert screen(app.view)[0] == "line 10"
        app.view.focus()
        await pilot.press("end")
        assert "more" in screen(app.view)


async def test_a_long_line_is_wrapped() -> None:
    app, source = Viewer(), Scripted(b"0123456789" * 5 + "\r\n日本語 ".encode() * 8)
    async with app.run_test(size=(31, 12)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: screen(app.view)[0] == "0123456789" * 3)
        assert screen(app.view)[1] == "0123456789" * 2


async def test_keys_are_typed_only_when_asked_for() -> None:
    app, source = Viewer(), Scripted()
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        app.view.focus()
        await pilot.press("x")
        assert source.typed == b""

        await pilot.press("i", "l", "s", "enter", "ctrl+c", "up", "escape", "tab", "i")
        assert source.typed == b"ls\r\x03\x1b[A\x1b\ti"

        await pilot.press("ctrl+right_square_bracket", "x")
        assert not app.view.typing
        assert source.typed == b"ls\r\x03\x1b[A\x1b\ti"


async def test_no_key_is_typed_into_a_program_that_had_ended_before() -> None:
    app, source = Viewer(), Scripted(b"all of it\r\n")
    source.exit_status = 0
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        app.view.focus()
        await pilot.press("i")
        assert not app.view.typing
        await until(pilot, lambda: screen(app.view)[0] == "all of it" and app.ended > 0)


async def test_the_offered_keys_follow_typing_and_the_end() -> None:
    app, source = Viewer(), Scripted()
    offered: list[set[str]] = []
    async with app.run_test(size=(40, 8)) as pilot:

        def look() -> set[str]:
            return {a.binding.action for a in app.screen.active_bindings.values()} & {"type", "leave"}

        app.screen.bindings_updated_signal.subscribe(app.view, lambda _: offered.append(look()))
        app.view.attach(source)
        app.view.focus()
        await until(pilot, lambda: offered[-1:] == [{"type"}])
        await pilot.press("i")
        await until(pilot, lambda: offered[-1] == {"leave"})
        await pilot.press("ctrl+right_square_bracket")
        await until(pilot, lambda: offered[-1] == {"type"})
        source.exit_status = 0
        source.emit(b"")
        await until(pilot, lambda: offered[-1] == set())


async def test_the_cursor_is_shown_while_typing() -> None:
    app, source = Viewer(), Scripted(b"ab")
    async with app.run_test(size=(20, 4)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: screen(app.view)[0] == "ab")
        app.view.action_type()
        reversed_cells = [s for s in app.view.render_line(0) if s.style and s.style.reverse]
        assert [segment.text for segment in reversed_cells] == [" "]


async def test_a_full_screen_program_gets_a_screen() -> None:
    app, source = Viewer(), Scripted(b"history\r\n")
    async with app.run_test(size=(40, 6)) as pilot:
        app.view.attach(source)
        source.emit(b"\x1b[?1049h\x1b[2J\x1b[3;5H\x1b[44mmenu\x1b[0m\x1b[1;1Htop")
        await until(pilot, lambda: screen(app.view)[:3] == ["top", "", "    menu"])
        assert len(source.listeners) == 1
        source.emit(b"\x1b[?1049l")
        await until(pilot, lambda: screen(app.view)[0] == "history")


async def test_what_scrolled_away_stays_after_another_size_and_a_full_screen_program() -> None:
    app, source = Viewer(), Scripted(b"".join(b"line %d\r\n" % number for number in range(100)))
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: "line 99" in screen(app.view))
        await pilot.resize_terminal(20, 12)
        await until(pilot, lambda: source.size == (19, 12))
        source.emit(b"\x1b[?1049h\x1b[2J\x1b[3;5Hmenu")
        await until(pilot, lambda: any("menu" in row for row in screen(app.view)))
        await pilot.resize_terminal(40, 8)
        source.emit(b"\x1b[?1049lback\r\n")
        await until(pilot, lambda: "back" in screen(app.view))

        kept = app.view.text()

        assert "menu" not in kept
        assert [line for line in kept.split("\n") if line] == [*(f"line {n}" for n in range(100)), "back"]


async def test_when_the_emulator_breaks_the_output_is_shown_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(screen: TerminalScreen, data: bytes) -> None:
        raise ScreenBroken("index out of bounds")

    monkeypatch.setattr(TerminalScreen, "feed", breaks)
    app, source = Viewer(), Scripted(b"before\r\n")
    async with app.run_test(size=(40, 6)) as pilot:
        app.view.attach(source)
        source.emit(b"\x1b[3;5Hmenu" + b"x" * 20_000 + b"\r\nend")
        await until(pilot, lambda: app.view.text().endswith("end"))
        assert app.view.text() == "before\nmenu" + "x" * 20_000 + "\nend"
        source.emit(b" more")
        await until(pilot, lambda: app.view.text().endswith("end more"))


async def test_the_end_of_the_program_is_posted_once_its_output_is_drawn() -> None:
    app, source = Viewer(), Scripted()
    async with app.run_test(size=(40, 6)) as pilot:
        app.view.attach(source)
        source.emit(b"last words")
        source.emit(b"")
        await until(pilot, lambda: app.ended == 1)
        assert screen(app.view)[0] == "last words"
        app.view.focus()
        await pilot.press("i")
        assert not app.view.typing


async def test_another_terminal_replaces_the_first() -> None:
    app, one, two = Viewer(), Scripted(b"one"), Scripted(b"two")
    async with app.run_test(size=(40, 6)) as pilot:
        app.view.attach(one)
        app.view.attach(two)
        await until(pilot, lambda: screen(app.view)[0] == "two")
        assert one.listeners == []


@pytest.mark.slow
async def test_a_flood_of_output_leaves_keys_their_turn() -> None:
    app, source = Viewer(), Scripted()
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.attach(source)
        times = []
        for number in range(40):
            start = time.process_time()
            source.emit(b"\x1b[32mgreen\x1b[m and more of it\r\n" * 4_000 + b"end %d\r\n" % number)
            await until(pilot, lambda last=f"end {number}": last in screen(app.view))  # type: ignore[misc]
            times.append(time.process_time() - start)
        source.emit(b"the end\r\n")
        await until(pilot, lambda: "the end" in screen(app.view))
        assert sorted(times)[20] < 0.1  # the median: a garbage collection is not of our making


async def test_the_output_is_searched_with_what_scrolled_away() -> None:
    source = Scripted(b"".join(b"line %d\r\n" % number for number in range(200)))
    app = Viewer()
    async with app.run_test(size=(60, 12)) as pilot:
        app.view.attach(source)
        app.view.focus()
        await until(pilot, lambda: app.view.row_count > 100)
        await pilot.press("slash", *"LINE 17")
        bar = app.query_one(FindBar)
        await until(pilot, lambda: "/11" in _count(bar))  # 17, and 170 to 179
        bar.query_one(Input).value = "line 17x"
        await until(pilot, lambda: "nothing found" in _count(bar))

        bar.query_one(Input).value = "line 42"
        await until(pilot, lambda: any("line 42" in row for row in screen(app.view)))
        await pilot.press("escape")
        await until(pilot, lambda: not app.query(FindBar))


def _count(bar: FindBar) -> str:
    return "".join(segment.text for segment in bar.query_one(StatusRows).render_line(0))


async def test_a_screen_of_a_program_is_searched_too() -> None:
    source = Scripted(b"\x1b[?1049h\x1b[3;5Hneedle")
    app = Viewer()
    async with app.run_test(size=(60, 12)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: any("needle" in row for row in screen(app.view)))

        assert await app.view.search("NEEDLE", lambda: True) == 1
        assert await app.view.search("hay", lambda: True) == 0


async def test_a_click_on_a_link_tells_where_it_leads() -> None:
    source = Scripted(b"\x1b]8;;https://x.example/a\x1b\\docs\x1b]8;;\x1b\\ and more\r\n")
    app = Viewer()
    async with app.run_test(size=(60, 12)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: any("docs" in row for row in screen(app.view)))
        await pilot.click(app.view, offset=(8, 0))
        assert app.links == []

        await pilot.click(app.view, offset=(1, 0))

        await until(pilot, lambda: app.links == ["https://x.example/a"])


async def test_output_is_read_on_between_two_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def noted(pump: MessagePump, seconds: float, act: Callable[[], object]) -> None:
        waits.append(seconds)
        after(pump, seconds, act)

    monkeypatch.setattr(view_module, "after", noted)
    app, source = Viewer(), Scripted(b"")
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: not app.view._draw_waits)  # private: nothing else tells that it is drawn
        monkeypatch.setattr(app.view, "_read", lambda data: data[100:])  # private: what a slice has time for
        waits.clear()

        source.emit(b"x" * 5_000)

        await until(pilot, lambda: not app.view._draw_waits)
        assert len(waits) == 50
        assert waits[0] == view_module.FRAME
        assert max(waits[1:]) < view_module.FRAME


async def test_output_that_wraps_is_painted_at_a_size_that_is_not_told_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, source = Viewer(), Scripted(b"".join(b"X" * 100 + b"\r\n" for _ in range(30)))
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: "XX" in "".join(screen(app.view)))
        monkeypatch.setattr(TerminalView, "size", Size(200, 40))  # as after a layout, before its event

        assert len(app.view.render_lines(Region(0, 0, 200, 40))) == 40


async def test_a_line_that_became_shorter_is_painted_before_its_rows_are_counted() -> None:
    app, source = Viewer(), Scripted(b"X" * 100)
    async with app.run_test(size=(40, 8)) as pilot:
        app.view.attach(source)
        await until(pilot, lambda: "XX" in "".join(screen(app.view)))
        app.view._log.feed(b"\r\x1b[Kshort")  # private: comes between two frames
        app.view.set_theme_styles(STYLES)
        app.view._wrapped.clear()
        app.view._starts = [0, 3]

        assert [text.strip() for text in screen(app.view)[:3]] == ["short", "", ""]
