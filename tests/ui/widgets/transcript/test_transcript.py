"""The view of blocks: following, anchoring, keys, mouse, and how much work all of it is."""

from __future__ import annotations

import asyncio
from math import inf

import pytest
from rich.style import Style
from textual.events import Hide, MouseScrollUp, Show
from textual.geometry import Region

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.output_block import OutputBlock
from acp_tui.ui.widgets.transcript import block_view as backlog
from acp_tui.ui.widgets.transcript import block_view as module
from acp_tui.ui.widgets.transcript import layout
from acp_tui.ui.widgets.transcript import transcript as searching
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.transcript import Hits, Transcript, hits_in, look_through, row_of_hit
from acp_tui.ui.widgets.transcript.viewport import Viewport
from tests.ui.widgets.transcript.harness import Harness, running


def laid_out(text: str, width: int = 20) -> BlockLayout:
    layout = BlockLayout(Styles(), lambda block, kept: None)
    layout.resize(width, layout.theme_styles)
    layout.insert(0, TextBlock([("text", text)], above=1))
    return layout


def test_hits_are_counted_in_whichever_case() -> None:
    assert hits_in("One ONE none", "one") == 3
    assert hits_in("anything", "") == 0


def test_a_hit_is_found_in_its_row() -> None:
    layout = laid_out("one\ntwo one\none one\nrest")

    assert [row_of_hit(layout, 0, "one", number, inf) for number in range(4)] == [1, 2, 3, 3]


def test_a_hit_that_is_not_seen_is_at_the_last_one_before_it_or_at_the_first_text() -> None:
    layout = laid_out("head\nneedle")

    assert row_of_hit(layout, 0, "needle", 5, inf) == 2
    assert row_of_hit(layout, 0, "folded away", 0, inf) == 1


def test_hits_are_counted_over_blocks_and_found_by_their_place() -> None:
    first, second, third = (TextBlock([("text", "x")]) for _ in range(3))
    order: dict[Block, int] = {first: 0, second: 1, third: 2}
    hits = Hits()
    for block, count in ((first, 2), (second, 0), (third, 3)):
        hits.add(block, count)

    assert len(hits) == 5
    assert [hits[place] for place in range(5)] == [
        (first, 0),
        (first, 1),
        (third, 0),
        (third, 1),
        (third, 2),
    ]
    assert [hits.place(hits[place]) for place in range(5)] == list(range(5))
    assert hits.place((second, 0)) == hits.place((first, 2)) == hits.place(None) == -1
    assert [hits.first_from(index, order.__getitem__) for index in range(4)] == [0, 2, 2, 4]
    assert Hits().first_from(0, order.__getitem__) == -1


async def test_others_have_their_turn_while_blocks_are_looked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "SLICE", -1.0)  # each block is a slice
    blocks = [TextBlock([("text", f"needle {number}")]) for number in range(50)]
    turns = 0
    looking = asyncio.create_task(look_through(blocks, "needle", lambda: True))
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1

    hits = await looking
    assert hits is not None
    assert hits.blocks == blocks
    assert turns >= 50


async def test_what_is_not_wanted_any_more_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SLICE", -1.0)
    looked = 0

    class Counted(TextBlock):
        def searched(self) -> str:
            nonlocal looked
            looked += 1
            return "needle"

    blocks = [Counted() for _ in range(50)]

    assert await look_through(blocks, "needle", lambda: looked < 3) is None
    assert looked == 3
    assert await look_through(blocks, "", lambda: True) is not None
    assert looked == 3


async def test_blocks_are_shown_one_below_the_other() -> None:
    async with running(height=4) as harness:
        harness.view.append(TextBlock([("text", "one")]))
        harness.view.append(MarkdownBlock("**two**", above=1))
        await harness.until(lambda: harness.shown() == ["one", "", "two", ""])


