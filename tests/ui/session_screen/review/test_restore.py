"""Tests of `ui/session_screen/review/restore.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typing_extensions import override

from acp_tui.changes.git_tree import ChangedFile
from acp_tui.changes.tracker import NO_TURN, ChangeTracker
from acp_tui.conversation.state import ConversationState
from acp_tui.protocol.schema import TextContent, UserMessageChunk
from acp_tui.session.session import Session
from acp_tui.ui.session_screen.review.restore import (
    RestoreDialog,
    SnapshotChanges,
    why_no_snapshot,
    without_tracking,
)
from tests.conversation.talks import start
from tests.ui.screens.dialogs import NOTHING, STYLES, shown


async def test_where_the_snapshot_came_late_nothing_is_said_of_the_beginning_of_the_turn() -> None:
    late = RestoreDialog(SnapshotChanges(is_late=True), STYLES, can_undo=False)
    async with shown(late, (120, 24)) as (app, _):
        assert "The agent may have started before this snapshot" in app.text
        assert "No file has changed since this snapshot." in app.text


@pytest.mark.slow
async def test_where_it_came_in_time_the_beginning_of_the_turn_is_named() -> None:
    async with shown(RestoreDialog(SnapshotChanges(), STYLES, can_undo=False)) as (app, _):
        assert "No file has changed since the last turn began." in app.text
        assert "may have started" not in app.text


async def test_a_file_of_which_only_the_mode_changed_gets_only_that_back() -> None:
    changes = [
        ChangedFile("run.sh", "M", "run.sh", old_mode=0o100644, new_mode=0o100755, old_id="1", new_id="1"),
        ChangedFile("a", "M", "a", old_mode=0o100644, new_mode=0o100644, old_id="1", new_id="2"),
    ]
    async with shown(RestoreDialog(SnapshotChanges(changes), STYLES, can_undo=False)) as (app, _):
        assert "run.sh gets the permissions it had" in app.text
        assert "a will be reverted" in app.text


async def test_a_file_that_may_be_older_is_said_to_stay() -> None:
    env = ChangedFile(".env", "A", ".env", old_mode=0, new_mode=0o100644, old_id="", new_id="1", is_kept=True)
    async with shown(RestoreDialog(SnapshotChanges([env]), STYLES, can_undo=False)) as (app, _):
        assert ".env stays: it may have been there before" in app.text
        assert "deleted" not in app.text


async def test_enter_takes_nothing_until_a_row_is_chosen_and_letters_still_count() -> None:
    changed = ChangedFile("a", "M", "a", old_mode=0o100644, new_mode=0o100644, old_id="1", new_id="2")
    for keys, answer in ((("enter", "y"), "restore"), (("down", "down", "enter"), "undo")):
        dialog = RestoreDialog(SnapshotChanges([changed]), STYLES, can_undo=True)
        async with shown(dialog) as (app, pilot):
            assert "↑↓ move   Enter choose   Esc close" in app.text
            await pilot.press(*keys[:-1])
            assert app.result is NOTHING
            assert dialog.armed
            await pilot.press(keys[-1])

            assert app.result == answer


class NothingBegun(ChangeTracker):
    def __init__(self) -> None:
        """Track nothing."""

    @override
    def why_no_snapshot(self) -> str:
        return NO_TURN


def test_prompts_that_are_older_than_the_session_here_have_no_snapshot(tmp_path: Path) -> None:
    conversation = ConversationState(start(tmp_path), None)
    conversation.session = Session("s", str(tmp_path))
    assert why_no_snapshot(conversation, NothingBegun()) == NO_TURN

    told = UserMessageChunk(session_update="user_message_chunk", content=TextContent(type="text", text="hi"))
    conversation.session.apply(told)
    assert "The prompts above are older" in why_no_snapshot(conversation, NothingBegun())


def test_a_session_that_is_not_open_yet_says_so_and_nothing_of_snapshots(tmp_path: Path) -> None:
    conversation = ConversationState(start(tmp_path), None)
    assert without_tracking(conversation) == "The session is not open yet. Try again in a moment."

    conversation.phase = "ready"
    assert without_tracking(conversation).startswith("This workspace has no snapshots")
