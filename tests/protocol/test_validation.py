"""Validation of valid, repairable and unusable objects."""

from __future__ import annotations

import copy
from random import Random
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from acp_tui.protocol import schema as news
from acp_tui.protocol.schema import (
    AudioContent,
    ContentItem,
    CreateTerminalRequest,
    DiffItem,
    ImageContent,
    InitializeResponse,
    NewSessionResponse,
    PermissionRequest,
    PromptResponse,
    ReadTextFileRequest,
    ResourceLink,
    TerminalItem,
    TextContent,
    UnknownContent,
    UnknownItem,
    has,
)
from acp_tui.protocol.validation import Unreadable, _validate_update, read, read_update
from tests import recordings
from tests.tables import each

TEXT = {"type": "text", "text": "hi"}


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("name", recordings.NAMES)
def test_c117_what_agents_send_is_read_field_by_field(name: str) -> None:
    for _, sent in recordings.updates(name):
        update = read_update(sent)

        assert not isinstance(update, news.UnknownUpdate)
        dumped = update.model_dump(by_alias=True, exclude_unset=True)
        assert without_nulls(dumped) == without_nulls(sent)


KINDS = [
    kind
    for model in get_args(get_args(news.Update)[0])
    for kind in get_args(model.model_fields["session_update"].annotation)
]
PARTS: list[dict[str, Any]] = [
    {},
    {"content": TEXT},
    {"content": {"type": "unheard of"}},
    {"content": [3], "entries": [{"status": 1}]},
    {"toolCallId": "a", "title": 3, "content": [{"type": "diff", "path": 3}]},
]
NO_KINDS: list[Any] = [
    None,
    3,
    [],
    {},
    *({"sessionUpdate": odd} for odd in (None, 3, ["plan"], "unheard of")),
]


def test_an_update_is_complained_about_as_a_reader_of_all_kinds_would_do() -> None:
    all_kinds: TypeAdapter[Any] = TypeAdapter(news.Update)
    updates = [{"sessionUpdate": kind, **part} for kind in KINDS for part in PARTS]
    for update in [*NO_KINDS, *updates]:
        places = set()
        try:
            all_kinds.validate_python(update)
        except ValidationError as error:
            places = {(each["loc"], each["type"]) for each in error.errors()}
        found = set()
        try:
            _validate_update(update)  # private: what it raises is repaired, and so not seen elsewhere
        except ValidationError as error:
            found = {(each["loc"], each["type"]) for each in error.errors()}

        assert found == places, update


def test_what_goes_out_has_the_protocols_names_and_no_nulls() -> None:
    link = ResourceLink(uri="file:///a", name="a", mime_type="text/plain")

    assert link.wire() == {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"}


# ------------------------------------------------------------------ what this version does not know


@pytest.mark.parametrize(
    "value",
    [None, 5, "x", [], {}, {"sessionUpdate": "hologram"}, {"sessionUpdate": 5}, {"sessionUpdate": None}],
)
def test_c27_an_update_of_tomorrow_is_kept_as_it_came(value: Any) -> None:
    update = read_update(value)

    assert isinstance(update, news.UnknownUpdate)
    assert update.raw == value


def test_c27_unknown_parts_are_kept_and_lose_nothing_else() -> None:
    update = read_update(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t",
            "title": "x",
            "kind": "teleport",
            "status": "beamed",
            "future": {"a": 1},
            "content": [
                {"type": "hologram", "data": 1},
                {"type": "content", "content": {"type": "smell", "base64": "x"}},
                {"type": "content", "content": TEXT},
            ],
        }
    )

    assert isinstance(update, news.NewToolCall)
    assert (update.kind, update.status) == ("teleport", "beamed")
    assert (update.model_extra or {})["future"] == {"a": 1}
    assert update.content is not None
    unknown, smell, plain = update.content
    assert isinstance(unknown, UnknownItem)
    assert unknown.raw == {"type": "hologram", "data": 1}
    assert isinstance(smell, ContentItem)
    assert isinstance(smell.content, UnknownContent)
    assert smell.content.raw == {"type": "smell", "base64": "x"}
    assert isinstance(plain, ContentItem)


@pytest.mark.parametrize(
    "block", [{"type": "smell"}, {"type": "image"}, {"type": "resource"}, {"no": "type"}]
)
def test_c77_a_chunk_whose_block_cannot_be_read_is_still_a_chunk(block: dict[str, Any]) -> None:
    update = read_update({"sessionUpdate": "agent_message_chunk", "content": block, "messageId": "m"})

    assert isinstance(update, news.AgentMessageChunk)
    assert isinstance(update.content, UnknownContent)
    assert (update.content.raw, update.message_id) == (block, "m")


