"""When a key is meant for a dialog."""

import pytest

from acp_tui.ui.screens.typing_pause import PAUSE, REPEAT, TypingPause


def test_a_key_right_after_the_dialog_appeared_is_not_meant_for_it() -> None:
    assert not TypingPause(10.0).key(10.1)


def test_a_key_after_the_pause_is_meant_for_it() -> None:
    assert TypingPause(10.0).key(10.0 + PAUSE)


def test_typing_at_twenty_keys_a_second_never_answers_however_long_it_lasts() -> None:
    pause = TypingPause(10.0)

    typed = "yes and now delete all of it"
    times = [10.0 + number * 0.05 for number in range(400)]
    assert not any(pause.key(at, typed[number % len(typed)]) for number, at in enumerate(times))
    assert pause.key(times[-1] + PAUSE, "y")


def test_a_key_typed_before_the_dialog_appeared_does_not_count_when_it_comes_late() -> None:
    pause = TypingPause(10.0)

    assert not pause.key(9.5)
    assert pause.left(10.0) == pytest.approx(PAUSE)


def test_a_second_key_is_free_once_one_was_meant() -> None:
    pause = TypingPause(10.0)

    assert pause.key(11.0)
    assert pause.key(11.01)


def test_the_window_coming_to_the_front_starts_the_pause_anew() -> None:
    pause = TypingPause(10.0)

    pause.restart(20.0)

    assert pause.left(20.1) > 0
    assert pause.left(20.0 + PAUSE) <= 0


@pytest.mark.parametrize("delay", [0.25, 0.5, 0.66])
def test_a_key_that_is_held_down_since_before_the_dialog_never_answers(delay: float) -> None:
    """Keyboards wait before they repeat a key, often longer than the pause."""
    pause = TypingPause(10.0, last=("y", 9.95), answering="y")

    repeats = [9.95 + delay + number * 0.033 for number in range(100)]
    assert not any(pause.key(at, "y") for at in repeats)
    assert pause.key(repeats[-1] + REPEAT + 0.01, "y")


def test_a_key_that_is_held_down_since_the_pause_never_answers_either() -> None:
    pause = TypingPause(10.0, answering="y")

    assert not pause.key(10.2, "y")
    assert not pause.key(10.2 + 0.66, "y")


def test_after_a_key_that_answers_the_pause_is_as_long_as_keys_may_be_held() -> None:
    """So that nobody is told that keys count while theirs does not."""
    pause = TypingPause(10.0, last=("y", 9.9), answering={"y", "n"})

    assert pause.left(10.0 + PAUSE) > 0
    assert pause.left(9.9 + REPEAT + 0.01) <= 0


def test_a_key_that_answers_nothing_may_be_the_same_again() -> None:
    assert TypingPause(10.0, last=("escape", 9.95), answering="yn").key(10.0 + PAUSE, "escape")
    assert TypingPause(10.0, last=("y", 9.0), answering="yn").key(10.0 + PAUSE, "y")
