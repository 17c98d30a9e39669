"""Tests of `store/mcp.py`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.store.mcp import McpServer, collect, load, split_by_support
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
    assert split_by_support([LOCAL, WEB, EVENTS], http=True, sse=False) == ([LOCAL, WEB], [EVENTS])
    assert split_by_support([LOCAL, WEB, EVENTS], http=False, sse=False) == ([LOCAL], [WEB, EVENTS])


def test_headers_and_variables_are_secret() -> None:
    assert WEB.secrets() == ["Bearer x"]


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
    for env in ({"TOKEN": [5], "KEY": "my-secret"}, [{"name": "KEY", "value": "my-secret"}, {}], "my-secret"):
        path = written(tmp_path, {"a": {"command": "sh", "env": env}, "b": {"command": "sh"}})

        servers, problems = lent(path)

        assert [server.name for server in servers] == ["b"]
        assert problems == [f"{path}: MCP server 'a' is left out: its 'env' is not a table of strings"]


COMMAND = {"command": sys.executable}


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ({"type": "streamable-http", "url": "u"}, "transport", "http"),
        ({"type": "streamableHttp", "url": "u"}, "transport", "http"),
        ({"type": "STREAMABLE_HTTP", "url": "u"}, "transport", "http"),
        ({"transport": "streamable-http", "url": "u"}, "transport", "http"),
        ({"transportType": "sse", "url": "u"}, "transport", "sse"),
        ({"transport": {"type": "sse", "url": "u"}}, "transport", "sse"),
        ({"transport": {"type": "sse", "url": "u"}}, "url", "u"),
        ({"type": "remote", "url": "u"}, "transport", "http"),
        ({"type": "local", "command": [sys.executable, "-m", "x"]}, "args", ("-m", "x")),
        ({"httpUrl": "u"}, "url", "u"),
        ({"serverUrl": "u"}, "url", "u"),
        ({"serverUrl": "u"}, "transport", "http"),
        ({"url": "u", "headers": [{"name": "A", "value": 1}]}, "headers", {"A": "1"}),
        ({"url": "u", "headers": [{"key": "A", "value": "1"}]}, "headers", {"A": "1"}),
        ({"url": "u", "headers": ["A: b:c"]}, "headers", {"A": "b:c"}),
        ({"url": "u", "http_headers": {"A": True}}, "headers", {"A": "true"}),
        ({**COMMAND, "args": ["--port", 80, 1.5, False]}, "args", ("--port", "80", "1.5", "false")),
        ({**COMMAND, "args": "--port 80 'a b'"}, "args", ("--port", "80", "a b")),
        ({**COMMAND, "args": None, "env": None}, "args", ()),
        ({**COMMAND, "env": {"A": 1, "B": False, "C": None}}, "env", {"A": "1", "B": "false"}),
        ({**COMMAND, "env": ["A=b=c", "D="]}, "env", {"A": "b=c", "D": ""}),
        ({**COMMAND, "environment": {"A": "1"}}, "env", {"A": "1"}),
        ({"command": {"path": sys.executable, "args": ["x"], "env": {"A": "1"}}}, "args", ("x",)),
        ({**COMMAND, "disabled": False, "enabled": True}, "command", sys.executable),
        ({"url": "${env:WEB}"}, "url", "from-the-environment"),
    ],
)
def test_other_spellings_are_read(tmp_path: Path, table: Any, field: str, value: Any) -> None:
    servers, problems = lent(written(tmp_path, {"a": table}), WEB="from-the-environment")

    assert problems == []
    assert [getattr(server, field) for server in servers] == [value]


@pytest.mark.parametrize(
    "off", [{"disabled": True}, {"disabled": "true"}, {"enabled": False}, {"isActive": False}]
)
def test_a_server_that_is_switched_off_stays_out_without_a_word(tmp_path: Path, off: Any) -> None:
    servers, problems = lent(written(tmp_path, {"a": {"command": "no-such", **off}, "b": COMMAND}))

    assert ([server.name for server in servers], problems) == (["b"], [])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({**COMMAND, "type": "teleport"}, "'teleport' is not a known transport; it is guessed from the rest"),
        ({**COMMAND, "type": 5}, "what is named is not a known transport; it is guessed from the rest"),
        ({**COMMAND, "cwd": "/x"}, "the unknown setting 'cwd' is ignored"),
        ({**COMMAND, "comand": "my-secret"}, "the unknown setting 'comand' is ignored"),
    ],
)
def test_an_unknown_word_is_noted_and_costs_nothing(tmp_path: Path, table: Any, said: str) -> None:
    path = written(tmp_path, {"a": table, "b": {"url": "u"}})

    servers, problems = lent(path)

    assert [server.name for server in servers] == ["a", "b"]
    assert problems == [f"{path}: MCP server 'a': {said}"]


@pytest.mark.parametrize(
    "content",
    [
        """{
  // the servers, and "why"
  "mcpServers": { /* one
  of them */
    "a": {"url": "http://x//y", "headers": {"K": "/* no */ ,]"},},
  },
}""",
        '\ufeff{"mcpServers": {"a": {"url": "http://x//y", "headers": {"K": "/* no */ ,]"}}}}',
        '{"servers": {"a": {"url": "http://x//y", "headers": {"K": "/* no */ ,]"}}}, "inputs": []}',
        '{"mcp": {"servers": {"a": {"url": "http://x//y", "headers": {"K": "/* no */ ,]"}}}}}',
        '{"mcp": {"a": {"url": "http://x//y", "headers": {"K": "/* no */ ,]"}}}}',
        '{"mcpServers": [{"name": "a", "url": "http://x//y", "headers": {"K": "/* no */ ,]"}}]}',
    ],
)
def test_comments_commas_and_other_tables_are_read(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(content, "utf-8")

    assert load(path) == ((McpServer("a", "http", url="http://x//y", headers={"K": "/* no */ ,]"}),), [])


def test_a_file_may_be_in_another_form_of_unicode(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"ä": {"url": "u"}}}', "utf-16")

    assert load(path) == ((McpServer("ä", "http", url="u"),), [])


def test_references_are_resolved_from_the_environment_everywhere(tmp_path: Path) -> None:
    server = {"command": "${RUN}", "args": ["--port=${PORT:-80}", "${EMPTY:-x}"], "env": {"T": "${A}${B}"}}
    path = written(tmp_path, {"s": server, "web": {"url": "${URL}/mcp", "headers": {"K": "Bearer ${A}"}}})

    servers, _ = lent(path, RUN="sh", EMPTY="", A="a", B="b", URL="https://e.com")

    assert Path(servers[0].command).name == "sh"
    assert servers[0].args == ("--port=80", "x")
    assert servers[0].env == {"T": "ab"}
    assert (servers[1].url, servers[1].headers) == ("https://e.com/mcp", {"K": "Bearer a"})


def test_values_of_references_are_secret_but_for_paths(tmp_path: Path) -> None:
    server = {"command": "sh", "args": ["--at=${ADDRESS}", "${HOME}/x", "${UNSET:-y}"]}

    servers, _ = lent(written(tmp_path, {"s": server}), ADDRESS="where-it-is", HOME="/home/me")

    assert servers[0].secrets() == ["where-it-is"]


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
        ('{\n// a\n"mcpServers": {\n', ":4: not valid JSON"),
        ("[]", ': it contains no {"mcpServers"'),
        ('{"mcpServers": []}', ': it contains no {"mcpServers"'),
        ('{"mcpServers": {"a": {}}}', "'a' is left out: it has no \"command\""),
        ('{"mcpServers": {"a": {"type": "http"}}}', "'a' is left out: it has no \"url\""),
        ('{"mcpServers": {"a": {"command": {}}}}', "'a' is left out: it has no \"command\""),
        ('{"mcpServers": {"a": {"command": [[]]}}}', "'a' is left out: its 'command' is not a string"),
        ('{"mcpServers": {"a": {"command": "sh", "args": 5}}}', "its 'args' is not a list of strings"),
        ('{"mcpServers": {"a": {"url": 5}}}', "its 'url' is not a string"),
        ('{"mcpServers": {"a": 5}}', "'a' is left out: it must be a table"),
        (b'{"a": "\xff"}', "not text with JSON in it"),
        ("[" * 100_000, "not text with JSON in it"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_file_and_costs_nothing_else(
    tmp_path: Path, content: Any, message: str
) -> None:
    path = tmp_path / "mcp.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    servers, problems = lent(path)

    assert servers == []
    (problem,) = problems
    assert problem.startswith(str(path))
    assert message in problem
