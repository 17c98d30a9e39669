"""Tests of `commands/doctor/machine.py`."""

from __future__ import annotations

import errno
import json
import os
import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len

from acp_tui.cli import main
from acp_tui.commands.doctor import machine
from acp_tui.commands.doctor.findings import Finding
from acp_tui.workspace import folder_events


def test_without_an_agent_the_ways_of_this_machine_are_told_in_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--cwd", str(tmp_path)]) == 0

    told = capsys.readouterr().out
    for check in (
        "watching",
        "processes",
        "terminals",
        "clipboard",
        "notifications",
        "colours",
        "snapshots by git",
    ):
        assert f" {check} " in told
    assert max(map(cell_len, told.splitlines())) <= 80


def test_the_report_is_json_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--cwd", str(tmp_path)]) == 0

    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is True
    assert "keyboard protocol" in {finding["check"] for finding in report["findings"]}


def test_without_git_the_report_says_what_is_missing_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main(["doctor", "--cwd", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "✗ snapshots by git" in told
    assert "install git" in told


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_where_nothing_can_be_watched_the_reason_and_the_limit_to_raise_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(folder_events, "RustNotify", refuse)

    found = machine.watching(tmp_path)

    assert (found.verdict, found.text) == ("note", f"not possible: {os.strerror(number)}")
    assert "max_user_watches" in found.fallback


@pytest.mark.parametrize(
    ("answer", "verdict", "words"),
    [
        (b"\x1b[?0u\x1b[?62;c", "well", "Kitty"),
        (b"\x1b[?31u\x1b[?1;2c", "well", "Kitty"),
        (b"\x1b[?62;22c", "note", "legacy"),
        (b"", "note", "unknown"),
    ],
)
def test_the_keyboard_protocol_is_what_the_terminal_answers(answer: bytes, verdict: str, words: str) -> None:
    found = machine.keyboard(answer)

    assert found.verdict == verdict
    assert words in found.text


def programs(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("env", "there", "text"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["wl-copy"], "wl-copy"),
        ({"DISPLAY": ":0"}, ["xsel"], "xsel"),
        ({"DISPLAY": ":0"}, [], "the terminal (OSC 52)"),
        ({"SSH_TTY": "/dev/pts/1", "TMUX": "x"}, ["tmux"], "tmux's buffer, then the terminal (OSC 52)"),
    ],
)
def test_the_clipboard_is_that_of_the_desktop_else_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], there: list[str], text: str
) -> None:
    monkeypatch.setenv("PATH", programs(tmp_path, *there))

    assert machine.clipboard(env).text == text


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"TERM": "xterm-256color", "TMUX": "x"}, "the bell"),
        ({"TERM": "screen"}, "the bell"),
        ({"TERM": "foot"}, "OSC 777, and the bell"),
        ({"TERM": "xterm-kitty"}, "OSC 9, and the bell"),
    ],
)
def test_notifications_go_the_way_that_the_terminal_knows(env: dict[str, str], text: str) -> None:
    assert machine.notifications(env).text == text


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "all"),
        ({"TERM": "xterm-256color"}, "256 (TERM=xterm-256color)"),
        ({"TERM": "xterm"}, "16 (TERM=xterm)"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "none: NO_COLOR is set"),
    ],
)
def test_colours_are_those_that_the_environment_names(env: dict[str, str], text: str) -> None:
    assert machine.colors(env).text == text


@pytest.mark.parametrize("is_folded", [True, False])
def test_file_names_are_compared_as_the_file_system_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_folded: bool
) -> None:
    def same(path: Path, other: Path) -> bool:
        names = [unicodedata.normalize("NFC", each.name).casefold() for each in (path, other)]
        return is_folded and names[0] == names[1]

    (tmp_path / "Über.txt").touch()
    monkeypatch.setattr(Path, "samefile", same)

    found = list(machine.file_names(tmp_path))

    case, accents = found
    assert case.text.startswith("does not count" if is_folded else "counts")
    assert accents.text.endswith("one name" if is_folded else "two names")


def test_a_long_reason_goes_on_below_its_beginning() -> None:
    report = machine.words([Finding("watching", "note", "not possible: " + "very " * 20, "look " * 20)])

    lines = report.splitlines()[2:-3]
    assert max(map(len, lines)) <= 80
    assert all(line.startswith(" " * 24) for line in lines[1:])