async def test_the_view_follows_the_end_until_the_reader_leaves_it() -> None:
    async with running() as harness:
        harness.numbered(10)
        await harness.until(lambda: harness.shown()[-3:] == ["block 9", "row b", "row c"])

        await harness.pilot.press("up")
        before = harness.shown()
        harness.numbered(3, first=10)
        await harness.until(lambda: "new below" in harness.shown()[-1])

        assert harness.shown()[:-1] == before[:-1]
        assert not harness.view.follow
        await harness.pilot.press("end")
        assert harness.shown()[-3:] == ["block 12", "row b", "row c"]
        assert harness.view.follow


async def test_scrolling_back_to_the_end_follows_again() -> None:
    async with running() as harness:
        harness.numbered(10)
        await harness.settled()
        await harness.pilot.press("pageup", "pagedown", "down")

        harness.numbered(1, first=10)

        await harness.until(lambda: "block 10" in harness.shown())


@pytest.mark.parametrize("height", [11, 12, 19, 5])
async def test_a_view_of_another_height_goes_on_following(height: int) -> None:
    async with running(height=10) as harness:
        harness.numbered(10)
        await harness.settled()

        await harness.pilot.resize_terminal(30, height)
        await harness.until(lambda: harness.view.size.height == height)
        harness.numbered(1, first=10)

        await harness.until(lambda: harness.shown()[-3:] == ["block 10", "row b", "row c"])
        assert harness.view.follow


@pytest.mark.slow
async def test_the_place_in_a_long_message_is_kept_in_other_widths() -> None:
    async with running(60, 20) as harness:
        block = MarkdownBlock("\n\n".join(f"Paragraph {number} of many." for number in range(6_000)))
        harness.view.append(block)
        block.finish()
        harness.view.changed(block)
        await harness.until(lambda: not block.waiting)
        await harness.pilot.press("home")
        for _ in range(3):
            harness.view.action_scroll_rows(2_000)
        await harness.until(lambda: "Paragraph 3000 of many." in harness.shown())

        for width in (40, 80):
            await harness.pilot.resize_terminal(width, 20)
            await harness.until(lambda width=width: harness.view.size.width == width)  # type: ignore[misc]
            await harness.pilot.pause()
            await harness.until(lambda: not block.waiting)
            await harness.until(lambda: "Paragraph 3000 of many." in harness.shown())


async def test_a_click_on_the_mark_of_new_text_shows_it() -> None:
    async with running() as harness:
        harness.numbered(10)
        await harness.settled()
        await harness.pilot.press("home")
        harness.numbered(1, first=10)
        await harness.until(lambda: "new below" in harness.shown()[-1])

        await harness.pilot.click(Transcript, offset=(14, 9))

        await harness.until(lambda: "block 10" in harness.shown())


async def test_what_happens_above_does_not_move_what_the_reader_sees() -> None:
    async with running() as harness:
        blocks = harness.numbered(30)
        await harness.settled()
        await harness.pilot.press("pageup", "pageup", "up")
        before = harness.shown()

        blocks[0].set_spans([("text", "grown\n" * 50)])
        harness.view.changed(blocks[0])
        harness.view.insert(1, TextBlock([("text", "put\nin\nbetween")]))
        harness.view.remove_block(blocks[2])
        await harness.settled()
        harness.view.changed(blocks[0])
        await harness.settled()

        assert harness.shown()[:-1] == before[:-1]
        assert before[0] in ("row b", "row c", *[f"block {n}" for n in range(30)])


async def test_scrolling_up_into_blocks_of_unknown_height_moves_row_by_row() -> None:
    async with running(width=20) as harness:
        for n in range(40):
            harness.view.append(MarkdownBlock(f"start {n}\n\n" + "- word\n" * (n % 7) + "\n" + "x y " * n))
        await harness.settled()
        rows = harness.shown()
        for _ in range(60):
            harness.view.action_scroll_rows(-1)
            now = harness.shown()
            assert now[1:-1] == rows[:-2]
            rows = now


