"""The title of the changes pane: what is counted, and how long the disk has been looked at."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from acp_tui.changes.untracked import Untracked
from acp_tui.session.events import SessionChange, WorkspaceCompared, Wrote
from acp_tui.session.file_changes import DiskState
from acp_tui.session.session import Session
from acp_tui.ui.panes import changes
from acp_tui.ui.panes.changes import LONG, ChangesPane, FileLine, untracked_lines
from tests.waiting import until


class Shown(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.pane = ChangesPane()

    def compose(self) -> ComposeResult:
        yield self.pane


async def test_a_long_comparison_is_shown_beside_the_counts_until_it_ends() -> None:
    app = Shown()
    async with app.run_test():
        seconds = 0.0
        app.pane.looking_for = lambda: seconds
        app.pane.look_on()
        assert app.pane.fact == ""

        seconds = LONG + 9
        app.pane.look_on()
        assert app.pane.fact == "looking at the files, 12 s"

        session = Session("s", "/w")
        session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", 2, 1),)))
        app.pane.show(session, SessionChange(fields=("files",)))
        assert app.pane.fact == f"+2 {app.pane.theme_styles.symbol('minus')}1  looking at the files, 12 s"

        seconds = 0.0
        app.pane.look_on()
        assert app.pane.fact.startswith("+2")
        assert "looking" not in app.pane.fact


async def test_the_edits_of_many_files_are_counted_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "SLICE", 0.0)
    app = Shown()
    async with app.run_test():
        session = Session("s", "/w")
        for number in range(5):
            session.apply(Wrote(f"/w/{number}", "old\n", "new\nand more\n"))
        app.pane.show(session, SessionChange(fields=("files",)))
        assert len(app.pane.blocks) == 1, "the keys have their turn first"

        await until(lambda: len(app.pane.blocks) == 5)
        assert app.pane.fact == f"+10 {app.pane.theme_styles.symbol('minus')}5"


async def test_what_is_not_tracked_and_why_stands_above_the_files_and_goes_again() -> None:
    app = Shown()
    async with app.run_test():
        said = [
            "Only changes that the agent reports are shown: no git",
            *untracked_lines([Untracked("p\x1b", "a pipe")]),
        ]
        app.pane.beside = lambda: said
        session = Session("s", "/w")
        session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", 2, 1),)))
        app.pane.show(session, SessionChange(fields=("files",)))

        app.pane.look_on()
        *lines, last = app.pane.blocks
        shown = [line.source() for line in lines]
        said = []
        app.pane.look_on()

        assert shown == [
            "Only changes that the agent reports are shown: no git",
            "1 change in files that are not tracked:",
            "  p\N{SYMBOL FOR ESCAPE}  a pipe",
        ]
        assert isinstance(last, FileLine)
        assert list(app.pane.blocks) == [last]


def test_of_very_many_changes_some_are_named_and_all_are_counted() -> None:
    lines = untracked_lines([Untracked(f"{number}", "a pipe") for number in range(1_000)])

    assert lines[0] == "1,000 changes in files that are not tracked:"
    assert lines[-1] == "  and 980 more"
