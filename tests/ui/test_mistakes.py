"""What is left on the terminal when the interface ends by a mistake of ours."""

import traceback

import pytest

from acp_tui.ui.mistakes import left_of


def failing() -> BaseException:
    token = "a-secret-that-is-nobodys-business"
    try:
        raise ValueError(f"\x1b[2J{len(token)}")
    except ValueError as error:
        return error


def test_the_traceback_is_told_without_the_values_of_variables_and_without_control_characters() -> None:
    left = left_of(failing())

    assert "ValueError" in left
    assert "in failing" in left
    assert "a-secret" not in left.replace('token = "a-secret-that-is-nobodys-business"', "")
    assert "\x1b" not in left
    assert left.endswith("sessions are on disk.")


def test_a_mistake_that_cannot_be_shown_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> list[str]:
        raise RuntimeError("no lines")

    monkeypatch.setattr(traceback, "format_exception", fails)

    assert left_of(failing()).strip().startswith("This is a mistake of acp-tui.")
