"""MCP servers for agents, read in any common format."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.store import toml_check
from acp_tui.store.toml_check import Place, Problem


class McpServer(NamedTuple):
    """An MCP server, with the fields common to most `mcpServers` tables."""

    name: str
    transport: str
    """stdio, http or sse."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = MappingProxyType({})
    url: str = ""
    headers: Mapping[str, str] = MappingProxyType({})
    referred: tuple[str, ...] = ()
    """Values of the variables that its fields refer to, except paths."""

    def params(self) -> dict[str, Any]:
        """Return the server as sent in `session/new`. Source: ACP, page "session setup", MCP servers."""
        if self.transport == "stdio":
            return {
                "name": self.name,
                "command": self.command,
                "args": list(self.args),
                "env": _pairs(self.env),
            }
        return {"type": self.transport, "name": self.name, "url": self.url, "headers": _pairs(self.headers)}

    def secrets(self) -> list[str]:
        """Return its secrets: values of variables and headers, credentials in URLs."""
        from acp_tui.store.urls import credentials  # not needed for the first frame

        addresses = (self.url, *self.args)  # some local servers are proxies for remote ones
        found = [secret for text in addresses for secret in credentials(text)]
        return [*self.env.values(), *self.headers.values(), *self.referred, *found]


def split_by_support(
    servers: Iterable[McpServer], *, http: bool, sse: bool
) -> tuple[list[McpServer], list[McpServer]]:
    """Return (servers the agent supports, other servers), by its `mcpCapabilities`."""
    usable = {"stdio": True, "http": http, "sse": sse}
    kept: list[McpServer] = []
    left_out: list[McpServer] = []
    for server in servers:
        (kept if usable[server.transport] else left_out).append(server)
    return kept, left_out


def servers(value: Any, place: Place, findings: toml_check.Findings) -> tuple[McpServer, ...]:
    """Read a table or a list of servers, as a kind of `toml_check`.

    A mistake excludes only one server. Values may be secret, so messages do not repeat them.
    """
    found: dict[str, McpServer] = {}
    for name, table in _by_name(value):
        try:
            fields = _server(table, (*place, name), findings)
        except toml_check.ShapeError as wrong:
            findings.add((*place, name), f"MCP server '{name}' is left out: {wrong}")
        else:
            if fields is not None:
                found[name] = McpServer(name, **fields)
    return tuple(found.values())


