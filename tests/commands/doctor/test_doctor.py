"""The examination of an agent, and its report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.commands.doctor.doctor import Report, examine
from acp_tui.store.agents import Launch, Quirks, demo_launch
from tests.commands.doctor.test_agent_files import needs_strace

FAKE = str(Path(__file__).parents[2] / "fake_agent.py")


RUDE = str(Path(__file__).parents[2] / "agent" / "rude_agent.py")


def launch(*argv: str, quirks: Quirks | None = None) -> Launch:
    return Launch("fake", "Fake", (sys.executable, "-S", *argv), quirks=quirks or Quirks())


async def examined(
    launch: Launch, cwd: Path, patience: float = 20, prompt: str | None = None
) -> dict[str, list[tuple[str, str]]]:
    """Examine an agent and return (verdict, text) of its findings by check."""
    report = await examine(launch, str(cwd), patience=patience, prompt=prompt)
    return by_check(report)


def by_check(report: Report) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in report.findings:
        found.setdefault(finding.check, []).append((finding.verdict, finding.text))
    return found


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extend all timeouts for slow machines."""
    monkeypatch.setattr("acp_tui.commands.doctor.doctor.PING_TIME", 20)
    monkeypatch.setattr("acp_tui.commands.doctor.doctor.CROSSED", 20)


