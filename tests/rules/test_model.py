"""Rules decide: deny before ask, ask before allow."""

from __future__ import annotations

import time
import unicodedata
from pathlib import Path
from typing import Any, get_args

import pytest

from acp_tui.rules import path_rules
from acp_tui.rules.model import Decision, Rule, RuleVerdict, ToolUse, by_policy, choose, decide
from acp_tui.store.settings import Policy
from acp_tui.workspace.files import Files
from tests.tables import each


def run(command: str | None) -> ToolUse:
    return ToolUse("a", "execute", command=command)


def edit(*paths: str) -> ToolUse:
    return ToolUse("a", "edit", paths)


def decided(ask: ToolUse, *rules: Rule) -> Decision:
    return decide(rules, ask).decision


def test_without_a_rule_the_user_is_asked() -> None:
    assert decide([], edit("/w/a")) == RuleVerdict("ask", None)


def test_deny_wins_over_ask_and_ask_over_allow() -> None:
    allow, ask, deny = Rule("allow"), Rule("ask"), Rule("deny")
    assert decide([allow], edit("/w/a")) == RuleVerdict("allow", allow)
    assert decide([allow, ask], edit("/w/a")) == RuleVerdict("ask", ask)
    assert decide([allow, ask, deny], edit("/w/a")) == RuleVerdict("deny", deny)


def test_the_first_of_equal_rules_is_named() -> None:
    first = Rule("deny", note="first")
    assert decide([first, Rule("deny", note="second")], edit("/w/a")).rule is first


@pytest.mark.parametrize("field", ["agent", "tool_kind", "mode"])
def test_a_rule_speaks_only_of_what_it_names(field: str) -> None:
    ask = ToolUse("gemini", "edit", ("/w/a",), mode="code")
    fitting: dict[str, Any] = {field: {"agent": "gemini", "tool_kind": "edit", "mode": "code"}[field]}
    other: dict[str, Any] = {field: "else"}
    assert decided(ask, Rule("allow", **fitting)) == "allow"
    assert decided(ask, Rule("allow", **other)) == "ask"


@pytest.mark.parametrize(
    ("name", "expected"), [("mcp__docs__search", "allow"), ("mcp__mail__send", "ask"), ("", "ask")]
)
def test_c129_a_rule_names_a_tool_by_a_glob(name: str, expected: str) -> None:
    asked = ToolUse("a", "other", tool_name=name)

    assert decided(asked, Rule("allow", tool_name="mcp__docs__*")) == expected
    assert decided(asked, Rule("deny", tool_name="*search")) == ("deny" if "search" in name else "ask")


def test_c129_a_glob_for_every_tool_allows_nothing_of_an_unknown_kind() -> None:
    asked = ToolUse("a", "other", tool_name="mcp__mail__send")

    assert decided(asked, Rule("allow", tool_name="*")) == "ask"
    assert decided(asked, Rule("allow", tool_kind="other", tool_name="*")) == "allow"


@pytest.mark.parametrize(
    ("command", "expected"),
    [("ls -l", "allow"), (" ls -l\n", "allow"), ("ls -l x", "ask"), ("ls", "ask"), ("ls -l; ls -l", "ask")],
)
def test_an_exact_rule_allows_its_command_and_no_longer_one(command: str, expected: str) -> None:
    rule = Rule("allow", command="ls -l", exact=True)
    assert decided(ToolUse("gemini", "execute", command=command), rule) == expected


@pytest.mark.parametrize("command", ["rm a\\", "rm a\u00a0", "rm a\v", "rm a\x1c"])
def test_an_exact_rule_allows_no_command_whose_last_word_ends_otherwise(command: str) -> None:
    for text in ("rm a\\ ", "rm a"):
        rule = Rule("allow", command=text, exact=True)
        assert decided(ToolUse("gemini", "execute", command=command), rule) == "ask"
        assert decided(ToolUse("gemini", "execute", command=text), rule) == "allow"


