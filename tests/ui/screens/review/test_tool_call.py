"""The full view of a tool call, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.screen import Screen

from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.protocol.schema import ContentItem, ImageContent, TerminalItem, UnknownItem
from acp_tui.session.entries import Diff, Location, Text, ToolCall
from acp_tui.ui.screens.review.tool_call import CallPage, ToolCallScreen, blocks, pages
from acp_tui.ui.widgets.markdown.stream import PIECE, MarkdownStream
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from acp_tui.ui.widgets.transcript import block_view
from acp_tui.ui.widgets.transcript.transcript import Transcript
from acp_tui.workspace.files import Files
from acp_tui.workspace.terminals import Terminal, Terminals
from tests.ui.screens.stage import Stage, screen_text, styles, until


def said(text: str) -> Text:
    return Text(text)


def shown(page: CallPage) -> str:
    return "\n".join(row_text(row) for block in blocks(page) for row in block.rows(60, Styles()))


def test_content_comes_in_order_and_what_stands_together_is_one_page() -> None:
    diff = Diff(path="/w/a", new_text="x")
    terminals = [TerminalItem(terminal_id="t1"), TerminalItem(terminal_id="t2")]
    call = ToolCall("c", content=[said("a"), said("b"), diff, diff, *terminals, said("c")])

    found = pages(call)

    assert [(page.name, page.kind, len(page.items)) for page in found] == [
        ("text", "text", 2),
        ("diff", "diff", 2),
        ("terminal", "terminal", 1),
        ("terminal 2", "terminal", 1),
        ("text 2", "text", 1),
    ]


def test_what_went_in_and_came_out_follows_also_when_it_is_false() -> None:
    call = ToolCall("c", raw_input={"a": 1}, raw_output=0, meta={"x": {}})

    assert [(page.name, page.items) for page in pages(call)] == [
        ("raw input", [{"a": 1}]),
        ("raw output", [0]),
        ("_meta", [{"x": {}}]),
    ]


def test_a_call_without_anything_says_so() -> None:
    (page,) = pages(ToolCall("c"))

    assert "not reported anything" in shown(page)


def test_other_content_is_named_and_the_unknown_is_shown_as_it_came() -> None:
    image = ContentItem(content=ImageContent(data="AAAA", mime_type="image/png"))
    call = ToolCall("c", content=[said("**bold** [/x]"), image, UnknownItem(raw={"type": "new", "a": [1]})])

    text = shown(pages(call)[0])

    assert "bold [/x]" in text
    assert "[image image/png 3 B]" in text
    assert '"type": "new"' in text


def test_r33_output_of_a_terminal_in_a_text_keeps_no_junk() -> None:
    (page,) = pages(ToolCall("c", content=[said("10 %\r20 %\r\n\x1b[31mred\x1b[0m\x1b]0;title\x07")]))

    assert shown(page).split("\n") == ["20 %", "red"]


def test_lines_that_a_program_printed_stay_lines_and_markdown_is_laid_out() -> None:
    assert shown(CallPage("text", "text", [said("line one\nline two\n  three")])).split("\n") == [
        "line one",
        "line two",
        "  three",
    ]
    assert "**" not in shown(CallPage("text", "text", [said("some **bold**\nwords")]))
    assert "• one" in shown(CallPage("text", "text", [said("- one\n- two")]))


def nothing(terminal_id: str) -> None:
    return None


@pytest.fixture
async def terminals() -> AsyncIterator[Terminals]:
    terminals = Terminals()
    yield terminals
    await terminals.close()


@pytest.mark.slow
async def test_a_call_is_shown_page_by_page() -> None:
    call = ToolCall(
        "c:1/x",
        title="Edit /w/[/a].py",
        kind="edit",
        status="completed",
        content=[said("Some **words**"), Diff(path="/w/[/a].py", old_text="one\n", new_text="two\n")],
        locations=[Location(path="/w/[/a].py", line=3)] * 5,
        raw_input={"old": "[bold]one"},
        ended=1.5,
        decision="allowed by [/you]",
    )
    app = Stage(ToolCallScreen(call, nothing, "/w", styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Some words" in screen_text(app))
        for text in ("Edit [/a].py", "+1", "−1", "1.5 s", "allowed by [/you]", "[/a].py:3", "and 3 more"):
            assert text in screen_text(app)

        await pilot.press("tab")
        await until(pilot, lambda: "− one" in screen_text(app))
        await pilot.press("tab")
        await until(pilot, lambda: '"old": "[bold]one"' in screen_text(app))
        await pilot.press("c")
        assert '"old": "[bold]one"' in app.clipboard

        await pilot.press("escape")
        assert app.results == [None]


async def test_the_page_of_a_terminal_that_is_gone_is_copied_as_it_is_shown() -> None:
    app = Stage(
        ToolCallScreen(ToolCall("c", content=[TerminalItem(terminal_id="t")]), nothing, "/w", styles())
    )
    async with app.run_test() as pilot:
        await until(pilot, lambda: "The output of this terminal was not kept" in screen_text(app))

        await pilot.press("c")

        assert app.clipboard == "The output of this terminal was not kept."


async def test_r27_a_place_that_is_no_file_is_shown_as_written_and_takes_no_focus(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    call = ToolCall("c", title="Look", content=[said("found")])
    app = Stage(shown := ToolCallScreen(call, nothing, str(tmp_path), styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "found" in screen_text(app))
        before = app.focused
        places = ("src/a.py:1-220", "src/**/*.py", "src")
        call.locations = [Location(path=f"{tmp_path}/{place}") for place in places]
        shown.refresh_call(1.0)

        await until(pilot, lambda: {f"   {place}" for place in places} <= set(screen_text(app).split("\n")))
        assert app.focused is before
        assert app.screen is shown


@pytest.mark.slow
async def test_a_change_is_shown_where_the_reader_is() -> None:
    call = ToolCall("c", status="in_progress", raw_input={"a": 1})
    app = Stage(screen := ToolCallScreen(call, nothing, "/w", styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: '"a": 1' in screen_text(app))

        call.content = [said("first")]
        call.raw_input = {"a": 2}
        screen.refresh_call(now=75.0)
        await until(pilot, lambda: '"a": 2' in screen_text(app))
        assert "1:15" in screen_text(app)
        await pilot.press("shift+tab")
        await until(pilot, lambda: "first" in screen_text(app))

        call.content = []
        call.status, call.ended = "completed", 80.0
        screen.refresh_call()
        await until(pilot, lambda: "first" not in screen_text(app))
        assert "1:20" in screen_text(app)


async def test_a_snippet_is_shown_in_its_line_with_true_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 21)))
    files = Files([tmp_path])
    edits = EditPlaces(lambda: files, str(tmp_path))
    diff = Diff(path=str(tmp_path / "a.txt"), old_text="gone", new_text="line 10")
    call = ToolCall("c", status="completed", content=[diff])
    screen = ToolCallScreen(call, lambda _: None, str(tmp_path), styles(), edits)
    app = Stage(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "line 13" in screen_text(app))

        shown = [" ".join(row.split()) for row in screen_text(app).splitlines()]
        assert "a.txt +1 −1" in shown
        at = shown.index("10 − gone")
        assert shown[at - 1 : at + 3] == ["9 9 line 9", "10 − gone", "10 + line 10", "11 11 line 11"]


@pytest.mark.slow
async def test_a_live_terminal_is_watched_typed_into_and_killed(terminals: Terminals, tmp_path: Path) -> None:
    kept: dict[str, Terminal] = {}
    call = ToolCall("c", kind="execute", status="in_progress", content=[TerminalItem(terminal_id="t")])
    app = Stage(Screen())
    async with app.run_test() as pilot:
        terminal = kept["t"] = await terminals.create("s", "cat", cwd=str(tmp_path))
        app.push_screen(ToolCallScreen(call, kept.get, "/w", styles()))
        await until(pilot, lambda: "i Type" in screen_text(app))
        await pilot.press("i", *"tabs", "enter")
        await until(pilot, lambda: screen_text(app).count("tabs") == 2)  # the echo, and cat

        await pilot.press("ctrl+right_square_bracket", "K")
        await until(pilot, lambda: terminal.exit_status is not None)
        assert "tabs" in screen_text(app)


@pytest.mark.slow
async def test_a_signal_is_sent_and_the_page_can_have_the_whole_screen(
    terminals: Terminals, tmp_path: Path
) -> None:
    call = ToolCall("c", title="Serve", kind="execute", content=[TerminalItem(terminal_id="t")])
    app = Stage(Screen())
    async with app.run_test(size=(80, 24)) as pilot:
        line = "trap 'echo heard usr1' USR1; echo ready; while :; do sleep 0.05; done"
        terminal = await terminals.create("s", "sh", ["-c", line], cwd=str(tmp_path))
        app.push_screen(ToolCallScreen(call, lambda _: terminal, "/w", styles()))
        await until(pilot, lambda: "ready" in screen_text(app) and "Serve" in screen_text(app))

        await pilot.press("S")
        await until(pilot, lambda: "SIGUSR1" in screen_text(app))
        await pilot.press(*"SIGUSR1", "enter")
        await until(pilot, lambda: "heard usr1" in screen_text(app))
        assert terminal.exit_status is None

        await pilot.press("z")
        await until(pilot, lambda: "Serve" not in screen_text(app))
        assert "heard usr1" in screen_text(app)
        await pilot.press("z")
        await until(pilot, lambda: "Serve" in screen_text(app))


async def test_a_terminal_of_which_nothing_is_kept_says_so() -> None:
    call = ToolCall("c", kind="execute", content=[TerminalItem(terminal_id="gone")])
    app = Stage(ToolCallScreen(call, nothing, "/w", styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "The output of this terminal was not kept" in screen_text(app))
        await pilot.press("K")


async def test_r30_output_of_one_huge_line_leaves_the_keys_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[int] = []  # characters: a clock would also count what other tests left to be collected
    real = MarkdownStream.feed

    def feed(self: MarkdownStream, text: str) -> None:
        laid_out.append(len(text))
        real(self, text)

    monkeypatch.setattr(MarkdownStream, "feed", feed)
    huge = "x" * 570_000
    call = ToolCall("c", content=[said(huge)], raw_output={"output": huge})
    app = Stage(ToolCallScreen(call, nothing, "/w", styles()))
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: "xxx" in screen_text(app))
        monkeypatch.setattr(block_view, "SLICE", 0.0)
        laid_out.clear()
        app.screen.query_one(Transcript).action_scroll_pages(1)
        assert 0 < sum(laid_out) <= 4 * PIECE
        await pilot.press("tab")
        await until(pilot, lambda: "… 568,000" in screen_text(app))
