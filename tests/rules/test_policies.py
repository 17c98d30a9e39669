"""Policies decide where no rule matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.rules.model import by_policy
from acp_tui.store.settings import Policy
from acp_tui.workspace.files import Files
from tests.tables import each


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    (root / ".git").mkdir(parents=True)
    (root / ".acp-tui").mkdir()
    (root / "a.py").write_text("")
    return root


def decided(policy: Policy, root: Path, kind: str, *paths: str | Path, command: str | None = None) -> str:
    return by_policy(policy, kind, command, [str(path) for path in paths], Files([root]))


def test_the_first_policy_asks_for_all(workspace: Path) -> None:
    assert {decided("ask", workspace, kind, workspace / "a.py") for kind in ("read", "edit", "think")} == {
        "ask"
    }


@pytest.mark.parametrize("policy", ["ask-edits-and-commands", "allow-edits"])
def test_looking_inside_the_workspace_goes_on_and_outside_it_asks(policy: Policy, workspace: Path) -> None:
    assert decided(policy, workspace, "read", workspace / "a.py") == "allow"
    assert decided(policy, workspace, "search") == "allow"
    assert decided(policy, workspace, "read", workspace / "a.py", "/etc/passwd") == "ask"
    assert decided(policy, workspace, "read", "a.py") == "ask", "a relative path could be anywhere"


@pytest.mark.parametrize("policy", ["ask-edits-and-commands", "allow-edits"])
def test_a_command_that_an_agent_calls_a_read_is_a_command(policy: Policy, workspace: Path) -> None:
    assert decided(policy, workspace, "read", workspace / "a.py", command="cat a.py > b") == "ask"


@each("policy", ["ask-edits-and-commands", "allow-edits"])
@each("kind", ["execute", "delete", "move", "fetch", "switch_mode", "other", "teleport"])
def test_what_is_neither_a_look_nor_an_edit_asks(policy: Policy, kind: str, workspace: Path) -> None:
    assert decided(policy, workspace, kind, workspace / "a.py") == "ask"


def test_edits_in_the_workspace_are_allowed_where_that_is_the_policy(workspace: Path) -> None:
    new = workspace / "deep" / "new.py"

    assert decided("allow-edits", workspace, "edit", workspace / "a.py", new) == "allow"
    assert decided("ask-edits-and-commands", workspace, "edit", workspace / "a.py") == "ask"


@pytest.mark.parametrize(
    "path",
    ["/etc/hosts", "{w}/../x", "a.py", "", "~/x", "{w}/\0", "{w}/.git/hooks/pre-commit", "{w}/.GIT/config"],
)
def test_one_path_that_is_no_edit_of_the_workspace_makes_it_a_question(path: str, workspace: Path) -> None:
    paths = (workspace / "a.py", path.format(w=workspace))

    assert decided("allow-edits", workspace, "edit", *paths) == "ask"


def test_an_edit_that_names_no_path_is_a_question(workspace: Path) -> None:
    assert decided("allow-edits", workspace, "edit") == "ask"


def test_links_are_followed_before_a_path_counts_as_inside(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    for name, target in (
        ("out", tmp_path / "secret"),
        ("gone", tmp_path / "new"),
        ("in", workspace / "a.py"),
    ):
        (workspace / name).symlink_to(target)
    (workspace / "hooks").symlink_to(workspace / ".git")

    assert decided("allow-edits", workspace, "edit", workspace / "in") == "allow"
    for name in ("out", "gone", "hooks/config"):
        assert decided("allow-edits", workspace, "edit", workspace / name) == "ask"


def test_a_workspace_inside_a_guarded_folder_is_a_workspace(workspace: Path) -> None:
    root = workspace / ".git" / "tree"
    root.mkdir()

    assert decided("allow-edits", root, "edit", root / "a.py") == "allow"
    assert decided("allow-edits", root, "edit", root / ".acp-tui" / "rules.toml") == "ask"


def test_without_roots_only_the_policy_for_everything_allows() -> None:
    assert by_policy("allow-edits", "edit", None, ["/w/a"], None) == "ask"
    assert by_policy("allow-everything", "teleport", "rm -rf /", [], None) == "allow"


@pytest.mark.parametrize("link", [".git/hooks/pre-commit", ".envrc", ".husky"])
def test_an_edit_of_what_a_protected_name_leads_to_is_a_question(link: str, workspace: Path) -> None:
    file = workspace / "scripts" / "check"
    file.parent.mkdir()
    (workspace / link).parent.mkdir(exist_ok=True)
    (workspace / link).symlink_to(file.parent if link == ".husky" else file)

    assert decided("allow-edits", workspace, "edit", file) == "ask"
    assert decided("allow-edits", workspace, "edit", workspace / "a.py") == "allow"
