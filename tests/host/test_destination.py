"""Where paths lead."""

import os
from pathlib import Path

import pytest

from acp_tui.host.destination import Destination, destination

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
    assert destination(path, str(cwd)) == found
    assert destination(f"{cwd}/{path}", str(cwd)) == found


def test_what_lies_outside_is_told_in_full(cwd: Path) -> None:
    assert destination("out", str(cwd)).at == str(cwd.parent.resolve() / "other")


def test_a_hard_link_of_a_protected_file_is_protected(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(cwd.parent))
    (cwd.parent / ".bashrc").write_text("x")
    os.link(cwd.parent / ".bashrc", cwd / "notes.txt")

    assert destination("notes.txt", str(cwd)) == Destination("", "a shell reads it when it starts", 2)
