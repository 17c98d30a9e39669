"""Tests of `commands/doctor/agent_files.py`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from acp_tui.commands.doctor.agent_files import finding, places_written, traced

needs_strace = pytest.mark.skipif(  # there is nothing to read without it; `.ci/run` installs it
    shutil.which("strace") is None, reason="strace is not installed"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".mine", ".config/mine", "work"):
        (tmp_path / name).mkdir(parents=True)
    for name in (".mine.json", ".other"):
        (tmp_path / name).touch()
    return tmp_path


def test_places_are_found_by_the_calls_that_write(home: Path) -> None:
    lines = [
        f'12 openat(AT_FDCWD<{home}/work>, "{home}/.mine/log", O_WRONLY|O_CREAT, 0666) = 3</x>',
        f'12 openat(3<{home}/.config>, "mine/settings", O_RDWR|O_CREAT, 0600) = 4</x>',
        f'12 openat(AT_FDCWD<{home}/work>, "{home}/.other", O_RDONLY|O_CLOEXEC) = 3</x>',
        f'12 rename("{home}/.mine.json.tmp.1", "{home}/.mine.json") = 0',
        f'12 openat(AT_FDCWD<{home}/work>, "new", O_WRONLY|O_CREAT, 0666) = 3</x>',
        f'12 mkdir("{home}/.gone", 0777) = 0',
        '12 openat(AT_FDCWD</>, "/dev/null", O_RDWR) = 3</dev/null>',
        "12 openat(AT_FDCWD, \\xff broken",
    ]

    found = places_written(lines, str(home), str(home / "work"))

    assert found == [f"{home}/.config/mine", f"{home}/.mine", f"{home}/.mine.json"]


@needs_strace
def test_what_strace_prints_is_understood(home: Path, tmp_path: Path) -> None:
    writes = f"echo x > {home}/.mine/log; cd {home}/.config; echo x > mine/settings; echo x > {home}/work/x"
    line = f"{writes}; cat {home}/.other"
    told = tmp_path / "calls"
    argv = traced(["sh", "-c", line], told)
    assert argv is not None
    if subprocess.run(argv, check=False).returncode:
        pytest.skip("strace may not trace here")  # a container without ptrace; the parser is tested above

    found = places_written(told.read_text().splitlines(), str(home), str(home / "work"))

    assert found == [f"{home}/.config/mine", f"{home}/.mine"]


@pytest.mark.parametrize(
    ("places", "state", "text", "advice"),
    [
        (["/h/.mine"], [".mine"], "writes ~/.mine below your home", ""),
        ([], [], "writes nothing below your home", ""),
        (["/h/.mine"], [], "writes ~/.mine; in a sandbox", 'state = [".mine"]'),
        (["/h/.mine", "/h/.npm"], [".mine"], "writes ~/.npm, beside ~/.mine; in", 'state = [".npm"]'),
        (["/h/.local/share/mine"], ["~/.local/share/mine"], "writes ~/.local/share/mine below", ""),
    ],
)
def test_what_is_not_known_as_its_own_is_named(
    places: list[str], state: list[str], text: str, advice: str
) -> None:
    found = finding(places, state, "/h")

    assert text in found.text
    assert advice in found.fallback
    assert (found.verdict == "note") == bool(advice)
