from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.store.mcp import McpServer
from acp_tui.store.mcp_config import BadConfig, collect, load

HOME = Path("/home/me/settings.toml")


def written(tmp_path: Path, servers: object, name: str = "mcp.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def lent(path: Path, **environment: str) -> tuple[list[McpServer], list[str]]:
    servers, problems = collect((), HOME, [path], {"PATH": os.environ["PATH"], **environment})
    return servers, [str(problem) for problem in problems]


def test_servers_are_read_as_other_programs_write_them(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "docs": {"command": sys.executable, "args": ["-m", "docs"], "disabled": False, "autoApprove": []},
            "web": {"type": "http", "url": "https://example.com", "headers": {"A": "b"}},
        },
    )

    servers, problems = lent(path)

    assert problems == []
    assert servers == [
        McpServer("docs", "stdio", command=sys.executable, args=("-m", "docs")),
        McpServer("web", "http", url="https://example.com", headers={"A": "b"}),
    ]


def test_d36_variables_and_headers_may_be_written_as_the_protocol_has_them(tmp_path: Path) -> None:
    pairs = [{"name": "A", "value": "1"}, {"name": "B", "value": "${X}"}]
    path = written(
        tmp_path,
        {
            "tool": {"command": "sh", "env": pairs, "transport": "stdio"},
            "web": {"url": "u", "headers": pairs},
        },
    )

    servers, problems = lent(path, X="2")

    assert problems == []
    assert [(server.env, server.headers) for server in servers] == [
        ({"A": "1", "B": "2"}, {}),
        ({}, {"A": "1", "B": "2"}),
    ]


def test_a_mistake_in_variables_is_told_without_what_they_hold(tmp_path: Path) -> None:
    for env in ({"TOKEN": 5, "KEY": "my-secret"}, [{"name": "KEY", "value": "my-secret"}, {}], "my-secret"):
        with pytest.raises(BadConfig) as raised:
            lent(written(tmp_path, {"a": {"command": "sh", "env": env}}))

        assert "'env' must be a table of texts" in str(raised.value)
        assert "my-secret" not in str(raised.value)


def test_references_are_resolved_from_the_environment_everywhere(tmp_path: Path) -> None:
    server = {"command": "${RUN}", "args": ["--port=${PORT:-80}", "${EMPTY:-x}"], "env": {"T": "${A}${B}"}}
    path = written(tmp_path, {"s": server, "web": {"url": "${URL}/mcp", "headers": {"K": "Bearer ${A}"}}})

    servers, _ = lent(path, RUN="sh", EMPTY="", A="a", B="b", URL="https://e.com")

    assert Path(servers[0].command).name == "sh"
    assert servers[0].args == ("--port=80", "x")
    assert servers[0].env == {"T": "ab"}
    assert (servers[1].url, servers[1].headers) == ("https://e.com/mcp", {"K": "Bearer a"})


def test_what_a_variable_holds_is_not_resolved_again(tmp_path: Path) -> None:
    servers, _ = lent(written(tmp_path, {"s": {"url": "x", "headers": {"K": "${A}"}}}), A="${B}", B="b")

    assert servers[0].headers == {"K": "${B}"}


def test_an_unset_variable_leaves_out_its_server_alone_and_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, {"a": {"url": "x", "headers": {"K": "${NO_KEY}"}}, "b": {"url": "y"}})

    servers, problems = lent(path)

    assert [server.name for server in servers] == ["b"]
    assert problems == [f"{path}: MCP server 'a' is left out: the variable NO_KEY is not set"]


def test_the_program_becomes_absolute_and_a_missing_one_leaves_out_its_server(tmp_path: Path) -> None:
    servers, problems = lent(written(tmp_path, {"a": {"command": "sh"}, "b": {"command": "no-such-mcp"}}))

    assert [Path(server.command).is_absolute() for server in servers] == [True]
    assert len(problems) == 1
    assert problems[0].endswith("MCP server 'b' is left out: there is no program 'no-such-mcp'")


def test_a_later_file_takes_the_place_of_the_settings_and_of_earlier_files(tmp_path: Path) -> None:
    own = [McpServer("a", "http", url="1"), McpServer("b", "http", url="${NOT_SET}")]
    first = written(tmp_path, {"c": {"url": "2"}, "a": {"url": "3"}}, "1.json")
    second = written(tmp_path, {"c": {"url": "4"}}, "2.json")

    servers, problems = collect(own, HOME, [first, second], {})

    assert {server.name: server.url for server in servers} == {"a": "3", "c": "4"}
    assert [problem.path for problem in problems] == [HOME]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"mcpServers": {', ":1: not valid JSON"),
        ("[]", 'there is no {"mcpServers"'),
        ('{"mcpServers": []}', 'there is no {"mcpServers"'),
        ('{"mcpServers": {"a": {}}}', "'a' must be a table with a \"command\""),
        ('{"mcpServers": {"a": {"command": 5}}}', "'command' must be a text"),
        ('{"mcpServers": {"a": 5}}', "'a' must be a table"),
        (b"\xff\xfe", "not text in UTF-8"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_broken_file_is_told_with_its_name(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "mcp.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(BadConfig) as raised:
        load(path)

    assert str(path) in str(raised.value)
    assert message in str(raised.value)
