"""Tests of `commands/sandbox.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.sandbox import machine
from tests.sandbox.fences import lay_out, needs_bubblewrap
from tests.terminal import Terminal


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay_out(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home" / "ours"))
    monkeypatch.chdir(tmp_path / "home" / "work")
    return tmp_path / "home"


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "acp_tui", "sandbox", *words]


def ran(home: Path, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(*words),
        check=False,
        input=said,
        capture_output=True,
        text=True,
        cwd=home / "work",
        env={**os.environ, "HOME": str(home), "ACP_TUI_HOME": str(home / "ours")},
    )


@needs_bubblewrap
def test_a_command_runs_inside_with_its_own_streams_and_exit_code(home: Path) -> None:
    done = ran(
        home, "--", "sh", "-c", "cat; cat ~/.ssh/id; echo x > ~/new; echo x > made; exit 5", said="typed\n"
    )

    assert (done.returncode, done.stdout) == (5, "typed\n")
    assert "ead-only file system" in done.stderr
    assert (home / "work" / "made").exists()
    assert not (home / "new").exists()


@needs_bubblewrap
@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("work/.venv/bin", ("sandbox", "--", "true")),
        ("work/.venv/bin", ("doctor",)),
        ("cache/bin", ("sandbox", "--", "true")),
    ],
)
def test_a_program_that_an_earlier_session_has_put_on_path_is_not_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, folder: str, command: Sequence[str]
) -> None:
    (home / folder).mkdir(parents=True)
    (home / "ours" / "config").mkdir(parents=True)
    (home / "ours" / "config" / "settings.toml").write_text('[sandbox]\nwrite = ["~/cache"]\n')
    for name in ("bwrap", "git", "strace", "setsid"):
        program = home / folder / name
        program.write_text(f'#!/bin/sh\necho {name} >> {home}/planted\nexec /usr/bin/{name} "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / folder}:{os.environ['PATH']}")
    argv = [sys.executable, "-m", "acp_tui", *command]

    subprocess.run(argv, cwd=home / "work", capture_output=True, check=False)

    assert not (home / "planted").exists()


@needs_bubblewrap
@pytest.mark.parametrize(("line", "code"), [("kill -TERM $$", 143), ("exit 0", 0)])
def test_a_signal_is_told_as_a_shell_tells_it(home: Path, line: str, code: int) -> None:
    assert ran(home, "--", "sh", "-c", line).returncode == code


@needs_bubblewrap
def test_without_a_network_there_is_none(home: Path) -> None:
    said = ran(home, "--no-network", "--", "sh", "-c", "tail -n +3 /proc/net/dev | cut -d: -f1").stdout

    assert said.split() == ["lo"]


@needs_bubblewrap
def test_on_a_terminal_it_has_its_own_and_keys_reach_it(home: Path) -> None:
    line = "trap 'echo stopped; exit 6' INT; stty size; test -t 0 && echo ready; while :; do sleep 0.02; done"
    env = {**os.environ, "HOME": str(home), "ACP_TUI_HOME": str(home / "ours")}
    with Terminal(_command("--", "sh", "-c", line), cwd=home / "work", env=env) as terminal:
        terminal.until("ready")
        terminal.type("\x03")
        terminal.until("stopped")

        assert terminal.exit_code() == 6


@needs_bubblewrap
def test_a_missing_command_is_named(home: Path) -> None:
    done = ran(home, "--", "no-such-program")

    assert done.returncode == 127
    assert "no-such-program" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "needs a command"),
        (["--cwd", "nowhere", "--", "true"], "does not exist"),
        (["--cwd", "..", "--", "true"], "would keep nothing out"),
        (["--odd", "--", "true"], "unknown option --odd"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sandbox", *words]) in (1, 2)
    assert said in capsys.readouterr().err


def test_without_a_fence_nothing_is_started(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "try_fences", lambda: machine.Trial(None, "no namespaces here"))

    assert main(["sandbox", "--", "touch", "made"]) == 1
    assert "This machine has no sandbox: no namespaces here." in capsys.readouterr().err
    assert not (home / "work" / "made").exists()


def test_a_partial_fence_is_never_taken_silently(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    partial = machine.Trial(machine.Means("landlock"), "bubblewrap is not installed")
    monkeypatch.setattr(machine, "try_fences", lambda: partial)

    assert main(["sandbox", "--", "touch", "made"]) == 1
    assert "--sandbox=partial" in capsys.readouterr().err
    assert not (home / "work" / "made").exists()


@needs_bubblewrap
def test_a_workspace_cannot_widen_it_by_settings_of_its_own(home: Path) -> None:
    own = '[sandbox]\nuse = "off"\nwrite = ["~/other"]\nread = ["~/.ssh"]\n'
    for name in (".acp-tui/settings.toml", ".acp-tui/config/settings.toml", "settings.toml"):
        path = home / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(own)

    done = ran(home, "--", "sh", "-c", "cat ~/.ssh/id; echo x > ~/other/file")

    assert "the key" not in done.stdout
    assert (home / "other" / "file").read_text() == "mine\n"
