"""Lines of the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.style import Style

from acp_tui.protocol.schema import PlanEntry
from acp_tui.protocol.validation import read_update
from acp_tui.ui.panes.plan import PlanLine, PlanPane
from acp_tui.ui.screens.base.text_screens import MarkdownScreen
from acp_tui.ui.screens.review.plan_step import PlanStepScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.styles import ROLES, Styles
from acp_tui.ui.widgets.text import row_cells, row_text
from tests.conversation.talks import TRACKED
from tests.ui.seats import seat

ODD = "日本語 👨‍👩‍👧 ☁️ 🇩🇪 e\u0301te\u0301"


@pytest.mark.parametrize("width", [7, 12, 40])
def test_r36_wide_and_joined_characters_of_an_entry_keep_to_its_width_and_stay_whole(width: int) -> None:
    entry = PlanEntry(content=f"{ODD} {ODD}", priority="low", status="pending")

    rows = PlanLine(entry, Styles()).rows(width, Styles())

    assert max(map(row_cells, rows)) <= width
    text = "".join(row_text(row)[2:] for row in rows)
    assert text.replace(" ", "") == f"{ODD}{ODD}".replace(" ", "")


def test_of_an_endless_entry_the_beginning_is_shown_and_all_of_it_copied() -> None:
    line = PlanLine(PlanEntry(content="word " * 100_000, priority="low", status="pending"), Styles())

    rows = line.rows(80, Styles())

    assert len(rows) < 20
    assert row_text(rows[-1]).rstrip().endswith(Styles().symbol("cut"))
    assert abs(line.height_hint(80) - len(rows)) < 5
    assert line.source() == "word " * 100_000


@pytest.mark.parametrize(
    ("status", "is_idle", "symbol"),
    [
        ("failed", False, "failed"),
        ("in_progress", False, "current"),
        ("in_progress", True, "waiting"),
        ("completed", True, "completed"),
        ("of tomorrow", False, "waiting"),
    ],
)
def test_the_mark_of_a_step(status: str, is_idle: bool, symbol: str) -> None:
    line = PlanLine(PlanEntry(content="a", priority="low", status=status), Styles(), is_idle=is_idle)

    assert row_text(line.rows(20, Styles())[0]).startswith(Styles().symbol(symbol))


@pytest.mark.slow
async def test_a_step_in_progress_is_drawn_as_left_open_once_the_turn_is_over(tmp_path: Path) -> None:
    step = {"content": "mend it", "priority": "low", "status": "in_progress"}
    async with seat(tmp_path, updates=[{"kind": "plan", "entries": [step]}]) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.sees(f"{Styles().symbol('current')} mend it")

        await here.press("ctrl+c")
        await here.until(lambda: not here.conversation.is_busy)
        await here.sees(f"{Styles().symbol('waiting')} mend it")

        await here.say("wait")
        await here.sees(f"{Styles().symbol('current')} mend it")


def markdown(name: str, text: str) -> dict[str, object]:
    plan = {"type": "markdown", "planId": name, "content": text}
    return {"kind": "plan_update", "plan": plan}


@pytest.mark.slow
async def test_c130_c131_c132_the_pane_shows_the_latest_plan_and_turns_to_the_others(tmp_path: Path) -> None:
    step = {"content": "mend it", "priority": "low", "status": "pending"}
    news = [{"kind": "plan", "entries": [step]}, markdown("a", "# Big plan\n\n1. **Read**")]
    async with seat(tmp_path, updates=news) as here:
        await here.say("go")
        await here.sees("Big plan", "1. Read", "plan 2 of 2, p next")

        await here.press("f3", "p")
        await here.sees("mend it", "plan 1 of 2")
        await here.press("p")
        await here.sees("Big plan", "plan 2 of 2")


@pytest.mark.slow
async def test_c130_what_is_removed_or_empty_leaves_the_pane(tmp_path: Path) -> None:
    news = [markdown("a", "# Big plan"), {"kind": "plan_removed", "planId": "a"}]
    async with seat(tmp_path, updates=news) as here:
        await here.say("go")
        await here.until(
            lambda: here.conversation.session and "a" not in here.conversation.session.plans.by_id
        )
        await here.until(
            lambda: any("─ plan ─" in row and "none yet" in row for row in here.text.splitlines())
        )
        assert "Big plan" not in here.text


@pytest.mark.slow
async def test_c132_a_text_that_grows_is_continued_and_its_end_shown_with_the_turn(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[markdown("a", "# Big plan\n\nRead")]) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.sees("Big plan", "Read")
        pane = here.app.screen.query_one(PlanPane)
        (block,) = pane.blocks
        agent, session = here.conversation.agent, here.conversation.session
        assert agent is not None
        assert session is not None

        plan = {"type": "markdown", "planId": "a", "content": "# Big plan\n\nRead on\n\n2.)."}
        agent.note(session.id, read_update({"sessionUpdate": "plan_update", "plan": plan}))
        await here.sees("Read on")

        assert list(pane.blocks) == [block]
        assert "2.)." not in here.text
        await here.press("ctrl+c")
        await here.sees("2.).")


@pytest.mark.slow
async def test_of_a_text_without_end_the_beginning_is_shown_and_all_of_it_on_enter(tmp_path: Path) -> None:
    text = "# Big plan\n\n" + "- [ ] mend the next one\n" * 3_000 + "The end."
    async with seat(tmp_path, updates=[markdown("a", text)]) as here:
        await here.say("go")
        await here.sees("Big plan")
        pane = here.app.screen.query_one(PlanPane)

        assert [len(block.source()) for block in pane.blocks] == [
            30_000,
            len("42,020 more characters, Enter shows all"),
        ]
        await here.press("f3", "end")
        await here.sees("42,020 more characters")
        await here.press("enter")
        await here.is_before(MarkdownScreen)
        await here.press("end")
        await here.sees("The end.")


@pytest.mark.slow
async def test_a_text_plan_that_is_longer_than_the_pane_begins_at_its_start_and_scrolls(
    tmp_path: Path,
) -> None:
    text = "\n".join(["# Big plan", *(f"{number}. point {number}" for number in range(1, 41))])
    async with seat(tmp_path, size=(80, 24), updates=[markdown("a", text)]) as here:
        await here.say("go")
        await here.press("f3")
        await here.sees("Big plan", "point 1 ")
        assert "point 40" not in here.text

        await here.press("down", "down", "down", "down")
        await here.sees("point 18")
        assert "Big plan" not in here.text
        await here.press("enter")
        await here.is_before(MarkdownScreen)


@pytest.mark.slow
async def test_the_cursor_is_on_a_plan_that_is_turned_to_and_stays_on_a_step_that_changes(
    tmp_path: Path,
) -> None:
    (tmp_path / "plan.md").write_text("# In the file")
    plan = {"type": "file", "planId": "f", "uri": (tmp_path / "plan.md").as_uri()}
    steps = [{"content": name, "priority": "low", "status": "pending"} for name in ("look", "mend")]
    news = [{"kind": "plan_update", "plan": plan}, {"kind": "plan", "entries": steps}]
    async with seat(tmp_path, updates=news) as here:
        await here.say("go")
        await here.sees("plan 2 of 2", "mend")
        pane = here.app.screen.query_one(PlanPane)
        agent, session = here.conversation.agent, here.conversation.session
        assert agent is not None
        assert session is not None

        await here.press("f3", "down")
        done = [{**step, "status": "completed"} for step in steps]
        agent.note(session.id, read_update({"sessionUpdate": "plan", "entries": done}))
        await here.sees("2/2")
        assert pane.cursor is pane.blocks[-1]
        assert pane.cursor.source() == "mend"

        await here.press("p", "enter")
        await here.is_before(MarkdownScreen)
        await here.sees("In the file")


@pytest.mark.slow
async def test_c121_a_plan_of_an_unknown_type_is_named(tmp_path: Path) -> None:
    plan = {"type": "board", "planId": "a", "lanes": ["now"]}
    async with seat(tmp_path, updates=[{"kind": "plan_update", "plan": plan}]) as here:
        await here.say("go")
        await here.sees("a plan of kind board", "lanes")


@pytest.mark.slow
async def test_c132_a_plan_in_a_file_is_read_again_on_each_demand(tmp_path: Path) -> None:
    plan = {"type": "file", "planId": "a", "uri": (tmp_path / "plan.md").as_uri()}
    async with seat(tmp_path, updates=[{"kind": "plan_update", "plan": plan}]) as here:
        await here.say("go")
        await here.sees("The plan is in this file:")
        for words in ("# First", "# Second"):
            (tmp_path / "plan.md").write_text(words)
            await here.press("f3", "end", "enter")
            await here.is_before(MarkdownScreen)
            await here.sees(words.removeprefix("# "))
            await here.press("escape")
            await here.press("f3")


@pytest.mark.slow
async def test_of_a_plan_without_end_the_steps_around_the_current_one_are_shown(tmp_path: Path) -> None:
    entries = [
        {"content": f"step {number}", "priority": "low", "status": "pending"} for number in range(1_000)
    ]
    entries[700]["status"] = "in_progress"
    async with seat(tmp_path, updates=[{"kind": "plan", "entries": entries}]) as here:
        await here.sees("step 700", "0/1000")
        plan = here.app.screen.query_one(PlanPane)

        assert len(plan.blocks) == 501
        assert plan.blocks[-1].source() == "500 more steps are not shown"


@pytest.mark.parametrize(
    ("status", "files", "told"),
    [("completed", 2, "2 files"), ("completed", 0, "0 files"), ("in_progress", 1, "1 file")],
)
def test_after_a_turn_a_step_says_how_many_files_it_changed(status: str, files: int, told: str) -> None:
    entry = PlanEntry(content="a", priority="low", status=status)

    row = row_text(PlanLine(entry, Styles(), is_idle=True, files=files).rows(40, Styles())[0])
    assert told in row.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("files", "rows"), [(2, ["✓ look around", "  2 files"]), (0, ["✓ look around"])])
def test_a_number_of_files_is_not_wrapped_and_none_takes_no_row(files: int, rows: list[str]) -> None:
    entry = PlanEntry(content="look around", priority="low", status="completed")

    shown = PlanLine(entry, Styles(), is_idle=True, files=files).rows(18, Styles())

    assert [row_text(row).replace("\N{NO-BREAK SPACE}", " ") for row in shown] == rows


@pytest.mark.parametrize("files", [0, 2])
def test_a_number_of_files_is_in_a_color_for_words(files: int) -> None:
    entry = PlanEntry(content="look around", priority="low", status="completed")
    marked = Styles(by_role={role: Style(meta={"role": role}) for role in ROLES})

    (row,) = PlanLine(entry, marked, is_idle=True, files=files).rows(40, marked)

    assert "faint" not in {segment.style.meta.get("role") for segment in row if segment.style}


def test_a_step_that_was_not_begun_says_nothing_of_changes() -> None:
    entry = PlanEntry(content="a", priority="low", status="pending")

    assert "files" not in row_text(PlanLine(entry, Styles(), is_idle=True, files=0).rows(40, Styles())[0])


@pytest.mark.slow
async def test_a_step_opens_to_its_calls_and_changes(tmp_path: Path) -> None:
    def plan(status: str) -> dict[str, object]:
        return {"kind": "plan", "entries": [{"content": "mend it", "priority": "high", "status": status}]}

    call = {"kind": "tool_call", "toolCallId": "c", "title": "Saw the leg"}
    done = {"kind": "tool_call_update", "toolCallId": "c", "status": "completed"}
    async with seat(tmp_path, TRACKED) as here:
        tracking = here.conversation.tracker
        assert tracking is not None
        await here.until(lambda: tracking.first)
        await here.say(f"updates {json.dumps([plan('in_progress'), call, done, plan('completed')])}")
        await here.sees("Saw the leg", "0\N{NO-BREAK SPACE}files")
        await here.until(lambda: not here.conversation.is_busy and tracking.is_settled)
        await here.press("f3", "enter")
        await here.is_before(PlanStepScreen)
        await here.sees("plan step", "1 call", "mend it", "Saw the leg", "No file changed in this step.")
        await here.sees("! high priority, says the agent")
        await here.press("escape")
        await here.is_before(SessionScreen)
