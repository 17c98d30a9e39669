"""Tests of `sandbox/installed_programs.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.sandbox.installed_programs import program_places


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def program(path: Path, first: str = "#!/bin/sh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first}\n")
    path.chmod(0o755)
    return path


def found(home: Path, *argv: str, path: str = "/usr/bin") -> list[str]:
    return [str(Path(place).relative_to(home)) for place in program_places(argv, path, str(home))]


def test_folders_of_path_below_the_home_are_there(home: Path) -> None:
    (home / "bin").mkdir()
    (home / ".cargo" / "bin").mkdir(parents=True)
    path = f"{home}/bin:/usr/bin:{home}/.cargo/bin:{home}/missing:"

    assert found(home, path=path) == ["bin", ".cargo/bin"]
    assert found(home, "ls") == []


def test_a_package_of_node_is_found_by_its_link_and_with_its_interpreter(home: Path) -> None:
    program(home / ".nvm/v20/bin/node")
    there = program(home / ".npm-global/lib/node_modules/mine/dist/index.js", "#!/usr/bin/env node")
    link = home / ".npm-global" / "bin" / "mine"
    link.parent.mkdir()
    link.symlink_to(there)
    path = f"{home}/.npm-global/bin:{home}/.nvm/v20/bin"

    assert {".npm-global", ".npm-global/lib/node_modules", ".nvm/v20"} <= {*found(home, "mine", path=path)}


def test_a_tool_of_uv_is_found_without_all_of_its_neighbours(home: Path) -> None:
    program(home / ".local/share/uv/python/3.12/bin/python3.12", "ELF")
    tool = home / ".local/share/uv/tools/mine"
    (tool / "bin").mkdir(parents=True)
    (tool / "bin" / "python").symlink_to(home / ".local/share/uv/python/3.12/bin/python3.12")
    script = program(tool / "bin" / "mine", f"#!{tool}/bin/python")
    (home / ".local/bin").mkdir()
    (home / ".local/bin/mine").symlink_to(script)

    places = found(home, "mine", path=f"{home}/.local/bin")

    assert set(places) == {".local/bin", ".local/share/uv/tools/mine", ".local/share/uv/python/3.12"}


def test_a_script_that_is_given_to_an_interpreter_is_there(home: Path) -> None:
    script = program(home / "agents" / "mine.py")

    assert found(home, "python3", str(script), "--acp") == ["agents"]


@pytest.mark.parametrize("first", ["", "#!", "#!/usr/bin/env", "#!/usr/bin/env -S missing", "\xff"])
def test_unusual_first_lines_are_tolerated(home: Path, first: str) -> None:
    program(home / "bin" / "odd", first)

    assert found(home, "odd", path=f"{home}/bin") == ["bin"]