@pytest.mark.parametrize(
    ("workspace", "decision"),
    [("/w/app", "allow"), ("/w/app/sub", "allow"), ("/w/app-evil", "ask"), ("/w", "ask"), ("", "ask")],
)
def test_a_rule_of_a_workspace_holds_in_it_and_below_and_not_beside(
    workspace: str, decision: Decision
) -> None:
    for written in ("/w/app", "/w/app/"):
        ask = ToolUse("a", "edit", ("/w/a",), workspace=workspace)
        assert decided(ask, Rule("allow", workspace=written)) == decision


def test_a_workspace_is_the_same_by_whatever_link_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "data" / "app").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "src").symlink_to("data")
    by_link, real = str(tmp_path / "src" / "app"), str(tmp_path / "data" / "app")
    for written, workspace in ((by_link, real), (real, by_link)):
        ask = ToolUse("a", "edit", ("/w/a",), workspace=workspace)
        for decision in get_args(Decision):
            assert decided(ask, Rule(decision, workspace=written), Rule("deny", agent="else")) == decision

    left = ToolUse("a", "edit", ("/w/a",), workspace=f"{real}/../../other")
    assert decided(left, Rule("allow", workspace=real)) == "ask"


def test_an_unknown_kind_is_never_allowed_but_may_be_denied() -> None:
    ask = ToolUse("a", "teleport")
    assert decided(ask, Rule("allow")) == "ask"
    assert decided(ask, Rule("allow", tool_kind="teleport")) == "ask"
    assert decided(ask, Rule("deny", tool_kind="teleport")) == "deny"


def test_the_kind_other_is_allowed_only_by_name() -> None:
    ask = ToolUse("a", "other")
    assert decided(ask, Rule("allow")) == "ask"
    assert decided(ask, Rule("allow", tool_kind="other")) == "allow"
    assert decided(ask, Rule("deny")) == "deny"


@each(
    ("pattern", "path", "fits"),
    [
        ("/w/*.py", "/w/a.py", True),
        ("/w/*.py", "/w/b/a.py", False),
        ("/w/**", "/w/b/a.py", True),
        ("/w/**", "/we/a.py", False),
        ("/w/**/a.py", "/w/a.py", True),
        ("/w/**/a.py", "/w/b/c/a.py", True),
        ("/w/?.py", "/w/a.py", True),
        ("/w/?.py", "/w//.py", False),
        ("*.md", "/w/b/c.md", True),
        (".git/**", "/w/.git/hooks/x", True),
        (".git/**", "/w/a.git/x", False),
        ("/w/[id].tsx", "/w/[id].tsx", True),
        ("/w/[id].tsx", "/w/i.tsx", False),
        ("/w/a", "/w/a\nb", False),
    ],
)
def test_a_path_is_a_glob(pattern: str, path: str, fits: bool) -> None:
    assert decided(edit(path), Rule("allow", path=pattern)) == ("allow" if fits else "ask")
    assert decided(edit(path), Rule("deny", path=pattern)) == ("deny" if fits else "ask")


def test_a_path_of_two_lines_is_denied_and_never_allowed() -> None:
    assert decided(edit("/w/a\nb"), Rule("deny", path="/w/**")) == "deny"
    assert decided(edit("/w/a\nb"), Rule("allow", path="/w/**")) == "ask"


def test_only_an_allowing_rule_with_a_path_that_fits_looks_for_other_files_on_the_disk() -> None:
    looked: list[str] = []

    def find_others() -> tuple[str, ...]:
        looked.append("looked")
        return ("/w/b",)

    asked = ToolUse("a", "edit", ("/w/a",), workspace="/w", find_others=find_others)
    for rules in ([], [Rule("deny", path="/x")], [Rule("allow")], [Rule("allow", path="/x/**")]):
        decide(rules, asked)
    assert not looked

    assert decided(asked, Rule("allow", path="/w/a")) == "ask"
    assert decided(asked, Rule("allow", path="/w/**")) == "allow"
    assert looked


