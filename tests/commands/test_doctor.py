"""Tests of `commands/doctor.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.cli import main

RUDE = str(Path(__file__).parent.parent / "agent" / "rude_agent.py")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


def test_a_good_agent_is_told_line_by_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--demo"]) == 0

    said = capfd.readouterr().out
    assert "✓ identity              Demo agent 1.0\n" in said
    assert said.endswith(" well, 0 to know, 0 broken\n")


def test_a_broken_one_ends_with_code_1_and_json_says_what_is_done_about_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--timeout", "5", "--json", "--agent", sys.executable, "-S", RUDE, "sloppy"]) == 1

    report = json.loads(capfd.readouterr().out)
    assert report["ok"] is False
    assert report["agent"] == {"name": "rude", "title": None, "version": "1"}
    assert report["capabilities"]["list sessions"] is True
    assert {
        "check": "session/list",
        "verdict": "broken",
        "text": "gives the same cursor again",
        "fallback": "listing stops there",
    } in report["findings"]


@pytest.mark.slow
def test_nothing_of_the_agent_is_obeyed_by_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    fake = str(Path(__file__).parent.parent / "fake_agent.py")

    assert main(["doctor", "--timeout", "0.3", "--agent", sys.executable, "-S", fake, "banner"]) == 1
    assert "\x1b" not in capfd.readouterr().out


_NAMED = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    name = os.environ["MY_API_KEY"] + " sk-abcdefghijklmnop1234 " + "N" * 1_000_000
    result = {"protocolVersion": 1, "agentInfo": {"name": name, "version": "half \\ud83d"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_report_that_is_shown_to_others_is_short_and_holds_no_secret(
    form: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "supersecretvalue")
    agent = [sys.executable, "-S", "-c", _NAMED, "--token=abcdefgh12345678", "--api-key", "onlyinhere"]

    main(["doctor", "--timeout", "0.5", *form, "--agent", *agent])

    said = capfd.readouterr().out
    assert "MY_API_KEY" in said, "the command is told"
    for secret in ("supersecretvalue", "sk-abcdef", "abcdefgh12345678", "onlyinhere"):
        assert secret not in said
    assert "•••" in said or "\\u2022" in said
    assert len(said) < 10_000


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "needs an agent"),
        (["--timeout", "0", "--demo"], "number of seconds"),
        (["--bogus", "--demo"], "unknown option --bogus"),
        (["--demo", "--agent", "x"], "exclude each other"),
    ],
)
def test_a_wrong_command_line_is_told(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", *argv]) == 2
    assert message in capsys.readouterr().err


def test_a_program_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--agent", "no-such-agent"]) == 1
    assert "neither a known agent nor a program" in capsys.readouterr().err


def test_json_is_json_also_where_there_is_nothing_to_examine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--agent", "no-such-agent"]) == 1

    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    (finding,) = report["findings"]
    assert (finding["check"], finding["verdict"]) == ("program", "broken")
    assert "neither a known agent nor a program" in finding["text"]


@pytest.mark.slow
def test_help_is_told_and_neither_it_nor_an_examination_loads_the_interface() -> None:
    run = "import sys; from acp_tui.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    for words in (["--help"], ["--demo"]):
        argv = [sys.executable, "-c", run, "doctor", *words]
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        assert "acp_tui.commands.doctor" in done.stdout
        assert "textual" not in done.stdout.split()
