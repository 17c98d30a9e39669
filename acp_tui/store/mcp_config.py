"""MCP servers from files in the common form, `{"mcpServers": {name: {…}}}`, beside those of the settings.

References to the user's environment, `${NAME}` and `${NAME:-default}`, are resolved here.
Files may have comments, and commas before an end.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from acp_tui.store import mcp, shape
from acp_tui.store.mcp import McpServer
from acp_tui.store.problem import Problem

_REFERENCE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


_TABLES: Final = ("mcpServers", "mcp_servers", "servers", "context_servers", "mcp")
_COMMENT: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|,(\s*[}\]])')
"""A text, which is passed over, or what standard JSON does not have."""


class _Unusable(Exception):
    """A server cannot be lent; the text says why."""


def collect(
    own: Sequence[McpServer], settings: Path, paths: Iterable[Path], environment: Mapping[str, str]
) -> tuple[list[McpServer], list[Problem]]:
    """Return (the servers that can be lent, what is wrong with the others and with the files).

    A server of a later file takes the place of an earlier one of its name.

    Args:
        own: the servers of the settings.
        settings: the file that they come from.
        paths: the files of the command line.
        environment: what references are resolved from; its PATH is where programs are looked up.
    """
    found = {server.name: (settings, server) for server in own}
    problems: list[Problem] = []
    for path in paths:
        theirs, wrong = load(path)
        found |= {server.name: (path, server) for server in theirs}
        problems += wrong
    servers: list[McpServer] = []
    for path, server in found.values():
        try:
            servers.append(_ready(server, environment))
        except _Unusable as why:
            message = f"MCP server '{server.name}' is left out: {why}"
            problems.append(Problem(path, None, message, server.name))
    return servers, problems


def load(path: Path) -> tuple[tuple[McpServer, ...], list[Problem]]:
    """Return (the servers of a file, with their references as they stand there, what is wrong in it)."""
    try:
        content = path.read_bytes()
        value = json.loads(without_comments(content.decode(json.detect_encoding(content))))
    except json.JSONDecodeError as error:
        return (), [Problem(path, error.lineno, f"not valid JSON: {error.msg}; its MCP servers are left out")]
    except (ValueError, RecursionError):
        return (), [Problem(path, None, "not text with JSON in it; its MCP servers are left out")]
    except OSError as error:
        return (), [Problem(path, None, f"cannot be read: {error.strerror}; its MCP servers are left out")]
    findings = shape.Findings()
    try:
        servers = mcp.servers(_table_of(value), (), findings)
    except shape.Wrong:
        return (), [Problem(path, None, 'there is no {"mcpServers": {…}} in it')]
    problems = [Problem(path, None, message, str(place[0])) for place, message in findings.items]
    return servers, problems


def without_comments(text: str) -> str:
    """Return JSON as it is without comments and commas before an end; lines stay where they are."""
    bare = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), text)
    return _LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else " " + found[1], bare)


def _blank(comment: str) -> str:
    return "\n" * comment.count("\n") or " "


def _table_of(value: Any) -> Any:
    """Return what holds the servers of a file, by any name that programs give it."""
    if not isinstance(value, dict):
        return None
    for name in _TABLES:
        if value.get(name) is not None:
            return value[name] if name != "mcp" else _table_of(value[name]) or value[name]
    return None


def _ready(server: McpServer, environment: Mapping[str, str]) -> McpServer:
    def resolved(text: str) -> str:
        return _REFERENCE.sub(lambda found: _value(found, environment), text)

    env = _each(resolved, server.env)
    is_local = server.transport == "stdio"
    return server._replace(
        command=_program(resolved(server.command), {**environment, **env}) if is_local else "",
        args=tuple(map(resolved, server.args)),
        env=env,
        url=resolved(server.url),
        headers=_each(resolved, server.headers),
    )


def _program(command: str, environment: Mapping[str, str]) -> str:
    """Return the absolute path of a program; agents start it wherever they are."""
    found = shutil.which(os.path.expanduser(command), path=environment.get("PATH"))  # noqa: PTH111
    if found is None:
        raise _Unusable(f"there is no program '{command}'")
    return os.path.abspath(found)  # noqa: PTH100 (resolve() would follow links)


def _each(resolved: Callable[[str], str], values: Mapping[str, str]) -> dict[str, str]:
    return {name: resolved(value) for name, value in values.items()}


def _value(found: re.Match[str], environment: Mapping[str, str]) -> str:
    name, default = found[1], found[2]
    value = environment.get(name)
    if default is not None:
        return value or default
    if value is None:
        raise _Unusable(f"the variable {name} is not set")
    return value