def test_an_allowed_path_must_cover_all_paths_and_a_denied_one_any() -> None:
    both = edit("/w/a", "/x/b")
    assert decided(both, Rule("allow", path="/w/**")) == "ask"
    assert decided(both, Rule("deny", path="/w/**")) == "deny"
    assert decided(edit(), Rule("allow", path="/w/**")) == "ask"


def test_a_path_that_goes_up_is_never_allowed_and_denied_where_it_leads() -> None:
    ask = edit("/w/../etc/passwd")
    assert decided(ask, Rule("allow", path="/w/**")) == "ask"
    assert decided(ask, Rule("deny", path="/etc/**")) == "deny"


@pytest.mark.parametrize("command", ["git status", "git status -s", "git  status 'a b'", '"git" status'])
def test_a_command_is_allowed_by_its_first_words(command: str) -> None:
    assert decided(run(command), Rule("allow", command="git status")) == "allow"


@each(
    "command",
    [
        "git",
        "git stash",
        "git statusx",
        "git push status",
        "/tmp/git status",
        "A=1 git status",
        "sudo git status",
    ]
    + ["git 'status", "", None]
    + [f"git status {chain}" for chain in ("&& rm x", "| sh", "; rm x", "& rm x", "> f", "< f")]
    + [f"git status {chain}" for chain in ("$(rm x)", "`rm x`", "\nrm x", "\rrm x", "(rm)", "$X")],
)
def test_what_is_more_or_else_than_the_first_words_is_not_allowed(command: str | None) -> None:
    assert decided(run(command), Rule("allow", command="git status")) == "ask"


@each(
    "command",
    [
        *("rm x", "/bin/rm x", "'r'm x", "\\rm x", "rm 'x", "A=1 rm x", "(rm x)", "{ rm x; }", "$(rm x)"),
        *(
            "cd a && rm x",
            "true; rm x",
            "true | rm x",
            "echo `rm x`",
            "true\nrm x",
            "true &rm x",
            "true;'r'm x",
        ),
        *("sudo rm x", "sudo -u root rm x", "env A=1 rm x", "sh -c 'rm x'", 'bash -c "cd a; rm x"'),
        "find . | xargs -n1 rm x",
    ],
)
def test_a_denied_command_is_found_in_any_part(command: str) -> None:
    assert decided(run(command), Rule("deny", command="rm")) == "deny"
    assert decided(run(command), Rule("ask", command="rm"), Rule("allow")) == "ask"


@pytest.mark.parametrize("command", ["git rm x", "rmdir x", "echo rm", "ls a/rm"])
def test_a_denied_command_is_not_seen_where_it_does_not_run(command: str) -> None:
    assert decided(run(command), Rule("deny", command="rm"), Rule("allow")) == "allow"


def test_a_command_that_is_not_known_may_be_a_denied_one() -> None:
    assert decided(run(None), Rule("deny", command="rm"), Rule("allow")) == "ask"
    assert decided(run(None), Rule("deny", path="*.env"), Rule("allow")) == "ask"


@pytest.mark.parametrize("rule", [Rule("allow", tool_kind="read"), Rule("allow", path="/w/**")])
def test_a_rule_for_looks_or_paths_allows_no_command_that_goes_by_that_name(rule: Rule) -> None:
    assert decided(ToolUse("a", "read", ("/w/a",)), rule) == "allow"
    assert decided(ToolUse("a", "read", ("/w/a",), command="cat /w/a | sh"), rule) == "ask"
    assert (
        decided(ToolUse("a", "execute", ("/w/a",), command="rm -r /"), Rule("allow", tool_kind="execute"))
        == "allow"
    )
    assert decided(ToolUse("a", "read", ("/w/a",), command="rm -r /"), Rule("allow")) == "allow"


def test_a_rule_for_no_words_matches_no_command() -> None:
    assert decided(run("ls"), Rule("allow", command=" ")) == "ask"


