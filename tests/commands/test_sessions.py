"""Tests of `commands/sessions.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.store.journal import Journal
from tests.old_journals import journal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    (tmp_path / "data").mkdir()
    for name, days in (("20260301-a", 1.0), ("20260201-a", 40.0), ("20250101-a", 400.0)):
        journal(tmp_path / "data" / "journals", name, days, session=f"session of {name}")
    return tmp_path / "data" / "journals"


def left(folder: Path) -> set[str]:
    return {path.stem[:6] for path in folder.glob("*.ndjson")}


def test_sessions_are_listed_for_people_and_for_scripts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions", "--keep", "202501"]) == 0
    assert main(["sessions"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[-3] for line in out.splitlines()] == ["20260301-a", "20260201-a", "20250101-a"]
    assert "kept  20250101-a  a  /w" in out

    assert main(["sessions", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["id"], row["kept"], row["open"], row["size"]) for row in rows] == [
        ("20260301-a", False, False, 1000),
        ("20260201-a", False, False, 1000),
        ("20250101-a", True, False, 1000),
    ]
    assert rows[0]["session"] == "session of 20260301-a"


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        (["--delete", "20260301-a"], {"202603"}),
        (["--delete", "session of 20260201-a", "202501"], {"202602", "202501"}),
        (["--free", "1500"], {"202501", "202602"}),
        (["--free", "1kB"], {"202501", "202602"}),
        (["--free", "0"], set()),
        (["--older-than", "90d"], {"202501"}),
        (["--older-than", "1000d"], set()),
    ],
)
def test_nothing_is_deleted_before_one_says_yes(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], gone: set[str]
) -> None:
    before = left(folder)

    assert main(["sessions", *words]) == 0
    assert left(folder) == before
    assert "Add --yes to delete them" in capsys.readouterr().err

    assert main(["sessions", *words, "--yes"]) == 0
    assert before - left(folder) == gone


def test_what_is_kept_or_open_is_not_deleted_and_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions", "--keep", "20250101-a"]) == 0
    opened = Journal(folder / "20260201-a.ndjson")

    assert main(["sessions", "--delete", "20250101-a", "20260201-a", "--yes"]) == 1
    opened.close()

    assert left(folder) == {"202603", "202602", "202501"}
    said = capsys.readouterr().err
    assert "20250101-a stays: it is kept" in said
    assert "20260201-a stays: it is open" in said
    assert main(["sessions", "--forget", "20250101-a"]) == 0
    assert main(["sessions", "--delete", "20250101-a", "--yes"]) == 0
    assert left(folder) == {"202603", "202602"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--delete", "nothing"], 1, "no recorded session nothing"),
        (["--delete", "20260"], 1, "20260 matches 2 sessions"),
        (["--delete", ""], 1, "no recorded session"),
        (["--free", "much"], 2, "must be like 500MB or 2GB"),
        (["--older-than", "long"], 2, "must be like 90d"),
        (["--free", "1", "--delete", "20250101-a"], 2, "not allowed with"),
        (["--purge"], 2, "--purge"),
    ],
)
def test_a_wrong_word_is_told_and_deletes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main(["sessions", *words]) == code

    assert said in capsys.readouterr().err
    assert len(left(folder)) == 3


@pytest.mark.slow
def test_who_reads_the_list_may_stop_early(folder: Path) -> None:
    for number in range(300):
        journal(folder, f"2024{number:04}-a", 500)
    command = f"{sys.executable} -m acp_tui sessions | head -1"

    ended = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)

    assert ended.returncode == 0
    assert "Traceback" not in ended.stderr