def _by_name(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return value.items()
    if value and isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return [(str(item.get("name", f"number {at}")), item) for at, item in enumerate(value, 1)]
    raise toml_check.ShapeError("a table")


_TRANSPORTS: Final = {
    "stdio": "stdio",
    "local": "stdio",
    "command": "stdio",
    "process": "stdio",
    "http": "http",
    "https": "http",
    "streamablehttp": "http",
    "httpstream": "http",
    "httpstreaming": "http",
    "streaming": "http",
    "remote": "http",
    "sse": "sse",
    "httpsse": "sse",
    "ssehttp": "sse",
}
"""Transports by their names in other programs, in lower case and letters only."""

_OTHER_NAMES: Final = {
    "transport": "type",
    "transportType": "type",
    "transport_type": "type",
    "cmd": "command",
    "arguments": "args",
    "environment": "env",
    "envs": "env",
    "httpUrl": "url",
    "http_url": "url",
    "serverUrl": "url",
    "server_url": "url",
    "sseUrl": "url",
    "baseUrl": "url",
    "uri": "url",
    "httpHeaders": "headers",
    "http_headers": "headers",
}
"""Field names of this program by those of other programs."""

_FIELDS: Final = frozenset({"type", "command", "args", "env", "url", "headers"})
_SHOWN: Final = 40
_OFF: Final = {"disabled": True, "disable": True, "enabled": False, "enable": False, "isActive": False}
"""Fields that disable a server, with the disabling value."""
_BESIDE: Final = frozenset(
    (
        *("name", "id", "title", "displayName", "description", "icon", "provider", "tags", "gallery"),
        *("note", "notes", "comment", "_comment", "$comment", "//", "source", "version", "metadata"),
        *("autoApprove", "alwaysAllow", "autoAllow", "trust", "priority", "required", "settings", "dev"),
        *("timeout", "timeoutMs", "timeout_ms", "initTimeout", "startupTimeout", "requestTimeout"),
        *("startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "connectionTimeout"),
        *("tools", "includeTools", "excludeTools", "allowedTools", "disabledTools"),
        *("enabled_tools", "disabled_tools"),
    )
)
"""Known fields of other programs that are ignored here."""


def _server(value: Any, place: Place, findings: toml_check.Findings) -> dict[str, Any] | None:
    """Return the fields of a server in any program's format, or None for a disabled one."""
    if not isinstance(value, dict):
        raise toml_check.ShapeError("it must be a table")
    if any(_is(value.get(name), off) for name, off in _OFF.items()):
        return None
    values: dict[str, Any] = {}
    words: list[Any] = []
    for name, raw in _flat(value):
        field = _OTHER_NAMES.get(name, name)
        if field == "type":
            words.append(raw)
        elif field in _FIELDS:
            values |= _READERS[field](raw, (*place, name), findings)
        elif name not in _OFF and name not in _BESIDE:
            message = f"MCP server '{place[-1]}': the unknown setting '{name}' is ignored"
            findings.add((*place, name), message)
    transport = _transport(words, place, findings) or _likely(value, values)
    needed = "command" if transport == "stdio" else "url"
    if not values.get(needed):
        raise toml_check.ShapeError(f'it has no "{needed}"')
    return {"transport": transport, **values}


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a server, including nested ones."""
    for name, value in table.items():
        if name in ("transport", "command") and isinstance(value, dict):
            yield from (("command" if inner == "path" else inner, raw) for inner, raw in value.items())
        elif value is not None:
            yield name, value


def _transport(words: Iterable[Any], place: Place, findings: toml_check.Findings) -> str | None:
    """Return the first known transport; unknown ones are reported."""
    for word in words:
        known = _TRANSPORTS.get("".join(filter(str.isalnum, word)).lower()) if isinstance(word, str) else None
        if known is not None:
            return known
        shown = repr(word[:_SHOWN]) if isinstance(word, str) else "what is named"
        message = f"MCP server '{place[-1]}': {shown} is not a known transport; it is guessed from the rest"
        findings.add((*place, "type"), message)
    return None


def _likely(table: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Guess the transport of a server without a known one."""
    if "sseUrl" in table:
        return "sse"
    return "http" if values.get("url") else "stdio"


def _is(value: Any, wanted: bool) -> bool:
    return value is wanted or (isinstance(value, str) and value.lower() == str(wanted).lower())


def _word(value: Any) -> str:
    """Return a string, number or boolean as a string."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise toml_check.ShapeError("no text")


def _command(value: Any, place: Place, findings: toml_check.Findings) -> dict[str, Any]:
    """Read a program, possibly with arguments."""
    try:
        program, *args = map(_word, (value or [""]) if isinstance(value, list) else [value])
    except toml_check.ShapeError:
        raise toml_check.ShapeError(f"its '{place[-1]}' is not a string") from None
    return {"command": program, "args": tuple(args)} if args else {"command": program}


def _args(value: Any, place: Place, findings: toml_check.Findings) -> dict[str, Any]:
    """Read arguments: a list or one line."""
    import shlex  # only for servers written as one line

    try:
        return {"args": tuple(shlex.split(value)) if isinstance(value, str) else tuple(map(_word, value))}
    except (
        TypeError,
        ValueError,
    ):  # ShapeError is a ValueError, as is an open quotation mark
        raise toml_check.ShapeError(f"its '{place[-1]}' is not a list of strings") from None


def _url(value: Any, place: Place, findings: toml_check.Findings) -> dict[str, Any]:
    if not isinstance(value, str):
        raise toml_check.ShapeError(f"its '{place[-1]}' is not a string")
    return {"url": value}


def _pairs_named(field: str, divider: str) -> toml_check.Kind:
    """Return the kind of values by name: a table, a list of pairs, or a list of lines."""

    def pair(item: Any) -> tuple[str, Any]:
        if isinstance(item, str):
            name, found, value = item.partition(divider)
            if not found:
                raise toml_check.ShapeError("no pair")
            return name.strip(), value.strip() if divider == ":" else value
        return _word(item["name"] if "name" in item else item["key"]), item["value"]

    def read(value: Any, place: Place, findings: toml_check.Findings) -> dict[str, Any]:
        try:
            items = value.items() if isinstance(value, dict) else [pair(item) for item in _listed(value)]
            return {field: {_word(name): _word(text) for name, text in items if text is not None}}
        except (KeyError, TypeError, toml_check.ShapeError):
            raise toml_check.ShapeError(f"its '{place[-1]}' is not a table of strings") from None

    return read


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise toml_check.ShapeError("a list")
    return value


_READERS: Final[Mapping[str, toml_check.Kind]] = {
    "command": _command,
    "args": _args,
    "env": _pairs_named("env", "="),
    "url": _url,
    "headers": _pairs_named("headers", ":"),
}
"""Readers of the fields; each returns fields of `McpServer` or rejects the server."""


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


_REFERENCE: Final = regex(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


_TABLES: Final = ("mcpServers", "mcp_servers", "servers", "context_servers", "mcp")
_COMMENT: Final = regex(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA: Final = regex(r'"(?:[^"\\]|\\.)*+"?|,(\s*+[}\]])')
"""A string, to be skipped, or a trailing comma."""


class _Unusable(Exception):
    """An unusable server, with the reason."""


def collect(
    own: Sequence[McpServer], settings: Path, paths: Iterable[Path], environment: Mapping[str, str]
) -> tuple[list[McpServer], list[Problem]]:
    """Return (the usable servers, the problems of the others and of the files).

    A server in a later file replaces an earlier one of the same name.

    Args:
        own: the servers of the settings.
        settings: the settings file.
        paths: the files of the command line.
        environment: resolves references; its PATH locates programs.
    """
    found = {server.name: (settings, server) for server in own}
    problems: list[Problem] = []
    for path in paths:
        theirs, wrong = load(path)
        found |= {server.name: (path, server) for server in theirs}
        problems += wrong
    read_servers: list[McpServer] = []
    for path, server in found.values():
        try:
            read_servers.append(_ready(server, environment))
        except _Unusable as why:
            message = f"MCP server '{server.name}' is left out: {why}"
            problems.append(Problem(path, None, message, server.name))
    return read_servers, problems


def load(path: Path) -> tuple[tuple[McpServer, ...], list[Problem]]:
    """Return (the servers of a file with unresolved references, its problems)."""
    try:
        content = path.read_bytes()
        value = json.loads(without_comments(content.decode(json.detect_encoding(content))))
    except json.JSONDecodeError as error:
        return (), [Problem(path, error.lineno, f"not valid JSON: {error.msg}; its MCP servers are left out")]
    except (ValueError, RecursionError):
        return (), [Problem(path, None, "not text with JSON in it; its MCP servers are left out")]
    except OSError as error:
        return (), [Problem(path, None, f"cannot be read: {error.strerror}; its MCP servers are left out")]
    findings = toml_check.Findings()
    try:
        read_servers = servers(_table_of(value), (), findings)
    except toml_check.ShapeError:
        return (), [Problem(path, None, 'it contains no {"mcpServers": {…}}')]
    problems = [Problem(path, None, message, str(place[0])) for place, message in findings.items]
    return read_servers, problems


def without_comments(text: str) -> str:
    """Remove comments and trailing commas from JSON; line numbers stay."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0][0] == '"' else "\n" * found[0].count("\n") or " "

    bare = _COMMENT.sub(blank, text)
    return _LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else " " + found[1], bare)


def _table_of(value: Any) -> Any:
    """Return the table of servers under any of its known names."""
    if not isinstance(value, dict):
        return None
    for name in _TABLES:
        if value.get(name) is not None:
            return value[name] if name != "mcp" else _table_of(value[name]) or value[name]
    return None


def _ready(server: McpServer, environment: Mapping[str, str]) -> McpServer:
    referred: list[str] = []

    def resolved(text: str) -> str:
        referred.extend(environment.get(found[1], "") for found in _REFERENCE.finditer(text))
        return _REFERENCE.sub(lambda found: _value(found, environment), text)

    env = _each(resolved, server.env)
    is_local = server.transport == "stdio"
    ready = server._replace(
        command=_program(resolved(server.command), {**environment, **env}) if is_local else "",
        args=tuple(map(resolved, server.args)),
        env=env,
        url=resolved(server.url),
        headers=_each(resolved, server.headers),
    )
    return ready._replace(referred=tuple(value for value in referred if value and value[0] != "/"))


def _program(command: str, environment: Mapping[str, str]) -> str:
    """Return the absolute path of a program, since agents may start it in any folder."""
    found = shutil.which(expand_home(command), path=environment.get("PATH"))
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
