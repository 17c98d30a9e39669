"""Questions over a session: which is shown, what is typed meanwhile, and what is written down."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest
from textual.events import Key, Paste
from textual.widgets import Input

from acp_tui.host.rules import Rule
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Elicitation, Permission
from acp_tui.store.decisions import NAME, Decisions
from acp_tui.store.demo import demo_launch
from acp_tui.ui.screens.form import FormDialog
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.permission import PermissionDialog
from acp_tui.ui.screens.typing_pause import PAUSE, PAUSE_AT_WORK, TypingPause
from acp_tui.ui.session_screen.inbox import InboxMenu
from acp_tui.ui.widgets.choices import Choices
from tests.ui.screens.dialogs import let_the_pause_pass
from tests.ui.seats import Seat, seat


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


async def shown(here: Seat) -> PermissionDialog:
    """Wait until a dialog is there, armed or not."""
    await here.until(lambda: isinstance(here.app.screen, PermissionDialog) and here.app.screen.is_mounted)
    dialog = here.app.screen
    assert isinstance(dialog, PermissionDialog)
    return dialog


def typed(here: Seat, text: str, every: float = 0.05) -> None:
    """Type a text at once, with the times of a person who types fast."""
    began = monotonic()
    for number, character in enumerate(text):
        event = Key("enter" if character == "\n" else character, character)
        event.time = began + number * every
        here.app.post_message(event)


async def test_a_question_that_appears_while_a_word_is_typed_is_not_answered_by_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        here.conversation.say("ask t1")
        await here.press(*"any")
        dialog = await shown(here)
        typed(here, "nydra\n" * 4, every=0.3)  # seconds of typing, however long the machine takes
        await here.pilot.pause()

        assert not dialog.armed
        assert len(here.conversation.questions) == 1
        await here.pilot.pause()
        # On a slow machine the dialog comes after a pause; then the keys are for nobody.
        assert ("any" + "nydra" * 4).startswith(here.draft), "the word goes on in the draft, if anywhere"


async def test_the_key_that_was_typed_last_in_the_prompt_does_not_answer_by_being_held(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        here.conversation.say("ask t1")
        await here.press("y")
        before = here.app.last_key
        dialog = await shown(here)
        assert before is not None
        assert before[0] == "y"
        here.app.last_key = ("y", monotonic())
        held = here.app.last_key[1]
        dialog.typing_pause = type(dialog.typing_pause)(
            held, dialog.pause, here.app.last_key, dialog.answering
        )

        assert not dialog.typing_pause.key(held + 0.6, "y")


async def test_a_question_that_takes_the_place_of_another_starts_its_pause_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.ui.screens.dialog.PAUSE", 30.0)
    async with seat(tmp_path) as here:
        first = await here.asked("t1", "t2")
        key = next(iter(here.conversation.questions))
        here.conversation.answer(key, None)  # as the agent does that takes it back
        await here.until(
            lambda: here.app.screen is not first and isinstance(here.app.screen, PermissionDialog)
        )
        second = await shown(here)
        appeared = monotonic()

        assert not second.armed
        assert second.typing_pause.left(appeared) > 0
        typed(here, "yyy")
        await here.pilot.pause()
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


async def test_a_paste_over_a_question_answers_nothing_and_the_draft_stays(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("my draft")
        here.conversation.say("ask t1")
        dialog = await here.is_before(PermissionDialog)
        dialog.typing_pause = TypingPause(0.0, 60.0)  # which is seen however slow the machine is
        here.app.post_message(Paste("yes\ny\n"))
        await here.until(lambda: not dialog.armed)

        assert len(here.conversation.questions) == 1
        assert here.draft == "my draft"


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


async def test_the_rule_that_asks_and_what_was_before_are_told_over_a_session(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        host = here.conversation.host
        assert host is not None
        host.rules = [Rule("ask", tool_kind="execute", note="I look at these", where="settings.toml:3")]
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
    here.session.asking.show_next()


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
        await here.sees("not yet", "Why not?")
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
        assert here.session.asking.shown is None

        await here.press("ctrl+y")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.until(lambda: len(here.conversation.questions) == 1)
        await here.is_before(PermissionDialog)
        await here.sees("Esc later")


async def test_an_answer_is_forgotten_when_the_person_looks_at_something_else_at_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        dialog = await here.asked("t1")
        dialog.alone = 0.05
        here.press_together("y", "f1")
        help_screen = await here.is_before(HelpScreen)
        await here.pilot.pause(0.1)

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
        await here.sees("asks us to run a command", "touch more", "network", "did not ask for permission")
        assert "asks for all" in here.text
        await here.press("r")
        await here.until(lambda: dialog.focused is not None)
        await here.press(*"no", "enter")

        await here.until(lambda: here.app.screen is not dialog)
        await here.sees("You did not let demo run", "› no")
        assert not (tmp_path / "more").exists()


async def test_r24_what_is_typed_on_when_a_question_cuts_in_goes_on_in_the_draft(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press(*"fix th")
        here.conversation.say("ask one")
        dialog = await shown(here)
        dialog._cuts_in = True  # however slow the machine is
        dialog.typing_pause = TypingPause(monotonic(), 60.0)
        await here.press(*"e y", "enter", "n")

        await here.until(lambda: here.draft == "fix the yn")
        assert here.app.screen is dialog
        let_the_pause_pass(dialog)
        await here.press("y")
        await here.until(lambda: here.app.screen is here.session)
        assert here.draft == "fix the yn"


async def test_keys_that_come_too_early_for_a_question_are_no_draft(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press(*"draft")
        assert here.app.last_key is not None
        here.app.last_key = ("t", here.app.last_key[1] - 10)
        here.conversation.say("ask one")
        dialog = await shown(here)
        dialog.typing_pause = TypingPause(monotonic(), 60.0)
        await here.press("y", "y")

        assert here.draft == "draft"


@pytest.mark.parametrize("opened", ["alt+q", "f3", "ctrl+p", "f1"])
async def test_an_enter_that_was_meant_for_a_list_answers_no_question_that_came_over_it(
    tmp_path: Path, opened: str
) -> None:
    async with seat(tmp_path) as here:
        for text in ("wait", "ask t1", "later", "still later"):
            await here.say(text)
        await here.sees("waiting", "queued still later")
        await here.press(opened, "down")
        here.app.last_key = ("down", monotonic() + 60)  # just now, however long the machine takes
        here.conversation.cancel()
        dialog = await shown(here)
        assert dialog.pause == PAUSE_AT_WORK
        began = dialog.typing_pause._quiet_since
        for number, key in enumerate(("down", "down", "enter")):  # each after a look
            event = Key(key, None)
            event.time = began + 0.5 + number * 0.6
            here.app.post_message(event)
        await here.pilot.pause()

        assert len(here.conversation.questions) == 1
        assert here.app.screen is dialog
        assert dialog.typing_pause.left(began + 2.8) > 0


async def test_somebody_who_types_slowly_goes_on_in_the_draft_and_answers_nothing(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.sees("waiting")
        await here.write("fix the ")
        here.app.last_key = ("e", monotonic() + 60)  # just now, however long the machine takes
        here.conversation.say("ask t1")
        here.conversation.cancel()
        dialog = await shown(here)
        assert dialog.pause == PAUSE_AT_WORK
        began = dialog.typing_pause._quiet_since
        for number, letter in enumerate("any"):
            event = Key(letter, letter)
            event.time = began + 0.5 + number * 0.6
            here.app.post_message(event)
        await here.until(lambda: here.draft == "fix the any")

        assert len(here.conversation.questions) == 1


async def test_a_question_can_come_before_there_is_a_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.session.prompt.remove()
        here.conversation.say("ask t1")

        assert (await shown(here)).pause == PAUSE


async def test_after_an_answer_the_next_question_can_be_answered_soon_over_a_draft_too(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await here.asked("t1", "t2")
        here.session.prompt.insert("a draft")
        await here.press("n")
        await here.until(lambda: len(here.conversation.questions) == 1)

        assert (await shown(here)).pause == PAUSE
        assert here.draft == "a draft"


async def test_a_question_over_the_prompt_or_when_nobody_was_there_can_be_answered_soon(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await here.say("ask t1")
        assert (await shown(here)).pause == PAUSE
        assert let_the_pause_pass(await shown(here))
        await here.press("n")
        await here.until(lambda: not here.conversation.questions)

        await here.press("f1")
        assert here.app.last_key is not None
        here.app.last_key = ("f1", here.app.last_key[1] - 10)
        here.conversation.say("ask t2")
        assert (await shown(here)).pause == PAUSE
