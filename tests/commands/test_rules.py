"""Tests of `commands/rules.py`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from acp_tui.cli import main

OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with nothing in it."""
    (tmp_path / "w").mkdir()
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "w")
    return tmp_path


def rules_file(home: Path, text: str) -> Path:
    path = home / "config" / "rules.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def record(home: Path, name: str, agent: str, days: int, *commands: str, runs: Sequence[str] = ()) -> None:
    """Write a journal in which an agent asks for commands, and has us run some."""
    at = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    cwd = str(home / "w")
    rows: list[tuple[str, Any]] = [
        ("note", {"start": [agent], "agent": agent, "cwd": cwd, "at": at}),
        ("out", {"id": 0, "method": "session/new", "params": {"cwd": cwd, "mcpServers": []}}),
        ("in", {"id": 0, "result": {"sessionId": "s"}}),
    ]
    for number, command in enumerate(commands):
        call = {
            "toolCallId": f"t{number}",
            "title": "Run",
            "kind": "execute",
            "rawInput": {"command": command},
        }
        params = {"sessionId": "s", "toolCall": call, "options": OPTIONS}
        rows.append(("in", {"id": f"q{number}", "method": "session/request_permission", "params": params}))
        rows.append(("out", {"id": f"q{number}", "result": {"outcome": {"outcome": "cancelled"}}}))
    for number, command in enumerate(runs):
        made = {"sessionId": "s", "command": command}
        rows.append(("in", {"id": f"r{number}", "method": "terminal/create", "params": made}))
        rows.append(("out", {"id": f"r{number}", "result": {"terminalId": f"term-{number}"}}))
    folder = home / "data" / "journals"
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(
        json.dumps({"t": 0.0, "dir": way, "msg": {"jsonrpc": "2.0", **msg} if way != "note" else msg}) + "\n"
        for way, msg in rows
    )
    (folder / f"{name}.ndjson").write_text(text)


def test_rules_without_mistakes_pass(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rules_file(home, '[[rules]]\ndecision = "allow"\ncommand = "ls"\n')

    assert main(["rules", "check"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: 1 rule, no mistakes",
        f"{home}/w/.acp-tui/rules.toml: no rules yet",
    ]


def test_each_mistake_is_a_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rules_file(home, '[[rules]]\ndecision = "alow"\n[[rules]]\ndecision = "ask"\ncommand = "a && b"\n')
    (home / "w" / ".acp-tui").mkdir()
    (home / "w" / ".acp-tui" / "rules.toml").write_text("[[rules]\n")

    assert main(["rules", "check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:2: ")
    assert lines[1].startswith(f"{path}:3: ")
    assert lines[2].startswith(f"{home}/w/.acp-tui/rules.toml:1: not valid TOML")


def test_a_certain_file_can_be_checked_and_must_be_there(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "mine.toml").write_text('[[rules]]\ndecision = "deny"\n')

    assert main(["rules", "check", str(home / "mine.toml")]) == 0
    assert main(["rules", "check", str(home / "other.toml")]) == 1
    assert "the file does not exist" in capsys.readouterr().out


def test_trying_lists_what_would_have_come_of_past_questions(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rules_file(
        home,
        '[[rules]]\ndecision = "allow"\ncommand = "ls"\n'
        '[[rules]]\ndecision = "allow"\ncommand = "git status"\nnote = "looking"\n'
        '[[rules]]\ndecision = "deny"\ncommand = "rm"\n',
    )
    record(home, "1", "gemini", 1, "ls -l", "git status && ls", "ls; rm x", "make 'a\x1b[2J'")

    assert main(["rules", "try"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["allow", "allow", "deny", "ask"]
    assert f"[{path}:1]" in lines[0]
    assert f"[looking, {path}:4 + {path}:1]" in lines[1]
    assert f"[{path}:8]" in lines[2]
    assert "[no rule]" in lines[3]
    assert "\x1b" not in lines[3]
    assert lines[4] == "2 allowed, 1 asked, 1 denied"


def test_trying_lists_also_what_came_without_a_permission_and_nothing_twice(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules_file(home, '[[rules]]\ndecision = "deny"\ncommand = "rm"\n')
    record(home, "1", "kimi", 1, "ls -l", runs=["ls -l", "rm x"])

    assert main(["rules", "try"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[4:6] for line in lines[:2]] == [["ls", "-l"], ["rm", "x"]]
    assert lines[2] == "0 allowed, 1 asked, 1 denied"


def test_trying_can_be_narrowed_and_read_by_programs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(home, "1", "gemini", 40, "old")
    record(home, "2", "gemini", 1, "new")
    record(home, "3", "claude", 1, "other")

    assert main(["rules", "try", "--since", "7", "--agent", "gemini", "--json"]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["decision"], row["rules"], row["command"], row["agent"]) == ("ask", [], "new", "gemini")


def test_trying_tells_of_mistakes_on_stderr(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules_file(home, "[[rules]]\n")

    assert main(["rules", "try"]) == 1
    found = capsys.readouterr()
    assert found.out == "No requests in these sessions.\n"
    assert "a decision is missing" in found.err


@pytest.mark.parametrize(
    "words",
    [[], ["eat"], ["try", "file"], ["try", "--since", "soon"], ["check", "--nonsense"]],
)
def test_a_wrong_command_line_says_what_to_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", *words]) == 2
    assert capsys.readouterr().err.startswith("acp-tui: ")


def test_help_needs_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
