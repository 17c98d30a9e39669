"""Proposed texts in the user's editor, before they are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

from acp_tui.session.entries import Diff, ToolCall
from acp_tui.session.questions import OldText, StaleWrite
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.questions.permission import PermissionAnswer, PermissionDialog
from acp_tui.ui.screens.questions.proposals import proposals
from acp_tui.ui.screens.questions.stale_write import StaleWriteAnswer, StaleWriteDialog
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.permissions import asks
from tests.ui.screens.stage import until

opened_at: list[int | None] = []
"""The lines at which the editor was opened."""


class Editor(Protocol):
    """Sets what the editor saves, and its problem."""

    def __call__(self, saved: str, problem: str = "") -> None: ...


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    saves = ["", ""]

    async def edited(app: object, path: Path, line: int | None) -> str:
        opened_at.append(line)
        path.write_text(path.read_text() if saves[0] == "same" else saves[0])
        return saves[1]

    monkeypatch.setattr("acp_tui.ui.screens.questions.proposals.open_in_editor", edited)

    def set_up(saved: str, problem: str = "") -> None:
        opened_at.clear()
        saves[:] = [saved, problem]

    return set_up


def found(paths: Sequence[str]) -> dict[str, OldText]:
    return {path: OldText("one\ntwo\n") for path in paths}


def question(*diffs: Diff) -> PermissionDialog:
    return asks(ToolCall("t", "Edit a", "edit", content=list(diffs)), find=found)


def left(home: Path) -> list[str]:
    """Return the edited texts that are on disk."""
    return [path.read_text() for path in (home / "data" / "edits").rglob("*") if path.is_file()]


def test_a_proposal_is_the_whole_file_also_for_a_snippet() -> None:
    (one,) = proposals([Diff("/w/a", "2", "none")], found)
    assert one.problem == "its old text is not in the file"
    (one,) = proposals([Diff("/w/a", "2", "two"), Diff("/w/a", "1", "one")], None)
    assert (one.now, one.text) == ("two", "1"), "each of these is a whole file"
    (one, _) = proposals([Diff("/w/a", "TWO", "two"), Diff("/w/b", "x")], found)
    assert (one.now, one.text) == ("one\ntwo\n", "one\nTWO\n")


def test_a_file_that_is_deleted_or_moved_has_no_text_to_edit() -> None:
    for diff in (Diff("/w/a", "", "one", "delete"), Diff("/w/a", "x", None, "move", "/w/b")):
        (one,) = proposals([diff], found)
        assert one.problem == "the agent sent no new text for it"


async def test_what_is_saved_is_allowed_in_place_of_what_was_proposed(editor: Editor) -> None:
    editor("mine\n")
    async with shown(question(Diff("/w/a", "TWO\n", "two\n"))) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == PermissionAnswer("y1")
        (amendment,) = app.result.amendments
        assert (amendment.path, amendment.proposed, amendment.edited) == ("/w/a", "one\nTWO\n", "mine\n")
        assert amendment.kept.read() == "mine\n"


@pytest.mark.parametrize(
    ("saved", "problem", "kept"),
    [("same", "", []), ("\n", "", []), ("half", "vi exited with code 3.", ["half"])],
)
async def test_unchanged_empty_or_failed_the_question_stays_open(
    editor: Editor, tmp_path: Path, saved: str, problem: str, kept: list[str]
) -> None:
    editor(saved, problem)
    async with shown(question(Diff("/w/a", "TWO\n", "two\n"))) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: bool(list(app._notifications)))

        assert app.result is NOTHING
        assert left(tmp_path) == kept
        (notice,) = app._notifications
        assert problem in notice.message


@pytest.mark.slow
async def test_of_several_files_one_is_chosen_and_the_answer_follows(editor: Editor) -> None:
    editor("mine\n")
    async with shown(question(Diff("/w/a", "A\n"), Diff("/w/b", "B\n")), (120, 40)) as (app, pilot):
        dialog = app.screen
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Menu))
        await pilot.press("2")
        await until(pilot, lambda: app.screen is dialog and "edited by you" in app.text)
        assert app.result is NOTHING

        await until(pilot, lambda: getattr(dialog, "armed", False) and "just changed" not in app.text)
        await pilot.press("y")

        await until(pilot, lambda: app.result is not NOTHING)
        assert isinstance(app.result, PermissionAnswer)
        assert [one.path for one in app.result.amendments] == ["/w/b"]


async def test_a_place_that_is_not_clear_is_said_and_nothing_is_opened(editor: Editor) -> None:
    editor("mine\n")
    async with shown(question(Diff("/w/a", "x", "o"))) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: bool(list(app._notifications)))

        (notice,) = app._notifications
        assert "a cannot be edited here: its old text is found 2 times in the file." in notice.message
        assert app.result is NOTHING


async def test_a_merge_is_edited_and_then_written(editor: Editor) -> None:
    editor("both\n")
    asked = StaleWrite("q", "/w/a", "theirs\n", "mine\n", "one\n", merged="<<<<<<<\n", conflicts=1)
    dialog = StaleWriteDialog(asked, agent="demo", cwd="/w", styles=STYLES)
    async with shown(dialog, (110, 40)) as (app, pilot):
        assert "1 conflict, marked in the file" in app.text
        assert "what a merge would change" in app.text
        await pilot.press("e")
        await until(pilot, lambda: app.result is not NOTHING)

        assert isinstance(app.result, StaleWriteAnswer)
        assert app.result.choice == "merge"
        assert app.result.amendment is not None
        assert (app.result.amendment.proposed, app.result.amendment.edited) == ("<<<<<<<\n", "both\n")


async def test_the_editor_opens_at_the_first_change_or_the_first_conflict(editor: Editor) -> None:
    editor("mine\n")
    async with shown(question(Diff("/w/a", "TWO", "two")), (110, 40)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: app.result is not NOTHING)
        assert opened_at == [2]

    editor("mine\n")
    async with shown(question(Diff("/w/a", "new\n")), (110, 40)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: app.result is not NOTHING)
        assert opened_at == [1], "all of it is replaced"

    editor("both\n")
    merged = "ONE\n2\n<<<<<<< on disk\n3\n=======\n4\n>>>>>>> the agent\n"
    asked = StaleWrite("q", "/w/a", "one\n2\n3\n", "ONE\n2\n4\n", "one\n2\n", merged=merged, conflicts=1)
    dialog = StaleWriteDialog(asked, agent="demo", cwd="/w", styles=STYLES)
    async with shown(dialog, (110, 40)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: app.result is not NOTHING)
        assert opened_at == [3]
