"""Validation of values generated from the official schema, valid and broken."""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol import schema as news
from acp_tui.protocol.schema import (
    CreateTerminalRequest,
    ElicitationRequest,
    InitializeResponse,
    ListSessionsResponse,
    Model,
    NewSessionResponse,
    PermissionRequest,
    PromptResponse,
    ReadTextFileRequest,
    SessionSetup,
    SetConfigOptionResponse,
    TerminalRequest,
    WriteTextFileRequest,
)
from acp_tui.protocol.validation import Unreadable, read, read_updates
from acp_tui.session.entries import AgentMessage, text_of
from acp_tui.session.session import Session
from tests.schema.generating import ANYTHING, updates, values
from tests.schema.official import SCHEMA

pytestmark = pytest.mark.slow


def tried(times: int) -> settings:
    """Settings for the number of examples."""
    return settings(
        max_examples=times,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


WORDS: Final[dict[str, type[Model]]] = {
    "InitializeResponse": InitializeResponse,
    "NewSessionResponse": NewSessionResponse,
    "LoadSessionResponse": SessionSetup,
    "ResumeSessionResponse": SessionSetup,
    "ListSessionsResponse": ListSessionsResponse,
    "PromptResponse": PromptResponse,
    "SetSessionConfigOptionResponse": SetConfigOptionResponse,
    "RequestPermissionRequest": PermissionRequest,
    "CreateElicitationRequest": ElicitationRequest,
    "ReadTextFileRequest": ReadTextFileRequest,
    "WriteTextFileRequest": WriteTextFileRequest,
    "CreateTerminalRequest": CreateTerminalRequest,
    "TerminalOutputRequest": TerminalRequest,
}
"""Models of the agent's messages, apart from updates, by schema name."""

UPDATES: Final = {
    variant["properties"]["sessionUpdate"]["const"]: SCHEMA["$defs"][variant["allOf"][0]["$ref"][8:]]
    for variant in SCHEMA["$defs"]["SessionUpdate"]["oneOf"]
}
"""Kinds of updates with the schema of their fields."""


def told(word: Model) -> Any:
    """Return the fields that were present, without the note on what was not understood."""
    return word.model_dump(by_alias=True, exclude_unset=True, exclude={"unread"})


def read_one(value: Any) -> Any:
    before = copy.deepcopy(value)
    (update,) = read_updates(value)
    assert value == before, "what came stays as it came, for the log"
    return update


@tried(150)
@given(values("SessionUpdate"))
def test_c117_a_valid_update_is_read_unchanged(value: Any) -> None:
    assert told(read_one(value)) == value


@pytest.mark.parametrize("name", WORDS)
@tried(40)
@given(data=st.data())
def test_c117_every_valid_word_of_an_agent_is_read_unchanged(name: str, data: st.DataObject) -> None:
    value = data.draw(values(name))

    assert told(read(WORDS[name], value)) == value


@tried(40)
@given(
    values("SessionUpdate"),
    st.dictionaries(
        st.sampled_from(["path", "update", "sessionId", "session_id", "content", "type"]), ANYTHING
    ),
)
def test_c31_extensions_are_kept_and_change_nothing(value: Any, meta: Any) -> None:
    plain = {key: part for key, part in value.items() if key != "_meta"}

    read_with = told(read_one({**plain, "_meta": meta, "tomorrow": meta}))

    assert read_with == {**told(read_one(plain)), "_meta": meta, "tomorrow": meta}


def fields_with(mark: str) -> list[tuple[str, str]]:
    """Return (kind of update, field) for each field that bears a mark in the schema."""
    return [
        (kind, field)
        for kind, fields in UPDATES.items()
        for field, says in fields["properties"].items()
        if mark in says
    ]


OPTIONAL: Final = [
    (kind, field)
    for kind, field in fields_with("x-deserialize-default-on-error")
    if field not in UPDATES[kind].get("required", ()) and field not in ("rawInput", "rawOutput")
]
"""Optional fields with a schema."""


@pytest.mark.parametrize(("kind", "field"), OPTIONAL)
@tried(10)
@given(data=st.data())
def test_c28_a_malformed_field_reads_as_absent_and_costs_no_other(
    kind: str, field: str, data: st.DataObject
) -> None:
    value = data.draw(updates(kind))
    says = str(UPDATES[kind]["properties"][field].get("type"))
    is_text = "array" not in says and "object" not in says
    without = {key: part for key, part in value.items() if key != field}

    read_as = told(read_one({**value, field: [[]] if is_text else "junk"}))

    assert read_as == without


@pytest.mark.parametrize(("kind", "field"), fields_with("x-deserialize-skip-invalid-items"))
@pytest.mark.parametrize("junk", [5, [], None, True])
@tried(5)
@given(data=st.data())
def test_c28_a_malformed_item_is_dropped_and_the_others_stay(
    kind: str, field: str, junk: Any, data: st.DataObject
) -> None:
    value = data.draw(updates(kind))
    items = value.get(field) or []
    place = data.draw(st.integers(0, len(items)))

    read_as = told(read_one({**value, field: [*items[:place], junk, *items[place:]]}))

    assert read_as == {**value, field: items}


@st.composite
def broken(draw: st.DrawFn, whole: Any) -> Any:
    """Return a value with parts removed or replaced."""
    value = copy.deepcopy(draw(whole))
    for _ in range(draw(st.integers(1, 3))):
        part: Any = value
        while part:
            key = draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
            if not (isinstance(part[key], dict | list) and part[key] and draw(st.booleans())):
                if draw(st.booleans()):
                    part[key] = draw(ANYTHING)
                else:
                    del part[key]
                break
            part = part[key]
    return value


@tried(200)
@given(broken(values("SessionUpdate")))
def test_c27_whatever_is_broken_nothing_is_raised_and_the_session_goes_on(value: Any) -> None:
    session = Session("s")
    session.apply(
        read_one({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}})
    )

    for update in read_updates(value):
        session.apply(update)

    after = {"sessionUpdate": "session_info_update", "title": "still here"}
    session.apply(read_one(after))
    assert session.title == "still here"
    assert isinstance(session.entries[0], AgentMessage)
    assert text_of(session.entries[0]).startswith("x")


@pytest.mark.parametrize("name", WORDS)
@tried(40)
@given(data=st.data())
def test_c16_a_broken_word_is_read_or_unreadable_and_nothing_else(name: str, data: st.DataObject) -> None:
    value = data.draw(broken(values(name)))
    try:
        word = read(WORDS[name], value)
    except Unreadable:
        return
    assert isinstance(word, WORDS[name])


def test_every_kind_of_update_of_the_schema_is_a_word_of_ours() -> None:
    ours = {word.model_fields["session_update"].default for word in news.Update.__args__[0].__args__}

    assert set(UPDATES) <= ours
