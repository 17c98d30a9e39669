"""The dialogs over a session: their order, keys typed meanwhile, and the record of answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from time import monotonic

import pytest
from textual.events import Key, Paste
from textual.widgets import Input
from textual.widgets.text_area import Selection

from acp_tui.agent.permissions.authorization import USER
from acp_tui.protocol.schema import PermissionOption, ToolCallFields
from acp_tui.rules.model import Rule
from acp_tui.session import events
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import MOST_OPEN, Elicitation, Permission
from acp_tui.store.agents import Launch, demo_launch
from acp_tui.store.decisions import NAME, Decisions
from acp_tui.ui.application.key_guard import key_history_of, press
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.questions.form import FormDialog
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.session_screen.sessions.inbox import InboxMenu
from acp_tui.ui.widgets.controls import Choices
from tests.ui.seats import Seat, seat
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


async def shown(here: Seat) -> PermissionDialog:
    """Wait until a dialog is there, armed or not."""
    await here.until(lambda: isinstance(here.app.screen, PermissionDialog) and here.app.screen.is_mounted)
    dialog = here.app.screen
    assert isinstance(dialog, PermissionDialog)
    return dialog


def typed(here: Seat, keys: Sequence[str], every: float = 0.05, *, after: float = 0.0) -> None:
    """Type keys at once, with the times of hands that type so fast, `after` seconds from now."""
    began = monotonic() + after
    for number, name in enumerate(keys):
        key = {"\n": "enter", " ": "space"}.get(name, name)
        event = Key(key, name if len(name) == 1 else None)
        event.time = began + number * every
        here.app.post_message(event)


async def asked_over(here: Seat, draft: str, *names: str) -> PermissionDialog:
    """Have a question come over a draft, or over an empty prompt, with the hands off for long."""
    await here.write(draft)
    here.conversation.say(f"ask {' '.join(names or ('t1',))}")
    return await shown(here)


async def test_a_question_that_appears_while_a_word_is_typed_is_not_answered_by_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press(*"any")
        here.conversation.say("ask t1")
        await shown(here)
        typed(here, "nydra\n" * 4, every=0.3)  # seconds of typing, however long the machine takes
        await here.until(lambda: here.draft == "any" + "nydra\n" * 4)

        assert len(here.conversation.questions) == 1


@pytest.mark.parametrize("hands_off", [0.1, 1.0, 5.0, 60.0])
async def test_r24_a_draft_goes_on_however_long_its_writer_has_paused(
    tmp_path: Path, hands_off: float
) -> None:
    async with seat(tmp_path) as here:
        dialog = await asked_over(here, "fix the ")
        typed(here, "any y\n", every=0.6, after=hands_off)
        await here.until(lambda: here.draft == "fix the any y\n")
        await here.sees("Tab to answer", "typing goes to your draft")

        typed(here, ["tab", "y"], every=0.1, after=hands_off + 5)
        await here.until(lambda: here.app.screen is not dialog)
        assert not here.conversation.questions
        assert here.draft == "fix the any y\n"


async def test_what_is_typed_goes_to_the_cursor_of_the_draft_and_over_its_selection(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("fix the bug\nand run")
        here.session.prompt.selection = Selection((0, 4), (0, 7))
        dialog = await asked_over(here, "")
        keys = ["a", "n", "left", "m", "home", "y", "down", "end", "!", "backspace", "?", "ctrl+w"]
        typed(here, keys, every=0.2)
        await here.until(lambda: here.draft == "yfix amn bug\nand run")

        assert here.app.screen is dialog
        assert len(here.conversation.questions) == 1


@pytest.mark.parametrize("key", ["tab", "enter"])
async def test_completions_go_on_below_a_question(tmp_path: Path, key: str) -> None:
    (tmp_path / "notes.md").write_text("")
    async with seat(tmp_path) as here:
        await here.press(*"see @no")
        await here.until(lambda: here.session.prompt.completing)
        here.conversation.say("ask t1")
        dialog = await shown(here)
        key_history_of(here.app).use(
            press("o", monotonic() + 30, printable=True)
        )  # just now, if the machine is slow
        typed(here, [key], after=0.3)
        await here.until(lambda: here.draft == "see @notes.md ")
        typed(here, "y", after=1.0)
        await here.until(lambda: here.draft == "see @notes.md y")

        assert here.app.screen is dialog
        assert len(here.conversation.questions) == 1


async def test_a_paste_over_a_question_goes_on_in_the_draft_and_answers_nothing(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await asked_over(here, "my draft ")
        here.app.post_message(Paste("yes\ny\n"))
        await here.until(lambda: here.draft == "my draft yes\ny\n")

        assert here.app.screen is dialog
        assert len(here.conversation.questions) == 1


async def test_over_an_empty_prompt_a_letter_answers_and_a_word_goes_into_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await asked_over(here, "")
        typed(here, "yes", every=0.2)
        await here.until(lambda: here.draft == "yes")
        assert len(here.conversation.questions) == 1

        here.session.prompt.replace_all("")
        key_history_of(here.app).use(press("enter", 0.0, printable=False))  # long ago
        key_history_of(here.app).note_sent()
        typed(here, "y")
        await here.until(lambda: here.app.screen is not dialog)
        assert here.draft == ""


async def test_an_answer_that_is_held_down_answers_no_other_question_and_writes_nothing(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        first = await asked_over(here, "", "t1", "t2")
        first.guard.restart(0.0)
        typed(here, ["tab", *"y" * 40], every=0.04, after=-2.0)
        await here.until(lambda: here.app.screen not in (first, here.session))
        await here.pilot.pause()

        assert len(here.conversation.questions) == 1
        assert here.draft == ""


async def test_an_enter_that_answers_and_is_held_down_sends_no_draft(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await asked_over(here, "not yet")
        dialog.guard.restart(0.0)
        typed(here, ["tab", "down", *["enter"] * 30], every=0.05, after=-1.0)
        await here.until(lambda: here.app.screen is here.session)
        await here.pilot.pause()

        assert here.draft == "not yet"


async def test_the_next_of_a_queue_is_answered_over_a_draft_too_by_a_letter_that_stays_alone(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("t1", "t2")
        here.session.prompt.insert("a draft")
        typed(here, "n")
        await here.until(lambda: here.app.screen not in (first, here.session))
        second = await shown(here)
        assert second.guard.follows
        typed(here, "n", after=5.0)
        await here.until(lambda: second.guard.waiting is not None)
        await here.until(lambda: not here.conversation.questions)

        assert here.draft == "a draft"


async def test_a_letter_for_a_question_that_goes_by_itself_answers_not_the_next(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("t1", "t2")
        key = next(iter(here.conversation.questions))
        here.conversation.answer(key, None)  # as the agent does that takes it back
        await here.until(lambda: here.app.screen not in (first, here.session))
        second = await shown(here)
        typed(here, "yyy", every=0.01)
        await here.pilot.pause()

        assert not second.guard.turned
        assert second.guard.waiting is None
        assert len(here.conversation.questions) == 1


async def test_a_question_whose_id_was_used_before_gets_no_answer_that_was_meant_for_the_other_one(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("t1")
        session = here.conversation.session
        assert session is not None
        ((key, old),) = session.questions.items()
        assert isinstance(old, Permission)
        new = session.questions[key] = Permission(key, ToolCall("t2"), old.options)

        await here.pilot.press("y")  # before the change is drawn

        await here.until(
            lambda: here.app.screen is not first and isinstance(here.app.screen, PermissionDialog)
        )
        assert session.questions[key] is new


async def test_questions_that_wait_are_gone_through_without_an_answer(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("one", "two", "three")
        await here.sees("▶ 1", "2 run Do two", "3 run Do three", "1 of 3")
        await here.press("tab")
        await here.until(lambda: here.app.screen is not first)
        await here.is_before(PermissionDialog)
        await here.sees("▶ 2 run Do two", "2 of 3")
        assert len(here.conversation.questions) == 3

        await here.press("n")
        await here.until(lambda: len(here.conversation.questions) == 2)
        assert [key[1] for key in here.conversation.questions] == ['"q-one"', '"q-three"']


async def test_a_question_shows_the_rule_that_asks_and_earlier_decisions(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        access = here.conversation.access
        assert access is not None
        access.rules = [Rule("ask", tool_kind="execute", note="I look at these", where="settings.toml:3")]
        await here.asked("one")
        await here.sees("rule      asks: commands, “I look at these” (settings.toml:3)")
        await here.press("y")
        await here.until(lambda: here.said)


async def test_the_key_that_answered_is_written_down_and_a_reason_goes_out_as_the_next_prompt(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        dialog = await here.asked("one")
        await here.sees("r reject with a reason")
        await here.press("r")
        await here.until(lambda: dialog.focused is not None)
        await here.press(*"why", "enter")
        await here.until(lambda: "heard why" in here.said)

        (kept,) = Decisions(tmp_path / "home" / "data" / NAME)
        assert (kept.by, kept.detail) == ("person", "key r")
        assert kept.chosen is not None
        assert kept.chosen.kind == "reject_once"


FORM = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "title": "Why"},
        "areas": {"type": "array", "items": {"type": "string", "enum": ["api", "ui"]}},
        "sure": {"type": "boolean", "default": True},
    },
}


def form_asked(here: Seat, key: str = "form") -> None:
    """Let the agent ask with a form, as if it had said so."""
    session = here.conversation.session
    assert session is not None
    session.questions[key] = Elicitation(key, "Tell me more", schema=FORM)
    here.session.parts.question_dialogs.show_next()


async def test_a_half_filled_form_keeps_what_was_entered_while_another_question_is_looked_at(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        form_asked(here)
        form = await here.is_before(FormDialog)
        await here.sees("Tell me more")
        await here.press(*"half", "tab", "down", "space", "tab", "down", "space")
        here.conversation.say("ask t1 t2")
        await here.sees("1 of 3")

        await here.press("alt+a")
        await here.is_before(InboxMenu)
        await here.press("down", "enter")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.until(lambda: here.app.screen is not form)
        again = await here.is_before(FormDialog)

        assert again is not form
        assert again.query_one(Input).value == "half"
        assert [sorted(choices.chosen) for choices in again.query(Choices)] == [[1], [1]]


async def test_a_half_written_reason_stands_there_again_when_its_question_comes_back(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = await here.asked("one", "two")
        await here.press("r")
        await here.until(lambda: first.focused is not None)
        await here.press(*"not yet")
        await here.press("alt+a")
        await here.is_before(InboxMenu)
        await here.press("down", "enter")
        await here.until(lambda: here.app.screen not in (first,) and "2 of 2" in here.text)
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.sees("not yet", "Reason (sent")
        again = await here.is_before(PermissionDialog)
        await here.until(lambda: again.focused is not None)
        await here.press(*" now", "enter")

        await here.until(lambda: "heard not yet now" in here.said)


async def test_a_reason_that_was_begun_for_a_question_that_closes_goes_to_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await here.asked("t1")
        await here.press("r")
        await here.until(lambda: dialog.focused is not None)
        await here.press(*"never")
        await here.until(lambda: dialog.words() == "never")
        here.conversation.cancel()

        await here.until(lambda: here.app.screen is here.session)
        assert here.draft == "never"


async def test_what_was_sent_or_declined_does_not_come_back_in_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await here.asked("t1")
        await here.press("r")
        await here.until(lambda: dialog.focused is not None)
        await here.press(*"bad idea", "enter")
        await here.until(lambda: "heard bad idea" in here.said)

        assert here.draft == ""


async def test_the_inbox_is_opened_from_over_a_question_and_closed_without_an_answer(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await here.asked("one", "two")
        await here.press("alt+a")
        await here.is_before(InboxMenu)
        await here.sees("▶ 1", "Do one", "Do two")
        await here.press("alt+a")
        here.press_together("escape", "n")  # the second is typed before the question can have been seen
        await here.until(lambda: here.app.screen is dialog)
        await here.until(lambda: not dialog.armed)
        await here.until(lambda: dialog.armed)

        assert len(here.conversation.questions) == 2


async def test_escape_puts_all_that_is_listed_aside_and_says_so(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one", "two")
        await here.sees("Do one", "Do two", "Esc all later")
        await here.press("escape")
        await here.until(lambda: here.app.screen is here.session)
        await here.sees("2 questions")
        assert here.session.parts.question_dialogs.shown is None

        await here.press("ctrl+y")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.until(lambda: len(here.conversation.questions) == 1)
        await here.is_before(PermissionDialog)
        await here.sees("Esc decide later")


async def test_an_answer_is_forgotten_when_the_user_looks_at_something_else_at_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await asked_over(here, "")
        here.press_together("y", "f1")
        help_screen = await here.is_before(HelpScreen)
        await here.pilot.pause(0.7)

        assert here.app.screen is help_screen
        assert len(here.conversation.questions) == 1


async def test_a_command_without_a_permission_is_asked_about_by_us_and_refused_with_a_reason(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, given=demo_launch()) as here:
        await here.say("/unasked touch made")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.until(lambda: (tmp_path / "made").exists())
        await here.until(lambda: not here.conversation.is_busy)

        await here.say("/unasked touch more && git push")
        dialog = await here.is_before(PermissionDialog)
        await here.sees("wants acp-tui to run a command", "touch more", "network", "The agent did not ask;")
        assert "asks before everything" in here.text
        await here.press("r")
        await here.until(lambda: dialog.focused is not None)
        await here.press(*"no", "enter")

        await here.until(lambda: here.app.screen is not dialog)
        await here.sees("You did not allow Demo agent to run", "› no")
        assert not (tmp_path / "more").exists()


@pytest.mark.parametrize("opened", ["alt+q", "f3", "ctrl+p", "f1"])
async def test_an_enter_that_was_meant_for_a_list_answers_no_question_that_came_over_it(
    tmp_path: Path, opened: str
) -> None:
    async with seat(tmp_path) as here:
        for text in ("wait", "ask t1", "later", "still later"):
            await here.say(text)
        await here.sees("waiting", "queued still later")
        await here.press(opened, "down")
        here.conversation.cancel()
        dialog = await shown(here)
        typed(here, ["down", "down", "y", "enter", "enter"], every=1.2)  # each after a look
        await here.pilot.pause()

        assert len(here.conversation.questions) == 1
        assert here.app.screen is dialog
        assert not dialog.guard.turned


async def test_a_question_that_the_user_brings_up_again_is_answered_over_a_draft_at_once(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await asked_over(here, "a draft")
        typed(here, ["escape"], after=1.0)
        await here.until(lambda: here.app.screen is here.session)
        await here.press("ctrl+y")
        again = await shown(here)
        assert again.guard.turned
        typed(here, "y", after=1.0)
        await here.until(lambda: not here.conversation.questions)

        assert here.draft == "a draft"


async def test_questions_that_are_withdrawn_at_once_bring_up_few_dialogs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"t{number}" for number in range(1, 9)]
    async with seat(tmp_path) as here:
        pushed: list[object] = []
        push = here.app.push_screen

        def count(screen: PermissionDialog, answered: Callable[[object], None]) -> object:
            pushed.append(screen)
            return push(screen, answered)

        monkeypatch.setattr(here.app, "push_screen", count)
        await asked_over(here, "", *names)
        await here.until(lambda: len(here.conversation.questions) == len(names))
        asking = here.session.parts.question_dialogs
        running = here.conversation.running
        assert running is not None
        for key in list(here.conversation.questions)[:-1]:
            running.agent.answer(*key, None, USER)
            asking.show_next()
        assert len(pushed) <= 2, "the first one, and at most one after it"
        assert asking.shown is None

        await here.until(lambda: asking.shown == next(iter(here.conversation.questions)))
        assert len(pushed) <= 3


WITHDRAWS = """
import json, sys, time
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]
def ask(number):
    call = {"toolCallId": f"t{number}", "title": f"make {number}", "kind": "execute"}
    params = {"sessionId": "s", "options": options, "toolCall": call}
    send(id=number, method="session/request_permission", params=params)
    if number < 59:
        time.sleep(0.05)  # so that it is seen; all together, longer than several pauses between dialogs
        send(method="$/cancel_request", params={"requestId": number})
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize": send(id=message["id"], result={"protocolVersion": 1})
        case "session/new": send(id=message["id"], result={"sessionId": "s"})
        case "session/prompt": ask(0)
        case None: ask(message["id"] + 1)
