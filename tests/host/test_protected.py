from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.host import protected
from acp_tui.host.protected import own_folders, why_protected
from acp_tui.store import folders


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ACP_TUI_HOME", raising=False)
    for cached in (protected._patterns, protected._by_first_part, protected._with_wild_start):
        cached.cache_clear()
    (tmp_path / "home").mkdir()
    root = tmp_path / "w"
    root.mkdir()
    return root


@pytest.mark.parametrize(
    "name",
    [
        *(".git", ".git/hooks/pre-commit", ".git/config", "sub/.git/config", ".GIT/config", ".git./config"),
        *(".g\u200cit/config", ".acp-tui/rules.toml", ".envrc", "sub/.envrc", ".husky/pre-commit"),
        *(".vscode/tasks.json", ".VSCode/Settings.json", ".idea/runConfigurations/x.xml", ".githooks/x"),
        *(".ssh/authorized_keys", ".gnupg/gpg.conf", ".bashrc", ".profile", ".zshrc", ".config/fish/x.fish"),
        *(".gitconfig", ".npmrc", ".pypirc", ".netrc", ".config/autostart/x.desktop", ".local/bin/ls"),
        *(".config/systemd/user/x.service", ".github/workflows/ci.yml", ".mcp.json", ".claude/settings.json"),
        *(".claude/settings.local.json", ".gemini/settings.json", ".codex/config.toml", "repo.git/hooks/x"),
        *("a.code-workspace", "lib/site-packages/x.pth", ".git/../.git/config", "x/../.envrc"),
    ],
)
def test_what_runs_or_counts_later_is_protected(name: str, workspace: Path) -> None:
    assert why_protected(str(workspace / name), [workspace])
    assert why_protected(name, [workspace]), "a relative path is one of the session's folder"


@pytest.mark.parametrize(
    "name",
    [
        *("a.py", "Makefile", "package.json", "README.md", ".gitignore", ".gitattributes", ".env"),
        *(
            "git/config",
            "bin/x",
            "docs/.vscode.md",
            ".vscode/extensions.json",
            "src/acp-tui/x",
            "tests/ssh/x",
        ),
        *(".claude/CLAUDE.md", "CLAUDE.md", ".github/README.md", "model.pth", ".config/x", "config"),
    ],
)
def test_what_runs_only_when_it_is_asked_for_is_not_protected(name: str, workspace: Path) -> None:
    assert why_protected(str(workspace / name), [workspace]) is None


def test_a_link_is_what_it_leads_to_and_what_leads_to_it(workspace: Path) -> None:
    home = Path(os.environ["HOME"])
    (workspace / ".git").mkdir()
    (workspace / "hooks").symlink_to(".git")
    (workspace / "profile").write_text("")
    (workspace / "rc").write_text("")
    (home / ".profile").symlink_to(workspace / "profile")
    (home / ".bashrc").hardlink_to(workspace / "rc")

    for name in ("hooks/pre-commit", "profile", "rc"):
        assert why_protected(str(workspace / name), [workspace]), name


def test_a_workspace_inside_a_protected_folder_is_a_workspace(workspace: Path) -> None:
    root = workspace / ".git" / "tree"
    root.mkdir(parents=True)

    assert why_protected(str(root / "a.py"), [root]) is None
    assert why_protected(str(root / ".git"), [root])
    assert why_protected(str(workspace / ".git" / "config"), [root]), "beside the workspace it still is"


def test_programs_found_by_name_are_protected_in_the_home_folder(workspace: Path) -> None:
    home = Path(os.environ["HOME"])

    assert why_protected(str(home / "bin" / "ls"), [home])
    assert why_protected("~/bin/ls", [home])


@pytest.mark.parametrize("ours", ["", "own"])
def test_our_own_folders_are_those_of_the_store(
    ours: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ours:
        monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / ours))
    for folder in (folders.config_folder(), folders.data_folder(), folders.state_folder()):
        assert why_protected(str(folder / "rules.toml"), [tmp_path]), folder
        assert any(str(folder).startswith(own) for own in own_folders())


@pytest.mark.parametrize("path", ["", "/", "\0", "/w/\0", "~nobody-of-this-name/x"])
def test_what_is_no_path_is_no_protected_file(path: str, workspace: Path) -> None:
    assert why_protected(path, [workspace]) is None


def test_the_page_about_security_lists_what_is_protected() -> None:
    page = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    listed = page.partition("## Protected files")[2].partition("| --- | --- |\n")[2].split("\n\n")[0]

    assert listed.strip().splitlines() == [
        f"| {place.why} | {', '.join(f'`{one}`' for one in place.patterns)} |" for place in protected.PLACES
    ]
