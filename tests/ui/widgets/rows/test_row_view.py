from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.filter import LineFilter
from textual.geometry import Region, Size

from acp_tui.ui.widgets.rows.row_view import RowView, StatusRows
from acp_tui.ui.widgets.textual_internals import draw_now
from tests.waiting import until


class Numbers(RowView):
    """Rows that say which they are, of several widths."""

    def paint_row(self, row: int) -> list[Segment]:
        return [Segment(f"row {row} " * row)]


class Viewer(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def compose(self) -> ComposeResult:
        yield Numbers()

    def get_line_filters(self) -> Sequence[LineFilter]:
        self.asked += 1
        return super().get_line_filters()


async def test_what_all_rows_of_a_frame_have_in_common_is_asked_for_once() -> None:
    async with Viewer().run_test(size=(30, 20)) as pilot:
        app, view = pilot.app, pilot.app.query_one(Numbers)
        assert isinstance(app, Viewer)
        view.show_rows(100)
        app.asked = 0

        strips = view.render_lines(view.size.region)

        assert len(strips) == 20
        assert app.asked == 1


async def test_rows_are_filled_up_or_cut_to_the_width_before_the_scroll_bar() -> None:
    async with Viewer().run_test(size=(30, 20)) as pilot:
        view = pilot.app.query_one(Numbers)
        view.show_rows(10)

        strips = view.render_lines(view.size.region)

        assert {strip.cell_length for strip in strips} == {30}
        assert strips[1].text == "row 1".ljust(30)
        assert strips[9].text == ("row 9 " * 9)[:29] + " "
        assert strips[15].text == " " * 30


async def test_the_thumb_stands_beside_the_part_that_is_seen() -> None:
    async with Viewer().run_test(size=(30, 20)) as pilot:
        view = pilot.app.query_one(Numbers)
        view.show_rows(40)
        view.scroll_to(y=20, animate=False, immediate=True)

        bars = [strip.text[-1] for strip in view.render_lines(view.size.region)]

        thumb, track = view.theme_styles.symbol("thumb"), view.theme_styles.symbol("track")
        assert bars == [track] * 10 + [thumb] * 10


@pytest.mark.parametrize("size", [(20, 10), (60, 30)])
async def test_rows_are_painted_as_they_were_counted_until_a_new_size_is_reported(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Viewer().run_test(size=(30, 20)) as pilot:
        view = pilot.app.query_one(Numbers)
        view.show_rows(10)
        monkeypatch.setattr(Numbers, "size", Size(*size))  # as after a layout, before its event

        strips = view.render_lines(Region(0, 0, *size))

        assert view.row_width == 29
        assert {strip.cell_length for strip in strips} == {size[0]}
        view.on_resize()
        assert view.row_width == size[0] - 1


class Lines(App[None]):
    def compose(self) -> ComposeResult:
        yield StatusRows()


async def test_other_words_in_a_row_are_drawn_now_or_soon_and_take_no_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Lines()
    async with app.run_test() as pilot:
        rows = app.query_one(StatusRows)
        rows.set_rows([([("text", "working 1s")], [])])
        await pilot.pause()
        drawn: list[object] = []
        with monkeypatch.context() as watched:
            watched.setattr(app, "_display", lambda _, update: drawn.append(update))
            rows.set_rows([([("text", "working 2s")], [])])
            draw_now(app.screen)
            assert len(drawn) == 1
            assert rows.render_line(0).text.rstrip() == "working 2s"

            rows.set_rows([([("text", "working 3s")], [])])
            await until(lambda: len(drawn) == 2)
            assert rows.render_line(0).text.rstrip() == "working 3s"
