"""Session details: what is known of a session and its agent, section by section."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from acp_tui.agent.capabilities import abilities
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.session_start import mcp_servers_for
from acp_tui.conversation.start_options import Start
from acp_tui.protocol.schema import InitializeResponse, Model, TurnUsage, has
from acp_tui.rules.model import WORDS
from acp_tui.session.session import Session
from acp_tui.store.mcp import McpServer
from acp_tui.store.urls import masked
from acp_tui.ui.screens.base.text_screens import Fact, Section


def sections(conversation: Conversation, start: Start, name: str = "") -> list[Section]:
    """Return the known facts; `name` is the user's name for the session."""
    info = conversation.agent.info if conversation.agent is not None else None
    found: list[Section] = [("Agent", [*_agent(conversation, info), *_login(conversation)])]
    if info is not None:
        found.append(("Capabilities", list(_offers(info))))
    if conversation.session is not None:
        takes_more = info is None or _takes_more(info)
        found.append(("Session", list(_session(conversation, conversation.session, start, name, takes_more))))
        found.append(
            ("Usage", list(_usage(conversation.session)) or [("tokens", "not reported by the agent")])
        )
    if conversation.running is not None and (sandbox := conversation.running.sandbox) is not None:
        found.append(("Sandbox", [("sandbox", sandbox.about)]))
    servers = [*_mcp_servers(start, info), *_unusable(start)]
    none = ("none", "add [mcp_servers] to settings.toml, or use --mcp-config FILE")
    found.append(("MCP servers", servers or [none]))
    if conversation.background:
        found.append(("In the background", list(_background(conversation))))
    connection = conversation.agent.connection if conversation.agent is not None else None
    if connection is not None and connection.strays:
        facts = [("lines", f"{connection.stray_count:,}"), ("the last ones", masked(connection.strays))]
        found.append(("Printed on stdout, and no messages", facts))
    metas = list(_metas(info, conversation.session))
    if metas:
        found.append(("Extensions (_meta)", metas))
    journal = conversation.journal.path if conversation.journal is not None else None
    found.append(("Recording", [("journal", str(journal) if journal is not None else "none")]))
    return found


_LOGIN_STATES: Final = {
    "authenticated": "logged in",
    "unauthenticated": "not logged in",
    "not_required": "not needed",
}


def _takes_more(info: InitializeResponse) -> bool:
    return has(info.agent_capabilities.session_capabilities.additional_directories)


def _agent(conversation: Conversation, info: InitializeResponse | None) -> Iterator[Fact]:
    yield "name", conversation.agent_name
    if info is not None and info.agent_info is not None and info.agent_info.version:
        yield "version", info.agent_info.version
    yield "command", masked(shlex.join(conversation.command))
    if info is not None:
        yield "protocol", f"version {info.protocol_version}"
        yield "logins", ", ".join(method.name for method in info.auth_methods) or "none"


def _login(conversation: Conversation) -> Iterator[Fact]:
    """Yield the state of the login, as the agent reports it."""
    logins = conversation.agent.logins if conversation.agent is not None else None
    if logins is None:
        return
    if logins.status is not None:
        yield "login", _LOGIN_STATES.get(logins.status.state, "unknown")
        if accounts := [one.label + " (in use)" * one.active for one in logins.status.accounts if one.label]:
            yield "accounts", "\n".join(accounts)
    if logins.label:
        yield "account", logins.label


def _offers(info: InitializeResponse) -> Iterator[Fact]:
    can = abilities(info.agent_capabilities)
    yield "can", ", ".join(what for what, offered in can if offered) or "nothing beyond the baseline"
    yield "cannot", ", ".join(what for what, offered in can if not offered) or "nothing"


def _session(
    conversation: Conversation, session: Session, start: Start, name: str, takes_more: bool
) -> Iterator[Fact]:
    yield "id", session.id
    if name:
        yield "your name", name
    if session.title:
        yield "title", session.title
    yield "folder", session.cwd or start.cwd
    if start.extra_roots:
        folders = "\n".join(start.extra_roots)
        yield (
            "additional folders",
            folders if takes_more else f"{folders}\nnot given: the agent does not support them",
        )
    for option in session.options:
        yield option.config.name.lower(), option.value_name
    if added := conversation.prompt_sent:
        yield "system prompt", f"with {len(added):,} characters of yours:\n{added}"
    policy = conversation.choices.policy
    if policy is not None:
        yield "policy", WORDS[policy]


def _usage(session: Session) -> Iterator[Fact]:
    usage = session.usage
    if usage is not None:
        used = "?" if usage.used is None else f"{usage.used:,}"
        yield "context", f"{used} of {usage.size:,} tokens" if usage.size else f"{used} tokens"
        if usage.cost is not None:
            yield "cost", f"{usage.cost.amount} {usage.cost.currency}"
    known = [turn.spent for turn in session.turns if turn.spent is not None]
    if known:
        yield "last turn", _tokens(known[-1:])
    if len(known) > 1:
        yield f"{len(known)} turns", _tokens(known)


def _tokens(spent: Sequence[TurnUsage]) -> str:
    """Return the tokens of turns for display; agents may omit parts."""
    parts = (
        ("in", [one.input_tokens for one in spent]),
        ("out", [one.output_tokens for one in spent]),
        ("thought", [one.thought_tokens for one in spent]),
        ("read from the cache", [one.cached_read_tokens for one in spent]),
        ("written to it", [one.cached_write_tokens for one in spent]),
    )
    told = [f"{sum(filter(None, found)):,} {name}" for name, found in parts if any(found)]
    return f"tokens: {', '.join(told)}" if told else "no tokens"


def _mcp_servers(start: Start, info: InitializeResponse | None) -> Iterator[Fact]:
    """Name the servers and their use; never their variables and headers."""
    if info is None:
        yield from ((server.name, _shown(server)) for server in start.mcp_servers)
        return
    _, left_out = mcp_servers_for(start, info.agent_capabilities.mcp_capabilities)
    for server in start.mcp_servers:
        done = "left out: the agent does not support" if server.name in left_out else "sent,"
        yield server.name, f"{done} {_shown(server)}"


def _unusable(start: Start) -> Iterator[Fact]:
    """Name unusable servers, and other mistakes in their files."""
    for problem in start.problems:
        if problem.about:
            said = problem.message.removeprefix(f"MCP server '{problem.about}'")
            yield problem.about, said.removeprefix(" is ").removeprefix(": ")


def _background(conversation: Conversation) -> Iterator[Fact]:
    for terminal in conversation.background:
        yield ", ".join(map(str, terminal.outlived)), f"left running by {terminal.command_line}"


def _shown(server: McpServer) -> str:
    if server.transport == "stdio":
        return f"stdio, {server.command}"
    bare = masked(server.url, lambda _: "")
    return f"{server.transport}, {bare}"


def _metas(info: InitializeResponse | None, session: Session | None) -> Iterator[Fact]:
    words: list[tuple[str, Model | None]] = [("usage", session.usage if session is not None else None)]
    if session is not None and session.meta:
        yield "session", _keys(session.meta)
    if info is not None:
        words = [
            ("initialize", info),
            ("agent", info.agent_info),
            ("capabilities", info.agent_capabilities),
            *((method.id, method) for method in info.auth_methods),
            *words,
        ]
    for name, word in words:
        if word is not None and word.meta:
            yield name, _keys(word.meta)


def _keys(meta: dict[str, Any]) -> str:
    """Name the keys of an extension; the values are private to the agent."""
    return ", ".join(map(str, meta))
