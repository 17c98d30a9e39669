"""What is asked before anything is sent to an agent."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.acp.content import ContentBlock, ImageContent, TextContent
from acp_tui.acp.initialization import InitializeResponse
from acp_tui.acp.reading import read
from acp_tui.agent.errors import NotOffered
from acp_tui.agent.offered import Offered

IMAGE: ContentBlock = ImageContent(data="AA==", mime_type="image/png")
TEXT: ContentBlock = TextContent(text="hello")


def offered(**can: Any) -> Offered:
    made = Offered()
    made.info = read(InitializeResponse, {"protocolVersion": 1, "agentCapabilities": can})
    return made


def test_before_an_agent_has_introduced_itself_it_takes_text_only() -> None:
    Offered().need_blocks([TEXT])
    with pytest.raises(NotOffered, match="cannot take images"):
        Offered().need_blocks([TEXT, IMAGE])


def test_what_an_agent_offers_is_sent_to_it() -> None:
    offered(promptCapabilities={"image": True}).need_blocks([TEXT, IMAGE])


def test_further_folders_go_to_agents_that_take_them_without_doubles() -> None:
    roots = ["/b", "/w", "", "/b", "/c"]

    assert offered().further_roots("/w", roots) is None
    takes = offered(sessionCapabilities={"additionalDirectories": {}})
    assert takes.further_roots("/w", roots) == ["/b", "/c"]
