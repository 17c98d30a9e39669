"""Notes on lines, as the user writes them in the changes screen and sends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.session.entries import UserMessage, text_of
from acp_tui.session.line_notes import note_on
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.review.blame import BlameScreen
from acp_tui.ui.screens.review.changes import ChangesScreen
from acp_tui.ui.screens.review.notes import NoteDialog, PassageScreen
from acp_tui.ui.screens.review.tool_call import ToolCallScreen
from acp_tui.ui.session_screen.review.notes import NotesMenu
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.rows.note_field import NoteField
from tests.ui.seats import Seat
from tests.ui.test_changed_files import demo_in, run, two_changes

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def each_turn_waits_for_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.changes.tracker.PATIENCE", 10.0)


async def note(here: Seat, text: str, *keys: str) -> None:
    """Write a note where the keys are, after some more keys in its field."""
    await here.press("w")
    await here.until(lambda: isinstance(here.app.focused, NoteField))
    await here.press(*keys)
    field = here.app.focused
    assert isinstance(field, NoteField)
    field.insert(text)
    await here.press("enter")
    await here.until(lambda: not isinstance(here.app.focused, NoteField))


def prompts(here: Seat) -> list[str]:
    """Return what the user has sent."""
    session = here.conversation.session
    assert session is not None
    return [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage)]


async def test_a_note_on_a_change_is_flagged_counted_and_sent_with_the_next_prompt(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.sees("w Write a note")
        await here.press("n")
        await note(here, "Why?")

        await here.sees("1 note", "⚑  Why?", "4⚑+ third")
        await here.press("escape", "escape")
        await here.sees("1 note goes with the next prompt")
        await here.say("look")

        await here.until(lambda: "long.txt:4\n> third\nWhy?" in prompts(here)[-1])
        await here.until(lambda: "goes with the next prompt" not in here.text)


async def test_several_lines_are_noted_and_a_removed_one_is_called_so(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await note(here, "All of it?", "up", "up", "up", "shift+down", "shift+down")
        await here.press("n")
        await note(here, "Keep it.", "left")
        await here.sees("4⚑− line 3")
        await here.press("s")
        await here.sees("4    ⚑− line 3")

        told = [(one.subject, one.quoted) for one in here.conversation.line_notes.notes.values()]
        assert told == [
            ("file", ("line 0", "line 1", "line 2")),
            ("removed", ("line 3",)),
        ]


async def test_enter_edits_a_note_and_delete_drops_it(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await note(here, "one")
        await here.press("n")
        await note(here, "two")
        await here.press("full_stop", "full_stop", "enter")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.press("!", "enter")
        await here.until(lambda: "two!" in here.text or "one!" in here.text)

        await here.press("comma", "delete")
        await here.until(lambda: len(here.conversation.line_notes) == 1)
        await here.sees("1 note")


async def test_an_empty_note_is_none_and_escape_leaves_the_field(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await note(here, "  ")
        await here.press("w")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.press("x", "escape")

        await here.until(lambda: not isinstance(here.app.focused, NoteField))
        assert isinstance(here.app.screen, ChangesScreen)
        assert len(here.conversation.line_notes) == 0


async def test_a_note_follows_its_line_and_says_what_became_of_it(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("n")
        await note(here, "Why?")
        await here.press("escape", "escape")
        path = tmp_path / "long.txt"
        text = path.read_text()
        path.write_text(f"new\n{text}")
        await here.say("/notes")
        await here.is_before(NotesMenu)
        await here.sees("long.txt:5 (moved from line 4)")
        await here.press("escape")

        path.write_text(text.replace("third", "3rd"))
        await here.say("/notes")
        await here.is_before(NotesMenu)
        await here.sees("long.txt:5 (these lines are gone)")
        await here.press("escape")
        await here.sees("1 on lines that are gone")

        path.unlink()
        await here.say("/notes")
        await here.is_before(NotesMenu)
        await here.sees("(the file is gone)")


async def test_a_note_goes_along_when_its_file_is_renamed(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("n")
        await note(here, "Why?")
        await here.press("escape", "escape")
        await run(here, "mv long.txt renamed.txt; echo two > other.txt")
        await here.sees("renamed.txt", "A other.txt")

        await here.say("/notes")
        await here.is_before(NotesMenu)
        await here.sees("renamed.txt:4 (moved from long.txt:4)")


async def test_a_field_for_a_note_keeps_its_lines_while_the_file_changes(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("n", "w")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.sees("long.txt:4")
        text = (tmp_path / "long.txt").read_text()
        here.app.screen.query_one(NotedDiffView).show([FileDiff("long.txt", text, f"new\n{text}")])

        await here.sees("long.txt:5")
        await here.press(*"Why?", "down", "enter")
        await here.until(lambda: len(here.conversation.line_notes) == 1)
        told = next(iter(here.conversation.line_notes.notes.values()))
        assert (told.quoted, told.first) == (("line 4",), 6)


async def test_a_field_for_a_note_goes_to_other_lines_when_its_own_are_gone(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await here.press("n", "w")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        text = (tmp_path / "long.txt").read_text()
        view = here.app.screen.query_one(NotedDiffView)
        view.show([FileDiff("long.txt", text, text.replace("third", "3rd"))])

        await here.until(lambda: any("Look where your note is" in one.message for one in here.notices))
        await here.press(*"Why?", "enter")
        await here.until(lambda: len(here.conversation.line_notes) == 1)


async def test_notes_are_edited_dropped_and_sent_from_their_list(tmp_path: Path) -> None:
    async with two_changes(tmp_path) as here:
        await note(here, "one")
        await note(here, "two", "down")
        await here.press("escape", "escape")
        await here.say("/notes")
        await here.is_before(NotesMenu)
        await here.press("enter")
        await here.is_before(NoteDialog)
        await here.press("ctrl+j", "x", "enter")
        await here.is_before(NotesMenu)
        assert [one.text for one in here.conversation.line_notes.notes.values()] == ["one\nx", "two"]

        await here.press("down", "delete")
        await here.until(lambda: len(here.conversation.line_notes) == 1)
        await here.press("down", "enter")

        await here.until(lambda: "See my notes." in prompts(here)[-1] and "one\nx" in prompts(here)[-1])


async def test_unsent_notes_are_there_in_the_next_run(tmp_path: Path) -> None:
    settings = Settings()
    async with demo_in(tmp_path, settings) as here:
        here.conversation.line_notes.add(
            note_on(["one", "two", "three"], 1, 1, "Why?", path=str(tmp_path / "old.txt"))
        )
        await here.sees("1 note goes with the next prompt")
    async with demo_in(tmp_path, settings) as here:
        await here.sees("1 note goes with the next prompt")

        await here.say("look")
        await here.until(lambda: prompts(here) and "Why?" in prompts(here)[-1])
    async with demo_in(tmp_path, settings) as here:
        assert len(here.conversation.line_notes) == 0


async def test_a_proposed_edit_is_noted_in_its_question(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.say("/file")
        await here.is_before(PermissionDialog)
        await here.press("z")
        await here.sees("w note")
        await here.press("w")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.press(*"Why?", "enter")
        await here.sees("⚑  Why?", "1 note")
        assert [one.subject for one in here.conversation.line_notes.notes.values()] == ["proposed"]

        await here.press("escape")
        await here.is_before(PermissionDialog)
        await here.pilot.pause()
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.until(lambda: not here.conversation.is_busy)
        await here.say("look")

        await here.until(lambda: "demo-tally.py:1\n" in prompts(here)[-1])


async def test_a_note_in_a_question_is_a_key_away_and_leads_back_to_the_answers(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.say("/file")
        await here.is_before(PermissionDialog)
        await here.sees("w note")
        await here.press("w")
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.sees("demo-tally.py:1 (proposed)")
        await here.press(*"Why?", "enter")

        await here.sees("⚑  Why?", "w note", "z maximize")
        await here.press("y")
        await here.until(lambda: not here.conversation.is_busy)


async def test_a_line_of_an_edit_is_noted_in_its_tool_call(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        here.conversation.choices.set_policy("allow-everything")
        await here.say("/file")
        await here.sees("teaches it to print JSON")
        await here.until(lambda: not here.conversation.is_busy)
        await here.press("ctrl+o")
        await here.is_before(ToolCallScreen)
        await here.sees("w Write a note", "import sys")
        await note(here, "Why?", "down", "down")

        await here.sees("⚑  Why?", "1 note")
        told = next(iter(here.conversation.line_notes.notes.values()))
        assert (told.subject, told.first, told.quoted) == ("file", 3, ("import sys",))


async def test_in_a_folder_without_git_notes_work_all_the_same(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        assert not (tmp_path / ".git").exists()
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.press("f5", "enter")
        await here.is_before(ChangesScreen)
        await here.sees("four")
        await note(here, "Why?")

        assert [one.path for one in here.conversation.line_notes.notes.values()] == [
            str(tmp_path / "old.txt")
        ]


async def test_a_passage_of_an_answer_is_quoted_and_replied_to(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.say("/markdown")
        await here.until(lambda: not here.conversation.is_busy and "Small headings" in here.text)
        await here.press("f2", "greater_than_sign")
        await here.is_before(PassageScreen)
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.press("down", "down", "shift+down")
        await here.sees("lines 3-4")
        await here.press("W", "h", "y", "enter")

        await here.sees("1 note goes with the next prompt")
        await here.press("escape")
        await here.say("look")
        await here.until(lambda: "your answer\n> A paragraph with" in prompts(here)[-1])


async def test_a_step_of_the_plan_is_quoted(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.press("f3", "greater_than_sign")
        await here.until(lambda: any("No plan yet" in one.message for one in here.notices))
        await here.press("escape")
        await here.say("/plan")
        await here.sees("All five steps are done", "Describe it in")
        await here.press("f3", "greater_than_sign")
        await here.is_before(PassageScreen)
        await here.until(lambda: isinstance(here.app.focused, NoteField))
        await here.press("x", "enter")
        await here.until(lambda: len(here.conversation.line_notes) == 1)

        note = next(iter(here.conversation.line_notes.notes.values()))
        assert (note.subject, note.text) == ("plan", "x")


async def test_a_line_of_any_file_is_noted_in_its_blame(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        await here.say("/blame old.txt")
        await here.is_before(BlameScreen)
        await here.sees("three")
        await note(here, "Why?", "down")

        await here.until(lambda: len(here.conversation.line_notes) == 1)
        told = next(iter(here.conversation.line_notes.notes.values()))
        assert (told.path, told.first, told.quoted) == (str(tmp_path / "old.txt"), 2, ("two",))
