"""Tests of `store/journal.py`."""

from __future__ import annotations

import base64
import json
import os
import stat
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from timeit import repeat

import pytest

from acp_tui.store import journal as journals
from acp_tui.store import journal_overflow
from acp_tui.store.journal import HEAD, MASK, RETRY, Journal, JournalTail, TailLine, journal_path, secrets_of
from acp_tui.store.recordings import read
from tests.full_disk import Disk

SECRET = 'sk-"quo/ted"-ключ-1234'
LINE = b'{"jsonrpc":"2.0","method":"x","params":{}}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "one.ndjson"


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_line_goes_into_the_file_as_it_was(path: Path) -> None:
    ticks = iter((100.0, 100.0, 101.23456))
    journal = Journal(path, clock=lambda: next(ticks))
    odd = b'{ "a" : 1.50, "b":"\\ud83d" }'

    journal.record("out", LINE + b"\n")
    journal.record("in", odd + b"\r\n")
    journal.close()

    assert path.read_bytes() == (
        b'{"t": 0.000, "dir": "out", "msg": ' + LINE + b'}\n{"t": 1.235, "dir": "in", "msg": ' + odd + b"}\n"
    )


def test_remarks_noise_and_stderr_have_their_own_directions(path: Path) -> None:
    journal = Journal(path)
    journal.note({"start": ["agent", "--acp"], "agent": "x"})
    journal.raw("hello\x1b[0m \ud83d")
    journal.err("warning: é")
    journal.close()

    assert [(row["dir"], row["msg"]) for row in rows(path)] == [
        ("note", {"start": ["agent", "--acp"], "agent": "x"}),
        ("raw", "hello\x1b[0m \ud83d"),
        ("err", "warning: é"),
    ]


@pytest.mark.slow
def test_of_very_much_output_the_first_and_the_latest_pieces_are_kept(path: Path) -> None:
    journal = Journal(path, ["a-secret-value"])
    pieces = [f"{number} a-secret-value " + "x" * (16 << 10) for number in range(1_000)]
    for piece in pieces:
        journal.output({"printed": "term-1", "more": piece})
        journal.flush()

    found = [str(row.msg["more"]) for row in read(path) if "more" in row.msg]
    assert found[-1] == pieces[-1].replace("a-secret-value", MASK)
    assert found[:50] == [piece.replace("a-secret-value", MASK) for piece in pieces[:50]]
    journal.close()
    assert [row.msg["more"] for row in read(path) if "more" in row.msg] == found
    assert path.stat().st_size < 10 << 20


def test_nothing_is_written_before_the_flush_and_everything_after(path: Path) -> None:
    journal = Journal(path)
    journal.record("in", LINE)
    assert path.read_bytes() == b""

    journal.flush()
    assert len(rows(path)) == 1


@pytest.mark.slow
def test_a_long_line_is_flushed_in_parts_whole_masked_and_before_what_comes_after_it(path: Path) -> None:
    journal = Journal(path, [f"secret-{number:04}" for number in range(20)])
    line = json.dumps("x" * 9_000_000 + "secret-0007" + "y" * 9_000_000).encode()
    journal.record("in", line)

    parts = 0
    while journal.flush_some():
        parts += 1
        if parts == 3:
            journal.record("out", b'"next"')
    assert parts > 10

    journal.close()
    first, second = (json.loads(row)["msg"] for row in path.read_bytes().splitlines())
    assert first == "x" * 9_000_000 + MASK + "y" * 9_000_000
    assert second == "next"


def test_the_file_is_for_its_owner_only(path: Path) -> None:
    Journal(path).close()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("slashes", [True, False])
def test_secrets_never_reach_the_file_however_json_writes_them(
    path: Path, ascii_only: bool, slashes: bool
) -> None:
    line = json.dumps({"text": f"the key is {SECRET}!"}, ensure_ascii=ascii_only)
    line = line.replace("/", "\\/") if slashes else line
    journal = Journal(path, [SECRET])

    journal.record("in", line.encode())
    journal.record("in", line.replace("\\u04", "\\u04".upper().replace("U", "u")).encode())
    journal.raw(SECRET)
    journal.err(f"env: {SECRET}")
    journal.close()

    written = [row["msg"] for row in rows(path)]
    assert written == [{"text": "the key is •••!"}] * 2 + ["•••", "env: •••"]


