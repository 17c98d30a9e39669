"""The row of hints of a dialog."""

from __future__ import annotations

from acp_tui.ui.screens.hint_row import hint_row

HINTS = [("↑↓ Enter", "choose"), ("r", "reject with a reason"), ("m", "rule"), ("Esc", "later")]


def test_hints_stand_apart_as_far_as_there_is_room() -> None:
    assert hint_row(HINTS, 80, "…").plain == "↑↓ Enter choose   r reject with a reason   m rule   Esc later"
    assert hint_row(HINTS, 59, "…").plain == "↑↓ Enter choose  r reject with a reason  m rule  Esc later"


def test_the_way_out_stays_and_what_is_left_out_has_a_mark() -> None:
    assert hint_row(HINTS, 56, "…").plain == "↑↓ Enter choose  r reject with a reason  …  Esc later"
    assert hint_row(HINTS, 30, "…").plain == "↑↓ Enter choose  …  Esc later"
    assert hint_row(HINTS, 12, "~").plain == "~  Esc later"
    assert hint_row(HINTS[-1:], 20, "…").plain == "Esc later"
