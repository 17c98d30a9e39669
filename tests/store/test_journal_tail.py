"""The end of a journal that grows, read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.store.journal import HEAD, JournalTail, TailLine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.ndjson"


def all_lines(tail: JournalTail) -> Iterator[TailLine]:
    more = True
    while more:
        lines, more = tail.read()
        yield from lines


def test_only_complete_lines_are_read(path: Path) -> None:
    path.write_bytes(b"one\ntw")
    tail = JournalTail(path)
    assert [line.head for line in all_lines(tail)] == [b"one"]

    with path.open("ab") as file:
        file.write(b"o\n\nfour\n")

    assert [(line.head, line.offset, line.size) for line in all_lines(tail)] == [
        (b"two", 4, 3),
        (b"", 8, 0),
        (b"four", 9, 4),
    ]
    tail.close()


def test_a_large_file_is_read_from_a_line_near_its_end(path: Path) -> None:
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(200_000)))
    tail = JournalTail(path, last=100)

    assert next(all_lines(tail)).head == b"line 199991"
    assert tail.skipped == 199_991 * 12
    tail.close()


def test_the_end_of_a_file_within_a_huge_line_begins_with_that_line(path: Path) -> None:
    path.write_bytes(b"first\n" + b"x" * 3_000_000 + b"end\n")
    tail = JournalTail(path, last=1_000_000)

    (line,) = all_lines(tail)

    assert (line.offset, line.size) == (6, 3_000_003)
    assert line.head == b"x" * HEAD
    assert line.foot.endswith(b"xend")
    assert tail.line(line.offset, line.size) == b"x" * 3_000_000 + b"end"
    assert tail.line(line.offset, line.size, most=5) == b"xxxxx"
    tail.close()


@pytest.mark.parametrize("size", [HEAD - 1, HEAD, HEAD + 1, 128 * 1024, 128 * 1024 + 1])
def test_lines_around_every_limit_are_whole(path: Path, size: int) -> None:
    text = b"a" * (size - 1) + b"z"
    path.write_bytes(text + b"\nnext\n")
    tail = JournalTail(path)

    first, second = all_lines(tail)

    assert (first.size, first.head) == (size, text[:HEAD])
    assert first.foot[-1:] == (b"z" if size > HEAD else b"")
    assert (second.offset, second.head, second.foot) == (size + 1, b"next", b"")
    assert tail.line(first.offset, first.size) == text
    tail.close()


def test_a_missing_file_is_an_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        JournalTail(path)
