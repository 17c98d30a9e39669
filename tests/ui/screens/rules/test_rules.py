"""The list of rules, its editor and its trial under the hands of a user."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.rules.model import ToolUse
from acp_tui.rules.rule_book import RuleBook, RuleChanges
from acp_tui.rules.trusted_files import Trust
from acp_tui.ui.screens.rules.rule_editor import RuleEditor, RuleTrial
from acp_tui.ui.screens.rules.rules import RulesScreen, RuleTrust
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.previews import nothing
from tests.ui.screens.stage import Stage, screen_text, styles, until

MINE = """\
# mine
[[rules]]
decision = "allow"
command = "git status"
note = "[/x] looking"

[[rules]]
decision = "deny"
path = "*.env"

[[rules]]
decision = "allow"
tool_kind = "read"
expires = 2020-01-01

[[rules]]
decision = "allow"
tool_kind = "reed"
"""


THEIRS = '[[rules]]\ndecision = "allow"\ncommand = "npm test"\n'


@pytest.fixture
def changes(tmp_path: Path) -> RuleChanges:
    (tmp_path / "w" / ".acp-tui").mkdir(parents=True)
    (tmp_path / "w" / ".acp-tui" / "rules.toml").write_text(THEIRS)
    (tmp_path / "rules.toml").write_text(MINE)
    book = RuleBook(tmp_path / "rules.toml", Trust(tmp_path / "trusted.json"))
    book.enter(str(tmp_path / "w"))
    return RuleChanges(book)


def screen(changes: RuleChanges, tmp_path: Path) -> RulesScreen:
    ask = ToolUse("demo", "execute", workspace=str(tmp_path / "w"), session="s")
    return RulesScreen(changes, ask, styles(), nothing)


def wide_enough(folder: Path) -> tuple[int, int]:
    """Return the size of a screen on which a mistake in a file of this folder stands in one row."""
    return 120 + len(str(folder)), 20


def row_of(app: Stage, text: str) -> str:
    return next(line for line in screen_text(app).splitlines() if text in line)


async def test_every_rule_is_listed_with_why_it_does_not_count(changes: RuleChanges, tmp_path: Path) -> None:
    app = Stage(screen(changes, tmp_path))
    async with app.run_test(size=wide_enough(tmp_path)) as pilot:
        await until(pilot, lambda: "3 of 5 active" in screen_text(app))

        assert row_of(app, "git status").split() == [
            "allow",
            "git",
            "status",
            "…",
            "[/x]",
            "looking",
            "everywhere",
            "rules.toml:2",
        ]
        assert "expired 2020-01-01" in row_of(app, "reading")
        assert "mistake, so it asks" in row_of(app, "ask   anything")
        assert "not trusted" in row_of(app, "npm test")
        assert "this workspace" in row_of(app, "npm test")
        assert "rules.toml:18: 'tool_kind' must be" in screen_text(app)


@pytest.mark.slow
async def test_a_rule_is_deleted_and_brought_back(changes: RuleChanges, tmp_path: Path) -> None:
    app = Stage(screen(changes, tmp_path))
    async with app.run_test(size=(120, 20)) as pilot:
        await until(pilot, lambda: "3 of 5 active" in screen_text(app))
        await pilot.press("down", "d")
        await until(pilot, lambda: "2 of 4 active" in screen_text(app))
        assert "*.env" not in changes.book.user_file.read_text()

        await pilot.press("u")
        await until(pilot, lambda: "3 of 5 active" in screen_text(app))
        assert changes.book.user_file.read_text() == MINE


@pytest.mark.slow
async def test_a_rule_is_made_and_changed(changes: RuleChanges, tmp_path: Path) -> None:
    app = Stage(screen(changes, tmp_path))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, RuleEditor))
        app.screen.query_one("#command", Input).value = "make"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "4 of 6 active" in screen_text(app))
        assert "this workspace" in row_of(app, "make …")
        assert changes.book.user_file.read_text().startswith(MINE)

        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, RuleEditor))
        await pilot.press("right", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))
        await until(pilot, lambda: row_of(app, "git status").startswith(" ask"))


@pytest.mark.slow
async def test_a_file_that_is_in_the_way_is_said(changes: RuleChanges, tmp_path: Path) -> None:
    app = Stage(screen(changes, tmp_path))
    async with app.run_test(size=wide_enough(tmp_path)) as pilot:
        await until(pilot, lambda: "3 of 5 active" in screen_text(app))
        changes.book.user_file.write_text("[[rules")
        await pilot.press("d")

        await until(pilot, lambda: "not valid TOML" in screen_text(app))
        assert changes.book.user_file.read_text() == "[[rules"
        assert any("Not changed" in (note.title or "") for note in app._notifications)


@pytest.mark.slow
async def test_the_file_of_the_workspace_is_trusted_from_the_list(
    changes: RuleChanges, tmp_path: Path
) -> None:
    app = Stage(screen(changes, tmp_path))
    async with app.run_test(size=(120, 20)) as pilot:
        await until(pilot, lambda: "3 of 5 active" in screen_text(app))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, RuleTrust) and app.screen.armed)
        await pilot.press("t")

        await until(pilot, lambda: "4 of 5 active" in screen_text(app))


async def test_a_list_without_rules_says_how_one_is_made(tmp_path: Path) -> None:
    book = RuleBook(tmp_path / "rules.toml", Trust(tmp_path / "trusted.json"))
    app = Stage(screen(RuleChanges(book), tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "No rules yet" in screen_text(app))
        await pilot.press("d", "u", "w")
        assert "No rules yet" in screen_text(app)


@pytest.mark.slow
async def test_a_question_is_tried_as_it_is_typed(changes: RuleChanges, tmp_path: Path) -> None:
    ask = ToolUse("demo", "execute", workspace=str(tmp_path / "w"), session="s")
    async with shown(RuleTrial(changes.book, ask, STYLES)) as (app, pilot):
        await pilot.press(*"git")
        await until(pilot, lambda: "asked: ask anything" in app.text)
        app.screen.query_one("#path", Input).value = "x.env"
        await until(pilot, lambda: "denied: deny *.env" in app.text)


@pytest.mark.slow
async def test_trust_shows_all_rules_and_waits_for_typing_to_pause(
    changes: RuleChanges, tmp_path: Path
) -> None:
    file = changes.book.file(tmp_path / "w" / ".acp-tui" / "rules.toml")
    async with shown(RuleTrust(file, STYLES), turned=False) as (app, pilot):
        await pilot.press("t", "enter")
        assert app.result is NOTHING
        assert "allow npm test …" in app.text

    async with shown(RuleTrust(file, STYLES)) as (app, pilot):
        await pilot.press("t")
        assert app.result is True
