"""The layout of differences that is kept from one run to the next."""

from __future__ import annotations

from pathlib import Path

from acp_tui.ui.widgets.diff.preferences import SavedDiffPreferences


def test_what_was_chosen_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "differences.json"
    first = SavedDiffPreferences(path)
    assert (first.wraps, first.sides) == (None, None)
    first.wraps, first.sides = True, False
    first.keep()

    again = SavedDiffPreferences(path)

    assert (again.wraps, again.sides) == (True, False)


def test_a_broken_file_is_as_none_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "differences.json"
    path.write_text("{")
    habits = SavedDiffPreferences(path)
    assert (habits.wraps, habits.sides) == (None, None)
    habits.keep()  # what the user may want to put right is not written over
    assert path.read_text() == "{"

    path.write_text('{"wraps": "yes", "sides": 3}')
    assert (SavedDiffPreferences(path).wraps, SavedDiffPreferences(path).sides) == (None, None)
