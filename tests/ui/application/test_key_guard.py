"""Keys that are meant for a dialog, and those that are not."""

from __future__ import annotations

import pytest

from acp_tui.ui.application.key_guard import (
    ALONE,
    QUIET,
    REACTION,
    REPEAT,
    SENT,
    SHOWN_FOR,
    SLOWEST,
    KeyGuard,
    KeyHistory,
    Press,
    Receiver,
    ScreenBelow,
    press,
)
from tests.tables import each
from tests.ui.screens.hands import BOUND, RHYTHMS, try_hands

NOTHING, DRAFT = ScreenBelow(), ScreenBelow(draft=True)
COMPLETING = ScreenBelow(draft=True, completing=True)


def key(name: str, at: float) -> Press:
    return press(name, at, printable=len(name) == 1)


class Table:
    """A guard, the keys before, and the screen below."""

    def __init__(
        self, below: ScreenBelow = NOTHING, *, last: tuple[str, float] | None = None, drawn: float = 100.0
    ):
        self.below = below
        self.history = KeyHistory()
        if last is not None:
            self.history.use(key(*last))
        self.guard = KeyGuard()
        self.guard.note_drawn(drawn)

    def press(self, name: str, at: float) -> Receiver:
        return self.press_after(name, at)[1]

    def press_after(self, name: str, at: float) -> tuple[str, Receiver]:
        """Return (the letter that goes into the draft before the key, what becomes of the key)."""
        begun, receiver = self.guard.decide(key(name, at), self.history, self.below, bound=name in BOUND)
        return ("" if begun is None else begun.name), receiver


@each("name", ["y", "a", "1", "enter", "space", "backspace", "left", "down", "home", "ctrl+w"])
@each("after", [0.01, 1.0, 60.0])
def test_over_a_draft_what_writes_or_moves_goes_on_in_it_however_long_hands_were_off(
    name: str, after: float
) -> None:
    assert Table(DRAFT).press(name, 100 + after) is Receiver.DRAFT


@pytest.mark.parametrize("name", ["y", "enter", "down"])
def test_soon_after_a_key_for_something_else_no_key_is_meant_for_the_dialog(name: str) -> None:
    assert Table(last=("x", 99.0)).press(name, 99 + QUIET - 0.01) is Receiver.DRAFT


@each("gap", [0.0, 0.03, 0.1, 0.3, 0.6])
@each("answered", [True, False])
def test_escape_that_is_pressed_again_and_again_leaves_once_the_dialog_was_seen(
    gap: float, answered: bool
) -> None:
    table = Table(last=("x", 99.9))
    if answered:
        table.history.answer(key("escape", 99.95))
    presses = [100.0 + number * max(gap, 0.01) for number in range(200)]
    received = [table.press("escape", at) for at in presses]

    late = [to for at, to in zip(presses, received, strict=True) if at >= 100 + REPEAT]
    assert set(late) == {Receiver.DIALOG}
    assert Receiver.DIALOG not in [
        to for at, to in zip(presses, received, strict=True) if at < 100 + REACTION
    ]


def test_over_an_empty_prompt_a_letter_counts_if_it_stays_alone() -> None:
    table = Table()

    assert table.press("y", 100.05) is Receiver.DIALOG_IF_ALONE
    assert table.guard.take(100.05 + ALONE - 0.01, table.history) is None
    taken = table.guard.take(100.05 + ALONE, table.history)
    assert taken is not None
    assert taken.name == "y"


def test_hands_that_were_off_need_less_than_seven_tenths_of_a_second_for_an_answer() -> None:
    assert ALONE < 0.65


def test_a_letter_that_does_not_stay_alone_goes_into_the_draft_before_the_next_one() -> None:
    table = Table()
    table.press("y", 101.0)

    assert table.press_after("e", 101.0 + ALONE - 0.01) == ("y", Receiver.DRAFT)
    assert table.guard.take(200.0, table.history) is None


def test_a_letter_whose_moment_is_late_on_a_busy_machine_is_taken_back_by_the_next_key() -> None:
    table = Table()
    table.press("y", 101.0)

    assert table.press_after("e", 101.0 + 30) == ("y", Receiver.DRAFT)


@pytest.mark.parametrize("gap", [REPEAT, 0.75, 0.9, 1.1, 3.0])
def test_a_letter_that_is_pressed_again_after_a_pause_answers_whatever_was_typed_before_the_dialog(
    gap: float,
) -> None:
    table = Table(last=("enter", 99.9))  # the hands are not off yet
    assert table.press("y", 100.3) is Receiver.DRAFT
    table.below = ScreenBelow(draft=True, single="y")

    assert table.press("y", 100.3 + gap) is Receiver.DIALOG_AGAIN
    assert table.history.holds_answer(key("y", 100.3 + gap + 0.1))


