"""Tests of `ui/session_screen/review/restore.py`."""

from __future__ import annotations

import pytest

from acp_tui.changes.tree import ChangedFile
from acp_tui.ui.session_screen.review.restore import RestoreDialog
from tests.ui.screens.dialogs import STYLES, shown


async def test_where_the_snapshot_came_late_nothing_is_said_of_the_beginning_of_the_turn() -> None:
    late = RestoreDialog((), STYLES, can_undo=False, is_late=True)
    async with shown(late, (120, 24)) as (app, _):
        assert "The agent may have started before this snapshot" in app.text
        assert "No file has changed since this snapshot." in app.text


@pytest.mark.slow
async def test_where_it_came_in_time_the_beginning_of_the_turn_is_named() -> None:
    async with shown(RestoreDialog((), STYLES, can_undo=False, is_late=False)) as (app, _):
        assert "No file has changed since the last turn began." in app.text
        assert "may have started" not in app.text


async def test_a_file_of_which_only_the_mode_changed_gets_only_that_back() -> None:
    changes = [
        ChangedFile("run.sh", "M", "run.sh", old_mode=0o100644, new_mode=0o100755, old_id="1", new_id="1"),
        ChangedFile("a", "M", "a", old_mode=0o100644, new_mode=0o100644, old_id="1", new_id="2"),
    ]
    async with shown(RestoreDialog(changes, STYLES, can_undo=False, is_late=False)) as (app, _):
        assert "run.sh gets the permissions it had" in app.text
        assert "a will be reverted" in app.text


async def test_a_file_that_may_be_older_is_said_to_stay() -> None:
    env = ChangedFile(".env", "A", ".env", old_mode=0, new_mode=0o100644, old_id="", new_id="1", is_kept=True)
    async with shown(RestoreDialog([env], STYLES, can_undo=False, is_late=False)) as (app, _):
        assert ".env stays: it may have been there before" in app.text
        assert "deleted" not in app.text
