from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.geometry import Region
from textual.pilot import Pilot

from acp_tui.store.prompts import Prompt, PromptHistory
from acp_tui.ui.widgets import text_area
from acp_tui.ui.widgets.prompt_box import PromptBox

LONG = "\n".join(f"line {number}" for number in range(84))
CHIP = "[pasted 84 lines #1]"


class Desk(App[None]):
    """A box and nothing else."""

    def __init__(self, past: Sequence[Prompt] = ()) -> None:
        super().__init__()
        self.past = PromptHistory(None)
        for prompt in past:
            self.past.add(prompt)
        self.sent: list[Prompt] = []
        self.wanted: list[str] = []

    def compose(self) -> ComposeResult:
        yield PromptBox(
            history=self.past,
            dropped=lambda text: "@shot.png" if text.endswith("shot.png") else None,
            is_folded=lambda text: "@/etc/" in text,
        )

    def on_prompt_box_open_requested(self, event: PromptBox.OpenRequested) -> None:
        self.wanted.append(event.what)

    def on_prompt_box_path_wanted(self, event: PromptBox.PathWanted) -> None:
        self.wanted.append(event.before)

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


async def test_a_short_paste_that_names_a_file_of_elsewhere_is_a_chip_and_mentions_nothing() -> None:
    async with desk() as (app, box, pilot):
        await paste(pilot, "see @/etc/passwd")
        assert box.text == "[pasted 1 line #1] "

        await pilot.press("enter")

        assert app.sent[0].whole == "see @/etc/passwd"


async def test_a_chip_is_opened_by_a_key_and_undo_closes_it() -> None:
    async with desk() as (app, box, pilot):
        await paste(pilot, LONG)
        await pilot.press("alt+o")
        assert box.text == f"{LONG} "

        await pilot.press("ctrl+z", "enter")

        assert app.sent[0].whole == LONG


async def test_a_chip_in_a_line_above_is_opened_by_the_same_key() -> None:
    async with desk() as (_, box, pilot):
        await paste(pilot, LONG)
        await pilot.press("ctrl+j", "a", "alt+o")

        assert box.text == f"{LONG} \na"


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


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        (("up", "X", "up", "down", "down"), "twoX"),  # an edited earlier prompt is a draft
        (("up", "ctrl+u", "X", "up", "up", "down", "down", "down"), "X"),
        (("up", "ctrl+u", "down"), "draft"),  # one that was emptied leaves the draft before
        (("up", "ctrl+u", "up"), "two"),
    ],
)
async def test_no_draft_is_lost_among_earlier_prompts(keys: tuple[str, ...], seen: str) -> None:
    async with desk("one", "two") as (_, box, pilot):
        box.insert("draft")

        await pilot.press(*keys)

        assert box.text == seen


async def test_a_backslash_before_enter_makes_a_line() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("a", "\\", "enter", "b")
        assert box.text == "a\nb"
        assert app.sent == []

        await pilot.press("\\", "\\", "enter")
        assert [prompt.text for prompt in app.sent] == ["a\nb\\\\"]


async def test_a_command_that_ends_with_a_backslash_is_sent() -> None:
    async with desk() as (app, _, pilot):
        await pilot.press("!", "a", "\\", "enter")

        assert [prompt.text for prompt in app.sent] == ["!a\\"]


async def test_in_an_empty_prompt_a_question_mark_asks_for_help_and_ctrl_d_leaves() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("?", "ctrl+d")
        assert (app.wanted, box.text) == (["help", "leave"], "")

        box.insert("ab")
        await pilot.press("?", "home", "ctrl+d")
        assert (app.wanted, box.text) == (["help", "leave"], "b?")


async def test_tab_stays_in_the_prompt_and_wants_a_path() -> None:
    async with desk() as (app, box, pilot):
        box.insert("see src")

        await pilot.press("tab", "x")

        assert app.wanted == ["see src"]
        assert box.text == "see srcx"


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


# ------------------------------------------------------------------ commands


async def test_a_typed_exclamation_mark_makes_a_command() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("!")
        assert box.is_command
        await pilot.press(*"ls", "enter")

        assert app.sent == [Prompt("!ls", {}, is_command=True)]
        assert not box.is_command


