"""Output to the terminal of a view that changes. Private name: `_display` of Textual, all that it writes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from textual._compositor import CompositorUpdate
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.terminal.screen import TerminalScreen
from acp_tui.ui.widgets.textual_internals import mark_rows
from acp_tui.ui.widgets.transcript import block_view
from acp_tui.ui.widgets.transcript.block_view import Redraw
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript
from tests.ui.widgets.transcript.harness import Harness, running

WIDTH, HEIGHT = 30, 10


def strips(*texts: str) -> list[Strip]:
    return [Strip.blank(len(text)) for text in texts]


def rows(regions: Sequence[Region]) -> list[int]:
    return [y for region in regions for y in region.line_range]


def test_only_rows_that_differ_are_drawn_again_and_neighbours_together() -> None:
    redraw, first = Redraw(), strips(*"abcdef")
    assert redraw.differing(first, WIDTH) == [Region(0, 0, WIDTH, 6)]
    redraw.drawn(0, first)
    assert redraw.differing(first, WIDTH) == []

    second = [*first]
    for y in (1, 2, 4):
        second[y] = Strip.blank(9)

    assert redraw.differing(second, WIDTH) == [Region(0, 1, WIDTH, 2), Region(0, 4, WIDTH, 1)]


def test_a_row_that_was_asked_for_and_not_wanted_is_drawn_when_it_is() -> None:
    redraw, first = Redraw(), strips(*"abc")
    redraw.differing(first, WIDTH)
    redraw.drawn(0, first)
    second = [first[0], Strip.blank(7), first[2]]

    redraw.drawn(0, second)  # rows between others that changed: Textual takes them, and does not draw them

    assert rows(redraw.differing(second, WIDTH)) == [1]


def test_a_row_that_changed_and_changed_back_is_drawn_when_nobody_knows_what_was_drawn_between() -> None:
    redraw, first = Redraw(), strips(*"ab")
    redraw.differing(first, WIDTH)
    redraw.drawn(0, first)
    redraw.drawn(0, [first[0], Strip.blank(7)])

    assert rows(redraw.differing(first, WIDTH)) == [1]


def test_of_another_height_everything_is_drawn() -> None:
    redraw, first = Redraw(), strips(*"ab")
    redraw.differing(first, WIDTH)
    redraw.drawn(0, first)

    assert rows(redraw.differing([*first, Strip.blank(1)], WIDTH)) == [0, 1, 2]
    redraw.forget()
    assert rows(redraw.differing(first, WIDTH)) == [0, 1]


async def test_text_that_grows_in_its_row_costs_that_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(WIDTH, HEIGHT) as harness:
        harness.numbered(20)
        block = MarkdownBlock("some")
        harness.view.append(block)
        await harness.settled()
        await harness.pilot.pause()
        asked: list[list[Region]] = []

        def counted(widget: Widget, regions: list[Region]) -> None:
            asked.append(regions)
            mark_rows(widget, regions)

        monkeypatch.setattr(block_view, "mark_rows", counted)

        block.append(" words")
        harness.view.changed(block)
        await harness.until(lambda: harness.shown()[-1] == "some words")
        await harness.pilot.pause()

        assert asked == [[Region(0, HEIGHT - 1, WIDTH, 1)]]


def change(harness: Harness, chance: random.Random, number: int) -> None:
    """Do one of the things that change what is seen."""
    view, blocks = harness.view, harness.view.blocks
    block = chance.choice(blocks)
    what = chance.randrange(10)
    if what < 3 and isinstance(blocks[-1], MarkdownBlock):
        blocks[-1].append(chance.choice((f" w{number}", f"\n\np{number} ", f"\n- i{number}", " **x")))
        view.changed(blocks[-1])
    elif what < 5:
        view.insert(chance.choice((len(blocks), chance.randrange(len(blocks)))), MarkdownBlock(f"m{number}"))
    elif what == 5:
        view.mark(chance.choice(("", "w", "b")))
    elif what == 6 and len(blocks) > 10:
        view.remove_block(block)
    elif what == 7 and isinstance(block, TextBlock):
        block.set_spans([("text", f"changed {number}\n" * chance.randrange(1, 4))])
        view.changed(block)
    elif what == 8:
        view.action_scroll_rows(chance.randrange(-5, 6))
    else:
        chance.choice((view.action_follow_end, view.action_scroll_start, lambda: view.action_step(-1)))()


def held_by(view: Transcript) -> list[str]:
    """Return what the view would draw, and let it know nothing of having been asked."""
    redraw = view._redraw  # private: rows that are drawn twice look the same
    drawn, wanted = list(redraw._drawn), set(redraw._wanted)
    strips = view.render_lines(view.size.region)
    redraw._drawn, redraw._wanted = drawn, wanted
    return [strip.text.rstrip() for strip in strips]


@pytest.mark.slow
async def test_the_terminal_shows_what_the_view_holds_whatever_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(WIDTH, HEIGHT) as harness:
        terminal = TerminalScreen(WIDTH, HEIGHT)

        def display(_: object, update: object) -> None:
            if isinstance(update, CompositorUpdate):
                terminal.feed(update.render_segments(harness.app.console).encode())

        monkeypatch.setattr(harness.app, "_display", display)
        chance = random.Random(3)
        harness.numbered(12)
        harness.view.append(MarkdownBlock("grows"))
        harness.app.screen.refresh()

        for number in range(120):
            change(harness, chance, number)
            if chance.random() < 0.6:
                await harness.settled()
                await harness.pilot.pause()
                held = held_by(harness.view)
                shown = ["".join(segment.text for segment in terminal.row(y)).rstrip() for y in range(HEIGHT)]
                assert shown == held, f"after step {number}"
