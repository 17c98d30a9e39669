from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.pilot import Pilot

from acp_tui.store.history import History
from acp_tui.store.prompt import Prompt
from acp_tui.ui.widgets.prompt_box import PromptBox

LONG = "\n".join(f"line {number}" for number in range(84))
CHIP = "[pasted 84 lines #1]"


class Desk(App[None]):
    """A box and nothing else."""

    def __init__(self, past: Sequence[Prompt] = ()) -> None:
        super().__init__()
        self.past = History(None)
        for prompt in past:
            self.past.add(prompt)
        self.sent: list[Prompt] = []

    def compose(self) -> ComposeResult:
        yield PromptBox(
            history=self.past, dropped=lambda text: "@shot.png" if text.endswith("shot.png") else None
        )

    def on_prompt_box_submitted(self, event: PromptBox.Submitted) -> None:
        self.sent.append(event.prompt)


@asynccontextmanager
async def desk(*past: str | Prompt) -> AsyncIterator[tuple[Desk, PromptBox, Pilot[None]]]:
    app = Desk([one if isinstance(one, Prompt) else Prompt(one) for one in past])
    async with app.run_test() as pilot:
        yield app, app.query_one(PromptBox), pilot


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(Paste(text))  # as the terminal does
    await pilot.pause()


async def test_a_long_paste_is_a_chip_that_is_sent_in_full() -> None:
    async with desk() as (app, box, pilot):
        box.insert("see ")
        await paste(pilot, LONG.replace("\n", "\r\n"))
        assert box.text == f"see {CHIP} "

        await pilot.press("enter")

        (prompt,) = app.sent
        assert prompt.text == f"see {CHIP}"
        assert prompt.whole == f"see {LONG}"
        assert box.text == ""


async def test_a_short_paste_stays_as_it_is_and_an_image_becomes_a_mention() -> None:
    async with desk() as (_, box, pilot):
        await paste(pilot, "two\nlines ")
        await paste(pilot, "/tmp/shot.png")

        assert box.text == "two\nlines @shot.png "


async def test_a_chip_is_opened_by_a_key_and_undo_closes_it() -> None:
    async with desk() as (app, box, pilot):
        await paste(pilot, LONG)
        await pilot.press("alt+o")
        assert box.text == f"{LONG} "

        await pilot.press("ctrl+z", "enter")

        assert app.sent[0].whole == LONG


async def test_one_key_deletes_a_chip_and_undo_brings_it_back() -> None:
    async with desk() as (_, box, pilot):
        await paste(pilot, LONG)
        await pilot.press("backspace", "backspace")
        assert box.text == ""

        await pilot.press("ctrl+z")

        assert box.prompt.whole.strip() == LONG


async def test_what_only_looks_like_a_chip_is_text() -> None:
    async with desk() as (app, box, pilot):
        box.insert(CHIP)
        await pilot.press("backspace", "enter")

        assert app.sent == [Prompt(CHIP[:-1])]


async def test_the_same_text_is_the_same_chip_and_another_one_has_another_number() -> None:
    async with desk() as (_, box, _):
        for text in ("a", "b", "a"):
            box.add_chip("output", text)

        assert box.text == "[output #1] [output #2] [output #1] "


async def test_a_prompt_of_another_time_keeps_its_own_text_behind_a_chip_of_the_same_name() -> None:
    async with desk(Prompt(f"old {CHIP}", {CHIP: "old text"})) as (app, box, pilot):
        await paste(pilot, LONG)
        await pilot.press("enter", "up", "up")
        assert box.text == "old [pasted 84 lines #2]"

        await pilot.press("enter")

        assert [prompt.whole for prompt in app.sent] == [LONG, "old old text"]


async def test_up_and_down_go_through_the_history_and_come_back_to_the_draft() -> None:
    async with desk("one", "two") as (_, box, pilot):
        box.insert("draft")
        seen = []
        for key in ("up", "up", "up", "down", "down", "down"):
            await pilot.press(key)
            seen.append(box.text)

        assert seen == ["two", "one", "one", "two", "draft", "draft"]


@pytest.mark.parametrize("character", ["漢", "👨‍👩‍👧", "🇩🇪", "☁️", "e\u0301", "👍🏽"])
async def test_r36_the_cursor_stands_behind_what_was_written(character: str) -> None:
    async with desk() as (_, box, _):
        box.insert("ab")
        before = box.cursor_screen_offset
        box.insert(character)

        assert box.cursor_screen_offset.x - before.x == cell_len(character)
        assert box.cursor_screen_offset.y == before.y


async def test_a_draft_is_put_away_and_brought_back() -> None:
    async with desk() as (_, box, pilot):
        box.insert("long thought")
        await pilot.press("ctrl+s")
        assert (box.text, box.stashed) == ("", Prompt("long thought"))
        box.insert("quick")
        await pilot.press("ctrl+s")
        assert (box.text, box.stashed) == ("long thought", Prompt("quick"))
        await pilot.press("ctrl+s", "ctrl+s")

        assert (box.text, box.stashed) == ("long thought", Prompt("quick"))


async def test_what_is_given_back_stands_before_the_draft_and_undo_takes_it_away() -> None:
    async with desk() as (_, box, pilot):
        box.insert("draft")
        box.give_back(Prompt(f"queued\n{CHIP}", {CHIP: LONG}))
        assert box.text == f"queued\n{CHIP}\ndraft"
        assert box.prompt.whole == f"queued\n{LONG}\ndraft"

        await pilot.press("ctrl+z")

        assert box.text == "draft"