@pytest.mark.parametrize("width", [12, 30, 70])
async def test_r37_another_width_shows_the_same_as_a_fresh_view(width: int) -> None:
    text = "# Head\n\n| a | b |\n|---|---|\n| some words here | 漢字 |\n\n"
    text += "- item one two three four\n\n```py\nx = 1\n```\n"
    async with running(40, 24) as harness, running(width, 24) as fresh:
        for each in (harness, fresh):
            for n in range(20):
                each.view.append(MarkdownBlock(f"{n} {text}"))
            await each.settled()

        for size in (50, width):
            await harness.pilot.resize_terminal(size, 24)
            await harness.until(lambda size=size: harness.view.size.width == size)  # type: ignore[misc]
            await harness.settled()

        assert harness.shown() == fresh.shown()


@pytest.mark.slow
async def test_r37_many_blocks_are_as_fresh_after_widths_that_change_while_they_come() -> None:
    texts = [f"Block {n:03}\n\n| a | b |\n|---|---|\n| some words here | 漢字 {n} |\n" for n in range(300)]
    async with running(120, 40) as harness, running(120, 40) as fresh:
        for n, text in enumerate(texts):
            block = MarkdownBlock()
            harness.view.append(block)
            for at in range(0, len(text), 20):
                block.append(text[at : at + 20])
            if n in (100, 200):
                width = 40 if n == 100 else 120
                await harness.pilot.resize_terminal(width, 40)
                await harness.until(lambda width=width: harness.view.size.width == width)  # type: ignore[misc]
            block.finish()
            fresh.view.append(MarkdownBlock(text))
        await harness.settled()
        await fresh.settled()

        assert harness.shown() == fresh.shown()
        for each in (harness, fresh):
            each.view.action_scroll_start()
            await each.settled()
        found = list[list[str]]()
        while not found or found[-1] != harness.shown():
            found.append(harness.shown())
            for each in (harness, fresh):
                each.view.action_scroll_pages(1)
                await each.settled()
            assert harness.shown() == fresh.shown()
        heads = [[row for row in rows if row.startswith("Block")] for rows in found]
        assert all(page == sorted(set(page)) for page in heads)
        assert {head for page in heads for head in page} == {text[:9] for text in texts}


async def test_another_width_keeps_the_place_of_the_reader() -> None:
    async with running(40, 10) as harness:
        for n in range(50):
            harness.view.append(TextBlock([("text", f"block{n} " + "word " * 30)]))
        await harness.settled()
        for _ in range(9):
            harness.view.action_scroll_pages(-1)
        top = harness.view.first_in_view

        for width in (20, 60, 40):
            await harness.pilot.resize_terminal(width, 10)
            await harness.until(lambda width=width: harness.view.size.width == width)  # type: ignore[misc]
            await harness.settled()

        assert harness.view.first_in_view == top


async def test_a_new_look_is_drawn_at_once() -> None:
    async with running() as harness:
        harness.view.append(MarkdownBlock("**x**"))
        await harness.settled()

        harness.view.set_theme_styles(Styles(by_role={"strong": Style(color="red")}))

        segment = next(iter(harness.view.render_line(0)))
        assert segment.style is not None
        assert segment.style.color is not None


async def hidden(harness: Harness) -> MarkdownBlock:
    """Return an empty block of a view that has just been hidden."""
    block = MarkdownBlock()
    harness.view.append(block)
    await harness.settled()
    harness.view.display = False
    await harness.until(lambda: harness.view.is_hidden)
    return block


@pytest.mark.slow
async def test_text_that_comes_while_hidden_is_shown_later() -> None:
    async with running() as harness:
        block = await hidden(harness)

        block.append("late\n\n" * 3_000)
        harness.view.changed(block)
        await harness.pilot.pause()
        assert block.waiting == 18_000

        harness.view.display = True
        await harness.until(lambda: block.waiting == 0 and "late" in harness.shown())


async def test_what_came_while_hidden_is_shown_though_no_word_comes_of_being_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as harness:
        block = await hidden(harness)
        block.append("late\n\n")
        harness.view.changed(block)
        posted = Transcript.post_message
        monkeypatch.setattr(
            Transcript,
            "post_message",
            lambda view, message: isinstance(message, Show) or posted(view, message),
        )

        harness.view.display = True

        await harness.until(lambda: "late" in harness.shown())


