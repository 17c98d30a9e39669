"""MCP servers that the user lends to agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """Read a table of servers by name, as a kind of `shape`."""
    tables = shape.by_name(_server)(value, place, findings)
    return tuple(McpServer(name, **values) for name, values in tables.items())


def _pairs_or_table(value: Any, place: Place, findings: shape.Findings) -> Mapping[str, str]:
    """Read texts by name, written as a table or as the protocol has them: a list of names and values.

    What stands there may be secret, so it is never repeated.
    """
    try:
        if isinstance(value, list):
            value = {pair["name"]: pair["value"] for pair in value}
        return shape.text_by_name(value, place, findings)
    except (KeyError, TypeError, shape.Wrong):
        findings.add(place, f"'{place[-1]}' must be a table of texts")
        return {}


FIELDS: Final[Mapping[str, shape.Kind]] = {
    "type": shape.one_of("stdio", "http", "sse"),
    "transport": shape.one_of("stdio", "http", "sse"),
    "command": shape.text,
    "args": shape.texts,
    "env": _pairs_or_table,
    "url": shape.text,
    "headers": _pairs_or_table,
}
"""What a table of a server may hold."""


def _server(value: Any, place: Place, findings: shape.Findings) -> dict[str, Any]:
    values = shape.read_table(value, FIELDS, place, findings)
    said = values.pop("transport", None)
    values["transport"] = values.pop("type", said) or ("http" if values.get("url") else "stdio")
    needed = "command" if values["transport"] == "stdio" else "url"
    if not values.get(needed):
        raise shape.Wrong(f'a table with a "{needed}"')
    return values


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]
