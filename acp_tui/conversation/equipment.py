"""What a conversation works with, as settings and command line say: host, journal, snapshots, MCP servers."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from acp_tui import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.acp.initialization import McpCapabilities
    from acp_tui.agent.rule_book import RuleBook
    from acp_tui.agent.tracking import Told, Tracking
    from acp_tui.conversation.start import Start
    from acp_tui.host.host import Host
    from acp_tui.session.options import Option
    from acp_tui.store.decisions import DecisionLog
    from acp_tui.store.journal import Journal
    from acp_tui.store.launch import Launch
    from acp_tui.store.mcp import McpServer


def host_for(start: Start, launch: Launch) -> Host:
    """Return what is lent to an agent that is started in this way."""
    from acp_tui.host.backup import Backups
    from acp_tui.host.host import Host
    from acp_tui.host.terminals import Terminals
    from acp_tui.store.folders import data_folder

    book = rule_book()
    return Host(
        Terminals(guard=start.guard),
        policy=start.settings.policy,
        rules=book,
        entered=book.enter,
        missing_file_reads_empty=launch.quirks.missing_file_reads_empty,
        stale_writes=start.settings.stale_writes,
        output_limit=start.settings.terminal_output_limit_kb * 1024,
        backups=Backups(data_folder() / "backups"),
    )


def rule_book() -> RuleBook:
    """Return the person's rules, for one agent: each has sessions of its own."""
    from acp_tui.agent.rule_book import RuleBook
    from acp_tui.store import rule_trust, rules
    from acp_tui.store.folders import config_folder, state_folder

    return RuleBook(config_folder() / rules.NAME, rule_trust.Trust(state_folder() / rule_trust.NAME))


def journal_for(start: Start, launch: Launch) -> Journal:
    """Return a new journal that knows how the agent is started, and which values to keep out."""
    from acp_tui.store.folders import data_folder
    from acp_tui.store.journal import Journal, journal_path, secrets_of
    from acp_tui.store.urls import credentials

    at = datetime.now(UTC)
    path = journal_path(data_folder() / "journals", launch.name, at) if start.settings.journal else None
    addresses = (*launch.argv, *launch.env.values())
    secrets = [secret for text in addresses for secret in credentials(text)]
    journal = Journal(path, [*secrets_of({**os.environ, **launch.env}), *secrets])
    journal.note(
        {
            "start": list(launch.argv),
            "agent": launch.name,
            "cwd": start.cwd,
            "version": __version__,
            "at": at.isoformat(timespec="seconds"),
        }
    )
    return journal


def decision_log_for(start: Start, launch: Launch) -> DecisionLog:
    """Return the log of what this agent is allowed, which all agents share."""
    from acp_tui.store.decisions import NAME, DecisionLog
    from acp_tui.store.folders import data_folder
    from acp_tui.store.journal import secrets_of

    path = data_folder() / NAME if start.settings.decisions else None
    return DecisionLog(path, secrets_of({**os.environ, **launch.env}))


def tracking_for(start: Start, cwd: str, tell: Callable[[Told], None]) -> Tracking | None:
    """Return what keeps a session's changed files equal to the disk; None where that is not wanted."""
    from pathlib import Path

    from acp_tui.agent.tracking import Tracking, is_too_wide
    from acp_tui.host.snapshots import Snapshots
    from acp_tui.session.events import Noted
    from acp_tui.store.folders import config_folder, data_folder, state_folder

    if not start.settings.snapshots:
        return None
    root = Path(cwd)
    if is_too_wide(root):
        tell(Noted("Only changes that the agent reports are shown: the workspace is your whole home folder."))
        return None
    ours = (config_folder(), data_folder(), state_folder())
    return Tracking(Snapshots(data_folder() / "snapshots", root, ours), cwd, tell)


def mcp_servers_for(start: Start, takes: McpCapabilities) -> tuple[list[McpServer], list[str]]:
    """Return (the MCP servers that an agent takes, the names of those that it cannot reach)."""
    from acp_tui.store.mcp import offered

    kept, left_out = offered(start.mcp_servers, http=takes.http, sse=takes.sse)
    return list(kept), [server.name for server in left_out]


def mode_named(option: Option | None, name: str) -> str | None:
    """Return the mode that a person means by its id, the end of a long id, or its name; None without one."""
    choices = option.config.choices() if option is not None else []
    ways: list[Any] = [
        lambda choice: choice.value == name,
        lambda choice: choice.value.lower().endswith(("#" + name.lower(), "/" + name.lower())),
        lambda choice: choice.name.lower() == name.lower() or choice.value.lower() == name.lower(),
    ]
    return next((choice.value for way in ways for choice in choices if way(choice)), None)
