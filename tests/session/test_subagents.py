"""Subagents are transcripts within a transcript."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import AgentMessage, Subagent
from acp_tui.session.entries import SessionMessage as Message
from acp_tui.session.file_changes import DiskState
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer
from tests.session.building import call, chunk, prompt, session_with, texts


def subagent(name: str = "k1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "subagent_update", "sessionId": name, **fields}


def state(word: str, **more: Any) -> dict[str, Any]:
    return {"state": {"state": word, **more}}


def one(session: Session, name: str = "k1") -> Subagent:
    found = session.subagent(name)
    assert found is not None
    return found


def message(name: str = "m1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "session_message", "messageId": name, **fields}


def words(session: Session) -> list[str]:
    return [
        "".join(str(part) for part in entry.parts if isinstance(part, TextBuffer))
        for entry in session.entries
        if isinstance(entry, Message)
    ]


def test_c134_the_first_update_makes_a_child_and_later_ones_change_it_at_its_place() -> None:
    session = session_with(chunk("before"), subagent(title="Explorer"), chunk("after"))

    change = session.apply(read_update(subagent(**state("running"))), 5.0)

    assert change is not None
    assert change.entries == (1,)
    assert texts(session) == ["before", "Subagent", "after"]
    assert (one(session).title, one(session).state, one(session).started) == ("Explorer", "running", 5.0)
    assert list(session.children) == ["k1"]


def test_c119_of_a_subagent_absent_keeps_null_clears_and_a_value_replaces() -> None:
    session = session_with(
        subagent(title="A", description="d", capabilities={"cancel": {}}, cwd="/w/x", **state("running"))
    )
    session.apply(read_update(subagent()))
    found = one(session)
    assert (found.title, found.description, found.can_cancel, found.cwd) == ("A", "d", True, "/w/x")

    session.apply(read_update(subagent(title=None, capabilities={"cancel": None}, cwd=None, state=None)))
    assert (found.name, found.description, found.can_cancel, found.cwd) == ("agent 1", "d", False, "")
    assert found.state == ""

    session.apply(read_update(subagent(description=None, capabilities={"cancel": {}})))
    assert (found.description, found.can_cancel) == ("", True)
    session.apply(read_update(subagent(capabilities=None)))
    assert not found.can_cancel


@pytest.mark.parametrize(("word", "is_working"), [("running", True), ("dreaming", False)])
def test_c121_an_unknown_state_is_kept_and_is_not_idle(word: str, is_working: bool) -> None:
    session = session_with(subagent(**state(word)))

    assert (one(session).state, one(session).ended, one(session).is_working) == (word, None, is_working)


def test_c140_idle_is_no_end_and_the_same_transcript_goes_on() -> None:
    session = session_with(subagent(**state("running")))
    child = session.children["k1"]
    child.apply(read_update(chunk("first")), 1.0)
    session.apply(read_update(subagent(**state("idle", stopReason="end_turn"))), 2.0)
    assert (one(session).ended, one(session).stop_reason) == (2.0, "end_turn")

    session.apply(read_update(subagent(**state("running"))), 3.0)
    child.apply(read_update(chunk("second")), 4.0)

    assert session.children["k1"] is child
    assert texts(child) == ["first", "second"]
    assert (one(session).is_working, one(session).ended, one(session).started) == (True, None, 3.0)


def test_c143_at_the_end_of_the_connection_those_at_work_are_not_known() -> None:
    session = session_with(
        subagent("k1", **state("running")), subagent("k2", **state("idle", stopReason="end_turn"))
    )
    session.children["k1"].apply(read_update(call()), 1.0)

    session.apply(events.Disconnected("The agent has ended."), 2.0)

    assert (one(session, "k1").is_lost, one(session, "k2").is_lost) == (True, False)
    assert one(session, "k1").stop_reason == ""
    known = session.children["k1"].tool_call("t1")
    assert known is not None
    assert known.status == "interrupted"


def test_the_word_unknown_keeps_the_last_state_as_one() -> None:
    session = session_with(subagent(**state("running")), subagent(**state("unknown")))

    assert (one(session).state, one(session).is_lost, one(session).is_working) == ("running", True, False)


def test_c139_the_end_and_the_cancel_of_the_parents_turn_leave_children_alone() -> None:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    session.apply(read_update(subagent(**state("running"))), 2.0)
    session.children["k1"].apply(read_update(call(status="in_progress")), 3.0)

    session.apply(events.TurnCancelled(), 4.0)
    session.apply(events.TurnEnded("cancelled"), 5.0)

    known = session.children["k1"].tool_call("t1")
    assert known is not None
    assert (known.status, one(session).state) == ("in_progress", "running")


def test_c141_a_message_is_one_entry_whatever_comes_first() -> None:
    piece = {"sessionUpdate": "session_message_chunk", "messageId": "m1"}
    hello, more = ({"type": "text", "text": text} for text in ("hello", " there"))
    before = session_with(piece | {"content": hello}, message(senderSessionId="s"), piece | {"content": more})
    after = session_with(message(content=[hello], senderSessionId="s"), piece | {"content": more})

    assert words(before) == words(after) == ["hello there"]
    (entry,) = before.entries
    assert isinstance(entry, Message)
    assert (entry.sender, entry.recipient) == ("s", "")

    after.apply(read_update(message(content=None, recipientSessionId="k1")))
    assert words(after) == [""]
    (entry,) = after.entries
    assert isinstance(entry, Message)
    assert (entry.sender, entry.recipient) == ("s", "k1")
    after.apply(read_update(message(senderSessionId=None)))
    assert (entry.sender, entry.recipient) == ("", "k1")


def test_c145_a_change_on_disk_names_the_subagent_whose_call_may_have_made_it() -> None:
    session = Session("s", "/w")
    session.apply(prompt("go"), 1.0)
    session.apply(read_update(subagent(title="Explorer", **state("running"))), 2.0)
    edit = {"type": "diff", "path": "/w/a", "oldText": "a", "newText": "b"}
    done = call("c1", kind="edit", status="completed", content=[edit])
    session.children["k1"].apply(read_update(done), 3.0)

    session.apply(events.WorkspaceCompared((DiskState("/w/a", "M", "/w/a"),)), 4.0)

    change = session.files["/w/a"]
    (origin,) = change.origins
    assert (origin.turn, origin.tool_call_id, origin.agent) == (1, "c1", "Explorer")
    assert [edit.new for edit in change.edits] == ["b"]


def test_c144_a_subagent_has_subagents_of_its_own() -> None:
    session = session_with(subagent("k1", **state("running")))
    session.children["k1"].apply(read_update(subagent("k2", **state("running"))))

    assert [child.id for child in session.descendants()] == ["k1", "k2"]
    assert session.children["k1"].children["k2"].root is session
    assert len(session.working) == 2


def test_the_transcript_of_a_subagent_is_that_of_its_entry() -> None:
    session = session_with(subagent())
    session.children["k1"].apply(read_update(chunk("hi")))

    assert isinstance(one(session).entries[0], AgentMessage)
