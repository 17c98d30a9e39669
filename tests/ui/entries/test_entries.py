from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.color import Color

from acp_tui.acp.content import AudioContent, ContentBlock, ImageContent, ResourceLink
from acp_tui.acp.tools import TerminalItem
from acp_tui.host.terminals import Terminals
from acp_tui.session.entries import AgentMessage, Entry, Notice, Thought, ToolCall, UserMessage
from acp_tui.session.growing import GrowingText
from acp_tui.session.items import Diff, Text
from acp_tui.ui.entries.cards import described
from acp_tui.ui.entries.messages import ThoughtBlock
from acp_tui.ui.entries.tool_call import ToolCallBlock
from acp_tui.ui.entries.views import VIEWS
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import row_text
from tests.ui.entries.rows import block, rows, setting
from tests.waiting import until

PICTURE = ImageContent(data="aGFsbG8=", mime_type="image/png")


def test_every_kind_of_entry_has_a_view() -> None:
    assert set(VIEWS) == set(get_args(Entry))


def test_a_prompt_is_shown_as_it_was_typed_behind_a_mark() -> None:
    message = UserMessage([GrowingText("look at *this*\n[b]now[/x]"), PICTURE])

    assert rows(block(message)) == ["", "› look at *this*", "  [b]now[/x] [image image/png 5 B]"]
    assert rows(block(message, setting(ascii=True)), ascii=True)[1] == "> look at *this*"


def test_an_answer_grows_and_its_parts_stand_below_each_other() -> None:
    message = AgentMessage([GrowingText("A **bo")])
    shown = block(message)
    message.parts[0].append("ld** word")  # type: ignore[union-attr]  # it is a text
    message.parts += [PICTURE, GrowingText("and more")]
    message.finished = True
    shown.sync()

    assert rows(shown) == ["", "A bold word", "[image image/png 5 B]", "and more"]
    assert shown.source() == "A **bold** word\n[image image/png 5 B]\nand more"


def test_rows_are_painted_as_they_were_laid_out_though_the_entry_has_changed() -> None:
    message = AgentMessage([PICTURE, GrowingText("```py\ndef f(): pass\n```")], finished=True)
    shown = block(message)
    laid_out = shown.rows(40, Look())
    place = next(number for number, row in enumerate(laid_out) if row_text(row).startswith("def"))
    painted = shown.inked(place, laid_out[place])
    assert [segment.text for segment in painted][:2] == ["def", " "]

    shown.show_instead([])
    assert shown.inked(place, laid_out[place]) == painted
    shown.forget_rows()
    assert shown.inked(place, laid_out[place]) == laid_out[place]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PICTURE, "image image/png 5 B"),
        (ImageContent(data="%%%", mime_type="image/png"), "image image/png that cannot be read"),
        (AudioContent(data="", mime_type="audio/wav"), "audio audio/wav 0 B"),
        (ResourceLink(uri="file:///a", name="a", size=2048), "a file:///a 2 KB"),
    ],
)
def test_what_is_no_text_is_a_card(content: ContentBlock, words: str) -> None:
    assert described(content) == words


def thought(text: str, **more: Any) -> Thought:
    return Thought([GrowingText(text)], at=10.0, last=12.0, **more)


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

    assert "  deep" in rows(block(entry, setting(thoughts="always")))
    assert rows(block(thought("deep"), setting(thoughts="never"))) == ["", "▸ thinking 0:02"]


def test_a_notice_shows_the_end_of_its_detail() -> None:
    notice = Notice("The agent has ended.", "error", detail="\n".join(map(str, range(30))))

    shown = rows(block(notice))

    assert shown[1] == "· The agent has ended."
    assert shown[2:] == [f"  {number}" for number in range(18, 30)]


def call(**fields: Any) -> ToolCall:
    return ToolCall(
        "t/1", **{"title": "Do it", "status": "completed", "started": 1.0, "ended": 1.5, **fields}
    )


def text_item(text: str) -> Text:
    return Text(text)