@pytest.mark.parametrize(
    "text", ["a= " * 30_000, "sudo " * 20_000, "'" * 50_001, "(" * 50_000, "a;" * 20_000]
)
def test_a_monstrous_command_is_decided_in_time(text: str) -> None:
    start = time.process_time()
    assert decided(run(text), Rule("deny", command="rm -rf")) == "ask"
    assert time.process_time() - start < 10


OPTIONS = [("id-1", "allow_always"), ("id-2", "allow_once"), ("id-4", "reject_once")]


def test_r22_an_option_is_chosen_by_kind_and_answered_by_id() -> None:
    assert choose(OPTIONS, "allow") == "id-2"
    assert choose(OPTIONS, "deny") == "id-4"
    assert choose([("reject_once", "allow_once")], "allow") == "reject_once"


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_always_and_unknown_kinds_are_never_chosen(decision: Decision) -> None:
    options = [("allow_once", "allow_always"), ("reject_once", "reject_always"), ("allow", "sure"), ("x", "")]
    assert choose(options, decision) is None
    assert choose([], decision) is None


def test_a_question_for_the_user_is_not_answered() -> None:
    assert choose(OPTIONS, "ask") is None


def test_r21_several_ways_to_allow_are_left_to_the_user() -> None:
    """R21: a rule cannot know in what options of one kind differ; refusing is safe whichever it is."""
    allow = [("here", "allow_once"), ("there", "allow_once"), ("no", "reject_once")]
    refuse = [("yes", "allow_once"), ("no", "reject_once"), ("never mind", "reject_once")]

    assert choose(allow, "allow") is None
    assert choose(refuse, "deny") == "no"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (("wd",), "the request has a field that acp-tui does not know: wd"),
        (("a" * 50, "b"), f"the request has a field that acp-tui does not know: {'a' * 40}… and 1 more"),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_no_rule_for_a_command_allows_a_request_with_unknown_fields(
    fields: tuple[str, ...], said: str, exact: bool
) -> None:
    use = ToolUse("a", "execute", command="make", workspace="/w", unknown_fields=fields)

    verdict = decide([Rule("allow", command="make", exact=exact)], use)

    assert (verdict.decision, verdict.rule) == ("ask", None)
    assert verdict.why == said
    assert decide([Rule("allow", tool_kind="execute")], use).decision == "allow"


@pytest.mark.parametrize(("in_any_case", "expected"), [(True, "deny"), (False, "ask")])
def test_a_denied_path_is_found_in_any_letters_where_these_name_the_same_file(
    monkeypatch: pytest.MonkeyPatch, in_any_case: bool, expected: Decision
) -> None:
    monkeypatch.setattr(path_rules, "is_in_any_case", lambda path: in_any_case)
    rule = Rule("deny", path="secrets/*.env")

    assert decided(edit("/w/secrets/a.env"), rule) == "deny"
    assert decided(edit("/w/Secrets/A.ENV"), rule) == expected
    assert decided(run("cat SECRETS/a.Env"), rule) == expected


def test_capitals_never_make_an_allowed_path_of_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_rules, "is_in_any_case", lambda path: True)

    assert decided(edit("/w/NOTES.md"), Rule("allow", path="/w/notes.md")) == "ask"


def test_a_denied_name_with_accents_is_found_however_they_are_composed() -> None:
    composed, apart = (unicodedata.normalize(form, "/w/Schlüssel.txt") for form in ("NFC", "NFD"))

    for rule, path in ((composed, apart), (apart, composed)):
        assert decided(edit(path), Rule("deny", path=rule)) == "deny"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    (root / ".git").mkdir(parents=True)
    (root / ".acp-tui").mkdir()
    (root / "a.py").write_text("")
    return root


def decided_by(policy: Policy, root: Path, kind: str, *paths: str | Path, command: str | None = None) -> str:
    return by_policy(policy, kind, command, [str(path) for path in paths], Files([root]))


def test_the_first_policy_asks_for_all(workspace: Path) -> None:
    assert {decided_by("ask", workspace, kind, workspace / "a.py") for kind in ("read", "edit", "think")} == {
        "ask"
    }


