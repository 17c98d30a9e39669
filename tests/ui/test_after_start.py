"""Disk space of recorded sessions, freed after the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.settings import JournalBudget
from acp_tui.ui.after_start import free_space
from tests.old_journals import journal
from tests.ui.seats import seat


def test_what_was_deleted_is_said_and_nothing_is_where_nothing_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    (tmp_path / "data").mkdir()
    folder = tmp_path / "data" / "journals"
    journal(folder, "new", 1)
    journal(folder, "old", 100)

    assert free_space(JournalBudget()) == ""
    assert free_space(JournalBudget(max_size=1500)).startswith("1 of them, last used before ")
    assert [path.name for path in folder.iterdir()] == ["new.ndjson"]
    assert free_space(JournalBudget(max_size=1)) == ""


@pytest.mark.slow
async def test_a_text_that_was_being_edited_when_the_program_was_killed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    left = tmp_path / "data" / "edits" / "open-1"
    left.mkdir(parents=True)
    (left / "a.py").write_text("mine")
    async with seat(tmp_path) as here:
        await here.until(lambda: any(notice.title == "Edited text" for notice in here.notices))

        (told,) = [notice.message for notice in here.notices if notice.title == "Edited text"]
        assert Path(told.removeprefix("You were editing this when acp-tui ended: ")).read_text() == "mine"
