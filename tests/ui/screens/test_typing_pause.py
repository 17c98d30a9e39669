"""When a key is meant for a dialog."""

import pytest

from acp_tui.ui.screens.typing_pause import PAUSE, TypingPause


def test_a_key_right_after_the_dialog_appeared_is_not_meant_for_it() -> None:
    assert not TypingPause(10.0).key(10.1)


def test_a_key_after_the_pause_is_meant_for_it() -> None:
    assert TypingPause(10.0).key(10.0 + PAUSE)


def test_typing_at_twenty_keys_a_second_never_answers_however_long_it_lasts() -> None:
    pause = TypingPause(10.0)

    assert not any(pause.key(10.0 + number * 0.05) for number in range(400))
    assert pause.key(10.0 + 399 * 0.05 + PAUSE)


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
