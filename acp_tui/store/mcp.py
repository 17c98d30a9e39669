"""MCP servers that the user lends to agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from acp_tui.store import shape
from acp_tui.store.toml_places import Place


class McpServer(NamedTuple):
    """One server, in the shape that most programs' `mcpServers` tables have."""

    name: str
    transport: str
    """`stdio`, `http` or `sse`."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = MappingProxyType({})
    url: str = ""
    headers: Mapping[str, str] = MappingProxyType({})

    def params(self) -> dict[str, Any]:
        """Return the server as `session/new` carries it. Source: ACP, page "session setup", MCP servers."""
        if self.transport == "stdio":
            return {
                "name": self.name,
                "command": self.command,
                "args": list(self.args),
                "env": _pairs(self.env),
            }
        return {"type": self.transport, "name": self.name, "url": self.url, "headers": _pairs(self.headers)}

    def secrets(self) -> list[str]:
        """Return what must not be written down: values of variables and headers, logins in addresses."""
        from acp_tui.store.urls import credentials

        addresses = (self.url, *self.args)  # some local servers only pass on one that is far away
        found = [secret for text in addresses for secret in credentials(text)]
        return [*self.env.values(), *self.headers.values(), *found]


def offered(
    servers: Iterable[McpServer], *, http: bool, sse: bool
) -> tuple[list[McpServer], list[McpServer]]:
    """Return (servers the agent can use, servers to leave out with a notice), by its `mcpCapabilities`."""
    usable = {"stdio": True, "http": http, "sse": sse}
    kept: list[McpServer] = []
    left_out: list[McpServer] = []
    for server in servers:
        (kept if usable[server.transport] else left_out).append(server)
    return kept, left_out


def servers(value: Any, place: Place, findings: shape.Findings) -> tuple[McpServer, ...]:
    """Read a table of servers by name, or a list of servers, as a kind of `shape`.

    A mistake costs one server, never the others. What stands there may be secret, so it is not repeated.
    """
    found: dict[str, McpServer] = {}
    for name, table in _by_name(value):
        try:
            fields = _server(table, (*place, name), findings)
        except shape.Wrong as wrong:
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
    raise shape.Wrong("a table")


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
"""The transports by what programs call them, in lower case and letters only."""

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
"""What other programs call the fields of a server."""

_FIELDS: Final = frozenset({"type", "command", "args", "env", "url", "headers"})
_SHOWN: Final = 40
_OFF: Final = {"disabled": True, "disable": True, "enabled": False, "enable": False, "isActive": False}
"""Fields that keep a server out, and the value that does so."""
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
"""What programs keep beside a server that changes nothing for us."""


def _server(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any] | None:
    """Return the fields of a server however a program spells them; None for one that is switched off."""
    if not isinstance(value, dict):
        raise shape.Wrong("it must be a table")
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
            message = f"MCP server '{place[-1]}': '{name}' is not known here and changes nothing"
            findings.add((*place, name), message)
    transport = _transport(words, place, findings) or _likely(value, values)
    needed = "command" if transport == "stdio" else "url"
    if not values.get(needed):
        raise shape.Wrong(f'it has no "{needed}"')
    return {"transport": transport, **values}


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a server, also those that stand one level deeper."""
    for name, value in table.items():
        if name in ("transport", "command") and isinstance(value, dict):
            yield from (("command" if inner == "path" else inner, raw) for inner, raw in value.items())
        elif value is not None:
            yield name, value


def _transport(words: Iterable[Any], place: Place, findings: shape.Findings) -> str | None:
    """Return the first transport that is named by a word we know; the others are noted."""
    for word in words:
        known = _TRANSPORTS.get("".join(filter(str.isalnum, word)).lower()) if isinstance(word, str) else None
        if known is not None:
            return known
        shown = repr(word[:_SHOWN]) if isinstance(word, str) else "what is named"
        message = f"MCP server '{place[-1]}': {shown} is no known transport; it is guessed from the rest"
        findings.add((*place, "type"), message)
    return None


def _likely(table: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the transport of a server that names none we know."""
    if "sseUrl" in table:
        return "sse"
    return "http" if values.get("url") else "stdio"


def _is(value: Any, wanted: bool) -> bool:
    return value is wanted or (isinstance(value, str) and value.lower() == str(wanted).lower())


def _word(value: Any) -> str:
    """Return a text, or a number or a truth value as one."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise shape.Wrong("no text")


def _command(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any]:
    """Read a program, perhaps with its arguments."""
    try:
        program, *args = map(_word, (value or [""]) if isinstance(value, list) else [value])
    except shape.Wrong:
        raise shape.Wrong(f"its '{place[-1]}' is no text") from None
    return {"command": program, "args": tuple(args)} if args else {"command": program}


def _args(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any]:
    """Read arguments, as a list or as one line."""
    import shlex

    try:
        return {"args": tuple(shlex.split(value)) if isinstance(value, str) else tuple(map(_word, value))}
    except (
        TypeError,
        ValueError,
    ):  # `Wrong` is one of them; a number or a number; a quotation mark that is left open
        raise shape.Wrong(f"its '{place[-1]}' are no list of texts") from None


def _url(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any]:
    if not isinstance(value, str):
        raise shape.Wrong(f"its '{place[-1]}' is no text")
    return {"url": value}


def _pairs_named(field: str, divider: str) -> shape.Kind:
    """Return the kind of texts by name: a table, a list of names and values, or a list of lines."""

    def pair(item: Any) -> tuple[str, Any]:
        if isinstance(item, str):
            name, found, value = item.partition(divider)
            if not found:
                raise shape.Wrong("no pair")
            return name.strip(), value.strip() if divider == ":" else value
        return _word(item["name"] if "name" in item else item["key"]), item["value"]

    def read(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any]:
        try:
            items = value.items() if isinstance(value, dict) else [pair(item) for item in _listed(value)]
            return {field: {_word(name): _word(text) for name, text in items if text is not None}}
        except (KeyError, TypeError, shape.Wrong):
            raise shape.Wrong(f"its '{place[-1]}' are no texts by name") from None

    return read


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise shape.Wrong("a list")
    return value


_READERS: Final[Mapping[str, shape.Kind]] = {
    "command": _command,
    "args": _args,
    "env": _pairs_named("env", "="),
    "url": _url,
    "headers": _pairs_named("headers", ":"),
}
"""Readers of the fields; each returns values of `McpServer` by name, or makes its server unusable."""


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]
