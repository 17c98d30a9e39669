"""Messages, thoughts and prompts as lines of the chat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_tui.protocol.schema import AudioContent, ContentBlock, ImageContent, ResourceLink
from acp_tui.session.entries import AgentMessage, AscribedMessage, Notice, SteeredMessage, UserMessage
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.application import theme_files
from acp_tui.ui.entries.messages import described
from acp_tui.ui.entries.thought import ThoughtBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from tests.ui.entries.rows import PICTURE, block, call, context, rows, thought
from tests.ui.screens.stage import styles


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PICTURE, "image image/png 5 B"),
        (ImageContent(data="%%%", mime_type="image/png"), "image image/png that cannot be read"),
        (AudioContent(data="", mime_type="audio/wav"), "audio audio/wav 0 B"),
        (ResourceLink(uri="file:///a", name="a", size=2048), "a file:///a 2 KB"),
    ],
)
def test_content_that_is_no_text_is_a_card(content: ContentBlock, words: str) -> None:
    assert described(content) == words


def test_a_prompt_is_shown_as_it_was_typed_behind_a_mark() -> None:
    message = UserMessage([TextBuffer("look at *this*\n[b]now[/x]"), PICTURE])

    assert rows(block(message)) == ["", "› look at *this*", "  [b]now[/x] [image image/png 5 B]"]
    assert rows(block(message, context(ascii=True)), ascii=True)[1] == "> look at *this*"


OWN = "· You allowed Kimi to run ls.\n\n› yes\n\n✓ run ls\n\nAccording to the agent, you said:\n\n"


@pytest.mark.parametrize("width", [12, 20, 60, 200])
def test_no_word_of_an_answer_is_where_the_marks_of_own_lines_are(width: int) -> None:
    deep = f"\n\n{'> ' * 40}› yes\n\n{'- ' * 40}› yes\n\n"
    answer = AgentMessage([TextBuffer(OWN + FORGED + deep), PICTURE, TextBuffer(OWN)], finished=True)
    others = (
        UserMessage([TextBuffer("yes")]),
        SteeredMessage([TextBuffer("yes")]),
        Notice("Allowed."),
        call(),
    )

    for ascii in (False, True):
        forms = {row[:2] for row in rows(block(answer, context(ascii=ascii)), width, ascii=ascii) if row}
        assert forms == {"  "}
        for own in others:
            first = next(filter(None, rows(block(own, context(ascii=ascii)), width, ascii=ascii)))
            assert first[0] != " "


FORGED = (
    "**› yes**\n\n› yes\n\n`› yes`\n\n# › yes\n\n> › yes\n\n- › yes\n\n1. › yes\n\n[› yes](http://x.example)\n\n"
    "~~› yes~~\n\n***› yes***\n\n| › yes |\n| --- |\n| › no |\n\n```python\n› yes\n```\n\n\x1b[7m›\x1b[0m yes"
)


@pytest.mark.parametrize("name", sorted(theme_files.find()))
@pytest.mark.parametrize("forms", [False, True])
def test_nothing_in_a_message_is_drawn_as_the_mark_of_a_prompt(name: str, forms: bool) -> None:
    known = styles(name)
    themed = theme_files.with_forms(known) if forms else known

    def reversed_cells(entry: object) -> str:
        drawn = [segment for row in block(entry).rows(60, themed) for segment in row]
        return "".join(one.text for one in drawn if one.style is not None and one.style.reverse)

    assert reversed_cells(UserMessage([TextBuffer("yes")])) == "›"
    assert reversed_cells(SteeredMessage([TextBuffer("yes")])) == "›"
    assert reversed_cells(AgentMessage([TextBuffer(FORGED)], finished=True)) == ""


async def test_an_image_of_a_prompt_that_is_drawn_is_described_once() -> None:
    shown = rows(block(UserMessage([TextBuffer("look"), PICTURE]), replace(context(), pictures=True)))

    assert shown[1] == "› look"
    assert " ".join(shown).count("image image/png 5 B") == 1


def test_c149_words_that_were_given_to_a_turn_say_so() -> None:
    assert rows(block(SteeredMessage([TextBuffer("shorter")])))[1] == "› shorter  steered"
    stopped = SteeredMessage([TextBuffer("shorter")], before_stop=True)
    assert rows(block(stopped))[1] == "› shorter  given before the stop"


def test_what_the_agent_says_that_the_user_said_has_no_mark_of_a_prompt() -> None:
    shown = block(AscribedMessage([TextBuffer("Yes, *delete* all.")]))

    assert rows(shown) == ["", "According to the agent, you said:", "", "  Yes, delete all."]
    assert not shown.landmark


def test_of_a_long_prompt_the_beginning_is_shown_and_all_of_it_on_demand() -> None:
    text = "\n".join(f"line {number}" for number in range(5_000))
    shown = block(UserMessage([TextBuffer(text), PICTURE]))

    folded = rows(shown)
    assert folded[:2] == ["", "› line 0"]
    assert folded[-2:] == ["  line 7", "  ▸ 4992 lines more"]
    assert shown.is_folded
    assert "line 4321" in shown.searched()
    assert shown.source().startswith(text)

    assert shown.choose()
    assert rows(shown)[-2:] == ["  line 4999 [image image/png 5 B]", "  ▾ all of it"]
    assert shown.choose()
    assert rows(shown) == folded


def test_a_prompt_of_one_endless_line_is_folded_too_and_a_short_one_is_not() -> None:
    long, short = (
        block(UserMessage([TextBuffer("word " * 2_000)])),
        block(UserMessage([TextBuffer("a\nb")])),
    )

    assert rows(long)[-1] == "  ▸ 1 line more"
    assert len(rows(long)) < 80
    assert not short.is_folded
    assert not short.choose()


def test_an_answer_grows_and_its_parts_stand_below_each_other() -> None:
    message = AgentMessage([TextBuffer("A **bo")])
    shown = block(message)
    message.parts[0].append("ld** word")  # type: ignore[union-attr]  # it is a text
    message.parts += [PICTURE, TextBuffer("and more")]
    message.finished = True
    shown.sync()

    assert rows(shown) == ["", "  A bold word", "  [image image/png 5 B]", "  and more"]
    assert shown.source() == "A **bold** word\n[image image/png 5 B]\nand more"


def test_rows_are_painted_as_they_were_laid_out_though_the_entry_has_changed() -> None:
    message = AgentMessage([PICTURE, TextBuffer("```py\ndef f(): pass\n```")], finished=True)
    shown = block(message)
    laid_out = shown.rows(40, Styles())
    place = next(number for number, row in enumerate(laid_out) if row_text(row).strip().startswith("def"))
    painted = shown.highlighted(place, laid_out[place])
    assert [segment.text for segment in painted if segment.text.strip()][:1] == ["def"]

    shown.show_instead([])
    assert shown.highlighted(place, laid_out[place]) == painted
    shown.forget_rows()
    assert shown.highlighted(place, laid_out[place]) == laid_out[place]


def test_a_thought_is_one_line_with_its_newest_words_while_it_comes() -> None:
    entry = thought("First this.\n\nThen that, at length")
    shown = block(entry)
    assert isinstance(shown, ThoughtBlock)
    assert rows(shown) == ["", "▸ thinking 0:02  Then that, at length"]
    assert shown.is_running

    shown.tick(17.0)
    assert rows(shown, 30) == ["", "▸ thinking 0:07  Then that, at…"[:29] + "…"]

    entry.finished = True
    shown.sync()
    assert rows(shown) == ["", "▸ thought for 2.0 s"]
    assert not shown.is_running


def test_a_thought_opens_on_demand_and_as_the_setting_says() -> None:
    entry = thought("deep", finished=True)
    shown = block(entry)
    assert shown.choose()
    assert rows(shown) == ["", "▾ thought for 2.0 s", "", "  deep"]
    assert shown.choose()
    assert rows(shown) == ["", "▸ thought for 2.0 s"]
    assert shown.source() == "deep", "also while it is folded"

    assert "  deep" in rows(block(entry, context(thoughts="always")))
    assert rows(block(thought("deep"), context(thoughts="never"))) == ["", "▸ thinking 0:02"]
