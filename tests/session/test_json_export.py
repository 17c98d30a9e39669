from __future__ import annotations

import json
from typing import get_args

import pytest

from acp_tui.protocol.schema import ImageContent, TextContent
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import Entry
from acp_tui.session.file_changes import DiskState
from acp_tui.session.json_export import TYPES, plain
from acp_tui.session.session import Session
from tests.recordings import NAMES, updates
from tests.tables import each


def test_entries_are_told_with_their_kind_and_the_words_of_the_protocol() -> None:
    session = Session("s1", "/w")
    session.apply(
        events.Prompted([TextContent(text="look"), ImageContent(data="AA==", mime_type="image/png")]), 1.0
    )
    session.apply(
        read_update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "rawInput": {"a": [1]}}),
        2.0,
    )

    said, call = plain(session, str)["entries"]
    assert (said["type"], said["at"]) == ("user_message", 1.0)
    assert said["parts"] == ["look", {"type": "image", "data": "AA==", "mimeType": "image/png"}]
    assert (call["type"], call["tool_call_id"], call["raw_input"]) == ("tool_call", "t", {"a": [1]})


def test_what_terminals_printed_stands_there_by_their_ids() -> None:
    session = Session("s1", "/w")
    terminals = [{"type": "terminal", "terminalId": name} for name in ("term-1", "gone")]
    call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "content": terminals}
    session.apply(read_update(call), 1.0)
    session.apply(events.CommandStarted("own-1", "ls"), 2.0)
    printed = {"term-1": "made", "own-1": "a.py"}

    told = plain(session, lambda name: printed.get(name, ""))["terminals"]

    assert told == {"term-1": {"output": "made"}, "own-1": {"output": "a.py"}}


def test_changed_files_stand_there_with_what_the_disk_shows() -> None:
    session = Session("s1", "/w")
    session.apply(events.WorkspaceCompared((DiskState("/w/a.py", "M", "/w/a.py", 2, 1),)), 1.0)

    (change,) = json.loads(json.dumps(plain(session, str)))["changes"]

    assert change["path"] == "/w/a.py"
    assert (change["seen"]["status"], change["seen"]["added"], change["seen"]["removed"]) == ("M", 2, 1)


def test_every_kind_of_entry_has_a_name() -> None:
    assert set(TYPES) == set(get_args(Entry))


@pytest.mark.slow
@each("name", NAMES)
def test_what_real_agents_sent_can_be_written_as_json(name: str) -> None:
    session = Session("s", "/w")
    for at, (_, update) in enumerate(updates(name)):
        session.apply(read_update(update), float(at))

    assert json.loads(json.dumps(plain(session, str))) == plain(session, str)
