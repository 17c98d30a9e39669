"""Tests of `ui/application/app.py`."""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key
from textual.screen import ModalScreen, Screen
from textual.widgets import Input
from typing_extensions import override

from acp_tui.agent import connection
from acp_tui.store.agents import demo_launch
from acp_tui.ui.application import app as winding_up
from acp_tui.ui.application.app import AcpApp, crash_report_of, other_sheets, read_sheets
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.questions.login import LoginDialog
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.start import FailureScreen
from acp_tui.ui.widgets.textual_internals import ExactLayout, screen_stacks
from acp_tui.workspace.short_programs import wait_uncancelled
from tests.conversation.talks import PLAIN, TRACKED, held_before_turns, start
from tests.ui.agent_commands import COMMANDS
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


class Nested(ExactLayout, ModalScreen[None]):
    @override
    def compose(self) -> ComposeResult:
        with Vertical(), Vertical():
            yield Input()

    def action_look(self) -> None:
        self.query_one(Input)


async def test_no_action_runs_while_its_screen_lacks_parts(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for turns in range(40):  # of the loop: more is there, and then gone again, each time
            screen = Nested()
            shown = here.app.push_screen(screen)
            for _ in range(turns):
                await asyncio.sleep(0)
            await here.app.run_action("look", screen)
            await shown
            closed = screen.dismiss()
            for _ in range(turns):
                await asyncio.sleep(0)
            await here.app.run_action("look", screen)
            await closed


async def test_a_key_that_comes_when_the_screens_are_closed_is_nothing(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        stack = screen_stacks(here.app)
        kept = [[*one] for one in stack]
        for one in stack:
            one.clear()
        await here.app.on_event(Key("x", "x"))
        for one, screens in zip(stack, kept, strict=True):
            one.extend(screens)

        assert here.draft == ""


async def test_what_is_typed_is_sent_with_enter_and_shown_with_its_answer(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("h", "i", "enter")

        await here.sees("› hi", "heard hi")

        assert here.draft == ""


async def test_some_keys_make_a_line_and_up_and_down_bring_back_what_was_sent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("a", "shift+enter", "b", "ctrl+j", "c", "alt+enter", "d")
        assert here.draft == "a\nb\nc\nd"
        await here.press("enter")
        await here.say("second")
        await here.write("draft")

        await here.press("up")
        assert here.draft == "second"
        await here.press("up")
        assert here.draft == "a\nb\nc\nd"
        await here.press("down", "down")
        assert here.draft == "draft"


async def test_with_the_setting_enter_makes_a_line_and_another_key_sends(tmp_path: Path) -> None:
    async with seat(tmp_path, PLAIN._replace(enter_sends=False)) as here:
        await here.press("a", "enter", "b")
        assert here.draft == "a\nb"
        await here.press("ctrl+j")

        await here.until(lambda: here.said[:1] == ["a\nb"])


async def test_the_users_own_key_sends_too(tmp_path: Path) -> None:
    async with seat(tmp_path, PLAIN._replace(keys={"prompt.send": "f4"})) as here:
        await here.press("a", "enter", "b", "f4")

        await here.until(lambda: here.said[:1] == ["a\nb"])


async def test_keys_typed_in_a_burst_act_in_their_order(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for key, character in (("a", "a"), ("ctrl+j", "\n"), ("b", "b"), ("enter", "\r"), ("c", "c")):
            here.app.post_message(Key(key, character))

        await here.until(lambda: here.said[:1] == ["a\nb"])
        await here.until(lambda: here.draft == "c")


async def test_escape_stops_the_turn_and_brings_back_what_waits(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.say("later")
        await here.sees("waiting", "queued later", "1 queued", "Esc stops")

        await here.press("escape")
        await here.sees("Cancelled.")

        assert here.draft == "later"
        assert "queued" not in here.text


async def test_what_waits_can_be_edited_or_sent_now(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for text in ("wait", "one", "two"):
            await here.say(text)
        await here.sees("waiting", "queued two")

        await here.press("alt+up")
        assert here.draft == "two"
        await here.press("exclamation_mark", "alt+g")

        await here.until(lambda: here.said[-1:] == ["heard two!"])
        assert here.said[2:] == ["Cancelled.", "one", "heard one", "two!", "heard two!"]


async def test_what_is_about_to_be_sent_is_stopped_too_and_goes_with_what_is_sent_now(tmp_path: Path) -> None:
    async with seat(tmp_path, TRACKED) as here:
        tracking = here.conversation.tracker
        await here.until(lambda: tracking is not None and tracking.first)
        gate = held_before_turns(here.conversation)
        await here.say("wrong")
        await here.press("escape")
        assert here.draft == "wrong"

        await here.press("enter")
        await here.write("and this")
        await here.press("alt+g")
        gate.set()

        await here.until(lambda: here.said[-1:] == ["heard wrong\nand this"])
        assert here.said == ["wrong\nand this", "heard wrong\nand this"]


async def test_a_permission_is_given_or_refused_with_one_key(tmp_path: Path) -> None:
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(tmp_path, given=given) as here:
        await here.say("/file")
        await here.is_before(PermissionDialog, waits=True)
        await here.press("n")
        await here.sees("Reject (you)")
        assert not (tmp_path / "demo-tally.py").exists()
        await here.until(lambda: not here.conversation.is_busy)

        await here.say("/file")
        await here.write("draft")
        await here.is_before(PermissionDialog)
        await here.sees("allowing works in a moment")  # what is there was looked at
        await here.until(lambda: "allowing works in a moment" not in here.text)
        await here.press("y")
        await here.until((tmp_path / "demo-tally.py").exists)

        assert here.draft == "draft"


async def test_a_question_is_put_aside_and_brought_back_and_the_next_follows(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("t1", "t2")
        await here.sees("Do t1", "Do t2", "Esc all later")
        await here.press("escape")
        await here.until(lambda: here.app.screen is here.session)
        await here.sees("2 questions Ctrl+Y", "asks you")
        await here.press("y")
        assert here.draft == "y", "nothing is answered by what is typed"

        await here.press("ctrl+y")
        again = await here.is_before(PermissionDialog)
        assert again is not first
        await here.press("y")
        await here.until(lambda: here.app.screen is not again)
        await here.is_before(PermissionDialog)
        await here.press("n")

        await here.until(lambda: here.said[-1:] == ["yes:1 no/2"])
        assert here.app.screen is here.session


async def test_r12_a_question_answered_elsewhere_takes_its_dialog_away_from_under_other_screens(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await here.say("ask")
        await here.is_before(PermissionDialog)
        await here.press("f1")
        helping = await here.is_before(HelpScreen)

        here.conversation.cancel()
        await here.until(lambda: not here.conversation.is_busy)

        assert here.app.screen is helping, "what the user reads stays"
        await here.press("f1")
        await here.until(lambda: here.app.screen is here.session)


async def test_a_question_that_the_agent_takes_back_is_gone(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("take-back")
        await here.until(lambda: isinstance(here.app.screen, PermissionDialog))
        assert here.conversation.agent is not None
        here.conversation.agent.connection.notify("_proceed", {})

        await here.until(lambda: here.app.screen is here.session)

        assert not here.conversation.questions


async def test_c76_output_can_be_opened_when_its_terminal_is_released(
    tmp_path: Path,
) -> None:
    demo = demo_launch()
    async with seat(tmp_path, given=demo._replace(env={**demo.env, "ACP_TUI_DEMO_SPEED": "0"})) as here:
        await here.say("/run printf 'last %s' words")
        await here.is_before(PermissionDialog)
        await here.press("y")
        session = here.conversation.session
        assert session is not None
        await here.until(lambda: session.turns[-1].ended is not None)

        await here.press("ctrl+o")
        await here.sees("terminal", "last words")
        await here.press("escape")


async def test_an_opened_tool_call_follows_what_the_agent_tells_of_it(tmp_path: Path) -> None:
    def told(kind: str, text: str) -> str:
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        return "updates " + json.dumps(
            [{"kind": kind, "toolCallId": "t1", "title": "Look", "content": content}]
        )

    async with seat(tmp_path) as here:
        await here.say(told("tool_call", "first words"))
        await here.sees("no result")
        await here.press("ctrl+o")
        await here.sees("first words")

        here.conversation.say(told("tool_call_update", "other words"))

        await here.sees("other words")
        assert type(here.app.screen).__name__ == "ToolCallScreen"
        await here.press("escape")
        await here.until(lambda: here.app.screen is here.session)


async def test_r15_a_dead_agent_is_explained_and_started_again(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("die")
        await here.write("unsent")
        await here.is_before(FailureScreen)
        await here.sees("the roof is on fire", "exit code 7")
        await here.press("escape")
        await here.sees("F12 restarts it")
        assert here.draft == "unsent"

        await here.press("enter")
        assert here.draft == "unsent", "nobody hears it"
        await here.press("f12")
        await here.sees("has no memory of the conversation", "› die")

        await here.press("enter")
        await here.sees("heard unsent")
        assert here.app.screen is here.session


async def test_an_agent_that_starts_slowly_is_reported_and_keeps_starting(tmp_path: Path) -> None:
    settings = PLAIN._replace(initialize_timeout_s=0.1)
    async with seat(tmp_path, settings, ready=False, ignores="initialize") as here:
        await here.is_before(FailureScreen)
        await here.sees("has not answered", "initialize")
        await here.press("escape")
        assert here.conversation.phase == "starting"
        await here.press("ctrl+q")
        await here.until(lambda: not here.app.is_running or here.app.return_value == 0)


async def test_what_an_agent_prints_that_is_no_message_is_shown_while_its_start_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SHOW_STRAYS_AFTER", 0)
    async with seat(tmp_path, ready=False, ignores="initialize", noise=25) as here:
        await here.sees("The agent prints lines that are not ACP messages:", "line 24")
        assert "line 4\n" not in here.text, "only the newest of them"
        assert here.app.screen is here.session


async def test_the_failure_of_a_start_shows_what_was_printed_that_is_no_message(tmp_path: Path) -> None:
    async with seat(tmp_path, ready=False, dies_at="initialize", noise=25) as here:
        await here.is_before(FailureScreen)
        await here.sees("output (stdout", "line 24")


async def test_what_is_printed_in_a_turn_that_waits_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SHOW_STRAYS_AFTER", 0)
    async with seat(tmp_path) as here:
        await here.say("print no key")
        await here.sees("The agent prints lines that are not ACP messages.", "no key")
        await here.press("escape")
        await here.until(lambda: not here.conversation.is_busy)
        assert here.text.count("prints lines that are not ACP messages") == 1


async def test_a_login_is_asked_for_over_the_session(tmp_path: Path) -> None:
    async with seat(tmp_path, ready=False, login="session") as here:
        await here.is_before(LoginDialog)
        await here.sees("By key")
        await here.press("enter")

        await here.until(lambda: here.conversation.phase == "ready")
        await here.until(lambda: here.app.screen is here.session)


HOSTILE = "\x1b[2J\x1b]52;c;aGk=\x07[/x] [bold]b[/bold] [@click=app.quit]q[/]\x9b31m\u202e"


async def test_r34_r41_hostile_text_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    call = {"toolCallId": "a:b/c", "title": HOSTILE, "kind": HOSTILE, "status": "in_progress"}
    entry = {"content": HOSTILE, "status": HOSTILE, "priority": "high"}
    news = [
        {"kind": "tool_call", **call, "locations": [{"path": HOSTILE}]},
        {"kind": "plan", "entries": [entry]},
        {
            "kind": "available_commands_update",
            "availableCommands": [{"name": HOSTILE, "description": HOSTILE}],
        },
        {"kind": "session_info_update", "title": HOSTILE},
        {"kind": "agent_thought_chunk", "content": {"type": "text", "text": HOSTILE}},
        {"kind": "usage_update", "used": 5, "size": 0, "cost": {"amount": 1, "currency": HOSTILE}},
        {"kind": "agent_message_chunk", "content": {"type": "text", "text": HOSTILE}},
    ]
    like: dict[str, Any] = {"name": HOSTILE, "title": HOSTILE, "last_words": HOSTILE, "modes": [HOSTILE, "b"]}
    async with seat(tmp_path, updates=news, **like) as here:
        await here.until(lambda: here.conversation.session and here.conversation.session.plan)
        await here.press("slash")
        await here.sees("[/x]", "[@click=app.quit]")
        assert here.obeyed == []
        await here.press("escape", "ctrl+u", "f6")
        await here.is_before(Menu)
        assert here.obeyed == []
        await here.press("escape")
        await here.say("ask")
        await here.is_before(PermissionDialog)
        assert here.obeyed == []
        await here.press("down", "down", "enter")  # two options of one name have no keys of their own
        await here.until(lambda: not here.conversation.questions)
        await here.press("end")  # Enter is no longer down
        await here.say("die")
        await here.is_before(FailureScreen)
        assert here.obeyed == []
        await here.press("escape")
        await here.sees("[/x]")
        assert here.obeyed == []

        for text in here.written:
            assert re.fullmatch(r"(\x1b\[22;2t)?\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x07", text)


async def test_the_palette_offers_actions_commands_and_themes(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[COMMANDS]) as here:
        await here.until(lambda: here.session.parts.agent_commands.printable)
        await here.press("ctrl+p", "p", "l", "a", "y")
        await here.sees("/play")
        await here.press("enter")

        await here.until(lambda: here.draft == "/play ")


async def test_with_the_ascii_setting_nothing_of_ours_is_beyond_ascii(tmp_path: Path) -> None:
    news = [
        {"kind": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}},
        {"kind": "tool_call", "toolCallId": "t", "title": "Read"},
        {"kind": "plan", "entries": [{"content": "a", "status": "in_progress", "priority": "low"}]},
    ]
    async with seat(tmp_path, PLAIN._replace(ascii=True), modes=["ask"], updates=news) as here:
        await here.say("wait")
        await here.sees("waiting", "thought for", "Read")

        assert here.text.isascii(), [line for line in here.text.splitlines() if not line.isascii()]


async def test_r34_a_notice_is_neither_markup_nor_obeyed_by_the_terminal(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        here.session.notify("gone \x1b[2J [/x]", title="Not\ndeleted [b]", severity="error")

        await here.until(lambda: list(here.notices))
        (notice,) = here.notices
        assert (notice.title, notice.message) == ("Not deleted [b]", "gone ␛[2J [/x]")
        assert not notice.markup


async def test_an_error_of_ours_ends_the_interface_and_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def made_a_mistake() -> None:
        async with seat(tmp_path) as here:
            here.session.call_later(lambda: 1 // 0)
            await here.until(lambda: here.app._exception)

    with pytest.raises(ZeroDivisionError):
        await made_a_mistake()

    assert "ZeroDivisionError" in caplog.text


def failing() -> BaseException:
    token = "a-secret-that-is-nobodys-business"
    try:
        raise ValueError(f"\x1b[2J{len(token)}")
    except ValueError as error:
        return error


def test_the_traceback_has_no_values_of_variables_and_no_control_characters() -> None:
    left = crash_report_of(failing())

    assert "ValueError" in left
    assert "in failing" in left
    assert "a-secret" not in left.replace('token = "a-secret-that-is-nobodys-business"', "")
    assert "\x1b" not in left
    assert left.endswith("sessions are on disk.")


def test_a_mistake_that_cannot_be_shown_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> list[str]:
        raise RuntimeError("no lines")

    monkeypatch.setattr(traceback, "format_exception", fails)

    assert crash_report_of(failing()).strip().startswith("This is a mistake of acp-tui.")


async def test_what_runs_for_somebody_ends_before_the_interface_does(tmp_path: Path) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def run_a_program() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await wait_uncancelled(asyncio.ensure_future(asyncio.sleep(0.2)))  # as long as it takes to end it
            ended.set()

    async with seat(tmp_path) as here:
        here.session.run_worker(run_a_program())
        await begun.wait()

    assert ended.is_set()


async def test_what_does_not_end_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winding_up, "PATIENCE", 0.05)
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def take_its_time() -> None:
        begun.set()
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                continue

    async with seat(tmp_path) as here:
        worker = here.session.run_worker(take_its_time())
        await begun.wait()

    assert not worker.is_finished
    may_end.set()


async def test_the_key_that_quits_does_so_over_a_question_too(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("t1")
        await here.press("ctrl+q")
        await here.sees("Quit with 1 running turn and 1 open question?")
        await here.press("1")

        await here.until(lambda: not here.app.is_running)


async def test_style_sheets_are_parsed_one_in_a_turn_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path)
    began.guard.close()
    sheet = AcpApp(began).stylesheet
    sizes: list[int] = []
    real = sheet.parse

    def parse() -> None:
        real()
        sizes.append(len(sheet.source))

    monkeypatch.setattr(sheet, "parse", parse)
    sheet.parse()
    turns = [list(sizes)]
    sheets = [path for some in other_sheets() for path in some]
    reading = asyncio.create_task(read_sheets(sheet, sheets))
    while not reading.done():
        await asyncio.sleep(0)
        turns.append(list(sizes))

    assert all(len(later) - len(turn) <= 1 for turn, later in pairwise(turns))
    assert all(larger - size <= 1 for size, larger in pairwise(sizes))
    assert sizes[-1] - sizes[0] > 10


async def test_a_dialog_that_opens_at_once_has_its_sheet(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        unread = set(map(str, other_sheets()[1]))
        assert unread.isdisjoint(path for path, _ in here.app.stylesheet.source)
        here.app.push_screen(Screen[None]())

        assert unread <= {path for path, _ in here.app.stylesheet.source}
