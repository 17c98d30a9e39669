"""Capabilities, and the errors of requests without one."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.agent.capabilities import (
    AgentError,
    Capabilities,
    NotOffered,
    abilities,
    parse_result,
)
from acp_tui.protocol.schema import (
    AgentCapabilities,
    ContentBlock,
    ImageContent,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    TextContent,
)
from acp_tui.protocol.validation import read


def test_an_agent_that_says_nothing_offers_nothing() -> None:
    assert [name for name, offered in abilities(AgentCapabilities()) if offered] == []


def test_what_an_agent_says_is_told_in_words() -> None:
    can = read(
        AgentCapabilities,
        {
            "loadSession": True,
            "promptCapabilities": {"image": True},
            "mcpCapabilities": {"http": True},
            "sessionCapabilities": {"list": {}, "fork": None},
        },
    )

    told = [name for name, offered in abilities(can) if offered]
    assert told == ["load sessions", "list sessions", "images in prompts", "MCP servers over http"]


def test_an_answer_is_read_as_its_word() -> None:
    assert parse_result(PromptResponse, "session/prompt", {"stopReason": "refusal"}).stop_reason == "refusal"


def test_an_answer_that_cannot_be_read_names_the_method() -> None:
    with pytest.raises(AgentError, match="The answer to session/new cannot be read"):
        parse_result(NewSessionResponse, "session/new", {"sessionId": None})


IMAGE: ContentBlock = ImageContent(data="AA==", mime_type="image/png")
TEXT: ContentBlock = TextContent(text="hello")


def offered(**can: Any) -> Capabilities:
    made = Capabilities()
    made.info = read(InitializeResponse, {"protocolVersion": 1, "agentCapabilities": can})
    return made


def test_before_an_agent_has_introduced_itself_it_takes_text_only() -> None:
    Capabilities().need_blocks([TEXT])
    with pytest.raises(NotOffered, match="cannot accept images"):
        Capabilities().need_blocks([TEXT, IMAGE])


def test_what_an_agent_offers_is_sent_to_it() -> None:
    offered(promptCapabilities={"image": True}).need_blocks([TEXT, IMAGE])


def test_further_folders_go_to_agents_that_take_them_without_doubles() -> None:
    roots = ["/b", "/w", "", "/b", "/c"]

    assert offered().further_roots("/w", roots) is None
    takes = offered(sessionCapabilities={"additionalDirectories": {}})
    assert takes.further_roots("/w", roots) == ["/b", "/c"]
