"""Records of decisions, as the log keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.agent.permissions.decision_records import Precedents, past_tool_uses, precedents
from acp_tui.rules.model import Rule, ToolUse
from acp_tui.store.decisions import OVERWRITE, Decision, DecisionLog, OfferedOption
from tests.agent.puppet import FORM, OPTIONS, SESSION, chosen, conversation
from tests.decisions import ONE


async def test_a_decision_is_kept_with_what_was_asked_offered_and_chosen() -> None:
    async with conversation() as talk:
        call = {
            "toolCallId": "t1",
            "title": "Run it",
            "kind": "execute",
            "rawInput": {"command": "make", "path": "./rules.mk", "file": "Makefile"},
            "locations": [{"path": "/w/Makefile"}],
        }
        talk.puppet.asks_permission("q", toolCall=call)
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer(SESSION, '"q"', "yes", AnsweredBy("person", "key y"))

        (kept,) = talk.decisions
        assert (kept.session, kept.agent, kept.workspace, kept.tool_call) == (SESSION, "puppet", "/w", "t1")
        assert (kept.kind, kept.title, kept.command) == ("execute", "Run it", "make")
        assert kept.paths == ("/w/Makefile",)
        assert kept.inputs == ("/w/rules.mk",)
        assert [option.id for option in kept.options] == [option["optionId"] for option in OPTIONS]
        assert kept.chosen is not None
        assert (kept.chosen.id, kept.chosen.kind) == ("yes", "allow_once")
        assert (kept.by, kept.detail) == ("person", "key y")
        assert kept.waited >= 0


async def test_every_way_a_permission_ends_is_kept_and_forms_are_not() -> None:
    async with conversation(rules=(Rule("deny", tool_kind="delete", note="never"),)) as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks_permission("ruled", toolCall={"toolCallId": "t0", "kind": "delete"})
        talk.puppet.asks_permission("none", call="t1", options=[])
        talk.puppet.asks_permission("taken", call="t2")
        talk.puppet.asks_permission("stopped", call="t3")
        talk.puppet.asks("form", "elicitation/create", **FORM)
        await talk.until(lambda: len(talk.session.questions) == 3)
        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": "taken"}})
        await talk.puppet.answer_to("taken")
        talk.agent.cancel(SESSION)
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn
        talk.puppet.asks_permission("left", call="t4")
        await talk.until(lambda: talk.session.questions)
        await talk.agent.stop()
        await talk.until(lambda: len(talk.decisions) == 5)

        assert [(kept.tool_call, kept.by, kept.detail) for kept in talk.decisions] == [
            ("t0", "rule", "never"),
            ("t1", "nobody", "no options"),
            ("t2", "withdrawn", ""),
            ("t3", "cancelled", "stop"),
            ("t4", "agent ended", ""),
        ]
        assert [kept.chosen is not None for kept in talk.decisions] == [True, False, False, False, False]


async def test_an_answer_goes_out_though_the_log_fails() -> None:
    async with conversation(keep=_broken) as talk:
        talk.puppet.asks_permission("q")
        await talk.until(lambda: talk.session.questions)

        talk.agent.answer(SESSION, '"q"', "yes")

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")


def _broken(_: object) -> None:
    raise RuntimeError("a mistake of ours")


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
