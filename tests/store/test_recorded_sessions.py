from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from acp_tui.store.recorded_sessions import recent_sessions, rows_of
from tests.store.test_recorded import journal, prompt


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


def test_a_session_that_was_begun_far_down_in_a_long_journal_is_offered_too(tmp_path: Path) -> None:
    path = tmp_path / "1.ndjson"
    noise = b'{"t": 1, "dir": "in", "msg": "session/prompt %s"}\n' % (b"x" * 3_000_000)
    several(path, ("a", "begin"), ("b", "late"), between=noise)

    assert [one.title for one in recent_sessions(tmp_path, 50)] == ["late", "begin"]


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


def _is_prompt(msg: object) -> bool:
    return isinstance(msg, dict) and msg.get("method") == "session/prompt"