@pytest.mark.parametrize(
    "text",
    [
        "!rm x",
        " !rm x",
        "\n!rm x",
        "!! WARNING: disk > 90% full\nwhy?",
        "!one\n!two",
        "![shot](a.png)",
        "\u200b!rm x",
        "!" + "x" * 2000,
        "!x\n" * 30,
    ],
)
async def test_pasted_text_is_a_prompt(text: str) -> None:
    async with desk() as (app, box, pilot):
        await paste(pilot, text)
        assert not box.is_command
        await pilot.press("enter")

        assert [(one.whole.strip(), one.is_command) for one in app.sent] == [(text.strip(), False)]


async def test_text_that_comes_back_in_any_way_is_a_prompt() -> None:
    async with desk() as (_, box, pilot):
        for bring in (box.load_text, box.insert, box.replace_all, lambda text: box.show_prompt(Prompt(text))):
            box.load_text("")
            bring("!ls")
            assert (box.text, box.is_command) == ("!ls", False)
        box.load_text("")
        await pilot.press("!", *"ls", "ctrl+s", "ctrl+s")
        assert (box.text, box.is_command) == ("!ls", False)


@pytest.mark.slow
async def test_text_that_takes_the_place_of_a_typed_exclamation_mark_is_a_prompt() -> None:
    async with desk() as (_, box, pilot):
        await pilot.press("!", "home")
        await paste(pilot, "!rm x ")
        assert not box.is_command

        box.load_text("")
        await pilot.press("!")
        box.select_all()
        await paste(pilot, "!rm x")
        assert not box.is_command

        box.load_text("")
        await paste(pilot, "!rm x")
        box.select_all()
        await pilot.press("!")
        await pilot.press("ctrl+z")
        assert not box.is_command


@pytest.mark.parametrize("before", ["x", " ", "\n", "[output of one #1]"])
async def test_an_exclamation_mark_that_is_not_the_first_key_is_text(before: str) -> None:
    async with desk() as (_, box, pilot):
        box.insert(before)
        await pilot.press("!")

        assert not box.is_command


async def test_several_lines_are_no_command() -> None:
    async with desk() as (_, box, pilot):
        await pilot.press("!", "a", "shift+enter")
        assert not box.is_command
        await pilot.press("backspace")
        assert box.is_command
        await paste(pilot, "x\n" * 20)  # a chip
        assert not box.is_command


async def test_a_command_may_be_pasted_behind_a_typed_exclamation_mark() -> None:
    async with desk() as (app, _, pilot):
        await pilot.press("!")
        await paste(pilot, "ls -l")
        await pilot.press("enter")

        assert app.sent == [Prompt("!ls -l", {}, is_command=True)]


async def test_a_command_runs_while_an_output_stands_before_it_and_leaves_it_there() -> None:
    async with desk() as (app, box, pilot):
        box.add_chip("output of one", "1\n2")
        await pilot.press("!", *"two")
        assert box.is_command
        await pilot.press("enter")

        assert app.sent == [Prompt("!two", {}, is_command=True)]
        assert box.text == "[output of one #1] "


async def test_an_output_that_comes_while_a_command_is_typed_stands_before_it() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("!", *"tw")
        box.add_chip("output of one", "1\n2")
        await pilot.press("o")
        assert box.text == "[output of one #1] !two"
        await pilot.press("enter")

        assert app.sent == [Prompt("!two", {}, is_command=True)]


async def test_an_exclamation_mark_alone_is_not_sent() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("!", "enter")

        assert app.sent == []
        assert box.text == "!"


async def test_a_key_turns_a_prompt_into_a_command_and_back() -> None:
    async with desk() as (app, box, pilot):
        await paste(pilot, " !ls")
        await pilot.press("alt+m")
        assert (box.text, box.is_command) == ("!ls", True)
        await pilot.press("alt+m")
        assert (box.text, box.is_command) == ("!ls", False)
        await pilot.press("enter")
        assert app.sent == [Prompt("!ls")]

        await paste(pilot, "ls")
        await pilot.press("alt+m", "enter")
        assert app.sent[-1] == Prompt("!ls", {}, is_command=True)

        box.insert("two\nlines")
        await pilot.press("alt+m")
        assert (box.text, box.is_command) == ("two\nlines", False)