def test_hands_that_type_slowly_answer_by_a_second_press_too() -> None:
    table = Table()
    for number in range(10):
        table.history.use(key("xz"[number % 2], number * 0.8))
    assert table.press("y", 101.0) is Receiver.DIALOG_IF_ALONE

    assert table.press_after("y", 101.0 + REPEAT) == ("", Receiver.DIALOG_AGAIN)
    assert table.guard.take(200.0, table.history) is None, "it has answered"


@pytest.mark.parametrize(
    ("keys", "below"),
    [
        ([("y", 0.3), ("y", 0.5)], ScreenBelow(draft=True, single="y")),  # a key that is held down
        ([("y", 0.3), ("n", 1.5)], ScreenBelow(draft=True, single="y")),
        ([("y", 0.3), ("x", 0.9), ("y", 2.0)], ScreenBelow(draft=True)),
        ([("x", 0.1), ("y", 0.9), ("y", 2.0)], ScreenBelow(draft=True)),
        ([("left", 0.1), ("y", 0.9), ("y", 2.0)], ScreenBelow(draft=True, single="y")),
        ([("y", -0.1), ("y", 2.0)], ScreenBelow(draft=True, single="y")),  # the first was before it
        ([("y", 0.3), ("y", 1.5)], ScreenBelow(draft=True)),  # there is more in the draft
        ([("y", 0.3), ("y", 1.5)], NOTHING),  # the chat has the keys
        ([("w", 0.3), ("w", 1.5)], ScreenBelow(draft=True, single="w")),  # no key of the dialog
    ],
)
def test_a_letter_that_is_not_pressed_again_alone_and_after_a_pause_writes(
    keys: list[tuple[str, float]], below: ScreenBelow
) -> None:
    table = Table(last=("enter", 99.9))
    for name, after in keys:
        assert table.press(name, 100 + after) is Receiver.DRAFT
        table.below = below


def test_a_letter_over_a_draft_does_not_answer_when_it_is_pressed_again() -> None:
    table = Table(ScreenBelow(draft=True, single="y"))

    assert [table.press("y", at) for at in (101.0, 102.0, 103.0)] == [Receiver.DRAFT] * 3


def test_presses_of_one_letter_are_no_rhythm_of_words() -> None:
    history = KeyHistory()
    for number in range(10):
        history.use(key("y", number * 0.8))

    assert history.alone == ALONE


@pytest.mark.parametrize(("gap", "alone"), [(0.1, ALONE), (0.3, ALONE), (0.5, 0.75), (0.85, SLOWEST)])
def test_a_letter_has_to_stay_alone_for_longer_after_hands_that_type_slowly(gap: float, alone: float) -> None:
    history = KeyHistory()
    for number in range(10):
        history.use(key("xz"[number % 2], number * gap))

    assert history.alone == pytest.approx(alone)


def test_pauses_between_words_are_no_rhythm() -> None:
    history = KeyHistory()
    for at, name in enumerate(["a", "b", "space", "c", "d"]):
        history.use(press(name, at * 2.0, printable=True))

    assert history.alone == ALONE


def test_a_key_of_no_answer_goes_into_an_empty_prompt_at_once() -> None:
    assert Table().press("w", 110.0) is Receiver.DRAFT


@pytest.mark.parametrize("name", ["enter", "ctrl+s"])
def test_a_key_that_sends_never_counts_before_the_user_has_turned(name: str) -> None:
    table = Table()

    assert table.press(name, 200.0) is Receiver.DRAFT


@pytest.mark.parametrize("below", [NOTHING, DRAFT])
@pytest.mark.parametrize("name", ["y", "enter", "z"])
def test_after_tab_a_key_counts_at_once(below: ScreenBelow, name: str) -> None:
    table = Table(below, last=("x", 99.9))

    assert table.press("tab", 100 + REACTION) is Receiver.NOBODY_TURNED
    assert table.press(name, 100 + REACTION + 0.05) is Receiver.DIALOG


def test_tab_belongs_to_the_text_just_after_a_key_or_before_anybody_can_have_seen_the_dialog() -> None:
    assert Table(DRAFT).press("tab", 100.1) is Receiver.NOBODY
    table = Table(DRAFT)
    table.press("x", 101.0)
    assert table.press("tab", 101.1) is Receiver.NOBODY
    assert table.press("tab", 101.5) is Receiver.NOBODY_TURNED


