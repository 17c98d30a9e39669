"""Changes that no protocol tells: a command of the demo agent writes files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.conversation.session_start import KnownSession
from acp_tui.protocol.schema import SessionInfo
from acp_tui.session.entries import UserMessage, text_of
from acp_tui.session.session import Session
from acp_tui.store.agents import demo_launch
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.review.changes import ChangeReview, ChangesScreen, SeenChange
from acp_tui.ui.session_screen.review.restore import RestoreDialog
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.workspace import folder_events
from tests.conversation.talks import PLAIN, TRACKED
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def each_turn_waits_for_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine git takes longer than a turn waits for it, which then has no clear beginning."""
    monkeypatch.setattr("acp_tui.changes.tracker.PATIENCE", 10.0)


@asynccontextmanager
async def demo_in(folder: Path, settings: Settings = TRACKED) -> AsyncIterator[Seat]:
    """Sit before the demo agent, in a folder with one file."""
    (folder / "old.txt").write_text("one\ntwo\nthree\n")
    given = demo_launch()
    given.env["ACP_TUI_DEMO_SPEED"] = "0"  # type: ignore[index]  # the launch is ours alone
    async with seat(folder, settings, given=given) as here:
        tracking = here.conversation.tracker
        if tracking is not None:
            await here.until(lambda: tracking.first)
        yield here


async def run(here: Seat, line: str) -> None:
    """Have the agent run a command, and wait for the end of the turn."""
    await here.say(f"/run {line}")
    await here.is_before(PermissionDialog)
    await here.press("y")
    await here.until(lambda: here.app.screen is here.session and not here.conversation.is_busy)


def said(session: Session) -> str:
    """Return what the user said last."""
    return [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage)][-1]


@asynccontextmanager
async def two_changes(folder: Path) -> AsyncIterator[Seat]:
    """A user who looks at two changes that the agent has made in `long.txt`."""
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(40)))
    async with demo_in(folder) as here:
        await run(here, "sed -i -e 's/line 3$/third/' -e 's/line 30$/thirtieth/' long.txt")
        await here.sees("M long.txt")
        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("third", "thirtieth")
        yield here


@asynccontextmanager
async def a_line_more(folder: Path) -> AsyncIterator[Seat]:
    """The changes screen of a file at whose end the demo agent has put a line."""
    async with demo_in(folder) as here:
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("four")
        yield here