@pytest.mark.parametrize("policy", ["ask-edits-and-commands", "allow-edits"])
def test_looking_inside_the_workspace_goes_on_and_outside_it_asks(policy: Policy, workspace: Path) -> None:
    assert decided_by(policy, workspace, "read", workspace / "a.py") == "allow"
    assert decided_by(policy, workspace, "search") == "allow"
    assert decided_by(policy, workspace, "read", workspace / "a.py", "/etc/passwd") == "ask"
    assert decided_by(policy, workspace, "read", "a.py") == "ask", "a relative path could be anywhere"


@pytest.mark.parametrize("policy", ["ask-edits-and-commands", "allow-edits"])
def test_a_command_that_an_agent_calls_a_read_is_a_command(policy: Policy, workspace: Path) -> None:
    assert decided_by(policy, workspace, "read", workspace / "a.py", command="cat a.py > b") == "ask"


@each("policy", ["ask-edits-and-commands", "allow-edits"])
@each("kind", ["execute", "delete", "move", "fetch", "switch_mode", "other", "teleport"])
def test_what_is_neither_a_look_nor_an_edit_asks(policy: Policy, kind: str, workspace: Path) -> None:
    assert decided_by(policy, workspace, kind, workspace / "a.py") == "ask"


def test_edits_in_the_workspace_are_allowed_where_that_is_the_policy(workspace: Path) -> None:
    new = workspace / "deep" / "new.py"

    assert decided_by("allow-edits", workspace, "edit", workspace / "a.py", new) == "allow"
    assert decided_by("ask-edits-and-commands", workspace, "edit", workspace / "a.py") == "ask"


@pytest.mark.parametrize(
    "path",
    ["/etc/hosts", "{w}/../x", "a.py", "", "~/x", "{w}/\0", "{w}/.git/hooks/pre-commit", "{w}/.GIT/config"],
)
def test_one_path_that_is_no_edit_of_the_workspace_makes_it_a_question(path: str, workspace: Path) -> None:
    paths = (workspace / "a.py", path.format(w=workspace))

    assert decided_by("allow-edits", workspace, "edit", *paths) == "ask"


def test_an_edit_that_names_no_path_is_a_question(workspace: Path) -> None:
    assert decided_by("allow-edits", workspace, "edit") == "ask"


def test_links_are_followed_before_a_path_counts_as_inside(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    for name, target in (
        ("out", tmp_path / "secret"),
        ("gone", tmp_path / "new"),
        ("in", workspace / "a.py"),
    ):
        (workspace / name).symlink_to(target)
    (workspace / "hooks").symlink_to(workspace / ".git")

    assert decided_by("allow-edits", workspace, "edit", workspace / "in") == "allow"
    for name in ("out", "gone", "hooks/config"):
        assert decided_by("allow-edits", workspace, "edit", workspace / name) == "ask"


def test_a_workspace_inside_a_guarded_folder_is_a_workspace(workspace: Path) -> None:
    root = workspace / ".git" / "tree"
    root.mkdir()

    assert decided_by("allow-edits", root, "edit", root / "a.py") == "allow"
    assert decided_by("allow-edits", root, "edit", root / ".acp-tui" / "rules.toml") == "ask"


def test_without_roots_only_the_policy_for_everything_allows() -> None:
    assert by_policy("allow-edits", "edit", None, ["/w/a"], None) == "ask"
    assert by_policy("allow-everything", "teleport", "rm -rf /", [], None) == "allow"


@pytest.mark.parametrize("link", [".git/hooks/pre-commit", ".envrc", ".husky"])
def test_an_edit_of_what_a_protected_name_leads_to_is_a_question(link: str, workspace: Path) -> None:
    file = workspace / "scripts" / "check"
    file.parent.mkdir()
    (workspace / link).parent.mkdir(exist_ok=True)
    (workspace / link).symlink_to(file.parent if link == ".husky" else file)

    assert decided_by("allow-edits", workspace, "edit", file) == "ask"
    assert decided_by("allow-edits", workspace, "edit", workspace / "a.py") == "allow"
