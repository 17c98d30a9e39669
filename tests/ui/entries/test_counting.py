"""How much an edit changes."""

from __future__ import annotations

import pytest

from acp_tui.session.files import Edit
from acp_tui.ui.entries import counting
from acp_tui.ui.entries.counting import EditCounts


def test_each_edit_of_a_file_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(old: str | None, new: str) -> tuple[int, int] | None:
        asked.append(new)
        return counting._counts(old, new)

    monkeypatch.setattr(counting, "counted", counted)
    counts = EditCounts()
    edits = [Edit("a\n", "b\nc\n")]
    assert counts.of(edits) == [(2, 1)]

    edits.append(Edit(None, "new\n"))
    assert counts.of(edits) == [(2, 1), (1, 0)]
    assert asked == ["b\nc\n", "new\n"]


def test_an_edit_that_takes_the_place_of_another_is_counted_anew() -> None:
    counts = EditCounts()
    counts.of([Edit("a\n", "b\n")])

    assert counts.of([Edit("a\n", "b\nc\nd\n")]) == [(3, 1)]
