"""Subagents at the connection: routing, requests with their ids, cancelling, replays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import sessions
from acp_tui.agent.capabilities import AgentError
from acp_tui.agent.replay import replay
from acp_tui.rules.model import Rule
from acp_tui.session.entries import AgentMessage, Notice, Subagent, ToolCall, text_of
from acp_tui.session.session import Session
from tests import recordings
from tests.agent.puppet import CANCELLED, OPTIONS, SESSION, Conversation, chosen, conversation, text, update
from tests.journals import Line
from tests.waiting import settled

RUNNING = {"state": {"state": "running"}}


async def announced(talk: Conversation, name: str = "k1", parent: str = SESSION, **fields: Any) -> Session:
    """Have the agent announce a subagent; return its session."""
    fields = {"title": "Explorer", "capabilities": {"cancel": {}}, **RUNNING, **fields}
    talk.puppet.updates("subagent_update", parent, sessionId=name, **fields)
    await talk.until(lambda: any(child.id == name for child in talk.session.descendants()))
    return next(child for child in talk.session.descendants() if child.id == name)


def said(session: Session) -> str:
    return "|".join(text_of(entry) for entry in session.entries if isinstance(entry, AgentMessage))


async def test_c135_updates_go_to_the_transcript_of_their_session_also_after_the_turn() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        first = await announced(talk, "k1")
        second = await announced(talk, "k2")
        talk.puppet.says(
            update("agent_message_chunk", "k1", content=text("one ")),
            update("agent_message_chunk", "k2", content=text("two ")),
            update("agent_message_chunk", content=text("parent")),
            update("agent_message_chunk", "k1", content=text("one")),
        )
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        talk.puppet.updates("agent_message_chunk", "k2", content=text("late"))
        await talk.until(lambda: "late" in said(second))

        assert (said(first), said(second), talk.said()) == ("one one", "two late", "parent")
        assert list(talk.agent.sessions) == [SESSION]
        assert talk.session.turn_state == "idle"


async def test_c135_the_line_of_a_subagent_counts_its_calls() -> None:
    async with conversation() as talk:
        await announced(talk)
        talk.puppet.updates("tool_call", "k1", toolCallId="c1", title="Read")
        one = talk.session.subagent("k1")
        assert one is not None
        await talk.until(lambda: one.calls == 1)

        assert (SESSION, (0,)) in [(name, change.entries) for name, change in talk.changes]
        assert talk.session.tool_call("c1") is None


async def test_c134_another_parent_does_not_move_a_subagent_and_no_session_is_taken_over() -> None:
    async with conversation() as talk:
        other = await talk.made("s2")
        child = await announced(talk)
        talk.puppet.updates("subagent_update", "s2", sessionId="k1", title="Moved")
        await talk.until(lambda: child.title == "Moved")
        assert (other.children, child.parent) == ({}, talk.session)

        for taken in ("s2", SESSION):
            talk.puppet.updates("subagent_update", SESSION, sessionId=taken, title="Thief")
        talk.puppet.updates("subagent_update", "k1", sessionId=SESSION, title="Thief")
        await settled()
        assert list(talk.session.children) == ["k1"]
        assert talk.agent.sessions["s2"] is other


async def test_c136_the_session_of_a_subagent_is_not_opened_beside_its_parent(tmp_path: Path) -> None:
    async with conversation({"loadSession": True}) as talk:
        await announced(talk)

        with pytest.raises(AgentError, match="subagent"):
            await talk.agent.setup.load_session("k1", str(tmp_path))


async def test_an_agent_has_a_bounded_number_of_subagents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_SUBAGENTS", 2)
    async with conversation() as talk:
        first = await announced(talk, "k1")
        await announced(talk, "k2")
        talk.puppet.updates("subagent_update", SESSION, sessionId="k3", title="One too many")
        talk.puppet.updates("subagent_update", SESSION, sessionId="k1", title="Renamed")
        await talk.until(lambda: first.title == "Renamed")

        assert list(talk.session.children) == ["k1", "k2"]


async def test_c144_what_comes_before_the_announcement_is_held_for_it() -> None:
    async with conversation() as talk:
        talk.puppet.says(update("agent_message_chunk", "k2", content=text("early")))
        await announced(talk, "k1")
        child = await announced(talk, "k2", "k1")

        assert said(child) == "early"
        assert child.root is talk.session
        assert talk.said() == ""


async def test_c136_a_request_of_a_subagent_is_served_with_the_parents_rules(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    rules = (Rule("deny", path="*.env", note="no"), Rule("allow", command="pwd", session=SESSION))
    async with conversation(rules=rules, cwd=str(tmp_path)) as talk:
        (tmp_path / "sub").mkdir()
        (tmp_path / "b.env").write_text("secret")
        await announced(talk, cwd=str(tmp_path / "sub"))

        def ask(key: str, method: str, **params: Any) -> None:
            talk.puppet.says({"id": key, "method": method, "params": {"sessionId": "k1", **params}})

        ask("r", "fs/read_text_file", path=str(tmp_path / "a.txt"))
        assert (await talk.puppet.answer_to("r"))["result"] == {"content": "hello"}
        ask("d", "fs/read_text_file", path=str(tmp_path / "b.env"))
        assert (await talk.puppet.answer_to("d"))["error"]["code"] == -32602
        ask("t", "terminal/create", command="pwd")
        terminal = (await talk.puppet.answer_to("t"))["result"]["terminalId"]
        ask("w", "terminal/wait_for_exit", terminalId=terminal)
        await talk.puppet.answer_to("w")
        ask("o", "terminal/output", terminalId=terminal)
        output = (await talk.puppet.answer_to("o"))["result"]["output"]
        assert output.strip() == str(tmp_path / "sub")


async def test_c136_a_subagent_in_the_root_folder_reads_no_more_than_its_parent(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out.txt").write_text("no")
    async with conversation(cwd=str(tmp_path / "in")) as talk:
        await announced(talk, cwd="/", additionalDirectories=["/"])
        params = {"sessionId": "k1", "path": str(tmp_path / "out.txt")}
        talk.puppet.says({"id": "r", "method": "fs/read_text_file", "params": params})

        assert (await talk.puppet.answer_to("r"))["error"]["code"] == -32602


async def test_c136_a_subagent_in_the_root_folder_runs_no_command_in_its_parents(tmp_path: Path) -> None:
    async with conversation(policy="allow-everything", cwd=str(tmp_path)) as talk:
        await announced(talk, cwd="/")
        params = {"sessionId": "k1", "command": "pwd"}
        talk.puppet.says({"id": "t", "method": "terminal/create", "params": params})
        assert (await talk.puppet.answer_to("t"))["error"]["code"] == -32602
        talk.puppet.updates("subagent_update", sessionId="k1", title="Renamed")
        await settled()
        notices = [entry.text for entry in talk.session.entries if isinstance(entry, Notice)]
        assert len(notices) == 1
        assert "Explorer works in /, outside the folders of this session" in notices[0]

        talk.puppet.updates("subagent_update", sessionId="k1", cwd=None)
        await settled()
        talk.puppet.says({"id": "u", "method": "terminal/create", "params": params})
        assert "terminalId" in (await talk.puppet.answer_to("u"))["result"]


async def test_c138_a_write_that_a_subagent_asks_for_is_refused_when_it_is_stopped(tmp_path: Path) -> None:
    async with conversation(cwd=str(tmp_path)) as talk:
        child = await announced(talk)
        params = {"sessionId": "k1", "path": str(tmp_path / "a"), "content": "b"}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: child.questions)

        assert talk.agent.cancel_child("k1")

        assert "error" in await talk.puppet.answer_to("w")
        assert child.questions == {}
        assert not (tmp_path / "a").exists()


async def test_c136_a_question_of_a_subagent_is_open_in_it_and_recorded_with_its_name() -> None:
    async with conversation() as talk:
        child = await announced(talk)
        params = {"sessionId": "k1", "toolCall": {"toolCallId": "t", "title": "Touch"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
        await talk.until(lambda: child.questions)
        assert (SESSION, ("questions",)) in [(name, change.fields) for name, change in talk.changes]

        talk.agent.answer("k1", '"q"', "yes")

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")
        (decision,) = talk.decisions
        assert (decision.session, decision.subagent, decision.workspace) == (SESSION, "Explorer", "/w")


async def test_c137_c138_only_a_cancel_is_sent_to_a_subagent_and_only_where_it_is_offered() -> None:
    async with conversation() as talk:
        _call, _turn = await talk.prompted()
        child = await announced(talk)
        below = await announced(talk, "k2", "k1", capabilities={})
        for name in ("k1", "k2"):
            params = {"sessionId": name, "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
            talk.puppet.says({"id": name, "method": "session/request_permission", "params": params})
        await talk.until(lambda: child.questions and below.questions)
        assert not talk.agent.cancel_child("k2")
        assert not talk.agent.cancel_child("nobody")

        assert talk.agent.cancel_child("k1")

        assert (await talk.puppet.answer_to("k1"))["result"] == CANCELLED
        assert (await talk.puppet.answer_to("k2"))["result"] == CANCELLED
        assert talk.puppet.sent.requests("session/cancel") == [{"sessionId": "k1"}]
        one = talk.session.subagent("k1")
        assert one is not None
        assert (one.state, talk.session.turn_state) == ("running", "running")
        sent = [frame["method"] for frame in talk.puppet.sent.frames if "method" in frame]
        named = [frame for frame in talk.puppet.sent.frames if "k1" in str(frame.get("params"))]
        assert [frame["method"] for frame in named] == ["session/cancel"]
        assert "session/close" not in sent


async def test_c139_cancelling_the_parent_leaves_the_questions_of_its_subagents_open() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        child = await announced(talk)
        params = {"sessionId": "k1", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
        await talk.until(lambda: child.questions)

        talk.agent.cancel(SESSION)
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn
        await settled()
        assert talk.puppet.sent.answers("q") == []
        assert child.questions

        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": "q"}})
        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED


@pytest.mark.parametrize("end", ["a stop", "the next prompt"])
async def test_what_was_allowed_to_a_subagent_ends_with(end: str, tmp_path: Path) -> None:
    async with conversation(cwd=str(tmp_path)) as talk:
        call, turn = await talk.prompted()
        child = await announced(talk, cwd=str(tmp_path))
        asked = {"toolCallId": "t", "kind": "execute", "title": "ls", "rawInput": {"command": "ls"}}
        params = {"sessionId": "k1", "toolCall": asked, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
        await talk.until(lambda: child.questions)
        talk.agent.answer("k1", next(iter(child.questions)), "yes")

        if end == "a stop":
            talk.agent.cancel(SESSION)
        else:
            talk.puppet.answers(call, {"stopReason": "end_turn"})
            await turn
            await talk.prompted("more")
        talk.puppet.asks("c", "terminal/create", sessionId="k1", command="ls")

        await talk.until(lambda: child.questions)
        assert talk.puppet.sent.answers("c") == []


async def test_closing_the_parent_answers_its_subagents() -> None:
    async with conversation() as talk:
        child = await announced(talk)
        params = {"sessionId": "k1", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
        await talk.until(lambda: child.questions)

        closing = asyncio.create_task(talk.agent.close_session(SESSION))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED


def subagents(session: Session) -> list[Subagent]:
    return [entry for entry in session.entries if isinstance(entry, Subagent)]


def first_run(name: str) -> list[Line]:
    rows = recordings.rows(name)
    end = next(place for place, row in enumerate(rows) if row.direction == "note" and "exit" in row.msg)
    return rows[:end]


def test_c135_c140_the_subagents_of_claude_are_nested_where_they_began() -> None:
    (session,) = replay(first_run("claude-children")).sessions.values()

    notes, first, second = subagents(session)
    assert [one.title for one in (notes, first, second)] == ["Change the notes", "First", "Second"]
    assert (notes.calls, notes.state, notes.stop_reason) == (2, "idle", "end_turn")
    child = session.children[notes.session_id]
    assert said(child).endswith("the child is done|the child is done")
    assert "the child is done" not in said(session)
    assert [call.status for call in child.entries if isinstance(call, ToolCall)] == ["completed"] * 2
    assert any(path.endswith("notes.txt") for path in session.all_files)


def test_c142_a_load_rebuilds_the_subagents_of_claude_and_of_codex() -> None:
    for name in ("claude-children", "codex-children"):
        sessions = replay(recordings.rows(name)).sessions
        (session,) = sessions.values()
        titles = [one.title for one in subagents(session)]
        assert titles == ["Change the notes", "First", "Second"], name
        assert all(one.entries for one in subagents(session))
        assert [(one.state, one.is_lost) for one in subagents(session)] == [("idle", False)] * 3
        assert "the child is done" not in said(session)


def test_c144_subagents_of_subagents_of_claude_are_nested_twice() -> None:
    (session,) = replay(first_run("claude-nested")).sessions.values()

    outer, inner = session.descendants()
    assert outer.parent is session
    assert inner.parent is outer