def test_tab_completes_while_completions_are_in_use() -> None:
    table = Table(COMPLETING, last=("@", 99.9))

    assert table.press("tab", 100.5) is Receiver.DRAFT
    assert table.press("tab", 100.5 + QUIET) is Receiver.NOBODY_TURNED


def test_hands_that_go_from_pane_to_pane_with_tab_turn_to_nothing_by_it() -> None:
    table = Table(last=("tab", 99.5))

    assert table.press("tab", 100.5) is Receiver.NOBODY
    assert table.press("y", 100.6) is Receiver.DRAFT
    assert table.press("tab", 100.6 + QUIET) is Receiver.NOBODY_TURNED


def test_letters_after_a_tab_that_came_in_one_read_with_it_are_a_paste() -> None:
    table = Table()

    assert table.press("tab", 101.0) is Receiver.NOBODY_TURNED
    assert table.press("y", 101.0) is Receiver.DIALOG_IF_ALONE
    assert table.press_after("i", 101.0001) == ("y", Receiver.DRAFT)
    assert table.press("y", 101.0002) is Receiver.DRAFT


def test_an_arrow_turns_over_an_empty_prompt_once_hands_were_off() -> None:
    assert Table().press("down", 100 + SHOWN_FOR) is Receiver.DIALOG
    assert Table().press("down", 100 + SHOWN_FOR - 0.01) is Receiver.DRAFT


def test_a_text_that_is_no_answer_goes_on_in_the_draft_also_after_tab() -> None:
    table = Table(DRAFT)
    table.press("tab", 101.0)

    assert table.press("w", 101.5) is Receiver.DRAFT
    assert table.press("a", 101.6) is Receiver.DRAFT


def test_a_field_of_the_dialog_takes_all_letters_once_the_user_has_turned() -> None:
    table = Table(DRAFT)
    table.press("tab", 101.0)

    for number, letter in enumerate("why w"):
        typed = key(letter, 101.1 + number * 0.01)
        decided = table.guard.decide(typed, table.history, DRAFT, bound=False, writes=True)
        assert decided == (None, Receiver.DIALOG)


def test_whoever_turned_long_ago_may_write_again() -> None:
    table = Table()
    table.press("tab", 101.0)

    assert table.press("y", 101.0 + 60) is Receiver.DIALOG_IF_ALONE


def test_soon_after_a_prompt_was_sent_letters_count_again() -> None:
    table = Table(last=("enter", 99.0))
    table.history.note_sent()

    assert table.press("y", 99.0 + SENT - 0.01) is Receiver.DRAFT
    table = Table(last=("enter", 99.0))
    table.history.note_sent()
    assert table.press("y", 99.0 + SENT + 0.01) is Receiver.DIALOG_IF_ALONE


@pytest.mark.parametrize("delay", [0.1, 0.25, 0.5, 0.69])
def test_the_key_of_the_answer_before_is_held_down_or_hit_twice_and_answers_nothing(delay: float) -> None:
    table = Table(drawn=100.0)
    table.history.answer(key("y", 99.9))
    table.guard.follows = True

    repeats = [99.9 + delay + number * 0.033 for number in range(60)]
    assert all(table.press("y", at) is Receiver.NOBODY for at in repeats)
    assert table.press("y", repeats[-1] + REPEAT + 0.01) is Receiver.DIALOG_IF_ALONE


def test_ten_questions_are_answered_on_purpose_in_about_a_second_each() -> None:
    history, now = KeyHistory(), 100.0
    for _ in range(10):
        guard = KeyGuard()
        guard.follows = True
        guard.note_drawn(now)
        pressed = max(now + 0.3, (history.last.at if history.last else 0.0) + REPEAT)
        assert guard.decide(key("y", pressed), history, DRAFT, bound=True) == (None, Receiver.DIALOG_IF_ALONE)
        now = pressed + history.alone
        assert guard.take(now, history) is not None

    assert now - 100 < 10


def test_a_question_that_comes_by_itself_over_a_draft_waits_for_tab_also_after_an_answer() -> None:
    table = Table(DRAFT)
    table.history.answer(key("y", 98.0))

    assert table.press("n", 101.0) is Receiver.DRAFT


def test_what_was_asked_for_counts_once_it_can_be_seen() -> None:
    table = Table(DRAFT)
    table.guard = KeyGuard()
    table.guard.note_asked_for()
    table.guard.note_drawn(100.0)

    assert table.press("y", 100 + SHOWN_FOR - 0.01) is Receiver.NOBODY
    assert table.press("y", 100 + SHOWN_FOR) is Receiver.DIALOG