"""


async def test_of_questions_that_are_each_withdrawn_at_once_only_one_that_stands_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch = Launch("x", "x", (sys.executable, "-c", WITHDRAWS))
    async with seat(tmp_path, given=launch) as here:
        pushed: list[object] = []
        push = here.app.push_screen

        def count(screen: PermissionDialog, answered: Callable[[object], None]) -> object:
            pushed.append(screen)
            return push(screen, answered)

        monkeypatch.setattr(here.app, "push_screen", count)
        here.conversation.say("go")
        await here.until(lambda: "make 59" in here.text and isinstance(here.app.screen, PermissionDialog))

        assert len(pushed) <= 2


WITHDRAWS_ALL = """
import json, os, sys, time
def send(*messages):
    print(*(json.dumps({"jsonrpc": "2.0", **message}) for message in messages), sep="\\n", flush=True)
options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]
def asked(number):
    call = {"toolCallId": f"t{number}", "title": f"make {number}", "kind": "execute"}
    params = {"sessionId": "s", "options": options, "toolCall": call}
    return {"id": number, "method": "session/request_permission", "params": params}
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize": send({"id": message["id"], "result": {"protocolVersion": 1}})
        case "session/new": send({"id": message["id"], "result": {"sessionId": "s"}})
        case "session/prompt":
            send(*map(asked, range(500)))
            while not os.path.exists(message["params"]["prompt"][0]["text"]):
                time.sleep(0.01)
            send(*({"method": "$/cancel_request", "params": {"requestId": n}} for n in range(500)))