def test_a_call_is_a_line_with_its_kind_title_and_duration() -> None:
    assert rows(block(call(kind="read", title="`/w/src/a.py`"))) == ["", f"✓ read   a.py{'0.5 s':>47}"]
    assert rows(block(ToolCall("x"))) == [], "nothing is known of it"


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({"content": [text_item("1\n2\n3\n")]}, "3 lines   0.5 s"),
        ({"content": [text_item("```py\n1\n2\n```")]}, "2 lines   0.5 s"),
        ({"raw_output": "only here"}, "1 line   0.5 s"),
        ({"raw_output": {"stdout": "a\nb", "code": 0}}, "2 lines   0.5 s"),
        ({"raw_output": [1, 2]}, "0.5 s"),
        ({"status": "in_progress", "ended": None, "content": [text_item("so far")]}, "running"),
    ],
)
def test_what_a_call_brought_is_counted_and_not_unfolded(fields: dict[str, Any], end: str) -> None:
    (_, line) = rows(block(call(kind="read", **fields)))

    assert line.endswith(f" {end}")


def test_what_a_command_printed_is_shown_like_a_terminal() -> None:
    printed = "\n".join(f"\x1b[31mline {number}" for number in range(20))

    shown = rows(block(call(kind="execute", content=[text_item(f"```console\n{printed}\n```")])))

    assert shown[2:] == ["  ▌ … more above", *(f"  ▌ line {number}" for number in range(15, 20))]


def test_r8_a_call_of_which_nothing_is_known_takes_no_room_and_none_is_left() -> None:
    call = ToolCall("c")
    shown = block(call)
    assert rows(shown) == []

    call.title = "Read a.py"
    shown.sync()
    assert "Read a.py" in "".join(rows(shown))


def test_r10_a_call_that_its_turn_left_open_has_no_result() -> None:
    (_, row) = rows(block(ToolCall("c", title="Run", kind="execute", status="interrupted", ended=2.0)))
    assert row.startswith("◌ run    Run")
    assert row.endswith("no result")


def test_r30_a_closed_call_lays_out_nothing_of_one_huge_line() -> None:
    huge = "x" * 570_000
    item = Text(huge)
    call = ToolCall("c", title="Run", kind="execute", content=[item], raw_output={"output": huge})

    start = time.process_time()
    found = rows(block(call), 100)

    assert time.process_time() - start < 0.05
    assert sum(map(len, found)) < 2_000


def test_output_that_the_agent_sends_bit_by_bit_is_shown_as_it_comes() -> None:
    entry = call(kind="execute", status="in_progress", ended=None, output=GrowingText("one\ntw"))
    shown = block(entry)
    assert rows(shown)[2:] == ["  ▌ one", "  ▌ tw"]

    assert entry.output is not None
    entry.output.append("o\nthree")
    shown.sync()

    assert rows(shown)[2:] == ["  ▌ one", "  ▌ two", "  ▌ three"]


def test_r33_a_sequence_cut_over_two_updates_is_no_junk() -> None:
    entry = call(kind="execute", status="in_progress", ended=None, output=GrowingText("10 %\r20 %\r\n\x1b[3"))
    shown = block(entry)
    assert rows(shown)[2] == "  ▌ 20 %"

    assert entry.output is not None
    entry.output.append("1mred\x1b[0m plain\x1b]0;ti")
    entry.output.append("tle\x07!")
    shown.sync()

    assert rows(shown)[2:] == ["  ▌ 20 %", "  ▌ red plain!"]
    (red,) = (part for row in shown.rows(60, Look()) for part in row if part.text == "red")
    assert red.style is not None
    assert red.style.color == Color.from_ansi(1)


