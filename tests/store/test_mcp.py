from __future__ import annotations

import sys

from acp_tui.store.mcp import McpServer, offered
from tests.schema.official import faults_of_params

LOCAL = McpServer("docs", "stdio", command=sys.executable)
WEB = McpServer("web", "http", url="https://example.com/mcp", headers={"Authorization": "Bearer x"})
EVENTS = McpServer("events", "sse", url="https://example.com/sse")


def test_a_local_server_has_lists_even_if_empty_and_no_type() -> None:
    assert LOCAL.params() == {"name": "docs", "command": sys.executable, "args": [], "env": []}


def test_every_kind_of_server_is_as_the_protocol_has_it() -> None:
    servers = [server.params() for server in (LOCAL, WEB, EVENTS)]

    assert faults_of_params("session/new", {"cwd": "/", "mcpServers": servers}) == []
    assert servers[1]["headers"] == [{"name": "Authorization", "value": "Bearer x"}]


def test_c43_servers_the_agent_cannot_use_are_left_out_and_named() -> None:
    assert offered([LOCAL, WEB, EVENTS], http=True, sse=False) == ([LOCAL, WEB], [EVENTS])
    assert offered([LOCAL, WEB, EVENTS], http=False, sse=False) == ([LOCAL], [WEB, EVENTS])


def test_headers_and_variables_are_secret() -> None:
    assert WEB.secrets() == ["Bearer x"]