async def test_a_late_word_of_being_hidden_hides_nothing_that_is_seen() -> None:
    async with running() as harness:
        harness.view.post_message(Hide())
        await harness.pilot.pause()
        block = MarkdownBlock()
        harness.view.append(block)

        block.append("seen\n\n")
        harness.view.changed(block)

        await harness.until(lambda: "seen" in harness.shown())


@pytest.mark.slow
async def test_one_in_several_slices_is_drawn_while_the_view_catches_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SLICE", 0.0)  # one piece of the text a slice
    async with running() as harness:
        drawn: list[int] = []
        block = MarkdownBlock("Some words.\n\n" * 20_000)
        monkeypatch.setattr(harness.view, "refresh", lambda *_, **__: drawn.append(block.waiting))
        monkeypatch.setattr(module, "mark_rows", lambda *_: drawn.append(block.waiting))
        harness.view.append(block)
        await harness.until(lambda: block.waiting == 0)
        await harness.settled()

        slices = 13 * 20_000 // 4_096
        assert slices // module.SLICES_DRAWN // 2 < len(drawn) <= slices // module.SLICES_DRAWN + 3
        assert drawn[-1] == 0, "the last one is drawn"


@pytest.mark.slow
async def test_too_much_waiting_text_asks_for_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "OVERLOADED", 40_000)
    monkeypatch.setattr(backlog, "CAUGHT_UP", 10_000)
    async with running() as harness:
        block = MarkdownBlock()
        harness.view.append(block)
        block.append("some words\n\n" * 10_000)
        harness.view.changed(block)
        assert block.waiting > 100_000

        await harness.until(lambda: len(harness.app.heard) == 2)

        assert [type(event) for event in harness.app.heard] == [Transcript.Overloaded, Transcript.CaughtUp]


async def test_a_hidden_view_never_asks_for_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "OVERLOADED", 1_000_000)
    async with running() as harness:
        block = MarkdownBlock("some words\n\n" * 200_000)
        harness.view.append(block)
        harness.view.display = False

        await harness.until(lambda: harness.view.is_hidden)
        await harness.pilot.pause()
        heard = [type(event) for event in harness.app.heard]
        harness.view.changed(block)
        await harness.pilot.pause()

        assert heard in ([], [Transcript.Overloaded, Transcript.CaughtUp])
        assert len(harness.app.heard) == len(heard)
        assert block.waiting > 1_000_000


async def test_a_look_set_while_hidden_is_drawn_when_shown() -> None:
    async with running() as harness:
        harness.view.append(MarkdownBlock("**x**"))
        await harness.settled()
        harness.view.display = False
        await harness.until(lambda: harness.view.is_hidden)

        harness.view.set_theme_styles(Styles(by_role={"strong": Style(reverse=True)}))
        harness.view.display = True

        await harness.until(
            lambda: (
                any(s.style and s.style.reverse for s in harness.view.render_line(0))
                and "x" in harness.shown()
            )
        )


async def test_keys_go_from_block_to_block_and_enter_chooses() -> None:
    async with running() as harness:
        harness.numbered(3)
        action = TextBlock([("text", "open me")], is_action=True)
        prompt = TextBlock([("text", "prompt")], landmark=True)
        for block in (prompt, action):
            harness.view.append(block)
        harness.numbered(20)
        await harness.settled()

        await harness.pilot.press("left_curly_bracket")
        assert harness.view.cursor is prompt
        assert "prompt" in harness.shown()
        await harness.pilot.press("enter", "right_square_bracket", "enter")

        chosen = [event for event in harness.app.heard if isinstance(event, Transcript.Chosen)]
        assert [event.block for event in chosen] == [action]
        row = harness.shown().index("open me")
        assert any(s.style and s.style.bgcolor for s in harness.view.render_line(row))


