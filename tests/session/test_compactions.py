"""Compactions keep their place, their summary and the context around them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import Compaction, UserMessage
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer
from tests.session.building import chunk, prompt, session_with, texts


def compaction(status: str, name: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "compaction_update", "compactionId": name, "status": status, **fields}


def summary_chunk(text: str, name: str = "c1") -> dict[str, Any]:
    content = {"type": "text", "text": text}
    return {"sessionUpdate": "compaction_summary_chunk", "compactionId": name, "content": content}


def usage(used: int, size: int = 1000) -> dict[str, Any]:
    return {"sessionUpdate": "usage_update", "used": used, "size": size}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def only(session: Session) -> Compaction:
    (found,) = (entry for entry in session.entries if isinstance(entry, Compaction))
    return found


def summary(session: Session) -> str:
    return "".join(str(part) for part in only(session).parts if isinstance(part, TextBuffer))


def test_c125_later_updates_and_chunks_change_the_entry_at_its_first_place() -> None:
    session = session_with(chunk("before"), compaction("in_progress"), chunk("after"))

    change = session.apply(read_update(summary_chunk("It was about notes.")), 4.0)
    session.apply(read_update(compaction("completed")), 5.0)

    assert change == SessionChange((1,))
    assert texts(session) == ["before", "Compaction", "after"]
    assert (only(session).status, summary(session), only(session).ended) == (
        "completed",
        "It was about notes.",
        5.0,
    )


def test_c125_two_ids_are_two_compactions_and_a_chunk_of_an_unknown_one_begins_it() -> None:
    session = session_with(summary_chunk("a", "c1"), summary_chunk("b", "c2"), compaction("failed", "c2"))

    first, second = (entry for entry in session.entries if isinstance(entry, Compaction))
    assert (first.status, second.status) == ("in_progress", "failed")


def test_c119_c126_a_summary_replaces_chunks_and_later_chunks_append_to_it() -> None:
    session = session_with(compaction("in_progress"), summary_chunk("old"))

    session.apply(read_update(compaction("completed", summary=[text("new")])))
    session.apply(read_update(summary_chunk(" and more")))
    assert summary(session) == "new and more"

    session.apply(read_update(compaction("completed")))
    assert summary(session) == "new and more"


@pytest.mark.parametrize("nothing", [None, []])
def test_c119_c126_null_and_an_empty_list_clear_the_summary(nothing: Any) -> None:
    session = session_with(compaction("completed", summary=[text("x")], error="e"))

    session.apply(read_update(compaction("completed", summary=nothing, error=None)))

    assert (only(session).parts, only(session).error) == ([], "")


def test_c28_a_malformed_summary_keeps_the_one_before() -> None:
    session = session_with(compaction("completed", summary=[text("x")]))

    session.apply(read_update(compaction("completed", summary="junk")))

    assert summary(session) == "x"


def test_c127_a_final_status_may_be_the_first_that_is_seen() -> None:
    session = session_with(compaction("completed", summary=[text("x")]))

    assert (only(session).status, only(session).ended) == ("completed", 0.0)


def test_c127_one_in_progress_at_the_end_of_the_turn_is_interrupted_until_a_late_status_comes() -> None:
    session = Session("s")
    session.apply(prompt("/compact"), 1.0)
    session.apply(read_update(compaction("in_progress")), 2.0)

    change = session.apply(events.TurnEnded("end_turn"), 3.0)

    assert change is not None
    assert 1 in change.entries
    assert only(session).status == "interrupted"
    session.apply(read_update(compaction("completed")), 4.0)
    assert only(session).status == "completed"


def test_c127_the_end_of_the_connection_interrupts_it() -> None:
    session = session_with(compaction("in_progress"))

    session.apply(events.Disconnected("The agent has ended."), 1.0)

    assert only(session).status == "interrupted"


def test_c121_an_unknown_status_is_kept_and_is_no_end() -> None:
    session = session_with(usage(800), compaction("of tomorrow"), usage(700))
    session.apply(prompt("go"), 1.0)

    session.apply(events.TurnEnded("end_turn"), 2.0)

    assert (only(session).status, only(session).ended) == ("of tomorrow", None)
    session.apply(read_update(compaction("completed")), 3.0)
    session.apply(read_update(usage(100)), 4.0)
    after = only(session).after
    assert after is not None
    assert (only(session).ended, after.used) == (3.0, 700)


def test_c128_a_context_that_has_not_changed_tells_nothing_and_a_later_one_is_not_its_own() -> None:
    session = session_with(usage(800), compaction("completed"), usage(800), usage(900))

    assert only(session).after is None


def test_c127_one_in_a_subagent_ends_when_that_rests() -> None:
    child = {"sessionUpdate": "subagent_update", "sessionId": "k1"}
    session = session_with({**child, "state": {"state": "running"}})
    session.children["k1"].apply(read_update(compaction("in_progress")), 1.0)

    session.apply(read_update({**child, "state": {"state": "idle"}}), 2.0)

    assert only(session.children["k1"]).status == "interrupted"


def test_c128_what_stands_above_stays_as_it_is() -> None:
    session = Session("s")
    session.apply(prompt("hello"), 1.0)
    session.apply(read_update(chunk("hi")), 2.0)
    above = list(session.entries)

    session.apply(read_update(compaction("completed")), 3.0)

    assert session.entries[:2] == above
    assert isinstance(above[0], UserMessage)
    assert not above[0].dropped


def told(session: Session) -> tuple[int | None, int | None]:
    before, after = only(session).before, only(session).after
    return before.used if before else None, after.used if after else None


def test_c128_the_context_behind_it_may_be_told_after_its_end() -> None:
    session = session_with(usage(820), compaction("in_progress"), compaction("completed"), usage(110))
    assert told(session) == (820, 110)

    session.apply(read_update(usage(300)))
    assert told(session) == (820, 110)


def test_c128_the_context_behind_it_may_be_told_in_steps_before_its_end() -> None:
    session = session_with(
        usage(820), compaction("in_progress"), usage(820), usage(500), usage(110), compaction("completed")
    )
    session.apply(read_update(usage(300)))

    assert told(session) == (820, 110)


def test_c128_without_a_context_before_none_is_claimed() -> None:
    assert told(session_with(compaction("completed"), usage(110))) == (None, None)