def test_hex_digits_in_capitals_hide_nothing(path: Path) -> None:
    journal = Journal(path, ["пароль-long-enough"])
    escaped = json.dumps("пароль-long-enough")
    journal.record(
        "in",
        escaped.replace("\\u043f", "\\u043F")
        .replace("\\u043e", "\\u043E")
        .replace("\\u043b", "\\u043B")
        .replace("\\u044c", "\\u044C")
        .encode(),
    )
    journal.close()

    assert rows(path)[0]["msg"] == "•••"


def test_secrets_learned_later_are_hidden_from_what_is_not_yet_written(path: Path) -> None:
    journal = Journal(path)
    journal.record("out", b'"Bearer 12345678"')
    journal.add_secrets(["Bearer 12345678", "short"])
    journal.record("out", b'"short"')
    journal.close()

    assert [row["msg"] for row in rows(path)] == ["•••", "short"]


def test_the_longer_secret_is_hidden_whole(path: Path) -> None:
    journal = Journal(path, ["12345678", "12345678-90"])
    journal.record("in", b'"12345678-90"')
    journal.close()

    assert rows(path)[0]["msg"] == "•••"


def test_secrets_are_known_by_the_names_of_their_variables() -> None:
    environment = {
        "GEMINI_API_KEY": "a",
        "GH_TOKEN": "b",
        "db_password": "c",
        "AWS_SECRET_ACCESS_KEY": "d",
        "GOOGLE_APPLICATION_CREDENTIALS": "e",
        "PATH": "f",
        "PWD": "g",
        "LANG": "h",
    }

    assert secrets_of(environment) == ["a", "b", "c", "d", "e"]


def test_a_place_that_cannot_be_written_is_one_problem_and_no_exception(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "one.ndjson")

    journal.record("in", LINE)
    journal.note({})
    journal.flush()
    journal.close()

    assert journal.problem is not None
    assert "not recorded" in journal.problem.message


def test_nothing_in_the_file_acts_on_a_terminal_and_all_of_it_reads_back(path: Path) -> None:
    text = "".join(map(chr, range(0xA1))) + "\u2028é漢\ud83d"
    journal = Journal(path, [SECRET])
    journal.record("in", json.dumps({"text": text[32:]}, ensure_ascii=False).encode("utf-8", "replace"))
    journal.raw(text)
    journal.err(text)
    journal.note({"noted": text})
    journal.close()

    written = path.read_bytes()
    assert not any(byte < 0x20 or byte == 0x7F for byte in written.replace(b"\n", b""))
    assert not any(0x80 <= ord(letter) < 0xA0 for letter in written.decode())
    assert [row.msg for row in read(path)][1:] == [text, text, {"noted": text}]
    assert rows(path)[0]["msg"] == {"text": text[32:].replace("\ud83d", "?")}


@pytest.mark.parametrize("direction", ["err", "raw"])
def test_of_what_is_said_beside_the_protocol_the_first_and_the_newest_are_kept_and_the_rest_is_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch, direction: str
) -> None:
    monkeypatch.setattr(journals, "MAX_FIRST_BYTES", 1000)
    monkeypatch.setattr(journal_overflow, "LATEST_BYTES", 4000)
    journal = Journal(path, [SECRET])
    for number in range(2000):
        getattr(journal, direction)(f"line {number} {SECRET}")
        journal.flush()
    journal.record("in", LINE)
    journal.flush()

    on_disk = sum(file.stat().st_size for file in path.parent.iterdir())
    assert on_disk < 12_000
    said = [str(row.msg) for row in read(path) if row.direction == direction]
    assert (said[0], said[-1]) == ("line 0 •••", "line 1999 •••"), "also while it is being written"

    journal.close()
    told = list(read(path))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert [str(row.msg) for row in told if row.direction == direction] == said
    (note,) = (row.msg for row in told if row.direction == "note")
    numbers = [int(line.split()[1]) for line in said]
    gap = next(number for before, number in pairwise(numbers) if number != before + 1)
    assert numbers == [*range(numbers.index(gap)), *range(gap, 2000)]
    assert 50_000 < note["dropped"] < 2000 * 100
    assert [row.direction for row in told if row.direction == "in"] == ["in"]
    assert path.read_bytes().count(b"\n") == len(told)


