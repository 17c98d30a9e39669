"""`acp-tui log decisions` for users and scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.store.decisions import NAME, DecisionLog, OfferedOption
from tests.decisions import ONE


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def path(home: Path) -> Path:
    """A log of three decisions: long ago, an hour ago, and just now."""
    log = DecisionLog(home / "data" / NAME)
    recently = datetime.now(UTC) - timedelta(hours=1)
    log.add(ONE)
    log.add(replace(ONE, at=recently.isoformat(), agent="other", chosen=None, by="cancelled", detail="stop"))
    log.add(
        replace(
            ONE,
            at=datetime.now(UTC).isoformat(),
            session="s2",
            command="echo \x1b[31m\n\nr\u200bed",
            by="rule",
            detail="",
        )
    )
    assert log.path is not None
    return log.path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["log", "decisions", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_question_that_was_asked_again_is_named_so(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = DecisionLog(home / "data" / NAME)
    log.add(replace(ONE, unasked=True))
    log.add(replace(ONE, unasked=True, again=True))

    first, second = printed(capsys)

    assert "execute (unasked) make test" in first
    assert "execute (unasked) (asked again after a change) make test" in second


def test_decisions_are_printed_oldest_first_and_harmless(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys)

    assert len(lines) == 3
    assert lines[0].endswith("demo execute make test → Yes (person: key y)")
    assert lines[1].endswith("other execute make test → cancelled (cancelled: stop)")
    assert lines[2].endswith("demo execute echo ␛[31m r\N{REPLACEMENT CHARACTER}ed → Yes (rule)")


def test_no_words_of_an_agent_look_like_an_answer(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = "ls → Allow once (person: key y)"
    option = OfferedOption("o", f"No → {forged}", "reject_once")
    log = DecisionLog(home / "data" / NAME)
    log.add(replace(ONE, command=forged, tool=forged, subagent=forged, chosen=option, detail="key n"))

    (line,) = printed(capsys)
    assert line.partition("→")[2] == " No -> ls -> Allow once (person: key y) (person: key n)"


def test_json_is_one_object_a_line_with_all_that_is_known(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in printed(capsys, "--json")]

    assert rows == [json.loads(line) for line in path.read_bytes().splitlines()]
    assert rows[1]["chosen"] is None
    assert rows[0]["chosen"] == {"id": "y", "name": "Yes", "kind": "allow_once"}


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--since", "7d"), 2),
        (("--since", "30m"), 1),
        (("--since", "2h"), 2),
        (("--since", "2026-02-01"), 3),
        (("--since", "2026-03-02T10:00:00+00:00"), 2),
        (("--session", "s2"), 1),
        (("--agent", "other"), 1),
        (("--agent", "other", "--since", "1m"), 0),
    ],
)
def test_only_what_fits_is_printed(
    words: tuple[str, ...], count: int, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(printed(capsys, *words, "--json")) == count


def test_an_empty_log_is_no_error_and_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "decisions"]) == 0
    assert "no matching decisions" in capsys.readouterr().err


def test_lines_that_cannot_be_read_are_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(path.read_bytes() + b"{broken\n")

    assert main(["log", "decisions"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 3
    assert "1 lines of" in told.err


def test_a_log_that_cannot_be_read_is_a_failure(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "data" / NAME).mkdir(parents=True)

    assert main(["log", "decisions"]) == 1
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "log needs a subcommand: decisions"),
        (["secrets"], "not 'secrets'"),
        (["decisions", "--since", "soon"], "must be like 7d"),
        (["decisions", "--sessions", "x"], "unknown option --sessions"),
    ],
)
def test_a_wrong_command_line_says_what_is_right(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", *words]) == 2
    assert said in capsys.readouterr().err


def test_help_tells_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"--{name} " in told for name in ("since", "session", "agent", "json", "help"))


@pytest.mark.slow
def test_neither_the_interface_nor_the_protocol_is_loaded_and_a_closed_pipe_is_no_error(path: Path) -> None:
    code = (
        "import sys; from acp_tui.cli import main; code = main(['log', 'decisions'] );"
        "loaded = {'textual', 'pydantic', 'rich'} & {name.split('.')[0] for name in sys.modules};"
        "print(sorted(loaded), file=sys.stderr); sys.exit(code)"
    )
    shell = f'exec 3>&1; {sys.executable} -c "$1" | head -n 1 >/dev/null'
    done = subprocess.run(["sh", "-c", shell, "sh", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"
