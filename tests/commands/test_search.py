"""Tests of `commands/search.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.commands import parsers, search
from acp_tui.store import search_index
from tests.recorded_talks import TALK, chunk, prompt, start, write


@pytest.fixture(autouse=True)
def journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    monkeypatch.setattr(search, "start_indexing", lambda: None)
    monkeypatch.setattr("os.nice", lambda step: step)
    folder = tmp_path / "data" / "journals"
    write(folder / "old.ndjson", TALK)
    write(
        folder / "new.ndjson",
        [start("gemini", "/work/site", "2026-03-02T12:00:00+00:00"), prompt("Paint the parser blue", "s2")],
    )
    return folder


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["search", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_places_are_printed_for_people_and_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        lines = printed(capsys, "parser")
        assert [line.split(maxsplit=2)[2] for line in lines] == [
            "gemini  /work/site  prompt: Paint the parser blue",
            "claude  /work/app  tool: Edit parser.py /work/app/parser.py",
            "claude  /work/app  prompt: Please mend the flaky parser",
        ]
        rows = [json.loads(line) for line in printed(capsys, "--json", "--limit", "2", "parser")]
        assert [(row["session"], row["tool_call"], row["in"]) for row in rows] == [
            ("s2", "", "prompt"),
            ("s1", "c1", "tool"),
        ]
        assert main(["search", "--index"]) == 0


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--agent", "gemini", "parser"], 1),
        (["--cwd", "/work/app", "parser"], 2),
        (["--in", "prompt", "parser"], 2),
        (["--file", "parser.py", "heartily"], 1),
        (["--since", "2026-03-02", "parser"], 1),
        (["--until", "2026-03-01", "parser"], 2),
        (["flaky parser"], 1),
        (["parser", "agent:gemini"], 1),
        (["agent:gemini parser"], 1),
        (["file:work app parser.py", "heartily"], 1),
        (["--in", "prompt", "--", "parser", "-flaky"], 1),
    ],
)
def test_options_limit_the_search(words: list[str], count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(printed(capsys, *words)) == count


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "unheard"]) == 1
    assert capsys.readouterr().err == "acp-tui: nothing found\n"
    assert main(["search", "parser", "after:2026-01-01"]) == 1
    assert "after: is not a filter" in capsys.readouterr().err
    assert main(["search", "after:2026-01-01 parser"]) == 1
    said = "nothing found. after: is not a filter\nFilters are agent:, folder:, file:, since:"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "search needs words"),
        (["agent:gemini"], "search needs words"),
        (["--since", "soon", "parser"], "since: must be like 7d"),
        (["--limit", "0", "parser"], "must be a number from 1"),
        (["--in", "nowhere", "parser"], "invalid choice"),
    ],
)
def test_a_wrong_command_line_is_explained(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", *words]) == 2
    assert said in capsys.readouterr().err


def test_text_of_an_agent_is_printed_without_controls(
    journals: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(journals / "odd.ndjson", [start("od\x1bd"), chunk("sinister \x1b]52;c;eA==\x07 \u202eword")])

    (line,) = printed(capsys, "sinister")

    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "␛" in line


def test_the_index_that_cannot_be_written_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "search").write_text("in the way")

    assert main(["search", "--index"]) == 1
    assert "the search index cannot be written" in capsys.readouterr().err
    assert len(printed(capsys, "parser")) == 3


def test_a_search_starts_to_make_the_index(
    journals: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built: list[bool] = []
    monkeypatch.setattr(
        search,
        "start_indexing",
        lambda: built.append(search_index.build(journals, search_index.index_folder())),
    )

    assert len(printed(capsys, "parser")) == 3
    assert built == [True]
    assert search_index.SearchIndex(search_index.index_folder()).progress(journals).is_complete


def test_help_tells_all_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--help"]) == 0
    told = capsys.readouterr().out
    options = [action.option_strings[0] for action in parsers.search()._actions if action.option_strings]
    assert [option for option in options if option not in told] == []
