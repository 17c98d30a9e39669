"""The user's settings, read from `settings.toml` and never written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from acp_tui.store import mcp, shape
from acp_tui.store.agents import KNOWN_AGENT, KnownAgent, SandboxNetwork
from acp_tui.store.folders import Problem, plain_text
from acp_tui.store.shape import Place, line_of

PANES: Final = ("plan", "tool-calls", "changes")
"""Panes available beside the chat."""
Policy = Literal["ask", "ask-edits-and-commands", "allow-edits", "allow-everything"]
StaleWriteSetting = Literal["ask", "write", "keep"]
BusyEnter = Literal["queue", "steer"]
Thoughts = Literal["auto", "always", "never"]
Calls = Literal["auto", "always", "never"]
SandboxUse = Literal["off", "on"]


class JournalBudget(NamedTuple):
    """The disk space of recorded sessions; beyond it the oldest are deleted."""

    max_size: int = 2 << 30
    """Total bytes, or 0 for no limit; sessions used within 30 days are exempt."""
    max_age: float = 0.0
    """Days since the last use, or 0 for no limit."""


class SandboxSettings(NamedTuple):
    """The fence of the operating system around an agent and its commands."""

    use: SandboxUse = "off"
    partial: bool = False
    """Accept a fence that leaves sockets open, where there is no better one."""
    network: SandboxNetwork = "on"
    """The network inside: `on`, `off`, or `commands-off` for commands that acp-tui runs."""
    write: tuple[str, ...] = ()
    """More places that can be written."""
    read: tuple[str, ...] = ()
    """Places that would be hidden, and can be read."""
    hide: tuple[str, ...] = ()
    """More places that are hidden."""
    sockets: tuple[str, ...] = ()
    """Sockets of programs outside that are let in: `ssh-agent`, `docker` or paths."""
    protect: tuple[str, ...] = ()
    """More names below a workspace that stay read-only."""


class Settings(NamedTuple):
    """All settings with their defaults."""

    theme: str = "acp-dark"
    layout: tuple[str, ...] = PANES
    """Panes shown beside the chat."""
    thoughts: Thoughts = "auto"
    """Unfolded thoughts: `auto` (while they stream), `always` or `never`."""
    fold_turns: bool = False
    """Fold all turns but the last to one line."""
    enter_sends: bool = True
    """Enter sends; otherwise it starts a new line, and Ctrl+J or Alt+Enter sends."""
    busy_enter: BusyEnter = "queue"
    """While a turn runs, Enter queues, or steers the agents that can be."""
    ascii: bool | None = None
    """Draw ASCII symbols only; None follows the locale."""
    reduced_motion: bool = False
    """Disable animation and blinking."""
    notifications: Calls = "auto"
    """Notifications: `auto` (while the terminal is not focused), `always` or `never`."""
    journal: bool = True
    """Record sessions to disk."""
    journals: JournalBudget = JournalBudget()
    decisions: bool = True
    """Write the decision log."""
    policy: Policy = "ask"
    """Policy of a new session, for requests without a matching rule."""
    snapshots: bool = True
    """Track all changes of the workspace with git snapshots, so that they can be undone."""
    stale_writes: StaleWriteSetting = "ask"
    """Overwriting files that changed since the agent saw them: `ask`, `write` or `keep`."""
    tell_rejections: bool = True
    """Report rejected changes to the agent with the next prompt."""
    line_limit_mb: int = 64
    terminal_output_limit_kb: int = 1024
    initialize_timeout_s: float = 30
    keys: Mapping[str, str] = MappingProxyType({})
    """Keys by action name."""
    remember_choices: bool = True
    """Restore the latest mode, model and options of an agent in a new session."""
    options: Mapping[str, Mapping[str, str | bool]] = MappingProxyType({})
    """Option values for new sessions, by agent name and option id."""
    agents: Mapping[str, KnownAgent] = MappingProxyType({})
    """The user's own agents by name."""
    sandbox: SandboxSettings = SandboxSettings()
    mcp_servers: tuple[mcp.McpServer, ...] = ()


