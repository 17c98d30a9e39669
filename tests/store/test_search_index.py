"""Tests of `store/search_index.py`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.store import search_index
from acp_tui.store.disk_space import delete, journal_files
from acp_tui.store.journal import Journal
from acp_tui.store.search_documents import DocumentReader
from acp_tui.store.search_index import (
    Hit,
    SearchIndex,
    build,
    forget,
    index_folder,
    newest_first,
)
from acp_tui.store.search_query import parse
from tests.recorded_talks import TALK, call, chunk, lines, prompt, start, write


@pytest.fixture
def journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    folder = tmp_path / "data" / "journals"
    write(folder / "old.ndjson", TALK)
    write(
        folder / "new.ndjson",
        [start("gemini", "/work/site", "2026-03-02T12:00:00+00:00"), prompt("Paint the parser blue", "s2")],
    )
    return folder


@pytest.fixture
def index(journals: Path) -> Iterator[SearchIndex]:
    made = SearchIndex(index_folder())
    yield made
    made.close()


def found(index: SearchIndex, text: str) -> list[str]:
    return [f"{hit.path.stem}:{hit.session}" for hit in index.search(parse(text), 50)]


def scanned(index: SearchIndex, journals: Path, text: str) -> list[str]:
    return [f"{hit.path.stem}:{hit.session}" for hit in newest_first(index, journals, parse(text), 50)]


def test_all_sessions_are_found_the_newest_first(index: SearchIndex, journals: Path) -> None:
    assert found(index, "parser") == []

    build(journals, index_folder())

    assert found(index, "parser") == ["new:s2", "old:s1", "old:s1"]
    assert found(index, "in:prompt parser") == ["new:s2", "old:s1"]
    assert found(index, "heartily") == ["old:s1"]
    assert found(index, "in:output fresh") == ["old:s1"]
    assert index.search(parse("parser"), 1)[0].session == "s2"
    assert index.progress(journals).is_complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parser agent:gemini", ["new:s2"]),
        ("parser in:prompt folder:/work", ["new:s2", "old:s1"]),
        ("parser folder:/work/sit", []),
        ("parser folder:site", ["new:s2"]),
        ("file:parser.py", ["old:s1"]),
        ("parser since:2026-03-02", ["new:s2"]),
        ("parser until:2026-03-01 in:prompt", ["old:s1"]),
        ("parser since:2026-03-03", []),
        ("parser -blue in:prompt", ["old:s1"]),
    ],
)
def test_filters_and_a_plain_scan_find_the_same(
    text: str, expected: list[str], index: SearchIndex, journals: Path
) -> None:
    assert sorted(scanned(index, journals, text)) == sorted(expected)

    build(journals, index_folder())

    assert found(index, text) == expected
    assert scanned(index, journals, text) == expected


def test_a_journal_that_grows_is_read_on(index: SearchIndex, journals: Path) -> None:
    rows = lines([start(at="2026-03-03T12:00:00+00:00"), *TALK[1:]])
    path = journals / "grows.ndjson"
    path.write_bytes(b"")
    journal = Journal(path)  # somebody writes it
    for row in rows:
        with path.open("ab") as file:
            file.write(row)
        build(journals, index_folder())
    assert found(index, "tokenizer") == ["grows:s1", "old:s1"]
    assert found(index, "agent:claude folder:app in:answer mended") == ["grows:s1", "old:s1"]
    assert len(index.search(parse("in:tool edit"), 50)) == 2
    journal.close()


def test_what_is_not_finished_is_found_by_the_scan(index: SearchIndex, journals: Path) -> None:
    path = write(journals / "open.ndjson", [start(), prompt("go"), call("c1", "Polish the mirror")])
    journal = Journal(path)
    build(journals, index_folder())

    assert found(index, "mirror") == []
    assert scanned(index, journals, "mirror") == ["open:s1"]
    assert scanned(index, journals, "in:prompt go") == ["open:s1"]
    journal.close()

    build(journals, index_folder())

    assert found(index, "mirror") == ["open:s1"]


def test_a_deleted_session_leaves_no_word_in_the_index(index: SearchIndex, journals: Path) -> None:
    build(journals, index_folder())
    assert b"heartily" in b"".join(path.read_bytes() for path in index_folder().iterdir())

    gone = [one for one in journal_files(journals, ()) if one.id == "old"]
    delete(gone)

    assert b"heartily" not in b"".join(path.read_bytes() for path in index_folder().iterdir())
    assert found(index, "heartily") == []
    assert scanned(index, journals, "parser") == ["new:s2"]
    build(journals, index_folder())
    assert found(index, "parser") == ["new:s2"]


def test_a_journal_deleted_by_hand_is_not_found_and_its_words_go(index: SearchIndex, journals: Path) -> None:
    build(journals, index_folder())
    (journals / "old.ndjson").unlink()

    assert found(index, "heartily") == []
    build(journals, index_folder())
    assert b"heartily" not in b"".join(path.read_bytes() for path in index_folder().iterdir())
    assert found(index, "parser") == ["new:s2"]


def test_a_journal_deleted_while_it_is_read_leaves_no_word(
    index: SearchIndex, journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = journals / "old.ndjson"

    def read_and_delete(offset: int = 0) -> DocumentReader:
        path.unlink(missing_ok=True)
        forget(index_folder(), [path])
        return DocumentReader(offset)

    monkeypatch.setattr(search_index, "DocumentReader", read_and_delete)
    os.utime(path, (4e9, 4e9))  # read first
    build(journals, index_folder())

    assert found(index, "heartily") == []
    assert b"heartily" not in b"".join(one.read_bytes() for one in index_folder().iterdir())


def test_another_journal_of_the_same_name_takes_its_place(index: SearchIndex, journals: Path) -> None:
    build(journals, index_folder())
    (journals / "old.ndjson").unlink()
    write(journals / "other", [start(), prompt("Entirely different", "s3")]).rename(journals / "old.ndjson")

    build(journals, index_folder())

    assert found(index, "different") == ["old:s3"]
    assert found(index, "heartily") == []


def test_files_of_the_index_are_for_their_owner_only(journals: Path) -> None:
    build(journals, index_folder())
    index = SearchIndex(index_folder())
    index.search(parse("parser"), 1)

    assert {path.stat().st_mode & 0o777 for path in index_folder().iterdir()} == {0o600}
    assert index_folder().stat().st_mode & 0o777 == 0o700
    index.close()


@pytest.mark.parametrize("harm", ["deleted", "torn", "no database", "another version", "half built"])
def test_an_index_that_is_harmed_is_built_again(harm: str, index: SearchIndex, journals: Path) -> None:
    build(journals, index_folder())
    index.close()
    (shard,) = index_folder().glob("*.sqlite")
    for end in ("-wal", "-shm"):
        shard.with_name(shard.name + end).unlink(missing_ok=True)
    match harm:
        case "deleted":
            shard.unlink()
        case "torn":
            data = shard.read_bytes()
            shard.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) // 2))
        case "no database":
            shard.write_bytes(b"no database" * 1000)
        case "another version":
            with sqlite3.connect(shard) as db:
                db.execute("PRAGMA user_version=99")
            db.close()
        case "half built":
            shard.unlink()
            shard.with_suffix(".new").write_bytes(b"half")

    assert sorted(scanned(index, journals, "parser")) == ["new:s2", "old:s1", "old:s1"]
    for _ in range(2):  # a torn file is noticed as it is read
        found(index, "parser")
        build(journals, index_folder())

    assert found(index, "parser") == ["new:s2", "old:s1", "old:s1"]


def test_only_one_program_builds(journals: Path) -> None:
    index_folder().mkdir(parents=True)
    with search_index._alone(index_folder()) as is_alone:  # private: the lock of another process
        assert is_alone
        assert build(journals, index_folder()) is False
    assert build(journals, index_folder()) is True


def test_a_long_journal_is_taken_in_slice_by_slice(
    index: SearchIndex, journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "SLICE", 200)
    build(journals, index_folder())

    assert found(index, "parser") == ["new:s2", "old:s1", "old:s1"]
    assert found(index, "tokenizer") == ["old:s1"]


def test_the_index_has_several_files_and_only_that_of_a_deleted_journal_goes(
    index: SearchIndex, journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "ROOM", 1)
    build(journals, index_folder())
    assert len(list(index_folder().glob("*.sqlite"))) == 2
    assert found(index, "parser") == ["new:s2", "old:s1", "old:s1"]

    (journals / "old.ndjson").unlink()
    forget(index_folder(), [journals / "old.ndjson"])

    assert len(list(index_folder().glob("*.sqlite"))) == 1
    assert found(index, "parser") == ["new:s2"]


def test_words_without_spaces_and_accents_are_found(index: SearchIndex, journals: Path) -> None:
    write(journals / "far.ndjson", [start(), prompt("Öffne das Café: 大字典 und 한국어")])
    build(journals, index_folder())

    for text in ("cafe", "öffne", "OFFNE", "字典", "한국어"):
        assert found(index, text) == ["far:s1"], text
        assert scanned(index, journals, text) == ["far:s1"], text


def test_a_search_without_full_text_scans(
    index: SearchIndex, journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "has_full_text", lambda: False)

    hits = list(newest_first(index, journals, parse("parser"), 2))

    assert [hit.session for hit in hits] == ["s2", "s1"]
    assert all(isinstance(hit, Hit) for hit in hits)


def test_places_that_are_in_both_are_told_once(index: SearchIndex, journals: Path) -> None:
    path = write(journals / "long.ndjson", [start(), prompt("first words"), chunk("last words")])
    journal = Journal(path)
    build(journals, index_folder())

    assert scanned(index, journals, "words") == ["long:s1", "long:s1"]
    journal.close()
