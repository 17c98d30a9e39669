"""Protected files, by name and by link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.rules import protected_files
from acp_tui.rules.protected_files import destination, own_folders, why_protected
from acp_tui.session.questions import Destination
from acp_tui.store import folders
from tests.tables import each

GIT = "git reads settings and starts programs from it"


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    real = tmp_path / "real"
    for folder in ("docs", ".git/hooks", "plain"):
        (real / folder).mkdir(parents=True)
    (real / "plain/a").write_text("a")
    (tmp_path / "other").write_text("b")
    (real / "docs/readme.md").symlink_to("../.git/hooks/post-checkout")
    (real / "out").symlink_to(tmp_path / "other")
    (real / "hooks").symlink_to(".git/hooks")
    (real / "here").symlink_to(".")
    os.link(real / "plain/a", real / "plain/b")
    (tmp_path / "w").symlink_to(real)
    return tmp_path / "w"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("plain", Destination()),
        ("plain/../plain/new", Destination()),
        ("docs/readme.md", Destination(".git/hooks/post-checkout", GIT)),
        ("hooks/pre-push", Destination(".git/hooks/pre-push", GIT)),
        (".git/hooks/pre-push", Destination("", GIT)),
        ("here/plain/new", Destination("plain/new")),
        ("plain/b", Destination(names=2)),
        ("a\0b", Destination()),
        ("", Destination()),
    ],
)
def test_a_path_is_followed_to_where_it_leads(cwd: Path, path: str, found: Destination) -> None:
    assert destination(path, str(cwd))[:3] == found[:3]
    assert destination(f"{cwd}/{path}", str(cwd))[:3] == found[:3]


def test_what_lies_outside_is_told_in_full(cwd: Path) -> None:
    assert destination("out", str(cwd)).at == str(cwd.parent.resolve() / "other")


def test_a_file_in_too_many_folders_to_be_searched_is_protected(cwd: Path) -> None:
    assert why_protected(f"{cwd}/{'a/' * 20}b", [cwd]) is None
    assert why_protected(str(cwd) + "/a" * 1_900, [cwd]) == why_protected("a/" * 1_900 + "b", [cwd])
    assert "too deep" in (why_protected("a/" * 1_900 + "b", [cwd]) or "")


def test_a_hard_link_of_a_protected_file_is_protected(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(cwd.parent))
    (cwd.parent / ".bashrc").write_text("x")
    os.link(cwd.parent / ".bashrc", cwd / "notes.txt")

    real, state = cwd.resolve() / "notes.txt", (cwd / "notes.txt").stat()
    assert destination("notes.txt", str(cwd)) == Destination(
        "", "a shell reads it when it starts", 2, str(real), (state.st_dev, state.st_ino)
    )


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ACP_TUI_HOME", raising=False)

    (tmp_path / "home").mkdir()
    root = tmp_path / "w"
    root.mkdir()
    return root


@each(
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


@each(
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


@pytest.mark.parametrize(
    ("link", "target", "written"),
    [
        (".git/hooks/pre-commit", "scripts/pre-commit", "scripts/pre-commit"),
        (".git/hooks", "hooks", "hooks/pre-commit"),
        (".git/modules/x/hooks/pre-commit", "scripts/x", "scripts/x"),
        (".git", "store", "store/config"),
        (".envrc", "env/dev.sh", "env/dev.sh"),
        ("env/.envrc", "env/x/dev.sh", "env/x/dev.sh"),
        ("a/b/.envrc", "a/b/c/d.sh", "a/b/c/d.sh"),
        (".husky", "hooks", "hooks/deep/pre-commit"),
        (".vscode", "editor", "editor/tasks.json"),
        (".vscode/tasks.json", "t.json", "t.json"),
        (".claude/settings.local.json", "s.json", "s.json"),
        (".github", "ci", "ci/workflows/x.yml"),
        (".idea/runConfigurations", "runs", "runs/x.xml"),
        ("Jenkinsfile", "build.groovy", "build.groovy"),
        ("x.code-workspace", "x.json", "x.json"),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_what_a_protected_name_of_the_workspace_leads_to_is_protected(
    link: str, target: str, written: str, exists: bool, workspace: Path
) -> None:
    file = workspace / written
    file.parent.mkdir(parents=True, exist_ok=True)
    if exists:
        file.write_text("")
    (workspace / link).parent.mkdir(parents=True, exist_ok=True)
    (workspace / link).symlink_to(os.path.relpath(workspace / target, (workspace / link).parent))
    (workspace / "other.sh").write_text("")

    assert why_protected(str(file), [workspace])
    assert why_protected(str(workspace / "other.sh"), [workspace]) is None


@pytest.mark.parametrize("name", [".envrc", ".git/hooks/pre-commit", ".vscode/tasks.json", ".husky/x"])
def test_a_hard_link_of_a_protected_file_of_the_workspace_is_protected(name: str, workspace: Path) -> None:
    (workspace / name).parent.mkdir(parents=True, exist_ok=True)
    (workspace / name).write_text("")
    for other in ("hard", "plain"):
        (workspace / "sub").mkdir(exist_ok=True)
        (workspace / "sub" / other).hardlink_to(workspace / (name if other == "hard" else "sub/hard"))
    (workspace / "free").write_text("")
    (workspace / "free2").hardlink_to(workspace / "free")

    for other in ("hard", "plain"):
        assert why_protected(str(workspace / "sub" / other), [workspace])
    assert why_protected(str(workspace / "free2"), [workspace]) is None


def test_links_are_followed_through_links_and_across_roots(workspace: Path, tmp_path: Path) -> None:
    (workspace / "hooks").mkdir()
    (workspace / ".husky").symlink_to("hooks")
    (workspace / "hooks" / "pre-commit").symlink_to("../scripts/check")
    second = tmp_path / "second"
    second.mkdir()
    (second / ".envrc").symlink_to(workspace / "dev.sh")

    assert why_protected(str(workspace / "scripts" / "check"), [workspace])
    assert why_protected(str(workspace / "dev.sh"), [workspace, second])
    assert why_protected(str(workspace / "dev.sh"), [workspace]) is None


def test_a_protected_name_is_found_among_very_many(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protected_files, "MAX_NAMES", 3)
    for number in range(30):
        (workspace / f"a{number}").write_text("")
    (workspace / ".envrc").symlink_to("dev.sh")

    assert why_protected(str(workspace / "dev.sh"), [workspace])


def test_a_second_name_for_the_same_folder_counts_too(workspace: Path) -> None:
    for name in (".claude", ".vscode", ".idea"):
        (workspace / name).symlink_to("settings")

    assert why_protected(str(workspace / "settings" / "tasks.json"), [workspace])
    assert why_protected(str(workspace / "settings" / "a.json"), [workspace]) is None


def test_a_full_protected_folder_hides_no_link_in_another(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_files, "MAX_ENTRIES", 5)
    (workspace / ".circleci").mkdir()
    for number in range(30):
        (workspace / ".circleci" / f"a{number}").write_text("")
    (workspace / ".husky").mkdir()
    (workspace / ".husky" / "pre-commit").symlink_to("../check")

    assert why_protected(str(workspace / "check"), [workspace])


def test_links_that_go_round_end(workspace: Path) -> None:
    (workspace / ".husky").mkdir()
    (workspace / ".husky" / "again").symlink_to(".")
    (workspace / ".husky" / "itself").symlink_to("itself")

    assert why_protected(str(workspace / "a.py"), [workspace]) is None


def test_folders_and_programs_of_the_home_lead_to_the_workspace_too(workspace: Path) -> None:
    home = Path(os.environ["HOME"])
    (workspace / "nvim").mkdir()
    for link, target in ((".config/nvim", "nvim"), (".local/bin/tool", "tool.py"), ("bin", "programs")):
        (home / link).parent.mkdir(parents=True, exist_ok=True)
        (home / link).symlink_to(workspace / target)

    for name in ("nvim/init.lua", "tool.py", "programs/x"):
        assert why_protected(str(workspace / name), [workspace]), name
    assert why_protected(str(workspace / "nvim" / "init.lua"), [workspace / "nvim"]) is None, (
        "it is the workspace"
    )


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


@pytest.mark.parametrize("kind", ["config", "data", "state"])
def test_a_file_to_which_a_link_in_a_folder_of_ours_leads_is_protected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "ours"))
    own, dotfiles = tmp_path / "ours" / kind, tmp_path / "dotfiles"
    own.mkdir(parents=True)
    dotfiles.mkdir()
    (dotfiles / "hard").touch()
    (own / "rules.toml").symlink_to(dotfiles / "later.toml")
    (own / "hard").hardlink_to(dotfiles / "hard")
    (own / "folder").symlink_to(dotfiles / "sub")
    (own / "all").symlink_to(dotfiles)
    for name in ("later.toml", "hard", "sub/new"):
        assert why_protected(str(dotfiles / name), (str(dotfiles),))
    assert why_protected(str(dotfiles / "plain"), (str(dotfiles),)) is None


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
        f"| {place.why} | {', '.join(f'`{one}`' for one in place.patterns)} |"
        for place in protected_files.PLACES
    ]


def test_our_own_files_are_protected_in_any_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "Home"))

    assert why_protected(str(tmp_path / "Home" / "config" / "settings.toml"), [])
    assert why_protected(str(tmp_path / "home" / "CONFIG" / "settings.toml"), [])
    assert not why_protected(str(tmp_path / "home" / "CONFIGS" / "settings.toml"), [])
