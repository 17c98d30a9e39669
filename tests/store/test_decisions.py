"""The decision log on disk."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.store import decisions
from acp_tui.store.decisions import Decision, DecisionLog, Decisions, files
from tests.decisions import ONE, YES
from tests.full_disk import Disk


def log(folder: Path, *secrets: str, at: float = 1e9) -> DecisionLog:
    return DecisionLog(folder / "data" / "decisions.ndjson", secrets, lambda: at)


def read(of: DecisionLog, holding: str = "") -> list[Decision]:
    assert of.path is not None
    return list(Decisions(of.path, holding))


def test_what_was_decided_is_read_back_newest_first(tmp_path: Path) -> None:
    kept = log(tmp_path)
    cancelled = replace(ONE, tool_call="t2", chosen=None, command=None, by="cancelled", detail="stop")
    kept.add(ONE)
    kept.add(cancelled)

    assert read(kept) == [cancelled, ONE]
    assert ONE.is_allowed
    assert not cancelled.is_allowed
    assert kept.problem is None


def test_a_row_of_a_version_that_did_not_keep_the_paths_of_inputs_is_read(tmp_path: Path) -> None:
    kept = log(tmp_path)
    kept.add(replace(ONE, inputs=("/w/b",)))
    assert kept.path is not None
    row = json.loads(kept.path.read_text())
    assert row.pop("inputs") == ["/w/b"]
    kept.path.write_text(json.dumps(row) + "\n")

    assert read(kept) == [ONE]


def test_a_log_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read(log(tmp_path)) == []


def test_a_log_that_is_not_wanted_writes_nothing(tmp_path: Path) -> None:
    DecisionLog(None).add(ONE)

    assert list(tmp_path.iterdir()) == []


def test_secrets_and_tokens_are_not_written_down(tmp_path: Path) -> None:
    kept = log(tmp_path, "hunter2-hunter2")
    header = "curl -H 'Authorization: Bearer abcdefgh12345678' x hunter2-hunter2"
    named = replace(YES, name="Yes to hunter2-hunter2")
    kept.add(replace(ONE, title="as hunter2-hunter2", command=header, chosen=named, options=(named,)))

    assert kept.path is not None
    text = kept.path.read_text()
    assert "hunter2" not in text
    assert "abcdefgh" not in text
    assert read(kept)[0].command == kept.masked(header)
    assert kept.path.stat().st_mode & 0o777 == 0o600


def test_only_lines_that_hold_a_text_are_looked_at(tmp_path: Path) -> None:
    kept = log(tmp_path)
    for number, command in enumerate(['git "x"', "ls", 'git "y"']):
        kept.add(replace(ONE, tool_call=str(number), command=command))

    assert [one.tool_call for one in read(kept, 'git "')] == ["2", "0"]
    assert read(kept, "nothing of the kind") == []


def test_broken_lines_lose_nothing_else_and_are_counted(tmp_path: Path) -> None:
    kept = log(tmp_path)
    kept.add(ONE)
    assert kept.path is not None
    whole = kept.path.read_bytes()
    wrong = [b"{", b"null", b'{"at": 5}', b"\xff\xfe", b"[" * 100_000, whole[:40]]
    kept.path.write_bytes(whole + b"\n".join([*wrong[:-1], b"", wrong[-1]]))
    kept.add(replace(ONE, tool_call="after"))

    found = Decisions(kept.path)

    assert [one.tool_call for one in found] == ["after", "t1"]
    assert found.broken == len(wrong)


def test_a_log_that_cannot_be_written_says_so_and_goes_on_when_it_can(tmp_path: Path) -> None:
    kept = log(tmp_path)
    (tmp_path / "data").write_text("a file stands in the way")
    kept.add(ONE)
    assert "the decision log cannot be written" in str(kept.problem)

    (tmp_path / "data").unlink()
    later = replace(ONE, tool_call="t2")
    kept.add(later)

    assert kept.problem is None
    assert read(kept) == [later, ONE]


def test_a_disk_that_is_full_in_the_middle_of_a_line_leaves_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = log(tmp_path)
    kept.add(ONE)
    disk = Disk(monkeypatch, room=100)
    kept.add(replace(ONE, tool_call="t2"))
    assert kept.lacks_room
    assert kept.path is not None
    found = Decisions(kept.path)
    assert (list(found), found.broken) == ([ONE], 0)

    disk.room = 1 << 20
    kept.write_held()

    assert kept.problem is None
    assert [one.tool_call for one in read(kept)] == ["t2", "t1"]


def test_a_full_file_is_put_aside_and_only_so_many_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "SIZE", 1)
    kept = log(tmp_path, at=0.0)
    for number in range(decisions.KEPT + 3):
        kept.add(replace(ONE, tool_call=str(number)))

    last = decisions.KEPT + 2
    assert [one.tool_call for one in read(kept)] == [str(last - back) for back in range(decisions.KEPT + 1)]
    assert kept.path is not None
    assert {each.name for each in kept.path.parent.iterdir()} == {
        *(each.name for each in files(kept.path)),
        "decisions.ndjson.lock",
    }


def test_files_that_are_too_old_go_with_the_next_full_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "SIZE", 1)
    kept = log(tmp_path, at=decisions.AGE + 1e6)
    for number in range(3):
        kept.add(replace(ONE, tool_call=str(number)))
    assert kept.path is not None
    os.utime(files(kept.path)[1], (0, 0))

    kept.add(replace(ONE, tool_call="new"))

    assert [one.tool_call for one in read(kept)] == ["new", "2", "0"]