async def test_the_history_knows_which_were_commands() -> None:
    async with desk("!said", Prompt("!run", {}, is_command=True)) as (_, box, pilot):
        await pilot.press("up")
        assert (box.text, box.is_command) == ("!run", True)
        await pilot.press("up")
        assert (box.text, box.is_command) == ("!said", False)
        await pilot.press("down", "down")
        assert (box.text, box.is_command) == ("", False)


# ------------------------------------------------------------------ what is not seen

UNSEEN = "a\x1b]52;c;x\x07b\x00\x85\x9b\u202e\u200b\u3164\u00ad\U000e0041\v\f\u2028c"


@pytest.mark.slow
async def test_what_is_not_seen_is_drawn_as_marks_and_sent_as_it_is() -> None:
    async with desk() as (app, box, pilot):
        before = box.cursor_screen_offset.x
        await paste(pilot, UNSEEN)

        assert box.text == UNSEEN
        assert box.get_line(0).plain == "a␛]52;c;x␇b␀" + "\ufffd" * 7 + "␋␌\ufffdc"
        assert box.cursor_location == (0, len(UNSEEN))
        assert box.cursor_screen_offset.x - before == len(UNSEEN)
        assert box.before == UNSEEN
        box.select_all()
        assert box.selected_text == UNSEEN
        await pilot.press("right", "backspace", "ctrl+z", "enter")
        assert app.sent == [Prompt(UNSEEN)]
        await pilot.press("up")
        assert box.text == UNSEEN
        assert "\x1b" not in box.get_line(0).plain


async def test_a_stand_in_is_no_way_to_write_what_it_stands_for() -> None:
    async with desk() as (_, box, pilot):
        await paste(pilot, "".join(chr(0x10E000 + place) for place in range(4300)))
        await pilot.press("alt+o")

        assert not set(box.text) & {"\x1b", "\x9b", "\u202e"}


async def test_letters_need_no_stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_area, "_stand_ins", None)  # private: making them takes a key 30 ms
    async with desk() as (_, box, pilot):
        await paste(pilot, "żółw βῆτα 字")

        assert box.text == "żółw βῆτα 字"


async def test_emoji_and_joined_letters_stay_in_a_prompt() -> None:
    async with desk() as (_, box, pilot):
        await paste(pilot, "👨‍👩‍👧 ☁️ می‌خواهم")

        assert box.get_line(0).plain == "👨‍👩‍👧 ☁️ می‌خواهم"


async def test_enter_waits_for_what_ctrl_v_brings() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press(*"see", "space", "ctrl+v", *"now", "enter")
        assert app.wanted == ["clipboard"]
        assert not app.sent
        assert box.is_deferred

        box.end_paste("@image.png ")
        await pilot.pause()
        assert [prompt.text for prompt in app.sent] == ["see @image.png now"]
        assert box.text == ""


async def test_whoever_goes_on_typing_keeps_the_prompt_that_waits_for_a_paste() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("ctrl+v", "a", "enter", "b")
        assert not box.is_deferred

        box.end_paste("@image.png ")
        await pilot.pause()
        assert not app.sent
        assert box.text == "@image.png ab"
        assert box.cursor_location == (0, len(box.text))

        await pilot.press("enter")
        assert [prompt.text for prompt in app.sent] == ["@image.png ab"]


async def test_a_prompt_waits_for_all_pastes_and_is_kept_if_one_brings_nothing() -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("ctrl+v", "ctrl+v", "enter")
        box.end_paste("@one.png ")
        assert box.is_deferred
        box.end_paste("", has_come=False)
        await pilot.pause()

        assert not app.sent
        assert not box.is_deferred
        assert box.text == "@one.png "


async def test_a_blink_of_the_cursor_is_one_frame_which_shows_it_or_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with desk() as (app, box, pilot):
        await pilot.press("a", "b")
        await pilot.pause()
        drawn: list[object] = []
        shown: list[list[Segment]] = []
        with monkeypatch.context() as watched:
            watched.setattr(app, "_display", lambda _, update: drawn.append(update))
            for _ in range(3):
                box._toggle_cursor_blink_visible()  # private: what its timer calls each half of a second
                shown.append([*box.render_lines(Region(0, 0, box.size.width, 1))[0]])

        assert len(drawn) == 3
        assert shown[0] == shown[2] != shown[1]
        assert ["".join(text for text, *_ in row).strip() for row in shown] == ["ab"] * 3
