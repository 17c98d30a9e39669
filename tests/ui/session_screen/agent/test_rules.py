"""Tests of `ui/session_screen/agent/rules.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.rules.model import Rule, ToolUse, decide
from acp_tui.rules.rule_book import RuleDraft
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.questions.permission_details import AGENT_ONLY
from acp_tui.ui.screens.rules.rule_editor import RuleEditor
from acp_tui.ui.screens.rules.rules import RulesScreen, RuleTrust
from acp_tui.ui.session_screen.agent.rules import always_scopes, preview, suggested
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.tables import each
from tests.ui.seats import seat


@each(
    ("command", "prefix"),
    [
        ("git status -s", "git status"),
        ("npm test", "npm test"),
        ("ls -la", "ls"),
        ("python x.py", "python x.py"),
        ("/usr/bin/python3.11 -c 'import os'", "/usr/bin/python3.11 -c 'import os'"),
        ("sudo apt install x", "sudo apt install x"),
        ("bash -lc 'git status'", "git status"),
        ("cat README", "cat"),
        ("'my tool' run", "'my tool' run"),
        ("git status && ls", "git status"),
        ("make > log", "make"),
        ("git log $(date)", "git log"),
    ],
)
def test_a_command_is_suggested_by_its_first_words(command: str, prefix: str) -> None:
    rule = suggested(ToolUse("demo", "execute", command=command))

    assert (rule.decision, rule.tool_kind, rule.command, rule.agent) == ("allow", "execute", prefix, "demo")


def test_of_a_chain_the_first_part_is_suggested_that_nothing_allows_yet() -> None:
    ask = ToolUse("demo", "execute", command="ls && git status | head")

    assert suggested(ask, [Rule("allow", command="ls")]).command == "git status"


@pytest.mark.parametrize("command", ["$X", "'ls", "", "A=1", "sudo $X", None])
def test_where_no_first_words_are_known_it_is_not_suggested_to_allow(command: str | None) -> None:
    rule = suggested(ToolUse("demo", "execute", command=command))

    assert (rule.decision, rule.command) == ("ask", None)


def test_files_are_suggested_by_their_path_or_the_folder_that_they_share() -> None:
    one, two = ToolUse("a", "edit", ("/w/a.py",)), ToolUse("a", "edit", ("/w/x/a.py", "/w/x/y/b.py"))

    assert suggested(one).path == "/w/a.py"
    assert suggested(two).path == "/w/x/**"
    assert suggested(ToolUse("a", "edit", ("/a", "/b"))).path is None
    rule = suggested(two)
    assert decide([Rule("allow", tool_kind=rule.tool_kind, path=rule.path)], two).decision == "allow"


def test_a_kind_that_is_not_known_is_not_suggested() -> None:
    assert suggested(ToolUse("a", "teleport")).tool_kind is None


@pytest.mark.parametrize("paths", [(), ("/w/*",), ("/a", "/b"), ("/w/?/a", "/w/?/b")])
def test_where_no_certain_file_is_known_it_is_not_suggested_to_allow_changes(paths: tuple[str, ...]) -> None:
    rule = suggested(ToolUse("a", "edit", paths))

    assert (rule.decision, rule.path) == ("ask", None)
    assert suggested(ToolUse("a", "read", paths)).decision == "allow"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            ToolUse("demo", "execute", command="git status -s", workspace="/w"),
            ["also exactly this command in this folder", "also commands that begin with “git status”"],
        ),
        (
            ToolUse("demo", "execute", command="python x.py", workspace="/w"),
            ["also exactly this command in this folder"],
        ),
        (
            ToolUse("demo", "edit", paths=("/w/a.py",), workspace="/w"),
            ["also any change of a.py", "also any change in the workspace"],
        ),
        (
            ToolUse("demo", "edit", paths=("/w/a", "/w/b"), workspace="/w"),
            ["also any change in the workspace"],
        ),
        (ToolUse("demo", "edit", paths=("/w/a*",), workspace="/w"), ["also any change in the workspace"]),
        (ToolUse("demo", "read", paths=("/w/a.py",), workspace="/w"), ["also reading a.py"]),
        (ToolUse("demo", "fetch", workspace="/w"), []),
    ],
)
def test_what_always_may_mean_begins_with_the_agent_alone_and_grows(ask: ToolUse, words: list[str]) -> None:
    found = always_scopes(replace(ask, session="s"))

    assert [reach.words for reach in found] == ["the agent remembers it; acp-tui adds nothing", *words]
    assert found[0].rule is None
    for reach in found[1:]:
        assert reach.rule is not None
        assert reach.rule.session == "s"
        if len(ask.paths) < 2 and "*" not in "".join(ask.paths):
            assert decide([reach.rule], replace(ask, session="s")).decision == "allow"
        assert decide([reach.rule], replace(ask, session="other")).decision == "ask"


@pytest.mark.parametrize(
    "more",
    [
        {"folder": "/elsewhere"},
        {"folders": ("/w/a", "/w/b")},
        {"env": (("DRY_RUN", "1"),)},
        {"unknown_fields": ("dryRun",)},
    ],
)
def test_always_offers_no_rule_for_a_command_of_which_it_would_leave_out_a_part(more: dict[str, Any]) -> None:
    ask = replace(ToolUse("demo", "execute", command="git status", workspace="/w", session="s"), **more)
    assert always_scopes(ask) == [AGENT_ONLY]


def test_always_means_the_command_in_the_folder_that_was_shown() -> None:
    ask = ToolUse("demo", "execute", command="./run.sh", workspace="/w", session="s", folder="/w/a")
    rule = always_scopes(ask)[1].rule
    assert rule is not None
    assert decide([rule], ask).decision == "allow"
    assert decide([rule], replace(ask, folder="/w/a/")).decision == "allow"
    for elsewhere in ("/w", "/w/b", ""):
        assert decide([rule], replace(ask, folder=elsewhere)).decision == "ask"
    assert decide([rule], replace(ask, folders=("/w/a", "/w/b"))).decision == "ask"


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
