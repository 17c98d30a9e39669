from __future__ import annotations

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
    told = [row.msg["params"]["prompt"][0]["text"] for row in rows_of(newest) if _is_prompt(row.msg)]
    assert told == ["begin", "go on", "and on"]


def test_sessions_that_were_begun_anew_are_different_ones_also_under_the_same_id(tmp_path: Path) -> None:
    first = life(tmp_path, 1, "s1", "one")
    life(tmp_path, 2, "s1", "two")

    assert [one.title for one in recent_sessions(tmp_path, 50)] == ["two", "one"]
    assert sum(_is_prompt(row.msg) for row in rows_of(first)) == 1


def test_where_nothing_was_said_there_is_no_session(tmp_path: Path) -> None:
    life(tmp_path, 1, "a", "begin")
    life(tmp_path, 2, "b")
    life(tmp_path, 3, "a", method="session/resume")

    assert [one.path.name for one in recent_sessions(tmp_path, 50)] == ["1.ndjson"]


def test_a_journal_that_is_gone_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rows_of(tmp_path / "gone.ndjson")


def _is_prompt(msg: object) -> bool:
    return isinstance(msg, dict) and msg.get("method") == "session/prompt"