# ------------------------------------------------------------------ what is malformed


def test_c28_malformed_fields_read_as_absent_and_items_are_dropped_one_by_one() -> None:
    update = read_update(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t",
            "title": 5,
            "kind": ["read"],
            "status": {},
            "locations": [{"path": "/a", "line": "x"}, {"line": 3}, "nonsense", {"path": "/b"}],
            "content": [
                {"type": "diff", "path": "/a"},
                {"type": "content", "content": {"type": "image"}},
                None,
                {"type": "terminal", "terminalId": "t1"},
                {},
            ],
            "rawInput": [1, {"a": None}],
            "_meta": "not an object",
        }
    )

    assert isinstance(update, news.ToolCallUpdate)
    assert (update.title, update.kind, update.status, update.meta) == (None, None, None, None)
    assert update.locations is not None
    assert [(place.path, place.line) for place in update.locations] == [("/a", None), ("/b", None)]
    assert update.content is not None
    assert [type(item) for item in update.content] == [TerminalItem, UnknownItem]
    assert update.raw_input == [1, {"a": None}]


def test_c28_a_long_list_of_malformed_items_leaves_the_good_ones() -> None:
    commands: list[Any] = [{"nameless": number} for number in range(150)]
    commands.insert(75, {"name": "good", "description": "one"})

    update = read_update({"sessionUpdate": "available_commands_update", "availableCommands": commands})

    assert isinstance(update, news.AvailableCommandsUpdate)
    assert [command.name for command in update.available_commands] == ["good"]


@pytest.mark.parametrize(
    ("used", "size", "read_as"),
    [
        (5.0, 10, (5, 10)),
        (None, 10, (None, 10)),
        ("many", 10, (None, 10)),
        (-1, 2.5, (None, None)),
        (float("inf"), float("nan"), (None, None)),
    ],
)
def test_r39_d48_an_unusable_number_is_absent_and_the_cost_is_kept(
    used: Any, size: Any, read_as: Any
) -> None:
    cost = {"amount": 0.5, "currency": "USD"}

    update = read_update({"sessionUpdate": "usage_update", "used": used, "size": size, "cost": cost})

    assert isinstance(update, news.UsageUpdate)
    assert (update.used, update.size) == read_as
    assert update.cost is not None
    assert update.cost.amount == 0.5


