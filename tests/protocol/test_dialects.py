"""Older and private dialects of known agents."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from acp_tui.protocol import dialects
from acp_tui.protocol import schema as news
from acp_tui.protocol.schema import (
    BooleanOption,
    ContentItem,
    EmbeddedResource,
    ImageContent,
    InitializeResponse,
    NewSessionResponse,
    PermissionRequest,
    PromptResponse,
    ResourceLink,
    TextContent,
    has,
)
from acp_tui.protocol.validation import Unreadable, read, read_update, read_updates
from acp_tui.session.session import Session
from tests.tables import each

TEXT = {"type": "text", "text": "hi"}
IMAGE = {"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": "AA=="}}


def introduced(**result: Any) -> InitializeResponse:
    return read(InitializeResponse, {"protocolVersion": 1, **result})


def called(**fields: Any) -> news.NewToolCall | news.ToolCallUpdate:
    update = read_update({"sessionUpdate": "tool_call", **fields})
    assert isinstance(update, news.NewToolCall | news.ToolCallUpdate)
    return update


# ------------------------------------------------------------------ initialize and sessions


def test_d3_d4_capabilities_of_older_documents_count() -> None:
    older = {"sessions": {"load": True}, "prompts": {"image": True}, "mcp": {"http": True}}

    can = introduced(capabilities=older).agent_capabilities

    assert can.load_session
    assert (can.prompt_capabilities.image, can.prompt_capabilities.audio) == (True, False)
    assert (can.mcp_capabilities.http, can.mcp_capabilities.sse) == (True, False)
    assert not has(can.session_capabilities.list)


def test_d3_todays_word_wins_over_the_older_one() -> None:
    can = introduced(agentCapabilities={}, capabilities={"loadSession": True}).agent_capabilities

    assert not can.load_session


def test_d5_the_agents_name_may_stand_in_meta() -> None:
    info = introduced(meta={"name": "old", "version": "2"}).agent_info

    assert info is not None
    assert (info.display_name, info.version) == ("old", "2")
    assert introduced(meta={"version": "2"}).agent_info is None


def test_d6_login_methods_have_had_a_longer_name() -> None:
    info = introduced(authenticationMethods=[{"id": "key", "name": "Key"}])

    assert [method.id for method in info.auth_methods] == ["key"]


@pytest.mark.parametrize("version", [1, "1", 1.0, "1.0", "1.0.0", "2025-06-18"])
def test_d7_one_is_one_in_any_spelling(version: Any) -> None:
    assert introduced(protocolVersion=version).is_supported


@pytest.mark.parametrize("version", [0, 2, "0.0.9", "2025-99", "10", "one", True, None, [1], "1x"])
def test_d7_d54_every_other_version_is_another(version: Any) -> None:
    assert not introduced(protocolVersion=version).is_supported


@pytest.mark.parametrize("method", ["key", {"id": "key"}, {"methodId": "key", "name": "key"}])
def test_d6_a_login_method_without_a_name_goes_by_its_id(method: Any) -> None:
    whole = {"id": "web", "name": "Web"}

    info = introduced(authMethods=[method, whole, 5])

    assert [(each.id, each.name) for each in info.auth_methods] == [("key", "key"), ("web", "Web")]


@pytest.mark.parametrize(
    "result",
    [
        {"session": {"id": "s9", "metadata": {}}},
        {"session": {"sessionId": "s9"}},
        {"session": "s9"},
        {"id": "s9"},
        {"sessionId": "s9", "id": "other", "session": {"id": "another"}},
    ],
)
def test_d10_a_new_session_may_be_an_object(result: Any) -> None:
    assert read(NewSessionResponse, result).session_id == "s9"


def test_d41_a_login_by_key_is_an_ordinary_one() -> None:
    method = {"id": "k", "name": "Key", "_meta": {"api-key": {"provider": "x"}}}

    (read_method,) = introduced(authMethods=[method]).auth_methods

    assert (read_method.id, read_method.type) == ("k", "agent")


def test_d51_a_boolean_option_that_nobody_asked_for_is_one() -> None:
    option = {"id": "web", "name": "Web", "type": "boolean", "currentValue": True}

    update = read_update({"sessionUpdate": "config_option_update", "configOptions": [option]})

    assert isinstance(update, news.ConfigOptionUpdate)
    assert isinstance(update.config_options[0], BooleanOption)


# ------------------------------------------------------------------ turns


@pytest.mark.parametrize(
    ("reason", "today"),
    [
        ("done", "end_turn"),
        ("stop", "end_turn"),
        ("endTurn", "end_turn"),
        ("maxTokens", "max_tokens"),
        ("maxTurnRequests", "max_turn_requests"),
        ("cancelled", "cancelled"),
        ("error", "error"),
        ("_vendor", "_vendor"),
    ],
)
def test_d14_older_reasons_to_stop(reason: str, today: str) -> None:
    assert dialects.stop_reason(reason) == today


@pytest.mark.parametrize("content", ["hi", [TEXT], ["hi"], TEXT, [{"text": "hi"}], {"text": {"text": "hi"}}])
def test_d13_the_last_words_come_in_any_wrapping(content: Any) -> None:
    response = read(PromptResponse, {"stopReason": "end_turn", "content": content})

    assert [block.text for block in response.content if isinstance(block, TextContent)] == ["hi"]


# ------------------------------------------------------------------ updates


@each("key", ["kind", "type"])
@each(
    ("name", "fields", "word"),
    [
        ("tool_call", {"toolCallId": "t", "title": "x"}, news.NewToolCall),
        ("plan", {"entries": []}, news.Plan),
        ("usage_update", {"used": 1, "size": 2}, news.UsageUpdate),
        ("session_info_update", {"title": "x"}, news.SessionInfoUpdate),
        ("config_option_update", {"configOptions": []}, news.ConfigOptionUpdate),
        ("available_commands_update", {"availableCommands": []}, news.AvailableCommandsUpdate),
        ("current_mode_update", {"currentModeId": "m"}, news.CurrentModeUpdate),
    ],
)
def test_d16_the_name_of_an_update_may_stand_elsewhere(key: str, name: str, fields: Any, word: Any) -> None:
    assert isinstance(read_update({key: name, **fields}), word)


def test_d16_the_kind_of_a_tool_is_no_name_of_an_update() -> None:
    update = read_update({"type": "tool_call", "kind": "edit", "toolCallId": "t", "title": "x"})

    assert isinstance(update, news.NewToolCall)
    assert update.kind == "edit"
    assert isinstance(read_update({"kind": "edit", "toolCallId": "t"}), news.UnknownUpdate)

    update = read_update({"kind": "tool_call", "toolCallId": "t", "title": "x"})
    assert isinstance(update, news.NewToolCall)
    assert update.kind is None, "what has named the update is no kind of tool"


def test_d17_an_id_in_the_place_of_the_name() -> None:
    update = read_update({"sessionUpdate": "upd-17", "type": "thought", "content": "hm"})

    assert isinstance(update, news.AgentThoughtChunk)


@pytest.mark.parametrize(
    ("update", "word"),
    [
        ({"agent_message_chunk": {"content": TEXT}}, news.AgentMessageChunk),
        ({"agentMessageChunk": {"content": "hi"}, "_meta": {}}, news.AgentMessageChunk),
        ({"agent_thought_chunk": "hi"}, news.AgentThoughtChunk),
        ({"tool_call": {"toolCallId": "t", "title": "x", "kind": "read"}}, news.NewToolCall),
        ({"tool_call_update": {"toolCallId": "t", "status": "completed"}}, news.ToolCallUpdate),
        ({"plan": {"entries": [{"content": "x", "priority": "low", "status": "pending"}]}}, news.Plan),
        ({"planUpdate": ["x"]}, news.Plan),
        ({"current_mode_update": {"currentModeId": "m"}}, news.CurrentModeUpdate),
    ],
)
def test_d16_an_update_may_stand_below_its_name(update: Any, word: Any) -> None:
    (found,) = read_updates(update)

    assert isinstance(found, word)
    if isinstance(found, news.AgentMessageChunk | news.AgentThoughtChunk):
        assert isinstance(found.content, TextContent)
        assert found.content.text == "hi"


def test_d16_an_unknown_update_below_its_name_is_named() -> None:
    update = read_update({"progress": {"percent": 5}})

    assert isinstance(update, news.UnknownUpdate)
    assert dialects.update_name(update.raw) == "progress"


@pytest.mark.parametrize("block", [{"text": "hi"}, {"text": {"text": "hi"}}, [{"text": "h"}, {"text": "i"}]])
def test_d19_a_text_that_does_not_say_its_kind_is_one(block: Any) -> None:
    updates = read_updates({"sessionUpdate": "agent_message_chunk", "content": block})

    texts = [update.content for update in updates if isinstance(update, news.AgentMessageChunk)]
    assert "".join(text.text for text in texts if isinstance(text, TextContent)) == "hi"


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("message", {"content": "x"}, news.AgentMessageChunk),
        ("message", {"role": "user", "content": "x"}, news.UserMessageChunk),
        ("message", {"content": {"role": "user", "content": ["x"]}}, news.UserMessageChunk),
        ("text_delta", {"delta": "x"}, news.AgentMessageChunk),
        ("messageChunk", {"chunk": "x"}, news.AgentMessageChunk),
        ("thought", {"content": {"thought": "x"}}, news.AgentThoughtChunk),
        ("thought_delta", {"delta": "x"}, news.AgentThoughtChunk),
        ("toolCall", {"toolCall": {"id": "t", "name": "x"}}, news.NewToolCall),
        ("planUpdate", {"entries": ["x"]}, news.Plan),
        ("planUpdate", {"role": "assistant", "chunk": "x"}, news.Plan),
    ],
)
def test_d18_d19_older_names(name: str, fields: Any, word: Any) -> None:
    update = read_update({"sessionUpdate": name, **fields})

    assert isinstance(update, word)
    if isinstance(update, news.Chunk):
        assert isinstance(update.content, TextContent)
        assert update.content.text == "x"


@pytest.mark.parametrize("wrapped", [False, True])
def test_d19_a_list_of_texts_and_others_loses_none_of_them(wrapped: bool) -> None:
    blocks: Any = ["one", IMAGE, {"type": "hologram"}, TEXT]
    content = {"role": "assistant", "content": blocks} if wrapped else blocks

    updates = read_updates({"sessionUpdate": "agent_message_chunk", "content": content, "messageId": "m"})

    assert {type(update) for update in updates} == {news.AgentMessageChunk}
    chunks = [update for update in updates if isinstance(update, news.AgentMessageChunk)]
    assert [chunk.content.type for chunk in chunks] == ["text", "image", "?", "text"]
    assert {chunk.message_id for chunk in chunks} == {"m"}


def test_d19_what_a_list_means_depends_on_the_update() -> None:
    call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x", "content": [TEXT, TEXT]}

    (update,) = read_updates(call)

    assert isinstance(update, news.NewToolCall)
    assert len(update.content or ()) == 2


@pytest.mark.parametrize("value", ['{"a": 1}', {"a": 1}])
@pytest.mark.parametrize("key", ["arguments", "input"])
def test_d20_input_under_an_older_name(key: str, value: Any) -> None:
    call = called(**{"toolCallId": "t", "title": "x", key: value})

    assert call.raw_input == {"a": 1}


def test_d20_a_call_may_be_an_object_of_its_own() -> None:
    nested = {"id": "t", "name": "ls", "status": "running", "input": "not JSON", "output": "done"}

    call = called(toolCall=nested)

    assert (call.tool_call_id, call.title, call.raw_input) == ("t", "ls", "not JSON")
    assert (call.raw_output, dialects.tool_status(str(call.status))) == ("done", "in_progress")
    assert call.content is not None
    assert isinstance(call.content[0], ContentItem)
    assert isinstance(call.content[0].content, TextContent)
    assert call.content[0].content.text == "done"


def test_d20_todays_words_win_over_older_ones() -> None:
    call = called(toolCallId="t", title="x", rawInput={"b": 2}, arguments='{"a": 1}')

    assert call.raw_input == {"b": 2}


@pytest.mark.parametrize("name", ["tool_call", "tool_call_update"])
def test_d20_a_number_is_an_id_of_a_call(name: str) -> None:
    update = read_update({"sessionUpdate": name, "toolCallId": 7, "title": "x"})

    assert isinstance(update, news.NewToolCall | news.ToolCallUpdate)
    assert update.tool_call_id == "7"


@pytest.mark.parametrize(
    ("status", "today"),
    [
        ("done", "completed"),
        ("running", "in_progress"),
        ("error", "failed"),
        ("success", "completed"),
        ("cancelled", "cancelled"),
        ("canceled", "cancelled"),
        ("completed", "completed"),
    ],
)
def test_d21_older_statuses(status: str, today: str) -> None:
    session = Session("s")

    session.apply(called(toolCallId="t", title="x", status=status))

    call = session.tool_call("t")
    assert call is not None
    assert call.status == today


@pytest.mark.parametrize("kind", ["fs_read", "bash"])
def test_d22_a_kind_of_their_own_is_kept(kind: str) -> None:
    assert called(toolCallId="t", title="x", kind=kind).kind == kind


def test_d23_a_call_without_a_title_goes_by_its_name() -> None:
    session = Session("s")

    session.apply(called(toolCallId="t", name="read_file"))

    call = session.tool_call("t")
    assert call is not None
    assert (call.title, call.name) == ("", "read_file")
    assert called(id="t", name="read_file").title == "read_file"


@pytest.mark.parametrize(
    "item",
    [
        IMAGE,
        {"type": "content", "content": IMAGE},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
    ],
)
def test_d24_d30_bare_and_older_blocks_of_a_tool(item: Any) -> None:
    call = called(toolCallId="t", title="x", content=[item])

    assert call.content is not None
    assert isinstance(call.content[0], ContentItem)
    picture = call.content[0].content
    assert isinstance(picture, ImageContent)
    assert (picture.data, picture.mime_type) == ("AA==", "image/png")


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ({"content": TEXT}, "content"),
        ({"content": {"content": TEXT}}, "content"),
        ({"text": "hi"}, "content"),
        ({"path": "/w/a", "oldText": None, "newText": "b"}, "diff"),
        ({"diff": {"path": "/w/a", "newText": "b"}}, "diff"),
        ({"terminalId": "t1"}, "terminal"),
    ],
)
def test_d24_an_item_of_a_tool_is_of_the_kind_that_its_fields_have(item: Any, kind: str) -> None:
    call = called(toolCallId="t", title="x", content=[item])

    assert call.content is not None
    (found,) = call.content
    assert found.type == kind
    if isinstance(found, ContentItem):
        assert isinstance(found.content, TextContent)
        assert found.content.text == "hi"


@pytest.mark.parametrize(
    "steps",
    [
        {"steps": ["look", "go"]},
        {"chunk": "- look\n- go\n"},
        {"content": ["look", "go"]},
        {"content": {"steps": ["look", "go"]}},
        {"entries": ["look", "go"]},
        {"entries": [{"description": "look"}, {"title": "go"}]},
    ],
)
def test_d25_steps_of_older_plans(steps: Any) -> None:
    plan = read_update({"sessionUpdate": "plan", **steps})

    assert isinstance(plan, news.Plan)
    assert [(entry.content, entry.priority, entry.status) for entry in plan.entries] == [
        ("look", "medium", "pending"),
        ("go", "medium", "pending"),
    ]


@pytest.mark.parametrize("key", ["currentModeId", "modeId", "current_mode_id"])
def test_d26_d38_a_mode_under_any_of_its_names(key: str) -> None:
    update = read_update({"sessionUpdate": "current_mode_update", key: "code"})

    assert isinstance(update, news.CurrentModeUpdate)
    assert update.current_mode_id == "code"


def test_d27_a_slash_before_the_name_of_a_command_goes() -> None:
    session = Session("s")
    commands = [{"name": "/web", "input": "query"}, {"name": "//odd", "input": {}}, {"name": "test", "id": 5}]

    session.apply(read_update({"sessionUpdate": "available_commands_update", "availableCommands": commands}))

    assert [command.name for command in session.commands] == ["web", "/odd", "test"]
    assert [command.input and command.input.hint for command in session.commands] == ["query", "", None]


# ------------------------------------------------------------------ questions and blocks


@pytest.mark.parametrize(
    ("option", "read_as"),
    [
        ({"optionId": "a", "name": "A", "kind": "allow_once"}, ("a", "A", "allow_once")),
        ({"optionId": "a", "name": "A", "kind": "allow"}, ("a", "A", "allow_once")),
        ({"label": "Yes", "action": "allow"}, ("allow", "Yes", "allow_once")),
        ({"id": "n", "label": "No", "kind": "deny"}, ("n", "No", "reject_once")),
        ({"value": "reject"}, ("reject", "reject", "reject_once")),
        ({"optionId": "a", "name": "A", "kind": "allowOnce"}, ("a", "A", "allow_once")),
        ({"option_id": "a", "name": "A", "kind": "allow_once"}, ("a", "A", "allow_once")),
        ("deny", ("deny", "deny", "reject_once")),
        ({"value": "allow_always"}, ("allow_always", "allow_always", "allow_always")),
        ({"id": "x", "name": "X", "kind": "maybe"}, ("x", "X", "maybe")),
    ],
)
def test_d28_older_options(option: Any, read_as: Any) -> None:
    asked = {"sessionId": "s", "toolCallId": "t", "options": [option]}

    request = read(PermissionRequest, asked)

    assert request.tool_call.tool_call_id == "t"
    (found,) = request.options
    assert (found.option_id, found.name, found.kind) == read_as


@pytest.mark.parametrize(
    "call",
    [
        {"tool_call_id": "7"},
        {"toolCallId": 7},
        {"toolCall": "7"},
        {"toolCall": {"toolCallId": 7}},
        {"tool_call": {"tool_call_id": "7"}},
    ],
)
def test_d28_d38_the_call_that_is_asked_about_under_any_of_its_names(call: Any) -> None:
    asked = {"sessionId": "s", "options": [{"label": "Yes", "action": "allow"}], **call}

    assert read(PermissionRequest, asked).tool_call.tool_call_id == "7"


def test_d28_a_question_about_no_call_cannot_be_read() -> None:
    with pytest.raises(Unreadable, match="toolCall"):
        read(PermissionRequest, {"sessionId": "s", "options": [{"label": "Yes", "action": "allow"}]})


@pytest.mark.parametrize("option", [{"optionId": "a", "name": "A", "kind": []}, {}, 5, {"label": "A"}])
def test_d28_an_option_that_cannot_be_read_is_not_left_out(option: Any) -> None:
    with pytest.raises(Unreadable, match="options"):
        read(PermissionRequest, {"sessionId": "s", "toolCallId": "t", "options": [option]})


def test_d28_d20_an_older_call_may_be_what_is_asked_about() -> None:
    asked = {
        "sessionId": "s",
        "toolCall": {"toolCallId": "t", "name": "ls", "input": {"a": 1}},
        "options": [],
    }

    request = read(PermissionRequest, asked)

    assert request.tool_call.raw_input == {"a": 1}


@pytest.mark.parametrize("flat", [{"text": "x", "mimeType": "text/plain"}, {"blob": "AA=="}])
def test_d31_a_resource_that_is_not_nested(flat: Any) -> None:
    block = {"type": "resource", "uri": "file:///a", **flat}

    chunk = read_update({"sessionUpdate": "agent_message_chunk", "content": block})

    assert isinstance(chunk, news.AgentMessageChunk)
    assert isinstance(chunk.content, EmbeddedResource)
    assert chunk.content.resource.wire() == {"uri": "file:///a", **flat}


@pytest.mark.parametrize(
    ("uri", "name"), [("file:///a/b%20c.py", "b%20c.py"), ("https://x.org/", "x.org"), ("a", "a")]
)
def test_d32_a_link_without_a_name(uri: str, name: str) -> None:
    link = {"type": "resource_link", "uri": uri}

    chunk = read_update({"sessionUpdate": "agent_message_chunk", "content": link})

    assert isinstance(chunk, news.AgentMessageChunk)
    assert isinstance(chunk.content, ResourceLink)
    assert chunk.content.name == name


def test_d38_snake_case_is_read_and_todays_case_wins() -> None:
    call = called(tool_call_id="t", title="x", raw_input={"a": 1}, raw_output=2)
    both = called(toolCallId="t", tool_call_id="other", title="x")

    assert (call.tool_call_id, call.raw_input, call.raw_output) == ("t", {"a": 1}, 2)
    assert both.tool_call_id == "t"


def test_d55_each_deviation_is_read_by_itself() -> None:
    mixed = {
        "type": "toolCallUpdate",
        "session_update": "upd-1",
        "toolCall": {"id": "t", "status": "success", "output": "done"},
        "content": [TEXT, {"type": "terminal", "terminal_id": "x"}, IMAGE],
        "locations": [{"path": "/a"}, "nonsense"],
    }
    before = copy.deepcopy(mixed)

    update = read_update(mixed)

    assert isinstance(update, news.ToolCallUpdate)
    assert (update.tool_call_id, update.status, update.raw_output) == ("t", "success", "done")
    assert [item.type for item in update.content or ()] == ["content", "terminal", "content"]
    assert len(update.locations or ()) == 1
    assert mixed == before, "what came stays as it came, for the log"


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("<session_context>\nThis is the CLI.\n\n</session_context>", True),
        ("  <system-reminder>Be brief.</system-reminder>\n", True),
        ("[Function Response: read_file]", True),
        ("<session_context>\n</session_context> What does this mean?", False),
        ("[Function Response: read_file] is what I see", False),
        ("<div>one</div>", False),
        ("", False),
    ],
)
def test_what_the_user_did_not_say_is_known_in_a_replay(text: str, unsaid: bool) -> None:
    assert dialects.is_injected(text) == unsaid
