"""Tool calls in the chat: one line each, with what they brought."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.color import Color

from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.protocol.schema import TerminalItem
from acp_tui.session.entries import Diff, Text, ToolCall
from acp_tui.session.file_changes import Edit
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries import tool_call as counting
from acp_tui.ui.entries.tool_call import EditCounts, ToolCallBlock, call_pieces
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.workspace.files import Files
from acp_tui.workspace.terminals import Terminals
from tests.ui.entries.rows import block, call, context, rows, text_item
from tests.waiting import until


def test_each_edit_of_a_file_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = counting.counted

    def counted(old: str | None, new: str) -> tuple[int, int] | None:
        asked.append(new)
        return real(old, new)

    monkeypatch.setattr(counting, "counted", counted)
    counts = EditCounts()
    edits = [Edit("a\n", "b\nc\n")]
    assert counts.of(edits) == [(2, 1)]

    edits.append(Edit(None, "new\n"))
    assert counts.of(edits) == [(2, 1), (1, 0)]
    assert asked == ["b\nc\n", "new\n"]


def test_an_edit_that_replaces_another_is_counted_again() -> None:
    counts = EditCounts()
    counts.of([Edit("a\n", "b\n")])

    assert counts.of([Edit("a\n", "b\nc\nd\n")]) == [(3, 1)]


def test_a_call_is_a_line_with_its_kind_title_and_duration() -> None:
    assert rows(block(call(kind="read", title="`/w/src/a.py`"))) == ["", f"✓ read   a.py{'0.5 s':>47}"]
    assert rows(block(ToolCall("x"))) == [], "nothing is known of it"


def test_c153_v15_a_call_that_has_left_something_running_is_not_shown_as_done() -> None:
    over = call(kind="execute", title="make", status="completed")
    assert "in the background" not in rows(block(over))[1]

    line = rows(block(replace(over, has_left=True)))[1]

    assert line.startswith(f"{Styles().symbol('running')} run    make")
    assert "in the background" in line


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


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({"exit_code": 0}, "a.py   0.5 s"),
        ({"exit_code": 3}, "exit code 3   0.5 s"),
        ({"exit_signal": "SIGKILL"}, "SIGKILL   0.5 s"),
        ({"exit_signal": "\x1b[31m" + "K" * 99}, "KKK   0.5 s"),
    ],
)
def test_a_command_that_the_agent_ran_shows_how_it_ended(fields: dict[str, Any], end: str) -> None:
    (_, line) = rows(block(call(kind="execute", title="a.py", **fields)))
    assert re.sub(" {4,}", "   ", line).endswith(end)
    assert "\x1b" not in line


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

    assert time.process_time() - start < 0.5
    assert sum(map(len, found)) < 2_000


def test_output_that_the_agent_sends_bit_by_bit_is_shown_as_it_comes() -> None:
    entry = call(kind="execute", status="in_progress", ended=None, output=TextBuffer("one\ntw"))
    shown = block(entry)
    assert rows(shown)[2:] == ["  ▌ one", "  ▌ tw"]

    assert entry.output is not None
    entry.output.append("o\nthree")
    shown.sync()

    assert rows(shown)[2:] == ["  ▌ one", "  ▌ two", "  ▌ three"]


def test_r33_a_sequence_cut_over_two_updates_is_no_junk() -> None:
    entry = call(kind="execute", status="in_progress", ended=None, output=TextBuffer("10 %\r20 %\r\n\x1b[3"))
    shown = block(entry)
    assert rows(shown)[2] == "  ▌ 20 %"

    assert entry.output is not None
    entry.output.append("1mred\x1b[0m plain\x1b]0;ti")
    entry.output.append("tle\x07!")
    shown.sync()

    assert rows(shown)[2:] == ["  ▌ 20 %", "  ▌ red plain!"]
    (red,) = (part for row in shown.rows(60, Styles()) for part in row if part.text == "red")
    assert red.style is not None
    assert red.style.color == Color.from_ansi(1)


async def test_c76_a_terminal_is_live_and_stays_when_it_is_released(tmp_path: Path) -> None:
    terminals = Terminals()
    terminal = await terminals.create("s", "sh", ["-c", "echo one; read line; echo two"], cwd=str(tmp_path))
    shown = block(
        call(status="in_progress", content=[TerminalItem(terminal_id=terminal.id)]),
        context(terminals={terminal.id: terminal}),
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


def test_v11_a_command_that_has_printed_nothing_has_lost_no_output() -> None:
    silent = call(kind="execute", content=[TerminalItem(terminal_id="x")], output=TextBuffer())
    assert rows(block(silent))[2:] == []

    told = replace(silent, content=[TerminalItem(terminal_id="x"), text_item("told elsewhere")])
    assert rows(block(told))[2:] == ["  ▌ told elsewhere"]


def test_a_command_that_did_not_run_has_lost_no_output() -> None:
    shown = rows(block(call(kind="execute", status="cancelled", content=[TerminalItem(terminal_id="x")])))

    assert shown[2:] == []


def test_a_diff_is_counted_and_previewed() -> None:
    diff = Diff(path="/w/src/a.py", old_text="a\nb\n", new_text="a\nc\nd\n")

    shown = rows(block(call(kind="edit", content=[diff])))

    assert shown[1].endswith("+2 −1   0.5 s")
    assert any("c" in row and "+" in row for row in shown[2:])


def test_each_diff_is_below_the_name_of_its_file() -> None:
    diffs = [
        Diff(path="/w/src/a.py", new_text="one\n"),
        Diff(path="/w/src/b/c.py", old_text="x\n", new_text="y\n"),
        Diff(path="/elsewhere/d\x1b[2J.py", new_text="two\n"),
    ]

    found = rows(block(call(kind="edit", title="Edit three files", content=diffs)))

    names = [row.strip() for row in found[2:] if row.startswith("   ") and row.endswith(".py")]
    assert names == ["a.py", "b/c.py", "/elsewhere/d␛[2J.py"]
    one = rows(block(call(kind="edit", title="Edit a.py", content=diffs[:1])))
    assert [row.strip() for row in one[2:]] == ["new file", "1 + one"], "its line has the name"
    other = rows(block(call(kind="edit", title="Edit a file", content=diffs[:1])))
    assert [row.strip() for row in other[2:]] == ["a.py", "new file", "1 + one"]


async def test_a_snippet_is_shown_in_its_line_once_it_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 21)))
    files, place, redrawn = Files([tmp_path]), context(), asyncio.Event()
    place.edits = EditPlaces(lambda: files, str(tmp_path))
    place.redraw = lambda block: redrawn.set()
    diff = Diff(path=str(tmp_path / "a.txt"), old_text="line 10", new_text="the tenth")
    shown = block(call(kind="edit", title="Edit it", status="in_progress", ended=None, content=[diff]), place)
    assert [row.strip() for row in rows(shown)[3:]] == ["− line 10", "+ the tenth"], "no numbers yet"

    await redrawn.wait()

    assert [" ".join(row.split()) for row in rows(shown)[3:]] == [
        *("7 line 7", "8 line 8", "9 line 9"),
        "10 − line 10",
        "10 + the tenth",
        *("11 line 11", "12 line 12", "13 line 13"),
    ]


async def test_a_snippet_that_is_made_and_is_nowhere_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("other\n")
    files, place, redrawn = Files([tmp_path]), context(), asyncio.Event()
    place.edits = EditPlaces(lambda: files, str(tmp_path))
    place.redraw = lambda block: redrawn.set()
    diff = Diff(path=str(tmp_path / "a.txt"), old_text="old", new_text="new")
    shown = block(call(kind="edit", title="Edit it", content=[diff]), place)
    rows(shown)

    await redrawn.wait()

    assert [row.strip() for row in rows(shown)[3:]] == ["not found in the file", "− old", "+ new"]


def test_of_a_call_with_very_many_diffs_the_first_are_previewed_and_the_rest_is_counted() -> None:
    diffs = [Diff(path=f"/w/{n}.py", old_text="a\n", new_text=f"line {n}\n") for n in range(3_000)]

    shown = rows(block(call(kind="edit", content=diffs)))

    assert "3,000 changes" in shown[1]
    assert len([row for row in shown if "+ line" in row]) == 40
    assert shown[-1].strip() == "and 2,960 more changes in the details of the call"


def test_a_call_that_waits_for_an_answer_says_so() -> None:
    shown = block(call(status="pending", ended=None), context(asks="t/1"))
    assert not shown.is_running, "no seconds are counted: there may be thousands"

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


def test_a_search_finds_raw_input_and_output_whatever_their_fields_are_called() -> None:
    raw = {"odd": {"lines": ["first hit", "second"], "code": 417}, "output": "plain", "done": True}
    shown = block(ToolCall("t", "Look", raw_input={"glob": ["*.rs"]}, raw_output=raw))

    found = shown.searched()

    for text in ("first hit", "second", "417", "plain", "*.rs"):
        assert found.count(text) == 1
    assert "True" not in found


def test_of_a_title_without_end_no_more_is_made_than_a_line_can_show() -> None:
    endless = call(kind="read", title="word " * 200_000)

    left, _ = call_pieces(endless, "/w", Styles())

    assert max(len(text) for _, text in left) < 5_000
    assert len(block(endless).searched()) > 900_000, "it is searched whole"


async def test_a_large_diff_is_compared_beside_the_keys_and_shown_when_it_is_ready() -> None:
    old = "".join(f"line {number} of a long file\n" for number in range(20_000))
    diff = Diff(path="/w/a.py", old_text=old, new_text=old.replace("line 7 ", "row 7 "))
    entry = ToolCall("t1", "Edit a.py", "edit", "completed", content=[diff], ended=1.0)
    drawn: list[Block] = []
    shown = block(entry, replace(context(), redraw=drawn.append))

    assert not [row for row in rows(shown, 80) if "+1" in row or "row 7" in row]
    assert any("comparing" in row for row in rows(shown, 80))

    await until(lambda: drawn == [shown])
    text = rows(shown, 80)
    assert any("+1 −1" in row for row in text)
    assert any("row 7 of a long file" in row for row in text)