def _calls(value: Any, place: Place, findings: shape.Findings) -> str:
    """Read the notifications setting, formerly a boolean."""
    if isinstance(value, bool):
        return "auto" if value else "never"
    words: str = shape.one_of(*get_args(Calls))(value, place, findings)
    return words


_KINDS: Final[Mapping[str, shape.Kind]] = {
    "theme": shape.text,
    "layout": shape.some_of(*PANES),
    "thoughts": shape.one_of(*get_args(Thoughts)),
    "fold_turns": shape.switch,
    "enter_sends": shape.switch,
    "busy_enter": shape.one_of(*get_args(BusyEnter)),
    "ascii": shape.switch,
    "reduced_motion": shape.switch,
    "notifications": _calls,
    "journal": shape.switch,
    "journals": shape.record(JournalBudget, {"max_size": shape.byte_count, "max_age": shape.days}),
    "decisions": shape.switch,
    "policy": shape.one_of(*get_args(Policy)),
    "snapshots": shape.switch,
    "remember_choices": shape.switch,
    "options": shape.by_name(shape.choice_by_name),
    "stale_writes": shape.one_of(*get_args(StaleWriteSetting)),
    "tell_rejections": shape.switch,
    "line_limit_mb": shape.whole(1, 4096),
    "terminal_output_limit_kb": shape.whole(1, 1_048_576),
    "initialize_timeout_s": shape.number(1, 3600),
    "keys": shape.text_by_name,
    "agents": shape.by_name(KNOWN_AGENT),
    "sandbox": shape.record(
        SandboxSettings,
        {
            "use": shape.one_of(*get_args(SandboxUse)),
            "partial": shape.switch,
            "network": shape.one_of(*get_args(SandboxNetwork)),
            **dict.fromkeys(("write", "read", "hide", "sockets", "protect"), shape.texts),
        },
    ),
    "mcp_servers": mcp.servers,
    "mcpServers": mcp.servers,
}
"""Kinds of all settings. A new setting needs a field of `Settings` and a row here."""

_OTHER_NAMES: Final = {"mcpServers": "mcp_servers"}
"""Names of settings in other programs."""

_TOML_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$")


def load(path: Path, before: Settings | None = None) -> tuple[Settings, list[Problem]]:
    """Return (settings, problems) of a file; a missing file means the defaults.

    Args:
        path: the file.
        before: the settings that count now: where there is a mistake, they stay.
    """
    last = before if before is not None else Settings()
    stays = "the settings stay as they were" if before is not None else "all settings have their defaults"
    try:
        text = plain_text(path, "utf-8-sig")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        return Settings(), []
    except tomllib.TOMLDecodeError as error:
        return last, [_no_toml(path, str(error), stays)]
    except UnicodeDecodeError:
        return last, [Problem(path, None, f"not text in UTF-8; {stays}")]
    except OSError as error:
        return last, [Problem(path, None, f"cannot be read ({error.strerror}); {stays}")]
    findings = shape.Findings()
    if tables.pop("rules", None) is not None:
        findings.add(("rules", 0), f"rules do not count here; move them to {path.with_name('rules.toml')}")
    values = shape.read_table(tables, _KINDS, (), findings)
    named = {_OTHER_NAMES.get(name, name): value for name, value in values.items()}
    if before is not None:
        wrong = {_OTHER_NAMES.get(str(place[0]), str(place[0])) for place, _ in findings.items}
        named |= {name: getattr(before, name) for name in wrong.intersection(Settings._fields)}
    settings = Settings(**named)
    return settings, [Problem(path, line_of(text, place), message) for place, message in findings.items]


def _no_toml(path: Path, error: str, stays: str) -> Problem:
    found = _TOML_LINE.search(error)
    message = f"not valid TOML: {_TOML_LINE.sub('', error)}; {stays}"
    return Problem(path, int(found[1]) if found else None, message)
