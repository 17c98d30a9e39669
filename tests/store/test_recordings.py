"""Tests of `store/recordings.py`."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_tui.store.journal import Journal
from acp_tui.store.recordings import (
    JournalRow,
    changed_lines,
    head_of,
    read,
    recent,
    recent_sessions,
    rows_about,
    rows_of,
)
from acp_tui.store.redaction import Redactor


def journal(path: Path, *messages: tuple[str, object], **start: object) -> None:
    written = Journal(path)
    written.note({"start": ["/bin/agent", "--acp"], **start})
    for direction, message in messages:
        written.record(direction, json.dumps(message).encode())
    written.close()


def prompt(text: str) -> tuple[str, object]:
    return "out", {
        "id": 3,
        "method": "session/prompt",
        "params": {"prompt": [{"type": "text", "text": text}]},
    }


def title(text: str) -> tuple[str, object]:
    update = {"sessionUpdate": "session_info_update", "title": text}
    return "in", {"method": "session/update", "params": {"sessionId": "s", "update": update}}


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    journal(path, ("out", {"id": 1}), ("in", {"id": 1, "result": None}))

    rows = list(read(path))

    assert [(row.direction, row.msg) for row in rows[1:]] == [
        ("out", {"id": 1}),
        ("in", {"id": 1, "result": None}),
    ]


def test_broken_lines_and_a_cut_last_one_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    path.write_bytes(
        b'{"t": 0.1, "dir": "in", "msg": 1}\n'
        b"not json\n"
        b'{"t": "x", "dir": "in", "msg": 1}\n'
        b'{"dir": "in"}\n'
        b"\xff\xfe\n"
        b"[]\n"
        b"\n"
        b'{"t": 0.2, "dir": "in", "msg": 2}\n'
        b'{"t": 0.3, "dir": "in", "ms'
    )
    reading = read(path)

    assert list(reading) == [JournalRow(0.1, "in", 1), JournalRow(0.2, "in", 2)]
    assert reading.broken == 6


def test_the_list_says_whose_session_it_was_and_what_about(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    journal(
        path,
        prompt("fix the\n login"),
        agent="gemini",
        cwd="/proj",
        at="2026-08-22T09:05:07+00:00",
    )

    [found] = recent(tmp_path, 10)

    assert (found.path, found.agent, found.cwd, found.title) == (path, "gemini", "/proj", "fix the login")
    assert found.started == datetime(2026, 8, 22, 9, 5, 7, tzinfo=UTC)
    assert found.size == path.stat().st_size


def test_the_sessions_own_title_wins(tmp_path: Path) -> None:
    journal(tmp_path / "one.ndjson", title("First"), prompt("do it"), title("Login fixed"), title(""))

    assert recent(tmp_path, 10)[0].title == "Login fixed"


def test_a_start_that_says_little_is_filled_from_the_traffic(tmp_path: Path) -> None:
    journal(tmp_path / "one.ndjson", ("out", {"method": "session/new", "params": {"cwd": "/there"}}))

    [found] = recent(tmp_path, 10)

    assert (found.agent, found.cwd, found.title, found.started) == ("agent", "/there", "", None)


def test_the_newest_come_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    for number in range(5):
        journal(tmp_path / f"{number}.ndjson", prompt(str(number)))
        os.utime(tmp_path / f"{number}.ndjson", (number, number))
    (tmp_path / "notes.txt").write_text("x")

    assert [found.title for found in recent(tmp_path, 3)] == ["4", "3", "2"]


def test_only_the_head_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    journal(path, prompt("early"))
    with path.open("ab") as file:
        file.write(b'{"t": 1, "dir": "in", "msg": "' + b"x" * 200_000 + b'"}\n')
        file.write(json.dumps({"t": 2, "dir": "in", "msg": title("Late")[1]}).encode() + b"\n")

    assert recent(tmp_path, 1)[0].title == "early"


def test_odd_files_are_listed_without_failing(tmp_path: Path) -> None:
    (tmp_path / "empty.ndjson").write_bytes(b"")
    (tmp_path / "noise.ndjson").write_bytes(
        b'{"t": 1, "dir": "note", "msg": "text"}\n{"t": 1, "dir": "in", "msg": [1]}\n'
    )

    assert [found.agent for found in recent(tmp_path, 10)] == ["", ""]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert recent(tmp_path / "none", 10) == []


def test_the_head_tells_how_the_agent_was_started(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    journal(path)
    found = head_of(path)

    assert found is not None
    assert (found.agent, found.argv) == ("agent", ("/bin/agent", "--acp"))
    path.write_text('{"t": 0, "dir": "note", "msg": {"start": 5}}\n')
    found = head_of(path)
    assert found is not None
    assert (found.agent, found.argv) == ("", ())
    assert head_of(tmp_path / "none") is None


def test_the_head_tells_which_session_was_opened_last(tmp_path: Path) -> None:
    path = tmp_path / "one.ndjson"
    asked: tuple[str, object] = ("out", {"id": 1, "method": "session/new", "params": {}})
    made: tuple[str, object] = ("in", {"id": 1, "result": {"sessionId": "mine"}})
    taken: tuple[str, object] = ("out", {"id": 2, "method": "session/resume", "params": {"sessionId": "old"}})
    journal(path, asked, made)
    found = head_of(path)
    assert found is not None
    assert (found.session_id, found.is_resumed, found.is_silent) == ("mine", False, True)
    path.unlink()
    journal(path, asked, made, taken, prompt("go on"))
    found = head_of(path)
    assert found is not None
    assert (found.session_id, found.is_resumed, found.is_silent) == ("old", True, False)


@pytest.mark.parametrize(
    ("line", "msg"),
    [
        (b'{"t": 0, "dir": "in", "msg": {"x": "a\xffb"}}', {"x": "a\ufffdb"}),
        (b'{"t": 0, "dir": "in", "msg": {"x": "\xed\xa0\xbd"}}', {"x": "\ufffd\ufffd\ufffd"}),
        (b'{"t": 0, "dir": "in", "msg": {"x": "\\ud83d"}}', {"x": "\ud83d"}),
        (b'{"t": 0, "dir": "in", "msg": {"x": "\x1b[31m\t\x07"}}', {"x": "\x1b[31m\t\x07"}),
        (b'{"t": 0, "dir": "in", "msg": {"x": NaN}}', {"x": None}),
        (b'{"t": 0, "dir": "raw", "msg": "\xc2\x9b31m\x7f"}', "\x9b31m\x7f"),
    ],
)
def test_rows_of_older_journals_are_read_as_the_line_was_live(
    tmp_path: Path, line: bytes, msg: object
) -> None:
    path = tmp_path / "old.ndjson"
    path.write_bytes(line + b"\n")

    assert [row.msg for row in read(path)] == [msg]
    row = json.loads(Redactor("", {}).row(line))
    assert (row["dir"], type(row["msg"])) == (("in", dict) if isinstance(msg, dict) else ("raw", str))


def life(folder: Path, number: int, session_id: str, *said: str, method: str = "session/new") -> Path:
    """Write what one process of an agent did with a session, and return the journal."""
    path = folder / f"{number}.ndjson"
    named = {} if method == "session/new" else {"sessionId": session_id}
    opened = ("out", {"id": 1, "method": method, "params": named})
    answer = ("in", {"id": 1, "result": {"sessionId": session_id}})
    journal(path, opened, answer, *map(prompt, said))
    os.utime(path, (number, number))
    return path


def test_a_session_is_one_however_often_it_was_taken_up(tmp_path: Path) -> None:
    life(tmp_path, 1, "a", "begin")
    life(tmp_path, 2, "b", "something else")
    life(tmp_path, 3, "a", "go on", method="session/resume")
    newest = life(tmp_path, 4, "a", "and on", method="session/load")

    found = recent_sessions(tmp_path, 50)

    assert [(one.path.name, one.title) for one in found] == [
        ("4.ndjson", "begin"),
        ("2.ndjson", "something else"),
    ]
    assert found[0].path == newest
    told = [row.msg["params"]["prompt"][0]["text"] for row in rows_of(found[0]) if _is_prompt(row.msg)]
    assert told == ["begin", "go on", "and on"]


def test_sessions_that_were_begun_anew_are_different_ones_also_under_the_same_id(tmp_path: Path) -> None:
    first = life(tmp_path, 1, "s1", "one")
    life(tmp_path, 2, "s1", "two")

    found = recent_sessions(tmp_path, 50)
    assert [one.title for one in found] == ["two", "one"]
    assert found[1].path == first
    assert sum(_is_prompt(row.msg) for row in rows_of(found[1])) == 1


def test_where_nothing_was_said_there_is_no_session(tmp_path: Path) -> None:
    life(tmp_path, 1, "a", "begin")
    life(tmp_path, 2, "b")
    life(tmp_path, 3, "a", method="session/resume")

    assert [one.path.name for one in recent_sessions(tmp_path, 50)] == ["1.ndjson"]


def test_a_journal_that_is_gone_is_told_as_such(tmp_path: Path) -> None:
    life(tmp_path, 1, "a", "begin")
    [found] = recent_sessions(tmp_path, 50)
    found.path.unlink()

    with pytest.raises(FileNotFoundError):
        rows_of(found)


def several(path: Path, *said: tuple[str, str], between: bytes = b"") -> None:
    """Write a journal of an agent with a session for each name, in which this was said in turn."""
    names = list(dict.fromkeys(name for name, _ in said))
    opened = [
        row
        for number, name in enumerate(names)
        for row in (
            ("out", {"id": number, "method": "session/new", "params": {}}),
            ("in", {"id": number, "result": {"sessionId": name}}),
        )
    ]
    journal(path, *opened, at="2026-08-22T09:00:00+00:00")
    with path.open("ab") as file:
        for number, (name, text) in enumerate(said):
            msg = prompt(text)[1]
            assert isinstance(msg, dict)
            msg["params"]["sessionId"] = name
            row = {"t": number * 60, "dir": "out", "msg": msg}
            file.write(between + json.dumps(row).encode() + b"\n")


def test_each_session_of_a_journal_is_offered_the_one_that_was_spoken_in_last_first(tmp_path: Path) -> None:
    path = tmp_path / "1.ndjson"
    several(path, ("a", "begin"), ("b", "other"), ("c", "third"), ("a", "again"))

    found = recent_sessions(tmp_path, 50)

    assert [(one.session_id, one.title) for one in found] == [("a", "begin"), ("c", "third"), ("b", "other")]
    assert [one.started.minute for one in found if one.started] == [0, 2, 1]
    changed = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    assert found[0].used == changed, "the file ends with its answers"
    assert [one.used.minute for one in found[1:] if one.used] == [2, 1]


def test_a_session_is_as_old_as_its_last_use(tmp_path: Path) -> None:
    begun = "2026-08-22T09:00:00+00:00"
    journal(path := tmp_path / "1.ndjson", prompt("begin"), at=begun)
    later = datetime(2026, 8, 22, 11, tzinfo=UTC)
    os.utime(path, (later.timestamp(), later.timestamp()))

    [one] = recent_sessions(tmp_path, 50)

    assert (one.started, one.used) == (datetime.fromisoformat(begun), later)


def test_a_session_that_was_begun_far_down_in_a_long_journal_is_offered_too(tmp_path: Path) -> None:
    path = tmp_path / "1.ndjson"
    noise = b'{"t": 1, "dir": "in", "msg": "session/prompt %s"}\n' % (b"x" * 3_000_000)
    several(path, ("a", "begin"), ("b", "late"), between=noise)

    assert [one.title for one in recent_sessions(tmp_path, 50)] == ["late", "begin"]


def test_a_message_of_the_agent_that_looks_like_a_row_lists_no_session_and_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "1.ndjson"
    several(path, ("a", "begin"))
    forged = {"dir": "out", "msg": "session/x", "method": "session/prompt", "params": {"sessionId": "bank"}}
    look = {"n": 1, "dir": "note", "msg": {"snapped": 1}, "session": "a"}
    files = [{"path": "/w/a", "added": 9999, "removed": 7}]
    with path.open("ab") as file:
        for msg in ({"jsonrpc": "2.0", **forged}, {"jsonrpc": "2.0", **look, "snapped": files}):
            file.write(json.dumps({"t": 5, "dir": "in", "msg": msg}).encode() + b"\n")

    [found] = recent_sessions(tmp_path, 50)
    assert (found.session_id, found.title) == ("a", "begin")
    assert changed_lines(found) == (0, 0)


def test_a_session_in_which_something_was_said_stands_for_those_where_nothing_was(tmp_path: Path) -> None:
    path = tmp_path / "1.ndjson"
    several(path, ("a", "begin"))
    with path.open("ab") as file:
        for direction, msg in (
            ("out", {"id": 9, "method": "session/new", "params": {}}),
            ("in", {"id": 9, "result": {"sessionId": "silent"}}),
        ):
            file.write(json.dumps({"t": 5, "dir": direction, "msg": msg}).encode() + b"\n")

    assert [(one.session_id, one.title) for one in recent_sessions(tmp_path, 50)] == [("a", "begin")]


def test_of_several_sessions_of_a_journal_each_is_joined_with_its_own_beginning(tmp_path: Path) -> None:
    several(tmp_path / "1.ndjson", ("a", "a1"), ("b", "b1"))
    os.utime(tmp_path / "1.ndjson", (1, 1))
    second = life(tmp_path, 2, "b", "b2", method="session/load")

    found = recent_sessions(tmp_path, 50)

    assert [(one.session_id, one.title, one.path.name) for one in found] == [
        ("b", "b1", second.name),
        ("a", "a1", "1.ndjson"),
    ]
    told = [row.msg["params"]["prompt"][0]["text"] for row in rows_of(found[0]) if _is_prompt(row.msg)]
    assert told == ["a1", "b1", "b2"]


def test_a_fork_of_a_resumed_session_is_joined_with_the_beginning_of_that(tmp_path: Path) -> None:
    several(tmp_path / "1.ndjson", ("a", "a1"))
    os.utime(tmp_path / "1.ndjson", (1, 1))
    fork = [
        ("out", {"id": 4, "method": "session/load", "params": {"sessionId": "a"}}),
        ("in", {"id": 4, "result": {}}),
        ("out", {"id": 5, "method": "session/fork", "params": {"sessionId": "a"}}),
        ("in", {"id": 5, "result": {"modes": None, "sessionId": "f"}}),
        said_in("f", "f1"),
    ]
    journal(tmp_path / "2.ndjson", *fork, at="2026-08-22T09:05:00+00:00")
    os.utime(tmp_path / "2.ndjson", (2, 2))
    third = life(tmp_path, 3, "f", "f2", method="session/load")

    newest = recent_sessions(tmp_path, 50)[0]

    assert (newest.session_id, newest.path) == ("f", third)
    for rows in (rows_of(newest), rows_about(tmp_path, newest.agent, "f")):
        told = [row.msg["params"]["prompt"][0]["text"] for row in rows if _is_prompt(row.msg)]
        assert told == ["a1", "f1", "f2"]


def said_in(session: str, text: str) -> tuple[str, object]:
    direction, msg = prompt(text)
    assert isinstance(msg, dict)
    return direction, {**msg, "params": {**msg["params"], "sessionId": session}}


def _is_prompt(msg: object) -> bool:
    return isinstance(msg, dict) and msg.get("method") == "session/prompt"


def snapped(added: int, removed: object, name: str, session: str = "s", **more: object) -> tuple[str, object]:
    files = [{"path": f"/w/{name}", "status": "M", "added": added, "removed": removed}]
    return "note", {"snapped": files, "gone": [], "session": session, **more}


def test_the_lines_changed_in_a_session_are_those_of_its_latest_looks_in_all_its_journals(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    journal(first, snapped(5, 1, "a"), snapped(3, 0, "b"), snapped(9, 9, "c", "other"), prompt("x"))
    journal(second, snapped(7, 2, "a"), snapped(1, 0, "d", gone=["/w/b"]), snapped(4, "x", "e"))
    second.write_bytes(
        second.read_bytes() + b'{"t": 1, "dir": "note", "msg": {"snapped": 3, "session": "s"}}\n'
    )
    head = head_of(second)
    assert head is not None
    recorded = replace(head, session_id="s", earlier=(first,))

    assert changed_lines(recorded) == (8, 2)
    assert changed_lines(replace(recorded, session_id="nobody")) == (0, 0)