async def test_files_that_a_command_writes_are_in_the_changes_pane(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo x > new.txt; echo four >> old.txt")

        await here.sees("A new.txt  on disk", "M old.txt  on disk", "+2 −0")


async def test_what_happens_between_turns_is_marked(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        tracking = here.conversation.tracker
        assert tracking is not None
        (tmp_path / "old.txt").unlink()
        await tracking.look()

        await here.sees("D old.txt  outside a turn")


async def test_enter_in_one_write_with_the_key_of_the_changes_opens_them(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")

        here.press_together("f5", "enter")

        await here.is_before(ChangesScreen)
        await here.sees("1 changed file", "four")


async def test_a_file_is_rejected_in_the_changes_screen_and_that_is_undone(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo x > new.txt; echo four >> old.txt")
        await here.sees("M old.txt")
        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("2 changed files", "four", "/2 files")

        await here.press("P", "P")
        await here.sees("▶1/2 files")
        await here.press("N")
        await here.sees("▶2/2 files")
        rejected, kept = (
            ("new.txt", "old.txt")
            if here.text.index("old.txt") < here.text.index("new.txt")
            else (
                "old.txt",
                "new.txt",
            )
        )
        await here.press("R")
        await here.sees("1 changed file", f"All changes in {rejected} are rejected")
        assert (tmp_path / "new.txt").exists() == (kept == "new.txt")
        assert (tmp_path / "old.txt").read_text().endswith("three\n") == (kept == "new.txt")

        await here.press("u")
        await here.sees("2 changed files")
        assert (tmp_path / "new.txt").read_text() == "x\n"
        assert (tmp_path / "old.txt").read_text().endswith("four\n")


async def test_without_snapshots_only_reported_changes_are_shown(tmp_path: Path) -> None:
    async with demo_in(tmp_path, PLAIN) as here:
        await run(here, "echo x > new.txt")

        assert here.conversation.tracker is None
        assert "none yet" in next(row for row in here.text.splitlines() if "─ changes ─" in row)


async def test_the_files_are_restored_to_before_the_turn_after_a_look_and_that_is_undone(
    tmp_path: Path,
) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo early > early.txt")
        await run(here, "echo x > new.txt; rm old.txt; echo more >> early.txt")
        await here.sees("D old.txt")

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees(
            "A new.txt will be deleted: it did not exist",
            "D old.txt will be restored",
            "M early.txt will be reverted",
        )
        assert (tmp_path / "new.txt").exists(), "nothing is done before it is said"
        await here.press("y")
        await here.sees("Restored 3 files to the state before the last turn.")
        assert (tmp_path / "old.txt").read_text() == "one\ntwo\nthree\n"
        assert (tmp_path / "early.txt").read_text() == "early\n"
        assert not (tmp_path / "new.txt").exists()

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("No file has changed since the last turn began.")
        await here.press("u")
        await here.sees("Restored 3 files to the state before the restore.")
        assert (tmp_path / "new.txt").read_text() == "x\n"
        assert (tmp_path / "early.txt").read_text() == "early\nmore\n"
        assert not (tmp_path / "old.txt").exists()


async def test_permissions_that_a_restored_file_does_not_get_back_are_said(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        (tmp_path / "old.txt").chmod(0o644)
        await run(here, "chmod 666 old.txt; echo four >> old.txt")
        await here.sees("mode 644 → 666")

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.press("y")

        await here.sees(
            "Restored 1 file to the state before the last turn. Permissions differ", "old.txt: mode 644 → 666"
        )


async def test_a_snapshot_that_is_not_ready_yet_is_not_taken_for_no_changes(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo x > new.txt")
        tracking = here.conversation.tracker
        assert tracking is not None
        before, tracking.before = tracking.before, None

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("is not ready yet", "Another turn")
        await here.press("escape")
        await here.is_before(SessionScreen)

        tracking.before, tracking.is_late = before, True
        (tmp_path / "new.txt").unlink()
        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("before this snapshot was complete", "No file has changed since this snapshot.")


async def test_the_files_are_restored_to_before_an_earlier_turn(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo early > early.txt")
        await run(here, "echo x > new.txt")
        await here.sees("A new.txt")

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("A new.txt will be deleted")
        assert "early.txt will be deleted" not in here.text
        await here.press("t")
        await here.is_before(Menu)
        await here.sees("before turn 2", "before turn 1", "echo early > early.txt")
        await here.press("down", "enter")
        await here.is_before(RestoreDialog)
        await here.sees(
            "Restore files to before turn 1", "A early.txt will be deleted", "A new.txt will be deleted"
        )
        await here.press("y")

        await here.sees("Restored 2 files to the state before turn 1.")
        assert [each.name for each in tmp_path.glob("*.txt")] == ["old.txt"]
        note = here.conversation.rejections.note()
        assert "put these files back to their state before I said “/run echo early > early.txt”" in note


async def test_a_change_is_rejected_with_a_key_once_it_is_marked(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("r")
        await here.sees("r again rejects the marked change", "▶")
        assert "third\n" in (tmp_path / "long.txt").read_text()
        await here.press("n", "r")
        await here.sees("is rejected; u undoes it")
        text = (tmp_path / "long.txt").read_text()
        assert ("third\n" in text, "thirtieth\n" in text) == (True, False)

        await here.press("u")
        await here.sees("Rejection undone.")
        assert "thirtieth\n" in (tmp_path / "long.txt").read_text()


async def test_kept_changes_are_hidden_from_what_is_open_until_they_are_shown(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("a", "a")
        await here.until(lambda: "third\n" not in here.text and "thirtieth" in here.text)
        await here.sees("open changes", "thirtieth")
        await here.press("r")  # the next change was marked already
        await here.sees("is rejected; u undoes it", "1 kept")
        assert (tmp_path / "long.txt").read_text().count("line 30\n") == 1
        assert (tmp_path / "long.txt").read_text().count("third\n") == 1

        await here.press("v")
        await here.sees("third")
        await here.press("escape")
        await here.sees("M long.txt  ✓ kept")


async def test_keeping_is_undone_like_rejecting_the_last_step_first(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("ctrl+a")
        await here.sees("All changes kept (u to undo, v shows them).")
        await here.press("u")
        await here.sees("Change open again.", "third", "thirtieth")

        await here.press("n", "a")
        await here.sees("Change kept (u to undo")
        await here.press("r")
        await here.sees("is rejected; u undoes it")
        await here.press("u")
        await here.sees("Rejection undone.")
        await here.press("u")
        await here.sees("Change open again.", "third")
        await here.press("u")
        await here.sees("Nothing to undo.")


async def test_the_agent_hears_of_rejections_with_the_next_prompt_that_is_no_command(tmp_path: Path) -> None:
    async with a_line_more(tmp_path) as here:
        await here.press("n", "r")
        await here.sees("is rejected; u undoes it")
        await here.press("escape")

        await here.sees(
            "sent with your next prompt", "- rejected your change in old.txt, line 4", "Alt+T discard"
        )
        here.conversation.say("/scenes")
        await here.sees("this list")
        await here.until(lambda: not here.conversation.is_busy)
        assert here.conversation.rejections.note() != ""
        here.conversation.say("go on")
        session = here.conversation.session
        assert session is not None

        await here.until(lambda: "go on" in said(session))
        assert "rejected your change in old.txt, line 4" in said(session)
        assert here.conversation.rejections.note() == ""


async def test_a_note_of_rejections_can_be_dropped(tmp_path: Path) -> None:
    async with a_line_more(tmp_path) as here:
        await here.press("R")
        await here.sees(" are rejected")
        await here.press("escape")
        await here.sees("- rejected your changes in old.txt")

        await here.press("alt+t")

        await here.until(lambda: "rejected your changes" not in here.text)


@pytest.mark.parametrize("becomes", ["gone", "folder", "link"])
async def test_a_file_that_turns_into_something_else_in_mid_review_is_said_and_left_alone(
    tmp_path: Path, becomes: str
) -> None:
    async with a_line_more(tmp_path) as here:
        await here.press("n")
        await here.sees("change 1/1")
        file = tmp_path / "old.txt"
        file.unlink()
        if becomes == "folder":
            file.mkdir()
            (file / "inner").write_text("x")
        elif becomes == "link":
            (tmp_path / "other.txt").write_text("other\n")
            file.symlink_to("other.txt")

        await here.press("r")

        await here.until(lambda: "old.txt: " in here.text.splitlines()[0])
        assert "is rejected" not in here.text
        assert becomes != "folder" or (file / "inner").read_text() == "x"
        assert becomes != "link" or (tmp_path / "other.txt").read_text() == "other\n"


async def test_the_pane_shows_this_turn_or_the_whole_session_and_where_each_change_came_from(
    tmp_path: Path,
) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo x > first.txt")
        await here.sees("A first.txt")
        await run(here, "mv first.txt second.txt; chmod +x old.txt")
        await here.sees("A second.txt", "M old.txt", "executable")

        await here.press("alt+v")
        await here.is_before(Menu)
        await here.press("down", "enter")
        await here.sees("this turn", "R second.txt", "was first.txt")

        session = here.conversation.session
        assert session is not None
        newest = session.all_files[str(tmp_path / "second.txt")].origins[-1]
        assert newest.turn == 2
        assert "mv first.txt" in newest.title


@pytest.mark.parametrize("goes", ["with a key", "with the program"])
async def test_what_is_still_being_read_when_the_changes_are_closed_is_not_shown_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goes: str
) -> None:
    async with a_line_more(tmp_path) as here:
        screen = here.app.screen
        assert isinstance(screen, ChangesScreen)
        reading, may_end = asyncio.Event(), asyncio.Event()

        see = ChangeReview.see

        async def slowly(*what: Any, **how: Any) -> SeenChange:
            reading.set()
            await may_end.wait()
            return await see(*what, **how)

        monkeypatch.setattr(ChangeReview, "see", slowly)
        monkeypatch.setattr(DiffView, "on_unmount", lambda _: may_end.set(), raising=False)
        screen.action_show_kept()
        await reading.wait()
        if goes == "with a key":
            await here.press("escape")
            await here.until(may_end.is_set)
            assert here.app.screen is here.session
    assert may_end.is_set()


async def test_a_session_that_is_taken_up_has_its_changes_and_each_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    async with demo_in(work, Settings()) as here:
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt  on disk")
        assert here.conversation.session is not None
        session_id = here.conversation.session.id

    async with seat(work, Settings(), given=demo_launch()) as here:
        taken_up = KnownSession(SessionInfo(session_id=session_id, cwd=str(work)))
        await here.tabs.open(running=here.conversation.running, known_session=taken_up)
        await here.sees("M old.txt  on disk", "/run echo four >> old.txt")

        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("four", "turn 1", "/run echo four")
        await here.press("n", "r")
        await here.until(lambda: (work / "old.txt").read_text() == "one\ntwo\nthree\n")
        await here.press("u")
        await here.until(lambda: (work / "old.txt").read_text().endswith("four\n"))
        await here.press("escape")
        await here.is_before(SessionScreen)

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("M old.txt will be reverted")
        await here.press("y")
        await here.sees("Restored 1 file to the state before the last turn.")
        assert (work / "old.txt").read_text() == "one\ntwo\nthree\n"


async def test_before_any_turn_alt_u_says_that_none_has_begun(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.press("alt+u")
        await here.is_before(RestoreDialog)

        await here.sees("No turn has begun yet.")


async def test_where_snapshots_are_gone_the_pane_and_alt_u_say_since_when(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await run(here, "echo x > new.txt")
        await here.sees("A new.txt")
        tracking = here.conversation.tracker
        assert tracking is not None
        tracking.before, tracking.lost = None, "The snapshots of this session were removed."
        await run(here, "echo y > newer.txt")
        await here.sees("The snapshots of this session")
        tracking.before = None

        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.sees("The snapshots of this session were removed.")


async def test_where_nothing_is_watched_a_change_is_seen_when_a_call_ends_or_the_user_goes_to_the_pane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_events, "RustNotify", refuse)
    async with demo_in(tmp_path) as here:
        await here.sees("The workspace cannot be watched")
        await here.say("/run echo four >> old.txt")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.sees("M old.txt")
        await here.until(lambda: not here.conversation.is_busy)

        (tmp_path / "by-hand.txt").write_text("1\n")
        await here.press("f5")

        await here.sees("A by-hand.txt")
