"""Tests of `commands/blame.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.cli import main
from tests.recorded_talks import changed, prompt, start, write


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    path = tmp_path / "work" / "a.py"
    path.parent.mkdir()
    old, new = "one\n", "one\n\ttwo \x1b[31m\n"
    path.write_text(new)
    row = changed(path, old, new, [[1, 1, 1, 2]], 3, "c1")
    row[1]["snapped"][0]["origin"]["title"] = "Edit \x1b]0;a.py"
    write(
        tmp_path / "data" / "journals" / "a.ndjson",
        [
            start("claude", str(path.parent)),
            prompt("Say it twice"),
            row,
        ],
    )
    return path


def test_each_line_is_printed_with_its_turn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blame", str(file)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["before", "the", "recorded", "sessions", "1", "one"]
    assert "claude    turn 3: Edit ␛]0;a.py" in lines[1]
    assert lines[1].endswith("  2      two ␛[31m")


def test_all_that_is_known_of_a_line_is_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blame", f"{file}:2"]) == 0

    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (told["agent"], told["prompt"], told["session"]) == ("claude", "Say it twice", "s1")
    assert told["tool"] == "call  Edit ␛]0;a.py c1"


def test_scripts_get_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blame", "--json", str(file)]) == 0

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(row["line"], row["kind"], row.get("turn")) for row in rows]
    assert told == [(1, "earlier", None), (2, "step", 3)]
    assert rows[1]["text"] == "\ttwo \x1b[31m"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "blame needs a file"),
        (["missing"], 1, "missing cannot be read: No such file"),
        (["{file}:9"], 1, "has 2 lines, so there is no line 9"),
        (["{folder}"], 1, "cannot be read"),
    ],
)
def test_what_cannot_be_told_is_explained(
    words: list[str], code: int, said: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blame", *(word.format(file=file, folder=file.parent) for word in words)]) == code
    assert said in capsys.readouterr().err


def test_a_file_with_a_colon_in_its_name_is_one(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = file.with_name("odd:1")
    odd.write_text("x\n")

    assert main(["blame", str(odd)]) == 0
    assert "in no recorded session" in capsys.readouterr().out
    assert main(["blame", "--help"]) == 0