def test_a_cost_without_end_is_absent() -> None:
    cost = {"amount": float("inf"), "currency": "USD"}

    update = read_update({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": cost})

    assert isinstance(update, news.UsageUpdate)
    assert update.cost is None


def test_deeply_nested_data_is_kept_or_refused_and_never_harms() -> None:
    deep: Any = 0
    for _ in range(900):
        deep = [deep]

    valid = read_update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x", "rawInput": deep})
    odd = read_update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": 5, "rawInput": deep})

    assert isinstance(valid, news.NewToolCall)
    assert isinstance(odd, news.UnknownUpdate)
    with pytest.raises(Unreadable):
        read(PermissionRequest, {"toolCall": {"rawInput": deep}})


JUNK: list[Any] = [None, 5, -1, 1.5, "x", "", [], {}, [None], [5], True, {"type": {}}, {"type": "content"}]


def broken(value: Any, chance: Random) -> Any:
    """Return a copy with a part removed or replaced."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 4)):
        part = value
        while keys := list(part) if isinstance(part, dict) else list(range(len(part))):
            key = chance.choice(keys)
            if isinstance(part[key], dict | list) and part[key] and chance.random() < 0.7:
                part = part[key]
                continue
            if chance.random() < 0.3:
                del part[key]
            else:
                part[key] = copy.deepcopy(chance.choice(JUNK))
            break
    return value


@pytest.mark.parametrize("name", ["claude-basic", "codex-basic", "kimi-full", "qwen-cancel"])
def test_c27_whatever_is_broken_in_an_update_nothing_is_raised(name: str) -> None:
    chance = Random(name)
    for _, sent in recordings.updates(name):
        for _ in range(10):
            value = broken(sent, chance)
            before = copy.deepcopy(value)

            read_update(value)

            assert value == before, "what came stays as it came, for the log"


@each("word", [NewSessionResponse, PermissionRequest, ReadTextFileRequest])
@each("value", [None, [], "x", 5, {}])
def test_what_lacks_all_that_is_required_is_unreadable(word: type[Any], value: Any) -> None:
    with pytest.raises(Unreadable):
        read(word, value)


@pytest.mark.parametrize("limits", [{"line": 1.5}, {"limit": 0.5}, {"limit": "ten"}, {"line": []}])
def test_r29_a_place_in_a_file_that_cannot_be_read_is_no_reason_to_read_all_of_it(limits: Any) -> None:
    with pytest.raises(Unreadable, match="li"):
        read(ReadTextFileRequest, {"sessionId": "s", "path": "/a", **limits})


@pytest.mark.parametrize("odd", [{"args": ["-r", 5]}, {"cwd": 5}, {"env": [{"name": "A"}]}, {"args": "-r"}])
def test_a_command_is_never_run_without_a_part_of_it(odd: Any) -> None:
    with pytest.raises(Unreadable):
        read(CreateTerminalRequest, {"sessionId": "s", "command": "rm", **odd})


def test_a_malformed_limit_of_output_is_ours_to_choose() -> None:
    request = read(CreateTerminalRequest, {"sessionId": "s", "command": "ls", "outputByteLimit": "big"})

    assert request.output_byte_limit is None


def test_a_capability_counts_only_when_it_is_true() -> None:
    can = read(
        InitializeResponse,
        {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": "true",
                "promptCapabilities": {"image": 1, "audio": True},
                "sessionCapabilities": {
                    "list": {},
                    "close": True,
                    "resume": None,
                    "fork": False,
                    "delete": "x",
                },
                "auth": {"logout": {}},
            },
        },
    ).agent_capabilities

    assert (can.load_session, can.prompt_capabilities.image, can.prompt_capabilities.audio) == (
        False,
        False,
        True,
    )
    sessions = can.session_capabilities
    offered = [sessions.list, sessions.close, sessions.resume, sessions.fork, sessions.delete]
    assert [has(marker) for marker in offered] == [True, True, False, False, False]
    assert has(can.auth.logout)


# ------------------------------------------------------------------ dialects


def updated(value: dict[str, Any]) -> Any:
    return read_update(value)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"kind": "agent_message_chunk", "content": TEXT}, "hi"),
        ({"type": "agent_message_chunk", "content": TEXT}, "hi"),
        ({"type": "agent_message_chunk", "sessionUpdate": "id-5", "content": TEXT}, "hi"),
        ({"sessionUpdate": "message", "content": "hi"}, "hi"),
        ({"sessionUpdate": "text_delta", "delta": "hi"}, "hi"),
        ({"sessionUpdate": "messageChunk", "chunk": "hi"}, "hi"),
        ({"sessionUpdate": "agent_message_chunk", "content": ["h", {"type": "text", "text": "i"}]}, "hi"),
        ({"sessionUpdate": "agent_message_chunk", "content": {"role": "x", "content": [TEXT, TEXT]}}, "hihi"),
        ({"session_update": "agent_message_chunk", "content": TEXT}, "hi"),
    ],
)
def test_d16_d19_d38_older_ways_to_say_something(update: dict[str, Any], said: str) -> None:
    chunk = updated(update)

    assert isinstance(chunk, news.AgentMessageChunk)
    assert isinstance(chunk.content, TextContent)
    assert chunk.content.text == said


def test_d18_a_message_of_the_user_and_a_thought_are_what_they_are() -> None:
    user = updated({"sessionUpdate": "message", "role": "user", "content": "hi"})
    thought = updated({"sessionUpdate": "thought", "content": {"thought": "hm"}})

    assert isinstance(user, news.UserMessageChunk)
    assert isinstance(thought, news.AgentThoughtChunk)
    assert isinstance(thought.content, TextContent)
    assert thought.content.text == "hm"


@pytest.mark.parametrize(
    "update",
    [
        {
            "sessionUpdate": "tool_call",
            "content": {"function": {"name": "ls", "arguments": '{"a": 1}'}},
            "id": "t",
        },
        {"sessionUpdate": "toolCall", "toolCall": {"id": "t", "name": "ls", "input": {"a": 1}}},
        {"sessionUpdate": "tool_call", "tool_call_id": "t", "title": "ls", "raw_input": {"a": 1}},
    ],
)
def test_d20_d23_older_tool_calls(update: dict[str, Any]) -> None:
    call = updated(update)

    assert isinstance(call, news.NewToolCall)
    assert (call.tool_call_id, call.title, call.raw_input) == ("t", "ls", {"a": 1})


def test_d20_d24_output_and_bare_blocks_become_content() -> None:
    output = updated({"sessionUpdate": "toolCallUpdate", "toolCall": {"id": "t", "output": "done"}})
    bare = updated({"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": [TEXT, "plain"]})

    assert (output.raw_output, output.content[0].content.text) == ("done", "done")
    assert [item.content.text for item in bare.content] == ["hi", "plain"]


def test_d25_older_plans() -> None:
    steps = updated({"sessionUpdate": "plan", "content": {"steps": ["one", "two"]}})
    described = updated(
        {"sessionUpdate": "planUpdate", "entries": [{"description": "one", "status": "done"}]}
    )

    assert [(entry.content, entry.priority, entry.status) for entry in steps.entries] == [
        ("one", "medium", "pending"),
        ("two", "medium", "pending"),
    ]
    assert [(entry.content, entry.status) for entry in described.entries] == [("one", "done")]


def test_d26_d27_older_modes_and_commands() -> None:
    mode = updated({"sessionUpdate": "current_mode_update", "modeId": "go"})
    commands = [{"name": "/web", "input": "query"}, {"name": "test", "id": 5, "input": None}]
    update = updated({"sessionUpdate": "available_commands_update", "availableCommands": commands})

    assert mode.current_mode_id == "go"
    assert [(command.name, command.description) for command in update.available_commands] == [
        ("/web", ""),
        ("test", ""),
    ]
    assert update.available_commands[0].input.hint == "query"


def test_d30_d32_older_blocks() -> None:
    image = updated(
        {
            "sessionUpdate": "agent_message_chunk",
            "content": {
                "type": "image",
                "source": {"type": "base64", "mediaType": "image/png", "data": "AA"},
            },
        }
    )
    flat = updated(
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource", "uri": "u", "text": "x"}}
    )
    link = updated(
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "uri": "f:///a/b"}}
    )
    sound = updated(
        {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "audio", "data": "AA", "mimeType": "a/b"},
        }
    )

    assert isinstance(image.content, ImageContent)
    assert (image.content.data, image.content.mime_type) == ("AA", "image/png")
    assert (flat.content.resource.uri, flat.content.resource.text) == ("u", "x")
    assert link.content.name == "b"
    assert isinstance(sound.content, AudioContent)


@pytest.mark.parametrize("old", [None, "absent"])
def test_c75_a_diff_without_an_old_text_is_one_of_a_new_file(old: str | None) -> None:
    diff = {"type": "diff", "path": "/a", "newText": "x", **({} if old else {"oldText": None})}

    update = updated({"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": [diff]})

    (item,) = update.content
    assert isinstance(item, DiffItem)
    assert item.old_text is None


def test_d3_d6_older_words_of_initialize() -> None:
    info = read(
        InitializeResponse,
        {
            "protocolVersion": "1",
            "capabilities": {"sessions": {"load": True}, "prompts": {"image": True}, "mcp": {"http": True}},
            "authenticationMethods": [{"id": "a", "name": "A"}],
            "meta": {"name": "old-agent", "version": "0.1"},
        },
    )

    can = info.agent_capabilities
    assert (can.load_session, can.prompt_capabilities.image, can.mcp_capabilities.http) == (True, True, True)
    assert [method.id for method in info.auth_methods] == ["a"]
    assert info.agent_info is not None
    assert info.agent_info.display_name == "old-agent"


def test_d10_a_session_may_stand_in_an_object_of_its_own() -> None:
    assert read(NewSessionResponse, {"session": {"id": "s", "metadata": {}}}).session_id == "s"


@pytest.mark.parametrize(
    ("content", "texts"), [("x", ["x"]), ([TEXT, "y"], ["hi", "y"]), (5, []), (None, []), ([5, TEXT], ["hi"])]
)
def test_d13_the_answer_to_a_prompt_may_say_something(content: Any, texts: list[str]) -> None:
    end = read(PromptResponse, {"stopReason": "end_turn", "content": content})

    assert [block.text for block in end.content if isinstance(block, TextContent)] == texts


def test_d28_older_permission_requests() -> None:
    request = read(
        PermissionRequest,
        {
            "sessionId": "s",
            "toolCallId": "t",
            "options": [
                {"label": "Yes", "action": "allow"},
                {"id": "never", "kind": "deny"},
                {"value": "v", "name": "Hm", "kind": "perhaps"},
            ],
        },
    )

    assert request.tool_call.tool_call_id == "t"
    assert [(option.option_id, option.name, option.kind) for option in request.options] == [
        ("allow", "Yes", "allow_once"),
        ("never", "never", "reject_once"),
        ("v", "Hm", "perhaps"),
    ]