def test_of_a_flood_of_messages_the_first_and_the_latest_are_kept_in_order_and_it_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MAX_JOURNAL_BYTES", 20_000)
    monkeypatch.setattr(journal_overflow, "LATEST_BYTES", 4_000)
    journal = Journal(path, [SECRET])
    for number in range(3_000):
        journal.record(
            "out" if number % 2 else "in",
            b'{"method": "x", "number": %d, "text": "%s"}' % (number, b"x" * 20),
        )
        journal.note({"noted": f"{number} {SECRET}"})
        journal.flush()

    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 60_000
    assert journal.problem is not None
    assert "the recording of this session has 20 KB" in str(journal.problem)
    found = list(read(path))
    assert found[-1].msg == {"noted": "2999 •••"}, "also while it is being written"
    journal.close()

    told = list(read(path))
    assert [row.msg for row in told] == [row.msg for row in found]
    numbers = [row.msg["number"] for row in told if row.direction != "note"]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (0, 2_999)
    assert 100 < len(numbers) < 1_000
    assert [row.t for row in told] == sorted(row.t for row in told)
    gap = [next(iter(row.msg)) for row in told if row.direction == "note" and "noted" not in row.msg]
    assert gap == ["full", "dropped"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_was_kept_beside_a_journal_is_read_after_a_crash(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MAX_FIRST_BYTES", 10)
    journal = Journal(path)
    for word in ("first", "one", "two", "three"):
        journal.err(word)
        journal.flush_some()

    assert [row.msg for row in read(path) if row.direction == "err"] == ["first", "one", "two", "three"]
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in path.parent.iterdir())


def test_a_message_with_carriage_returns_beside_a_journal_is_one_row(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MAX_JOURNAL_BYTES", 10)
    journal = Journal(path)
    journal.record("in", b'{"jsonrpc": "2.0", "method": "fill"}')
    journal.flush()
    forged = b'{"t": 9, "dir": "out", "msg": {"method": "session/prompt"}}'
    journal.record("in", b'{"jsonrpc": "2.0", "method": "x", "params": [\r' + forged + b"\r]}")
    journal.flush()

    assert list(path.parent.glob("*.beside-*"))
    assert [row.msg["method"] for row in read(path) if row.direction != "note"] == ["fill", "x"]


def test_where_there_is_no_room_beside_the_journal_it_is_dropped_and_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MAX_FIRST_BYTES", 1)
    journal = Journal(path)
    journal.err("first")
    journal.flush()
    disk = Disk(monkeypatch, room=30)
    journal.err("lost" * 100)
    journal.flush()
    disk.room = 1 << 20
    journal.err("last")
    journal.close()

    (note,) = (row.msg for row in read(path) if row.direction == "note")
    assert note["dropped"] > 400


class Clock:
    """A clock that changes only when set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_was_said_while_the_disk_was_full_is_written_when_there_is_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    journal = Journal(path, clock=clock)
    disk = Disk(monkeypatch, room=20)
    for _ in range(3):
        journal.record("in", LINE)
        journal.flush()
    assert journal.lacks_room
    assert journal.problem is not None
    assert "No space left" in journal.problem.message
    assert list(read(path)) == []

    disk.room = 1 << 20
    journal.flush()
    assert list(read(path)) == []  # it is not tried each time

    clock.now += RETRY
    journal.record("in", LINE)
    journal.flush()
    assert journal.problem is None
    journal.close()
    assert len(rows(path)) == 4


def test_a_journal_that_ends_on_a_full_disk_tries_once_more_and_is_read_as_far_as_it_came(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(path)
    journal.record("in", LINE)
    journal.flush()
    disk = Disk(monkeypatch, room=20)
    journal.record("in", LINE)
    journal.flush()
    journal.close()
    assert [row.direction for row in read(path)] == ["in"]

    disk.room = 20
    other = Journal(path.with_name("other"))
    other.record("in", LINE)
    other.flush()
    disk.room = 1 << 20
    other.close()
    assert len(rows(path.with_name("other"))) == 1


def test_no_more_than_a_limit_is_held_for_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "MAX_HELD_BYTES", 10 * len(LINE))
    journal = Journal(path)
    disk = Disk(monkeypatch, room=0)
    for _ in range(12):
        journal.record("in", LINE)
        journal.flush()
    disk.room = 1 << 20
    journal.close()

    assert not journal.lacks_room
    assert journal.problem is not None
    assert "the session is not recorded" in journal.problem.message
    assert path.read_bytes() == b""


def test_a_link_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    journal = Journal(tmp_path / "link")

    assert journal.problem is not None
    assert not (tmp_path / "precious").exists()


def test_a_slow_disk_that_takes_little_at_a_time_gets_everything(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, real = Journal(path), os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
    for _ in range(3):
        journal.record("in", LINE)
    journal.close()

    assert len(rows(path)) == 3


def test_the_name_of_a_file_says_when_and_who(tmp_path: Path) -> None:
    at = datetime(2026, 8, 22, 9, 5, 7, 42)

    assert journal_path(tmp_path, "../my agent", at).name.startswith("20260822-090507-my-agent-")
    assert journal_path(tmp_path, "///", at).parent == tmp_path


def test_recording_costs_next_to_nothing(path: Path) -> None:
    journal = Journal(path, [f"secret-number-{number}" for number in range(5)])
    line = b'{"jsonrpc":"2.0","params":{"text":"' + b"x" * 160 + b'"}}'

    def thousand() -> None:
        for _ in range(1000):
            journal.record("in", line)

    assert min(repeat(thousand, setup=journal.flush, number=1, repeat=20)) / 1000 < 1.5e-6
    journal.close()


@pytest.mark.parametrize("name", ["terminal_update", "terminal_output_chunk"])
def test_v2_secrets_in_the_output_of_an_agents_terminal_are_hidden(path: Path, name: str) -> None:
    journal = Journal(path, ["a-secret-value"])
    data = base64.b64encode(b"the key is a-secret-value\n").decode()
    shown = {"output": {"data": data}} if name == "terminal_update" else {"data": data}
    update = {"sessionUpdate": name, "terminalId": "x", **shown}
    params = {"sessionId": "s", "update": update}
    journal.record("in", json.dumps({"method": "session/update", "params": params}).encode())
    journal.flush()
    journal.close()

    row = json.loads(path.read_text().splitlines()[-1])["msg"]["params"]["update"]
    told = row["output"]["data"] if "output" in row else row["data"]
    assert base64.b64decode(told).decode() == f"the key is {MASK}\n"


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    return tmp_path / "journal.ndjson"


def all_lines(tail: JournalTail) -> Iterator[TailLine]:
    more = True
    while more:
        lines, more = tail.read()
        yield from lines


def test_only_complete_lines_are_read(growing: Path) -> None:
    growing.write_bytes(b"one\ntw")
    tail = JournalTail(growing)
    assert [line.head for line in all_lines(tail)] == [b"one"]

    with growing.open("ab") as file:
        file.write(b"o\n\nfour\n")

    assert [(line.head, line.offset, line.size) for line in all_lines(tail)] == [
        (b"two", 4, 3),
        (b"", 8, 0),
        (b"four", 9, 4),
    ]
    tail.close()


def test_a_large_file_is_read_from_a_line_near_its_end(growing: Path) -> None:
    growing.write_bytes(b"".join(b"line %06d\n" % number for number in range(200_000)))
    tail = JournalTail(growing, last=100)

    assert next(all_lines(tail)).head == b"line 199991"
    assert tail.skipped == 199_991 * 12
    tail.close()


def test_the_end_of_a_file_within_a_huge_line_begins_with_that_line(growing: Path) -> None:
    growing.write_bytes(b"first\n" + b"x" * 3_000_000 + b"end\n")
    tail = JournalTail(growing, last=1_000_000)

    (line,) = all_lines(tail)

    assert (line.offset, line.size) == (6, 3_000_003)
    assert line.head == b"x" * HEAD
    assert line.foot.endswith(b"xend")
    assert tail.line(line.offset, line.size) == b"x" * 3_000_000 + b"end"
    assert tail.line(line.offset, line.size, most=5) == b"xxxxx"
    tail.close()


@pytest.mark.parametrize("size", [HEAD - 1, HEAD, HEAD + 1, 128 * 1024, 128 * 1024 + 1])
def test_lines_around_every_limit_are_whole(growing: Path, size: int) -> None:
    text = b"a" * (size - 1) + b"z"
    growing.write_bytes(text + b"\nnext\n")
    tail = JournalTail(growing)

    first, second = all_lines(tail)

    assert (first.size, first.head) == (size, text[:HEAD])
    assert first.foot[-1:] == (b"z" if size > HEAD else b"")
    assert (second.offset, second.head, second.foot) == (size + 1, b"next", b"")
    assert tail.line(first.offset, first.size) == text
    tail.close()


def test_a_missing_file_is_an_error(growing: Path) -> None:
    with pytest.raises(FileNotFoundError):
        JournalTail(growing)
