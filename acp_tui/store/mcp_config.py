"""MCP servers from files in the common form, `{"mcpServers": {name: {…}}}`, beside those of the settings.

References to the user's environment, `${NAME}` and `${NAME:-default}`, are resolved here.
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

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class BadConfig(Exception):
    """A file that was named on the command line cannot be used; the text is made to be shown."""


class _Unusable(Exception):
    """A server cannot be lent; the text says why."""


def collect(
    own: Sequence[McpServer], settings: Path, paths: Iterable[Path], environment: Mapping[str, str]
) -> tuple[list[McpServer], list[Problem]]:
    """Return (the servers that can be lent, what is wrong with the others).

    A server of a later file takes the place of an earlier one of its name.

    Args:
        own: the servers of the settings.
        settings: the file that they come from.
        paths: the files of the command line.
        environment: what references are resolved from; its PATH is where programs are looked up.

    Raises:
        BadConfig: a file of the command line cannot be used.
    """
    found = {server.name: (settings, server) for server in own}
    for path in paths:
        found |= {server.name: (path, server) for server in load(path)}
    servers: list[McpServer] = []
    problems: list[Problem] = []
    for path, server in found.values():
        try:
            servers.append(_ready(server, environment))
        except _Unusable as why:
            message = f"MCP server '{server.name}' is left out: {why}"
            problems.append(Problem(path, None, message, server.name))
    return servers, problems


def load(path: Path) -> tuple[McpServer, ...]:
    """Return the servers of a file, with their references as they stand there.

    Raises:
        BadConfig: it cannot be read, or something in it is not as it should be.
    """
    try:
        value = json.loads(path.read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise BadConfig(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise BadConfig(f"{path}: not text in UTF-8 with JSON in it") from None
    except OSError as error:
        raise BadConfig(f"{path} cannot be read: {error.strerror}") from None
    tables = value.get("mcpServers") if isinstance(value, dict) else None
    if not isinstance(tables, dict):
        raise BadConfig(f'{path}: there is no {{"mcpServers": {{…}}}} in it')
    findings = shape.Findings()
    servers = mcp.servers({name: _known_part(table) for name, table in tables.items()}, (), findings)
    if findings.items:
        place, message = findings.items[0]
        raise BadConfig(f"{path}: {'.'.join(map(str, place))}: {message}")
    return servers


def _known_part(table: Any) -> Any:
    """Leave out what other programs keep beside a server, such as which tools are always allowed."""
    if not isinstance(table, dict):
        return table
    return {name: value for name, value in table.items() if name in mcp.FIELDS}


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