"""


@pytest.mark.slow
async def test_hundreds_of_questions_that_are_withdrawn_bring_up_no_further_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch = Launch("x", "x", (sys.executable, "-c", WITHDRAWS_ALL))
    async with seat(tmp_path, given=launch) as here:
        here.conversation.say(str(tmp_path / "withdraws"))
        await here.until(lambda: len(here.conversation.questions) == MOST_OPEN)
        await here.is_before(PermissionDialog)
        pushed: list[object] = []
        push = here.app.push_screen

        def count(screen: PermissionDialog, answered: Callable[[object], None]) -> object:
            pushed.append(screen)
            return push(screen, answered)

        monkeypatch.setattr(here.app, "push_screen", count)
        (tmp_path / "withdraws").touch()
        await here.until(lambda: not here.conversation.questions and here.app.screen is here.session)

        assert not pushed


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_question_leaves_the_draft_in_view(tmp_path: Path, size: tuple[int, int]) -> None:
    async with seat(tmp_path, title="Do it " * 400, size=size) as here:
        await here.write("a draft of mine")
        prompt = here.session.query_one("#prompt-row").region
        await here.press("ctrl+u")
        await here.asked("one")
        here.session.prompt.insert("what I typed")
        box = here.app.screen.query_one("#box")
        await here.until(lambda: box.region.bottom <= prompt.y)

        await here.sees("› what I typed", "more rows")


async def test_a_question_makes_room_for_a_draft_that_grows(tmp_path: Path) -> None:
    async with seat(tmp_path, title="Do it " * 400) as here:
        dialog = await asked_over(here, "one")
        box, row = dialog.query_one("#box"), here.session.query_one("#prompt-row")
        before = row.region.y

        typed(here, "\ntwo\nthree\nfour", every=0.3)
        await here.until(lambda: here.draft.endswith("four"))
        await here.until(lambda: row.region.y < before and box.region.bottom <= row.region.y)


async def test_a_text_saved_in_the_editor_is_written_and_reported_to_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def edited(app: object, path: Path, line: int | None) -> str:
        path.write_text("mine\n")
        return ""

    monkeypatch.setattr("acp_tui.ui.screens.questions.proposals.open_in_editor", edited)
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(tmp_path, given=given) as here:
        await here.say("/file")
        await here.is_before(PermissionDialog)
        await here.press("e")
        await here.until(lambda: not here.conversation.is_busy)

        assert (tmp_path / "demo-tally.py").read_text() == "mine\n"
        assert "edited your change of demo-tally.py" in here.conversation.rejections.note()
        await here.sees("You edited demo-tally.py before it was written.")


async def test_what_was_edited_for_a_question_that_closes_is_left_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def edited(app: object, path: Path, line: int | None) -> str:
        here.conversation.stop()
        await here.until(lambda: not here.conversation.is_busy)
        path.write_text("mine\n")
        return ""

    monkeypatch.setattr("acp_tui.ui.screens.questions.proposals.open_in_editor", edited)
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(tmp_path, given=given) as here:
        await here.say("/file")
        await here.is_before(PermissionDialog)
        await here.press("e")
        await here.until(lambda: any("Your edited text is in" in each.message for each in here.notices))

        (kept,) = [path for path in (tmp_path / "home" / "data" / "edits").rglob("*") if path.is_file()]
        assert kept.read_text() == "mine\n"
        assert not (tmp_path / "demo-tally.py").exists()


async def pressed(here: Seat, *keys: str) -> None:
    """Press keys that answer a question, again while its content has just changed, until it is gone."""
    dialog = await here.is_before(PermissionDialog)
    end = monotonic() + PATIENCE
    while here.app.screen is dialog and monotonic() < end:
        await here.press(*keys)
        await here.pilot.pause(0.05)


async def test_a_write_over_newer_changes_is_merged_with_them(tmp_path: Path) -> None:
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(tmp_path, given=given, size=(120, 50)) as here:
        await here.say("/clash")
        await pressed(here, "y")
        await here.sees("Write it merged with the newer text: without conflicts")
        await here.is_before(PermissionDialog)
        await here.press("z", "n", "n")
        await here.sees("1/2 views", "what a merge would change")
        await here.press("escape")
        await pressed(here, "3")
        await here.until(lambda: not here.conversation.is_busy)

        text = (tmp_path / "demo-tally.py").read_text()
        assert "--json" in text
        assert text.endswith("# A line of yours.\n")
        assert "merged your change of demo-tally.py" in here.conversation.rejections.note()


def orders() -> list[tuple[str, ...]]:
    """Return the orders in which Esc is for the quit menu: no question comes up over it."""
    found = []
    for order in permutations(("gone", "second", "esc", "quit")):
        at = {what: number for number, what in enumerate(order)}
        comes_over = at["quit"] < at["second"] < at["esc"] and at["gone"] < at["esc"]
        if at["quit"] < at["esc"] and not comes_over:
            found.append(order)
    return found


@pytest.mark.parametrize("order", orders())
async def test_a_question_under_the_quit_menu_is_there_after_it_in_every_order(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    allow = PermissionOption(option_id="y", name="Allow", kind="allow_once")
    async with seat(tmp_path) as here:
        here.conversation.say("wait")
        await here.sees("waiting")
        session, running = here.conversation.session, here.conversation.running
        assert session is not None
        assert running is not None

        def ask(name: str) -> None:
            call = ToolCallFields(tool_call_id=name, title=name, kind="execute")
            running.agent.note(session.id, events.Asked(Permission(name, ToolCall(name), [allow]), call))

        ask("first")
        await shown(here)
        asking = here.session.parts.question_dialogs
        for number, what in enumerate(order):
            match what:
                case "gone":
                    running.agent.note(session.id, events.Answered("first"))
                case "second":
                    ask("second")
                case "quit":
                    # The next question is shown before the key, not under it.
                    if {"gone", "second"} <= {*order[:number]}:
                        await here.until(lambda: asking.shown == (session.id, "second"))
                    await here.press("ctrl+q")
                    await here.until(lambda: any(isinstance(each, Menu) for each in here.app.screen_stack))
                case "esc":
                    await here.until(lambda: isinstance(here.app.screen, Menu))
                    await here.press("escape")
                    await here.until(lambda: not isinstance(here.app.screen, Menu))

        await here.until(lambda: asking.shown == (session.id, "second"))
        await here.until(lambda: isinstance(here.app.screen, PermissionDialog))
