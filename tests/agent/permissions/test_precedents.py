"""Precedents: earlier decisions about the same command or files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.agent.permissions.decision_records import Precedents, past_tool_uses, precedents
from acp_tui.rules.model import ToolUse
from acp_tui.store.decisions import OVERWRITE, Decision, DecisionLog, OfferedOption
from tests.decisions import ONE


def test_a_decision_tells_what_was_asked() -> None:
    decision = Decision(
        at="2026-03-01T10:00:00+00:00",
        session="s",
        agent="demo",
        workspace="/w/",
        tool_call="t",
        kind="edit",
        title="Edit",
        command=None,
        paths=("a", "/b"),
        options=(),
        chosen=None,
        by="cancelled",
        detail="",
        waited=0.0,
        inputs=("/w/c",),
    )

    ask = ToolUse("demo", "edit", ("/w/a", "/b"), workspace="/w/", session="s", inputs=("/w/c",))
    assert list(past_tool_uses([decision, replace(decision, kind=OVERWRITE)])) == [ask]


NO = OfferedOption("n", "No", "reject_once")


def log(folder: Path, *decisions: Decision) -> Path:
    kept = DecisionLog(folder / "decisions.ndjson")
    for one in decisions:
        kept.add(one)
    return folder / "decisions.ndjson"


def test_the_same_command_in_the_same_workspace_is_counted(tmp_path: Path) -> None:
    later = replace(ONE, at="2026-03-02T10:00:00.000+00:00")
    path = log(
        tmp_path,
        ONE,
        replace(ONE, workspace="/elsewhere"),
        replace(ONE, command="make tests"),
        replace(ONE, chosen=None, by="cancelled"),
        replace(ONE, chosen=NO),
        later,
    )

    assert precedents(path, "/w", "execute", "make test", []) == Precedents(2, 1, later.time)
    assert precedents(path, "/w", "execute", "make", []) is None


def test_without_the_same_command_those_that_begin_alike_are_counted(tmp_path: Path) -> None:
    path = log(tmp_path, replace(ONE, command="git push origin"), replace(ONE, command="git pushy"))

    found = precedents(path, "/w", "execute", "git push fork", [], "git push")

    assert found == Precedents(1, 0, ONE.time, "git push")
    assert precedents(path, "/w", "execute", "git push fork", []) is None


def test_calls_without_a_command_are_the_same_by_their_kind_and_paths(tmp_path: Path) -> None:
    edit = replace(ONE, command=None, kind="edit", paths=("/w/a", "/w/b"))
    path = log(tmp_path, edit, replace(edit, kind="read"), replace(edit, paths=("/w/a",)))

    assert precedents(path, "/w", "edit", None, ["/w/a", "/w/b"]) == Precedents(1, 0, ONE.time)
    assert precedents(path, "/w", "edit", None, []) is None


def test_a_log_that_is_not_there_knows_nothing_and_a_broken_one_says_so(tmp_path: Path) -> None:
    assert precedents(tmp_path / "none", "/w", "execute", "make", []) is None
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        precedents(tmp_path / "folder", "/w", "execute", "make", [])