async def test_a_click_chooses_an_action_or_a_link() -> None:
    async with running() as harness:
        action = TextBlock([("text", "open me")], is_action=True)
        harness.view.append(action)
        harness.view.append(TextBlock([("text", "nothing")]))
        text = MarkdownBlock("see [this](https://x.org)")
        harness.view.append(text)
        await harness.settled()

        for offset in ((2, 0), (2, 1), (1, 2), (5, 2)):
            await harness.pilot.click(Transcript, offset=offset)

        chosen = [
            (e.block, e.row, e.column, e.link) for e in harness.app.heard if isinstance(e, Transcript.Chosen)
        ]
        assert chosen == [(action, 0, 2, ""), (text, 0, 5, "https://x.org")]


async def test_the_mouse_selects_the_text_under_it() -> None:
    async with running(width=20) as harness:
        harness.numbered(10)
        harness.view.append(MarkdownBlock("漢字 one two three four five six\n\n**end** x"))
        harness.view.append(TextBlock([("text", "last\nrow")]))
        await harness.settled()
        rows = harness.shown()
        start = rows.index("漢字 one two three")

        await harness.pilot.mouse_down(Transcript, offset=(5, start))
        await harness.pilot.hover(Transcript, offset=(2, start + 4))
        await harness.pilot.mouse_up(Transcript, offset=(2, start + 4))

        assert harness.app.screen.get_selected_text() == "one two three four five six\n\nend x\nlas"
        harness.numbered(1)
        await harness.settled()
        assert harness.app.screen.get_selected_text() == "one two three four five six\n\nend x\nlas"


async def test_a_block_selected_as_a_whole_is_copied_as_its_source() -> None:
    async with running() as harness:
        harness.view.append(TextBlock([("text", "first")]))
        harness.view.append(MarkdownBlock("a **b** c"))
        harness.view.append(TextBlock([("text", "last")]))
        await harness.settled()

        await harness.pilot.mouse_down(Transcript, offset=(2, 0))
        await harness.pilot.hover(Transcript, offset=(2, 2))
        await harness.pilot.mouse_up(Transcript, offset=(2, 2))

        assert harness.app.screen.get_selected_text() == "rst\na **b** c\nlas"


async def test_the_wheel_scrolls_and_the_thumb_shows_where() -> None:
    async with running() as harness:
        harness.numbered(20)
        await harness.settled()
        thumb = [strip.text[-1] for strip in harness.view.render_lines(Region(0, 0, 30, 10))]
        assert thumb == [" "] * 9 + ["█"]

        harness.view.post_message(MouseScrollUp(harness.view, 1, 1, 0, -1, 0, False, False, False))
        await harness.until(lambda: harness.shown()[-1] == "block 19")
        harness.view.scroll_to(y=0, animate=False)
        await harness.until(lambda: harness.shown()[0] == "block 0")

        assert not harness.view.follow
        assert harness.view.render_line(0).text[-1] == "█"


async def test_what_is_searched_for_is_marked_where_it_is_seen() -> None:
    async with running() as harness:
        harness.numbered(10)
        await harness.settled()

        harness.view.mark("BLOCK 9")
        row = harness.shown().index("block 9")
        marked = harness.view.render_lines(Region(0, row, 30, 1))[0]
        assert [segment.text for segment in marked if segment.style and segment.style.reverse] == ["block 9"]

        harness.view.mark("")
        assert not any(
            s.style and s.style.reverse for s in harness.view.render_lines(Region(0, row, 30, 1))[0]
        )


async def test_the_start_of_what_is_laid_out_in_slices_stays_in_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", -1.0)
    async with running() as harness:
        block = OutputBlock("".join(f"line {number}\n" for number in range(3_000)))
        harness.view.append(block)
        harness.view.action_scroll_start()
        assert block.waiting

        await harness.until(lambda: not block.waiting)
        await harness.settled()

        assert harness.shown()[0] == "line 0"
        assert not harness.view.follow


