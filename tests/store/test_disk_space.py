""""""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.store.disk_space import (
    JournalFile,
    KeptJournals,
    beyond_budget,
    clean,
    delete,
    journal_files,
    oldest,
)
from acp_tui.store.journal import Journal
from tests.old_journals import NOW, journal


def ids(files: list[JournalFile] | tuple[JournalFile, ...]) -> list[str]:
    return [one.id for one in files]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, days in (("new", 1.0), ("month", 40.0), ("year", 400.0), ("older", 500.0)):
        journal(tmp_path / "journals", name, days)
    return tmp_path / "journals"


@pytest.mark.parametrize(
    ("max_size", "max_age", "beyond"),
    [
        (0, 0, []),
        (4000, 0, []),
        (3999, 0, ["older"]),
        (2000, 0, ["older", "year"]),
        (1, 0, ["older", "year", "month"]),
        (0, 450, ["older"]),
        (0, 0.5, ["older", "year", "month", "new"]),
        (3000, 450, ["older"]),
    ],
)
def test_the_oldest_beyond_the_budget_go_and_young_ones_only_by_age(
    folder: Path, max_size: int, max_age: float, beyond: list[str]
) -> None:
    assert ids(beyond_budget(journal_files(folder, ()), max_size, max_age, NOW)) == beyond


def test_what_is_open_or_marked_is_never_deleted(folder: Path) -> None:
    opened = Journal(folder / "older.ndjson")
    opened.note({})
    os.utime(folder / "older.ndjson", (0, 0))

    files = journal_files(folder, ["year"])
    assert [one.id for one in files if one.is_open] == ["older"]
    assert [one.id for one in files if one.is_kept] == ["year"]
    assert ids(beyond_budget(files, 1, 1, NOW)) == ["month"]
    assert ids(oldest(files, 10_000)) == ["month", "new"]

    opened.close()
    os.utime(folder / "older.ndjson", (0, 0))
    assert ids(beyond_budget(journal_files(folder, ["year"]), 1, 0, NOW)) == ["older", "month"]


def test_one_that_was_opened_meanwhile_stays(folder: Path) -> None:
    files = [one for one in journal_files(folder, ()) if one.id == "older"]
    opened = Journal(folder / "older.ndjson")

    deletion = delete(files)

    opened.close()
    assert [(one.id, why) for one, why in deletion.left] == [("older", "it is open")]
    assert (folder / "older.ndjson").exists()


def test_the_parts_of_a_session_stay_together(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    journal(folder, "first", 500, session="s")
    journal(folder, "second", 2, session="s")
    journal(folder, "other", 500, session="o")

    assert ids(beyond_budget(journal_files(folder, ()), 1, 0, NOW)) == ["other"]
    assert {one.id for one in journal_files(folder, ["second"]) if one.is_kept} == {"first", "second"}


def test_what_lies_beside_a_journal_counts_and_goes_with_it(folder: Path) -> None:
    beside = folder / "older.beside-0"
    beside.write_bytes(b"x" * 500)
    files = [one for one in journal_files(folder, ()) if one.id == "older"]
    assert [one.size for one in files] == [1500]

    assert ids(delete(files).deleted) == ["older"]
    assert not beside.exists()
    assert not (folder / "older.ndjson").exists()


def test_marks_are_kept_and_taken_away(tmp_path: Path) -> None:
    marks = KeptJournals(tmp_path / "kept.json")
    assert marks.read() == frozenset()
    marks.change(["a", "b"], keep=True)
    marks.change(["a"], keep=False)

    assert KeptJournals(tmp_path / "kept.json").read() == {"b"}


@pytest.mark.parametrize("content", ["{", "{}", "[1"])
def test_without_knowing_the_marks_nothing_is_deleted(folder: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "kept.json").write_text(content)

    with pytest.raises(OSError, match=r"JSON|list"):
        clean(folder, KeptJournals(tmp_path / "kept.json"), 1, 1)

    assert len(list(folder.iterdir())) == 4
