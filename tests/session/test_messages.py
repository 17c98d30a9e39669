"""Assembly of chunks into messages."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import ImageContent, SessionSetup, TextContent
from acp_tui.protocol.validation import read_update
from acp_tui.session.entries import (
    NOTE,
    AgentMessage,
    AscribedMessage,
    Message,
    UserMessage,
    text_of,
)
from acp_tui.session.events import Disconnected, Event, Prompted, Resumed, SetUp, TurnEnded
from acp_tui.session.session import Session
from tests.session.building import call, call_update, chunk, prompt, session_with, texts, thought


def test_r35_chunks_join_byte_for_byte() -> None:
    session = session_with(chunk("he"), chunk("llo **b"), chunk(""), chunk("old** \n"))

    assert texts(session) == ["hello **bold** \n"]


def test_c67_r35_chunks_of_one_id_are_one_message_across_what_comes_between() -> None:
    session = session_with(
        chunk("a1 ", messageId="a"), call(), chunk("b1", messageId="b"), chunk("a2", messageId="a")
    )

    assert texts(session) == ["a1 a2", "ToolCall", "b1"]


def test_c68_chunks_without_an_id_join_only_their_neighbour() -> None:
    session = session_with(
        chunk("a"), thought("b"), chunk("c"), call(), chunk("d"), call_update(), chunk("e")
    )

    assert texts(session) == ["a", "b", "c", "ToolCall", "de"]


def test_c68_of_a_replay_a_prompt_after_an_answer_is_a_prompt_of_its_own() -> None:
    told = (chunk("one", "user"), chunk("1"), chunk("two", "user"), call(), chunk("three", "user"))

    assert texts(session_with(*told)) == ["one", "1", "two", "ToolCall", "three"]


def test_c67_c68_two_prompts_with_nothing_between_are_told_apart_by_their_ids_alone() -> None:
    with_ids = (chunk("one", "user", messageId="m1"), chunk("two", "user", messageId="m2"))

    assert texts(session_with(*with_ids)) == ["one", "two"]
    assert texts(session_with(chunk("one", "user"), chunk("two", "user"))) == ["onetwo"]


def test_a_new_turn_begins_a_new_message() -> None:
    session = session_with(chunk("welcome"))
    session.apply(prompt("go"))
    session.apply(read_update(chunk("done")))

    assert texts(session) == ["welcome", "go", "done"]


def test_c29_halves_of_a_character_meet_across_chunks() -> None:
    session = session_with(chunk("\ud83d"), chunk("\ude00!"), chunk("\ud83d"), call())

    assert texts(session) == ["😀!\ufffd", "ToolCall"]


def test_c77_a_picture_stands_between_two_texts() -> None:
    image = {"type": "image", "data": "AA", "mimeType": "image/png"}
    session = session_with(chunk("a"), {**chunk(""), "content": image}, chunk("b"))

    (message,) = session.entries
    assert isinstance(message, AgentMessage)
    assert [str(part) if not isinstance(part, ImageContent) else "*" for part in message.parts] == [
        "a",
        "*",
        "b",
    ]


def test_r35_what_only_begins_like_the_prompt_is_shown_whole() -> None:
    session = Session("s")
    session.apply(prompt("hello world"))
    for piece in ("hello ", "moon"):
        session.apply(read_update(chunk(piece, "user")))

    assert texts(session) == ["hello world", "hello moon"]


def test_an_echo_that_is_complete_hides_nothing_that_follows() -> None:
    session = Session("s")
    session.apply(prompt("hello"))
    for piece in ("hel", "lo", "and more"):
        session.apply(read_update(chunk(piece, "user")))

    assert texts(session) == ["hello", "and more"]


def test_a_replay_shows_what_the_user_said() -> None:
    session = session_with(chunk("Why?", "user"), chunk("Because."), chunk("Why?", "user"))

    assert texts(session) == ["Why?", "Because.", "Why?"]


@pytest.mark.parametrize("before", [thought("hm"), call(), chunk("well")])
def test_an_echo_that_comes_after_something_else_is_not_shown_again(before: dict[str, Any]) -> None:
    session = Session("s")
    session.apply(prompt("do it"))
    for update in (before, chunk("do it", "user"), chunk("!")):
        session.apply(read_update(update))

    assert [text for text in texts(session) if "do it" in text] == ["do it"]


def test_a_word_of_the_user_in_a_turn_is_no_echo_though_the_prompt_begins_with_it() -> None:
    session = Session("s")
    session.apply(prompt("yes, do it"))
    for update in (thought("hm"), chunk("yes", "user")):
        session.apply(read_update(update))

    assert texts(session) == ["yes, do it", "hm", "yes"]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ([], [(UserMessage, "Why?")]),
        ([SetUp(SessionSetup())], [(UserMessage, "Why?")]),
        ([SetUp(SessionSetup(), is_new=True)], [(AscribedMessage, "Why?")]),
        ([prompt("Go")], [(UserMessage, "Go"), (AscribedMessage, "Why?")]),
        ([prompt("Go"), TurnEnded("refusal")], [(AscribedMessage, "Why?")]),
        ([prompt("Go"), TurnEnded("end_turn"), Resumed()], [(AscribedMessage, "Why?")]),
        ([prompt("Why?"), TurnEnded("end_turn")], [(AscribedMessage, "Why?")]),
        ([prompt("Go"), Disconnected("gone"), Resumed()], [(AscribedMessage, "Why?")]),
    ],
)
def test_words_of_the_user_come_from_the_user_or_from_a_replay(
    before: list[Event], expected: list[tuple[type[Message], str]]
) -> None:
    session = Session("s")
    for event in (*before, read_update(chunk("Why", "user")), read_update(chunk("?", "user"))):
        session.apply(event)

    said = [(type(entry), text_of(entry)) for entry in session.entries if isinstance(entry, Message)]
    assert said[-len(expected) :] == expected
    assert session.subject == next((text for kind, text in said if kind is UserMessage), "")


def test_what_came_before_the_answer_that_a_session_is_new_is_the_agents() -> None:
    session = Session("s")
    for event in (
        read_update(chunk("Yes", "user", messageId="m")),
        SetUp(SessionSetup(), is_new=True),
        read_update(chunk(", all", "user", messageId="m")),
    ):
        session.apply(event)

    (message,) = session.entries
    assert isinstance(message, AscribedMessage)
    assert text_of(message) == "Yes, all"


def test_an_echo_without_the_last_block_of_the_prompt_is_one() -> None:
    session = Session("s")
    session.apply(Prompted([TextContent(text="do it"), TextContent(text=" (see above)")]))
    for update in (thought("hm"), chunk("do it", "user")):
        session.apply(read_update(update))

    assert len(session.entries) == 2


def test_what_comes_after_the_turn_is_no_echo() -> None:
    session = Session("s")
    for event in (prompt("again"), TurnEnded("end_turn"), read_update(chunk("again", "user"))):
        session.apply(event)

    assert texts(session)[-1] == "again"
    assert len([text for text in texts(session) if text == "again"]) == 2


def test_a_note_of_ours_stands_apart_from_what_the_user_said() -> None:
    session = Session("s")
    note = f"{NOTE}\n- rejected your change in a.py"
    session.apply(Prompted([TextContent(text="run ./build.sh"), TextContent(text=note)]))

    (message,) = session.entries
    assert isinstance(message, UserMessage)
    assert [str(part) for part in message.parts] == ["run ./build.sh", note]
    assert note.startswith("\n\n"), "agents join blocks as they are"
    assert (session.subject, session.prompt_of(1)) == ("run ./build.sh", "run ./build.sh")


def test_what_an_agent_sends_as_a_message_and_nobody_said_is_not_shown_and_parts_what_was_said() -> None:
    session = Session("s1", unsaid=["[MODE_UPDATE] *", "[Function Call: *]"])
    for text in ("I look. ", "[Function Call: read_file]", "It is ", "there.", "[MODE_UPDATE] yolo", "Done"):
        session.apply(read_update(chunk(text)))
    session.apply(read_update(chunk(" with [Function Call: x] in it")))

    assert texts(session) == ["I look. ", "It is there.", "Done with [Function Call: x] in it"]


def test_what_nobody_said_is_no_work_of_the_agent_alone() -> None:
    session = Session("s1", unsaid=["[MODE_UPDATE] *"])
    session.apply(Prompted([TextContent(text="go")]), 1.0)
    session.apply(TurnEnded("end_turn"), 2.0)
    before = texts(session)

    session.apply(read_update(chunk("[MODE_UPDATE] yolo")), 3.0)

    assert session.unprompted_at is None
    assert texts(session) == before


def test_a_replayed_result_of_a_tool_parts_two_answers() -> None:
    session = session_with(chunk("one"), chunk("[Function Response: read_file]", "user"), chunk("two"))

    assert texts(session) == ["one", "two"]
