"""Programs that acp-tui runs by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui import trusted_programs


def test_a_program_of_our_own_is_none_that_an_agent_could_have_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, system = tmp_path / "work", tmp_path / "usr"
    for folder in (workspace, system):
        folder.mkdir()
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    (tmp_path / "link").symlink_to(workspace)
    (system / "tool").symlink_to(workspace / "git")
    path = os.pathsep.join(map(str, (workspace, tmp_path / "link", "relative", system)))
    monkeypatch.setenv("PATH", path)
    assert trusted_programs.own_program("git") == str(workspace / "git")

    trusted_programs.expose([str(workspace)])

    assert trusted_programs.own_program("git") == str(system / "git")
    assert trusted_programs.own_path() == str(system)
    assert trusted_programs.own_program("tool") is None, "it leads into the workspace"


@pytest.mark.parametrize("folder", ["/", "/usr"])
def test_work_in_a_folder_of_the_system_hides_no_program(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = trusted_programs.own_path()

    trusted_programs.expose([folder])

    assert trusted_programs.own_path() == before


@pytest.mark.parametrize(
    "options", [["-m"], ["-P", "-m"]], ids=["as the user starts it", "as it starts itself"]
)
def test_no_file_of_the_workspace_is_a_module_of_ours(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "shtab.py").write_text("open('OWNED', 'w')")
    (tmp_path / "argparse.py").write_text("open('OWNED', 'w')")
    argv = [sys.executable, *options, "acp_tui", "--help"]
    env = {**os.environ, "PYTHONPATH": str(Path(trusted_programs.__file__).parents[1])}
    assert trusted_programs.own_command("--help") == (sys.executable, "-P", "-m", "acp_tui", "--help")

    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)

    assert "--agent" in done.stdout
    assert not (tmp_path / "OWNED").exists()


def test_no_module_is_imported_from_a_folder_that_an_agent_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules, other = tmp_path / "work" / "src", tmp_path / "other"
    source = str(Path(trusted_programs.__file__).parents[1])
    monkeypatch.setattr(sys, "path", [str(modules), source, str(other), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("", str(modules), source, str(other))))

    trusted_programs.expose([str(tmp_path / "work"), source])

    assert sys.path[:2] == [source, str(other)]
    assert trusted_programs.own_environment()["PYTHONPATH"] == f"{source}{os.pathsep}{other}"