def test_a_dialog_that_changes_is_guarded_again() -> None:
    table = Table(DRAFT)
    table.press("tab", 101.0)
    table.guard.restart(102.0)

    assert table.press("y", 102.5) is Receiver.DRAFT
    assert not table.guard.click(102.0 + SHOWN_FOR - 0.01)


def test_a_letter_for_what_was_here_before_is_for_nobody() -> None:
    table = Table()
    table.history.note_dialog_changed(102.0)
    table.guard.restart(102.0)

    assert table.press("y", 102.0 + REPEAT - 0.01) is Receiver.NOBODY
    assert table.press("n", 102.0 + REPEAT + 0.01) is Receiver.DIALOG_IF_ALONE


def test_the_next_of_a_queue_is_not_answered_before_it_can_be_seen() -> None:
    table = Table()
    table.history.answer(key("y", 99.9))
    table.guard.follows = True

    assert table.press("n", 100 + REACTION - 0.01) is Receiver.NOBODY
    assert table.press("n", 100 + REACTION + 0.01) is Receiver.DIALOG_IF_ALONE


def test_a_click_counts_once_the_answers_were_in_their_place_for_a_moment() -> None:
    table = Table(DRAFT)

    assert not table.guard.click(100 + SHOWN_FOR - 0.01)
    table.guard.note_answers_moved(101.0)
    assert not table.guard.click(101 + SHOWN_FOR - 0.01)
    assert table.guard.click(101 + SHOWN_FOR)
    assert table.press("y", 102.0) is Receiver.DIALOG


def test_escape_leaves_once_the_dialog_can_have_been_seen() -> None:
    assert Table(DRAFT).press("escape", 100.1) is Receiver.NOBODY
    assert Table(DRAFT).press("escape", 100 + REACTION) is Receiver.DIALOG
    assert Table(COMPLETING, last=("@", 99.9)).press("escape", 101.0) is Receiver.NOBODY


def test_before_it_is_drawn_no_key_is_for_it() -> None:
    table = Table()
    table.guard = KeyGuard()

    assert [table.press(name, 500.0) for name in ("y", "tab", "escape", "down")] == [
        Receiver.DRAFT,
        Receiver.NOBODY,
        Receiver.NOBODY,
        Receiver.DRAFT,
    ]
    assert not table.guard.click(501.0)


def test_an_enter_that_answered_and_is_still_down_sends_no_draft() -> None:
    history = KeyHistory()
    history.answer(key("enter", 100.0))

    assert all(history.holds_answer(key("enter", at)) for at in (100.5, 100.53, 100.56, 101.0))
    assert not history.holds_answer(key("enter", 101.0 + REPEAT))
    assert not history.holds_answer(key("w", 101.0))


@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_c82_r24_hands_of_every_rhythm_answer_nothing_and_lose_nothing(rhythm: str) -> None:
    trials = [try_hands(rhythm, 50, seed) for seed in range(4)]

    assert [wrong for trial in trials for wrong in (*trial.answered, *trial.lost)] == []
    assert sum(trial.keys for trial in trials) > 200


def test_a_key_that_comes_again_means_more_only_after_it_was_announced() -> None:
    history = KeyHistory()
    history.use(key("ctrl+c", 100.0))
    history.use(key("ctrl+c", 100.5))
    assert not history.is_again(3.0)

    history.announce()
    history.use(key("ctrl+c", 101.0))
    assert history.is_again(3.0)

    history.announce()
    history.use(key("x", 101.2))
    history.use(key("ctrl+c", 101.4))
    assert not history.is_again(3.0)

    history.announce()
    history.use(key("ctrl+c", 104.4))
    assert not history.is_again(3.0)


def test_a_held_key_is_distinguished_from_one_that_is_pressed_again() -> None:
    history = KeyHistory()
    history.use(key("ctrl+d", 100.0))
    assert not history.is_held
    history.use(key("ctrl+d", 100.03))
    assert history.is_held
    history.use(key("ctrl+d", 100.03 + REPEAT))
    assert not history.is_held


def test_a_key_that_puts_other_answers_there_chooses_none_of_them_while_it_is_held_down() -> None:
    table = Table()
    assert table.press("tab", 101.0) is Receiver.NOBODY_TURNED
    assert table.press("y", 102.0) is Receiver.DIALOG

    table.guard.note_answers_replaced(table.history)

    assert [table.press("y", at) for at in (102.5, 102.53, 102.56)] == [Receiver.NOBODY] * 3
    assert table.press("n", 102.6) is Receiver.DIALOG
