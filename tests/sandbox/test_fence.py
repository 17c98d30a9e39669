"""Tests of `sandbox/fence.py`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from acp_tui.sandbox.fence import Fence, NoFence, Wanted, fence_for, repository_of
from tests.sandbox.fences import lay_out


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_out(tmp_path / "home")
    return tmp_path / "home"


def fence(
    home: Path,
    *roots: Path,
    wanted: Wanted | None = None,
    state: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> Fence:
    (home.parent / "private").mkdir(exist_ok=True)
    return fence_for(
        [str(root) for root in roots or (home / "work",)],
        wanted=wanted or Wanted(),
        state=state,
        others=others,
        ours=[str(home / "ours")],
        folder=str(home.parent / "private"),
        home=str(home),
        environment={"SSH_AUTH_SOCK": "/run/agent", **(environment or {})},
    )


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("work/file", "write"),
        ("work/new/deep", "write"),
        ("work/.git/index", "write"),
        ("work/.git/hooks/pre-commit", "read"),
        ("work/.git/config", "read"),
        ("work/.envrc", "read"),
        ("other/file", "read"),
        (".bashrc", "read"),
        (".ssh/id", "hide"),
        (".ssh", "hide"),
        ("ours/journal", "hide"),
    ],
)
def test_the_rule_of_the_deepest_path_holds(home: Path, path: str, way: str) -> None:
    assert fence(home).access(str(home / path)) == way


def test_hooks_that_are_not_there_yet_are_made_and_stay_closed(home: Path) -> None:
    for each in (home / "work" / ".git" / "hooks").iterdir():
        each.unlink()
    (home / "work" / ".git" / "hooks").rmdir()

    assert fence(home).access(str(home / "work" / ".git" / "hooks" / "pre-commit")) == "read"


def test_the_home_and_what_holds_it_are_no_workspace(home: Path) -> None:
    for root in (home, home.parent, Path("/")):
        with pytest.raises(NoFence, match="would keep nothing out"):
            fence(home, root)


def test_a_folder_that_leads_into_a_hidden_place_is_refused(home: Path) -> None:
    (home / "work" / "link").symlink_to(home / ".ssh")

    with pytest.raises(NoFence, match="hides"):
        fence(home, home / "work", home / "work" / "link")


def test_what_an_agent_keeps_is_its_own_and_hidden_from_others(home: Path) -> None:
    made = fence(home, state=(".one", ".one.json"), others=(".two",))

    assert made.access(str(home / ".one" / "token")) == "write"
    assert (home / ".one").is_dir()
    assert not (home / ".one.json").exists()
    assert made.access(str(home / ".two" / "token")) == "hide"


def test_the_users_own_places_count(home: Path) -> None:
    wanted = Wanted(
        write=("~/other", str(home / "work" / ".envrc")),
        read=("~/.netrc",),
        hide=("~/private",),
        protect=("file",),
        sockets=("ssh-agent",),
    )
    made = fence(home, wanted=wanted)

    assert made.access(str(home / "other" / "file")) == "write"
    assert made.access(str(home / "work" / ".envrc")) == "write"
    assert made.access(str(home / ".netrc")) == "read"
    assert made.access(str(home / "private" / "x")) == "hide"
    assert made.access(str(home / "work" / "file")) == "read"
    assert made.sockets == ("/run/agent",)


@pytest.mark.parametrize("name", ["ours", "ours/journal"])
def test_our_own_folders_are_not_let_in_by_a_setting(home: Path, name: str) -> None:
    assert fence(home, wanted=Wanted(read=(f"~/{name}",))).access(str(home / "ours" / "journal")) == "hide"
    with pytest.raises(NoFence):
        fence(home, wanted=Wanted(write=(f"~/{name}",)))


def test_a_file_in_the_private_folder_has_two_names(home: Path) -> None:
    made = fence(home)

    assert made.outside("/tmp/x/y") == f"{made.temp}/x/y"
    assert made.inside(f"{made.temp}/x/y") == "/tmp/x/y"
    assert made.outside("/var/tmp/x") == f"{made.temp}/x"
    assert made.outside("/etc/x") == "/etc/x"
    assert made.outside(str(home / "work" / "file")) == str(home / "work" / "file")
    assert made.outside("/tmpfile") == "/tmpfile"


def linked_worktree(home: Path) -> Path:
    repository, tree = home / "repository" / ".git", home / "tree"
    own = repository / "worktrees" / "tree"
    for folder in (
        own,
        tree,
        repository / "hooks",
        repository / "objects",
        repository / "worktrees" / "other",
    ):
        folder.mkdir(parents=True)
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{tree}/.git\n")
    (own / "commondir").write_text("../..\n")
    (repository / "config").write_text("[extensions]\n\tworktreeConfig = true\n")
    return tree


def test_a_linked_worktree_brings_its_repository(home: Path) -> None:
    tree = linked_worktree(home)
    repository = home / "repository" / ".git"

    made = fence(home, tree)

    assert made.access(str(repository / "objects")) == "write"
    assert made.access(str(repository / "hooks" / "pre-commit")) == "read"


@pytest.mark.parametrize("name", ["commondir", "gitdir", "config.worktree", "../other/HEAD", "../other"])
def test_where_git_looks_for_the_hooks_of_a_linked_worktree_stays(home: Path, name: str) -> None:
    tree = linked_worktree(home)
    own = home / "repository" / ".git" / "worktrees" / "tree"

    made = fence(home, tree)

    assert made.access(str(tree / ".git")) == "read"
    assert made.access(os.path.normpath(own / name)) == "read"
    assert made.access(str(own / "HEAD")) == "write"


def test_settings_of_a_worktree_cannot_be_made_where_git_would_read_them(home: Path) -> None:
    assert not (home / "work" / ".git" / "config.worktree").exists()
    fence(home)
    assert not (home / "work" / ".git" / "config.worktree").exists()  # git does not read it here

    (home / "work" / ".git" / "config").write_text("[extensions]\n\tworktreeConfig = true\n")

    assert fence(home).access(str(home / "work" / ".git" / "config.worktree")) == "read"


def test_a_forged_git_file_gains_nothing(home: Path) -> None:
    tree = linked_worktree(home)
    forged = home / "forged"
    forged.mkdir()
    (forged / ".git").write_text((tree / ".git").read_text())

    assert repository_of(str(forged)) is None
    assert fence(home, forged).access(str(home / "repository" / ".git" / "objects")) == "read"


@pytest.mark.parametrize("above", ["", "project"])
def test_a_workspace_in_a_folder_named_worktrees_does_not_make_what_is_above_it_writable(
    home: Path, above: str
) -> None:
    forged = home / above / "worktrees" / "one"
    forged.mkdir(parents=True)
    for name, text in ((".git", "gitdir: ."), ("gitdir", ".git"), ("commondir", "../..")):
        (forged / name).write_text(f"{text}\n")

    made = fence(home, forged)

    assert made.access(str(home / ".bashrc")) == "read"
    assert made.access(str(home / above / "file")) == "read"


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\thooksPath = tools/hooks # of the team\n",
        "[core]\n\thooksPath = tools/hooks;x\n",
        '[core "x]"] hooksPath = "tools/ho\\\noks"\n',
        "[core]\n\tHOOKSPATH=~/work/tools/hooks\n",
        "[include]\n\tpath = ../tools/settings\n",
        "[include]\n\tpath = ~/work/tools/settings\n",
    ],
)
@pytest.mark.parametrize(
    "file", ["work/.git/config", "work/.git/config.worktree", ".gitconfig", ".config/git/config"]
)
def test_folders_of_hooks_stay_read_only_wherever_a_setting_names_them(
    home: Path, file: str, text: str
) -> None:
    text = text if "work/.git" in file else text.replace("../tools", f"{home}/work/tools")
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    (home / file).write_text(text)
    (home / "work" / "tools" / "hooks").mkdir(parents=True)
    (home / "work" / "tools" / "settings").write_text("[core]\n\thooksPath = tools/hooks\n")

    made = fence(home)

    assert made.access(str(home / "work" / "tools" / "hooks" / "pre-commit")) == "read"
    assert made.access(str(home / "work" / "tools" / "other")) == "write"
    is_included = "include" in text
    assert made.access(str(home / "work" / "tools" / "settings")) == ("read" if is_included else "write")


def test_settings_that_include_themselves_stop_no_start(home: Path) -> None:
    (home / "work" / ".git" / "config").write_text(
        "[include]\n\tpath = config\n\tpath = ../.git/config\n" * 99
    )

    assert fence(home).access(str(home / "work" / "file")) == "write"


@pytest.mark.parametrize("text", ["[core]\n\thooksPath = \0\n\thooksPath = \udc80\n", "=\n\0", "\udcff]=["])
def test_settings_of_git_that_nobody_can_read_stop_no_start(home: Path, text: str) -> None:
    (home / "work" / ".git" / "config").write_text(text, errors="surrogateescape")
    (home / "work" / "sub").mkdir()
    (home / "work" / "sub" / ".git").write_text(text, errors="surrogateescape")

    assert fence(home, home / "work", home / "work" / "sub").access(str(home / "work" / "file")) == "write"


@pytest.mark.parametrize("name", [".git", ".git/config", "own/gitdir"])
def test_a_pipe_in_place_of_a_file_of_git_does_not_hold_up_the_start(home: Path, name: str) -> None:
    workspace = home / "pipes"
    (workspace / name).parent.mkdir(parents=True)
    os.mkfifo(workspace / name)
    if name == "own/gitdir":
        (workspace / ".git").write_text("gitdir: own\n")

    assert fence(home, workspace).access(str(workspace / "file")) == "write"


def test_a_link_in_place_of_settings_of_a_worktree_makes_no_file_elsewhere(home: Path) -> None:
    (home / "work" / ".git" / "config").write_text("[extensions]\n\tworktreeConfig = true\n")
    (home / "work" / ".git" / "config.worktree").symlink_to(home / "made")

    fence(home)

    assert not (home / "made").exists()


@pytest.mark.parametrize("way", ["root", "setting", "state"])
def test_a_fence_around_its_own_folder_is_refused(home: Path, way: str) -> None:
    around = home / "around"
    (around / "private").mkdir(parents=True)
    (home.parent / "private").symlink_to(around / "private")

    with pytest.raises(NoFence, match=f"{around} would keep nothing out"):
        fence(
            home,
            *((around,) if way == "root" else ()),
            wanted=Wanted(write=("~/around",) if way == "setting" else ()),
            state=("around",) if way == "state" else (),
        )


def test_a_folder_that_a_variable_has_moved_is_hidden_or_writable_where_it_is(home: Path) -> None:
    moved = {"XDG_CONFIG_HOME": str(home / "settings"), "XDG_DATA_HOME": str(home / "data")}

    made = fence(
        home,
        state=(".local/share/mine",),
        others=(".config/theirs", ".local/share/theirs"),
        environment=moved,
    )

    for name in ("settings/gh", ".config/gh", "settings/theirs", "data/theirs", "data/keyrings"):
        assert made.access(str(home / name)) == "hide", name
    assert made.access(str(home / "data" / "mine" / "log")) == "write"
    assert not (home / ".local").exists()