@pytest.mark.slow
async def test_a_change_above_the_view_is_not_new_below() -> None:
    async with running() as harness:
        blocks = harness.numbered(20)
        await harness.settled()
        await harness.pilot.press("pageup")

        blocks[2].set_spans([("text", "other")])
        harness.view.changed(blocks[2])
        await harness.settled()

        assert "new below" not in harness.shown()[-1]


async def test_rows_far_from_the_view_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "KEPT_ROWS", 60)
    async with running() as harness:
        for _ in range(200):
            harness.view.append(Counted())
        await harness.settled()
        for _ in range(40):
            harness.view.action_scroll_pages(-1)
        Counted.laid_out = 0

        harness.view.action_follow_end()
        await harness.settled()

        assert Counted.laid_out > 0, "the rows of the last blocks were not kept"


async def test_removing_and_clearing_leaves_nothing_behind() -> None:
    async with running() as harness:
        blocks = harness.numbered(20)
        await harness.pilot.press("left_square_bracket", "home")
        for block in blocks[:19]:
            harness.view.remove_block(block)
        await harness.until(lambda: harness.shown()[:2] == ["block 19", "row b"])
        with pytest.raises(ValueError, match="not a block"):
            harness.view.remove_block(blocks[0])
        with pytest.raises(ValueError, match="already"):
            harness.view.append(blocks[19])

        harness.view.clear()
        harness.view.changed(blocks[19])

        assert harness.shown() == [""] * 10
        assert harness.view.cursor is None


class Counted(Block):
    """A block that counts how often it is laid out."""

    laid_out = 0

    def rows(self, width: int, styles: Styles) -> list[list[object]]:  # type: ignore[override]
        Counted.laid_out += 1
        return [[], []]

    def height_hint(self, width: int) -> int:
        return 3

    def source(self) -> str:
        return ""


@pytest.mark.slow
async def test_only_what_is_near_the_view_is_laid_out() -> None:
    async with running() as harness:
        Counted.laid_out = 0
        for _ in range(3_000):
            harness.view.append(Counted())
        await harness.settled()
        assert Counted.laid_out <= 10

        await harness.pilot.press("home")
        await harness.pilot.resize_terminal(50, 10)
        await harness.until(lambda: harness.view.size.width == 50)
        await harness.settled()
        assert Counted.laid_out <= 30


async def test_many_changes_are_one_update(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as harness:
        block = MarkdownBlock()
        harness.view.append(block)
        flushes = 0
        real = Viewport.settle

        def count(view: Viewport, until: float) -> bool:
            nonlocal flushes
            flushes += 1
            return real(view, until)

        monkeypatch.setattr(Viewport, "settle", count)
        for _ in range(500):
            block.append("word ")
            harness.view.changed(block)
        await harness.until(lambda: block.waiting == 0)

        assert 0 < flushes <= 3


async def test_a_row_that_does_not_change_is_the_same_strip_in_every_frame() -> None:
    async with running() as harness:
        harness.numbered(10)
        block = MarkdownBlock("a\n\nb")
        harness.view.append(block)
        await harness.settled()
        area = Region(0, 0, 30, 10)
        before = harness.view.render_lines(area)

        block.append(" c")
        harness.view.changed(block)
        await harness.settled()

        after = harness.view.render_lines(area)
        assert [one is two for one, two in zip(before, after, strict=True)] == [True] * 9 + [False]


async def test_a_giant_block_is_laid_out_in_slices() -> None:
    async with running() as harness:
        block = MarkdownBlock("Some words of a text.\n\n" * 20_000)
        block.finish()
        harness.view.append(block)

        await harness.until(lambda: any(harness.shown()))
        assert block.waiting
        harness.view.remove_block(block)


async def test_control_characters_and_markup_of_an_agent_reach_no_strip() -> None:
    async with running() as harness:
        bad = "\x1b]52;c;x\x07 \x9b2J [/x] [bold] \u202e"
        harness.view.append(TextBlock([("text", bad)], first=[("text", "\x1b")]))
        harness.view.append(MarkdownBlock(bad))
        await harness.settled()

        text = "".join(harness.shown())
        assert text.isprintable()
        assert text.count("[/x] [bold]") == 2