async def test_c76_a_terminal_is_live_and_stays_when_it_is_released(tmp_path: Path) -> None:
    terminals = Terminals()
    terminal = await terminals.create("s", "sh", ["-c", "echo one; read line; echo two"], cwd=str(tmp_path))
    shown = block(
        call(status="in_progress", content=[TerminalItem(terminal_id=terminal.id)]),
        setting(terminals={terminal.id: terminal}),
    )
    await until(lambda: rows(shown)[2:] == ["  ▌ one"])

    terminal.write(b"\n")
    await terminal.wait()
    await terminals.release("s", terminal.id)
    shown.sync()

    assert [row for row in rows(shown)[2:] if row.strip(" ▌")] == ["  ▌ one", "  ▌ two"]


def test_c76_d42_what_the_call_says_stands_in_for_a_terminal_that_is_not_ours() -> None:
    content = [TerminalItem(terminal_id="x"), text_item("printed")]

    shown = rows(block(call(kind="execute", content=content)))

    assert shown[2:] == ["  ▌ printed"]


def test_c76_a_terminal_that_is_gone_says_so() -> None:
    shown = rows(block(call(kind="execute", content=[TerminalItem(terminal_id="x")])))

    assert shown[2:] == ["  (its output is gone)"]


def test_a_command_that_did_not_run_has_lost_no_output() -> None:
    shown = rows(block(call(kind="execute", status="cancelled", content=[TerminalItem(terminal_id="x")])))

    assert shown[2:] == []


def test_a_diff_is_counted_and_previewed() -> None:
    diff = Diff(path="/w/src/a.py", old_text="a\nb\n", new_text="a\nc\nd\n")

    shown = rows(block(call(kind="edit", content=[diff])))

    assert shown[1].endswith("+2 −1   0.5 s")
    assert any("c" in row and "+" in row for row in shown[2:])


def test_a_call_that_waits_for_an_answer_says_so() -> None:
    shown = block(call(status="pending", ended=None), setting(asks="t/1"))

    assert rows(shown)[1].startswith("? tool   Do it")
    assert rows(shown)[1].endswith("asks you")


def test_a_failure_says_why_and_a_decision_who_made_it() -> None:
    shown = block(call(status="failed", decision="Allow (you)", content=[text_item("no such file\nx\ny\nz")]))

    assert rows(shown)[2:] == ["  Allow (you)", "  no such file", "  x", "  y"]


def test_the_seconds_of_a_call_are_counted_until_it_ends() -> None:
    entry = call(status="in_progress", ended=None)
    shown = block(entry)
    assert isinstance(shown, ToolCallBlock)
    assert shown.is_running
    shown.tick(9.0)
    assert rows(shown)[1].endswith("running   8.0 s")

    entry.status, entry.ended = "completed", 9.5
    shown.sync()

    assert rows(shown)[1].endswith("8.5 s")
    assert not shown.is_running


def test_with_ascii_no_block_draws_anything_else() -> None:
    diff = Diff(path="/w/src/a.py", old_text="a\n" * 30, new_text="a\n" * 29 + "b\n")
    entries: list[Entry] = [
        UserMessage([GrowingText("hi")]),
        AgentMessage(
            [GrowingText("# Head\n\n- [x] a\n- b\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n")],
            finished=True,
        ),
        thought("hm " * 200),
        Notice("said", detail="more"),
        call(kind="edit", content=[diff]),
        call(kind="execute", content=[text_item("printed " * 50)]),
    ]
    for entry in entries:
        text = "".join(rows(block(entry, setting(ascii=True, asks="t/1")), 40, ascii=True))
        assert text.isascii(), json.dumps(text)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Count the lines", "run    wc -l notes.txt  Count the lines"),
        ("`wc -l notes.txt`", "run    wc -l notes.txt"),
        ("Run wc -l notes.txt", "run    Run wc -l notes.txt"),
        ("", "run    wc -l notes.txt"),
    ],
)
def test_a_command_is_shown_also_where_the_agent_only_says_what_it_is_for(title: str, shown: str) -> None:
    call = ToolCall("t", title, "execute", raw_input={"command": "wc -l\n notes.txt", "description": "x"})

    assert rows(block(call))[1] == f"○ {shown}"