@pytest.fixture
def no_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examine the fake agent, which answers no pings."""
    monkeypatch.setattr("acp_tui.commands.doctor.doctor.PING_TIME", 0.3)


@pytest.mark.usefixtures("home", "nothing_left")
async def test_an_agent_without_faults_is_well_in_all_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    report = await examine(demo_launch(), str(tmp_path), patience=20, version="1")

    found = by_check(report)
    assert not report.broken
    assert {finding.verdict for finding in report.findings} == {"well"}
    assert found["identity"] == [("well", "Demo agent 1.0")]
    assert found["large line"] == [("well", "a line of 1 MB is read")]
    assert found["session/list"] == [("well", "0 sessions on 1 page(s)")]
    assert "prompt" not in found


@pytest.mark.slow
@pytest.mark.usefixtures("home")
async def test_no_session_is_left_in_the_agents_list(tmp_path: Path) -> None:
    for _ in range(2):
        found = await examined(demo_launch(), tmp_path)

    assert found["session/list"] == [("well", "0 sessions on 1 page(s)")]


@pytest.mark.slow
@pytest.mark.usefixtures("home")
async def test_a_prompt_is_said_only_when_asked_and_a_second_one_is_cancelled(tmp_path: Path) -> None:
    found = await examined(demo_launch(), tmp_path, prompt="/stream")

    assert [verdict for verdict, _ in found["prompt"]] == ["well"]
    assert found["cancel"][0][0] == "well"
    assert found["cancel"][0][1].startswith("the turn ends as cancelled")


async def test_what_it_asks_in_a_turn_is_declined(tmp_path: Path) -> None:
    found = await examined(launch(RUDE, "asking"), tmp_path, prompt="x")

    assert found["prompt"][0][1].startswith("ends with end_turn")
    assert found["cancel"] == [("note", "the turn was over before it could be cancelled")]


@pytest.mark.slow
@pytest.mark.usefixtures("no_pings")
async def test_each_rule_that_is_broken_is_found(tmp_path: Path) -> None:
    report = await examine(launch(FAKE, "banner", "flood"), str(tmp_path), patience=20)

    found = by_check(report)
    assert report.broken
    assert [verdict for verdict, _ in found["unknown request"]] == ["broken"]
    assert "lines that are not messages: 5, the first: \x1b[2JWelcome" in found["stdout"][0][1]
    assert found["JSON-RPC"] == [("broken", "returns our ids as strings")]
    assert found["identity"][0][0] == found["capabilities"][0][0] == "note"
    assert "bytes of log" in found["stderr"][0][1]
    assert found["session/new"][0][0] == "well"
    assert found["exit"] == [("well", "exits when its input is closed")]


async def test_an_agent_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    report = await examine(launch(FAKE, "leave"), str(tmp_path), patience=20)

    (start,) = [finding for finding in report.findings if finding.check == "start"]
    assert start.text == "the agent ended with exit code 3"
    assert "set FAKE_KEY" in start.fallback
    assert "exit" not in by_check(report)


async def test_an_agent_that_says_nothing_is_given_up_in_time(tmp_path: Path) -> None:
    found = await examined(launch(RUDE, "mute"), tmp_path, patience=0.2)

    assert found["start"] == [("broken", "initialize has no answer after 0.2 s")]


@pytest.mark.slow
@pytest.mark.usefixtures("no_pings")
async def test_what_outlives_the_agent_is_found_and_ended(tmp_path: Path) -> None:
    found = await examined(launch(FAKE, "grandchild"), tmp_path)

    assert found["children"] == [("broken", "leaves processes running")]


@pytest.mark.slow
async def test_an_agent_that_does_not_end_by_itself_is_told_so(tmp_path: Path) -> None:
    found = await examined(launch(RUDE, "stay"), tmp_path)

    assert found["exit"] == [("note", "does not exit when its input is closed; it took TERM")]


async def test_a_login_is_a_note_with_the_ways_to_log_in(tmp_path: Path) -> None:
    report = await examine(launch(RUDE, "locked"), str(tmp_path), patience=20)

    (session,) = [finding for finding in report.findings if finding.check == "session/new"]
    assert session.verdict == "note"
    assert "needs a login" in session.text
    assert session.fallback == "its login methods: Browser"
    assert not report.broken


async def test_a_wrong_code_an_early_update_a_repeated_cursor_and_an_answered_notice_are_found(
    tmp_path: Path,
) -> None:
    found = await examined(launch(RUDE, "sloppy"), tmp_path)

    assert found["unknown request"] == [("broken", "refused with error -32603, where -32601 belongs")]
    assert found["unknown notification"][0][0] == "broken"
    assert found["session/list"] == [("broken", "returns the same cursor again")]
    assert ("note", "1 updates came before the answer that names their session") in found["order"]
    assert ("note", "updates with older names: messageChunk") in found["dialect"]
    assert ("note", "of unknown kinds: tomorrow") in found["updates"]


async def test_another_version_ends_the_examination(tmp_path: Path) -> None:
    found = await examined(launch(RUDE, "version"), tmp_path)

    assert found["start"][0][0] == "broken"
    assert "version 7" in found["start"][0][1]
    assert "session/new" not in found


async def test_a_death_in_the_middle_is_told_where_it_happened(tmp_path: Path) -> None:
    found = await examined(launch(RUDE, "fragile"), tmp_path)

    assert found["large line"] == [("broken", "the agent ended with exit code 9")]


async def test_a_program_that_cannot_be_started_is_a_finding(tmp_path: Path) -> None:
    found = await examined(Launch("x", "x", (str(tmp_path),)), tmp_path)

    assert found["start"][0][0] == "broken"


@pytest.mark.slow
@pytest.mark.usefixtures("no_pings")
async def test_a_known_quirk_is_told(tmp_path: Path) -> None:
    report = await examine(
        launch(FAKE, quirks=Quirks(missing_file_reads_empty=True)), str(tmp_path), patience=20
    )

    assert [f.fallback for f in report.findings if f.check == "quirk"] == ["a missing file reads as empty"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


def test_a_good_agent_is_told_line_by_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--demo"]) == 0

    said = capfd.readouterr().out
    assert "✓ identity              Demo agent 1.0\n" in said
    assert said.endswith(" passed, 0 notes, 0 failed\n")


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
        "text": "returns the same cursor again",
        "fallback": "listing stops there",
    } in report["findings"]


@pytest.mark.slow
def test_nothing_of_the_agent_is_obeyed_by_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    fake = str(Path(__file__).parents[2] / "fake_agent.py")

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
        (["--timeout", "0", "--demo"], "number of seconds"),
        (["--bogus", "--demo"], "unknown option --bogus"),
        (["--demo", "--agent", "x"], "cannot be combined"),
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
        assert "acp_tui.commands.doctor.doctor" in done.stdout
        assert "textual" not in done.stdout.split()


@needs_strace
@pytest.mark.slow
def test_what_an_agent_writes_below_the_home_is_told_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    line = 'echo x > "$HOME/.mine"; exec "$@"'
    agent = ["sh", "-c", line, "sh", sys.executable, "-S", FAKE]
    done = subprocess.run(
        [sys.executable, "-m", "acp_tui", "doctor", "--files", "--json", "--agent", *agent],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path / "work",
        env={**os.environ, "HOME": str(tmp_path), "ACP_TUI_HOME": str(tmp_path / "ours")},
    )

    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["check"] == "own files"]
    assert found["text"].startswith(("writes ~/.mine;", "not known: it does not start under strace"))


VERSION_2 = str(Path(__file__).parents[2] / "conversation" / "version2_agent.py")


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
async def test_v1_v2_an_agent_that_speaks_version_2_is_examined_in_it(tmp_path: Path) -> None:
    asked = launch(VERSION_2)._replace(protocol="newest")
    report = await examine(asked, str(tmp_path), patience=20, prompt="edit")

    found = by_check(report)
    assert not report.broken, found
    assert found["protocol"] == [("well", "version 2")]
    assert found["prompt"] == [("well", "ends with end_turn, after 7 updates")]
    (updates,) = found["updates"]
    assert "tool_call_update" in updates[1]
    assert "tool_call_patch" not in updates[1]


@pytest.mark.slow
async def test_v1_an_agent_that_refuses_version_2_is_examined_in_version_1(tmp_path: Path) -> None:
    refusal = {"code": -32602, "message": "Invalid params"}
    asked = launch(VERSION_2, json.dumps(refusal))._replace(protocol=2)

    found = by_check(await examine(asked, str(tmp_path), patience=1))

    assert found["protocol"] == [
        ("note", "refuses version 2; started again, and asked for version 1"),
        ("well", "version 1"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "verdict", "text"),
    [
        (1, "note", "does not speak version 2"),
        (2, "broken", "returns the number 2 that it is asked for, and speaks version 1"),
    ],
)
async def test_v1_an_agent_that_was_asked_for_version_2_and_speaks_version_1_is_named(
    tmp_path: Path, version: int, verdict: str, text: str
) -> None:
    script = json.dumps({"initialize": {"protocolVersion": version}})
    asked = launch(str(Path(RUDE).with_name("scripted_agent.py")), script)._replace(protocol="newest")

    found = by_check(await examine(asked, str(tmp_path), patience=20))

    assert found["protocol"] == [("well", "version 1"), (verdict, text)]
