"""Rules in a running session: trust, mistakes, and a rule made of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.rules.book import RuleDraft
from acp_tui.rules.model import Rule, ToolUse
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.rules.rule_editor import RuleEditor
from acp_tui.ui.screens.rules.rules import RulesScreen, RuleTrust
from acp_tui.ui.session_screen.agent.rules import preview
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import seat

HERE = ToolUse("demo", "execute", workspace="/w", session="s")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "config").mkdir(parents=True)
    return tmp_path / "home"


def workspace_rules(folder: Path, text: str) -> Path:
    path = folder / ".acp-tui" / "rules.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.slow
async def test_a_workspace_is_trusted_once_and_asked_again_when_its_rules_change(tmp_path: Path) -> None:
    path = workspace_rules(tmp_path, '[[rules]]\ndecision = "allow"\ncommand = "make"\n')
    async with seat(tmp_path) as here:
        await here.is_before(RuleTrust)
        await here.sees("allow make …")
        await here.press("t")
        await here.is_before(SessionScreen)
        assert here.session.parts.rules.book.is_trusted(path)

    async with seat(tmp_path) as here:
        await here.is_before(SessionScreen)
        path.write_text('[[rules]]\ndecision = "allow"\n')
        assert not here.session.parts.rules.book.is_trusted(path)
        await here.is_before(RuleTrust)  # what was trusted was another file
        await here.press("n")
        await here.is_before(SessionScreen)
        assert not here.session.parts.rules.book.is_trusted(path)


@pytest.mark.slow
async def test_what_is_trusted_is_what_was_shown_also_when_the_file_changes_meanwhile(tmp_path: Path) -> None:
    path = workspace_rules(tmp_path, '[[rules]]\ndecision = "allow"\ncommand = "make"\n')
    shown = path.read_text()
    async with seat(tmp_path) as here:
        await here.is_before(RuleTrust)
        await here.sees("allow make …")
        path.write_text('[[rules]]\ndecision = "allow"\ncommand = "curl"\n')
        await here.press("t")

        await here.sees("allow curl …")  # asked anew, about what is there now
        book = here.session.parts.rules.book
        assert not book.is_trusted(path)
        assert any("has changed since you saw it" in note.message for note in here.notices)
        await here.is_before(RuleTrust)
        await here.press("n")
        await here.is_before(SessionScreen)
        assert not book.is_trusted(path)
        path.write_text(shown)
        assert book.is_trusted(path)


@pytest.mark.slow
async def test_a_mistake_in_a_file_is_said_with_its_line(home: Path, tmp_path: Path) -> None:
    (home / "config" / "rules.toml").write_text('[[rules]]\ndecision = "alow"\n')
    async with seat(tmp_path) as here:
        await here.until(lambda: any("rules.toml:2" in note.message for note in here.notices))


@pytest.mark.slow
async def test_a_rule_is_made_of_a_question_and_answers_the_next_one(home: Path, tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one")
        await here.press("m")
        editor = await here.is_before(RuleEditor)
        assert editor.draft.rule.decision == "ask"  # no command is known: all of them would be allowed
        await here.press("left")
        await here.sees("It matches the current request.")
        await here.press("ctrl+s")
        await here.is_before(PermissionDialog)
        await here.press("y")
        await here.sees("Allow (you)")
        await here.is_before(SessionScreen)

        await here.say("ask two")
        await here.sees("Allow (rule: ")
        rule = home / "config" / "rules.toml"
        assert f'workspace = "{tmp_path}"' in rule.read_text()

        await here.press("alt+l")
        await here.is_before(RulesScreen)
        await here.sees("this workspace")
        await here.press("d")
        await here.sees("No rules yet")
        await here.press("escape")
        await here.asked("three")


@pytest.mark.slow
async def test_the_question_may_be_withdrawn_while_a_rule_is_made_of_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one")
        await here.press("m")
        await here.is_before(RuleEditor)
        here.conversation.stop()
        await here.until(lambda: not here.conversation.questions)
        await here.press("escape")
        await here.is_before(SessionScreen)


def test_a_preview_says_what_of_a_chain_is_left() -> None:
    draft = RuleDraft(Rule("allow", command="ls"), "workspace")
    ask = ToolUse("demo", "execute", command="ls -a | sort && echo x", workspace="/w", session="s")

    assert preview(draft, ask, ask, []) == ["It does not cover the whole request. Not covered: sort, echo x"]
    others = [Rule("allow", command="sort"), Rule("allow", command="echo")]
    assert preview(draft, ask, ask, [], others) == [
        "With your other rules it allows every part of the current request."
    ]


def test_a_preview_says_when_another_rule_is_stronger() -> None:
    draft = RuleDraft(Rule("allow", command="rm"), "everywhere")
    ask = ToolUse("demo", "execute", command="rm x", workspace="/w", session="s")

    assert preview(draft, ask, ask, [], [Rule("deny", command="rm")]) == [
        "It matches the current request; with your other rules it is denied."
    ]


def test_a_preview_counts_what_was_asked_before_and_shows_some_of_it() -> None:
    past = [ToolUse("demo", "execute", command=f"git status {n}", workspace="/w") for n in range(5)]
    past += [
        ToolUse("demo", "execute", command="git status", workspace="/other"),
        ToolUse("demo", "edit", ("/a",)),
    ]

    shown = preview(RuleDraft(Rule("allow", command="git status"), "workspace"), None, HERE, past)
    assert shown[0] == (
        "Caution: git can run programs and write files; "
        "you are asked unless its arguments are known as harmless."
    )
    assert shown[1] == "Matches 5 of the last 7 questions:"
    assert shown[-1] == "  git status 2   and 2 more"

    nowhere = RuleDraft(Rule("allow", command="git status"), "session")
    assert preview(nowhere, None, HERE, past)[1:] == ["Matches 0 of the last 7 questions."]

    for harmless in (Rule("allow", command="ls"), Rule("deny", command="git")):
        assert "Caution" not in preview(RuleDraft(harmless, "session"), None, HERE, past)[0]
