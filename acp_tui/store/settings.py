"""The user's settings: `settings.toml`, read once at the start, never written by us."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from acp_tui.store import mcp, shape
from acp_tui.store.agents import KNOWN_AGENT, KnownAgent
from acp_tui.store.folders import Problem
from acp_tui.store.shape import Place, line_of

PANES: Final = ("plan", "tool-calls", "changes")
"""Panes that can be shown beside the chat."""
Policy = Literal["ask", "ask-edits-and-commands", "allow-edits", "allow-everything"]
StaleWrites = Literal["ask", "write", "keep"]
Thoughts = Literal["auto", "always", "never"]
Calls = Literal["auto", "always", "never"]


class JournalBudget(NamedTuple):
    """How much recorded sessions may take; what is beyond it is deleted, the oldest first."""

    max_size: int = 2 << 30
    """Bytes of all; 0: any number. What was used within 30 days stays all the same."""
    max_age: float = 0.0
    """Days since a session was last used; 0: any number."""


class Settings(NamedTuple):
    """Everything the user can set in the file; the values here are the defaults."""

    theme: str = "acp-dark"
    layout: tuple[str, ...] = PANES
    """Which panes are shown beside the chat."""
    thoughts: Thoughts = "auto"
    """Whether thoughts are unfolded: `auto` (while they are thought), `always` or `never`."""
    fold_turns: bool = False
    """Whether turns but the last are folded to a line each."""
    enter_sends: bool = True
    """Else Enter makes a line, and Ctrl+J or Alt+Enter sends."""
    ascii: bool | None = None
    """Whether only ASCII marks are drawn; without it, where the locale has nothing else."""
    reduced_motion: bool = False
    """Whether nothing slides or blinks."""
    notifications: Calls = "auto"
    """When the user is called: `auto` (while they look elsewhere), `always` or `never`."""
    journal: bool = True
    """Whether sessions are written to disk as they happen."""
    journals: JournalBudget = JournalBudget()
    decisions: bool = True
    """Whether it is written down which permissions were asked for and how they were answered."""
    policy: Policy = "ask"
    """What is allowed where no rule matches, in each new session."""
    snapshots: bool = True
    """Whether the workspace is looked at, so that all changes are shown and can be undone; needs git."""
    stale_writes: StaleWrites = "ask"
    """What becomes of a write over a file that changed since the agent saw it: `ask`, `write` or `keep`."""
    tell_rejections: bool = True
    """Whether the next prompt tells the agent which of its changes were rejected or taken back."""
    line_limit_mb: int = 64
    terminal_output_limit_kb: int = 1024
    initialize_timeout_s: float = 30
    keys: Mapping[str, str] = MappingProxyType({})
    """Key by the name of the action."""
    remember_choices: bool = True
    """Whether the last mode, model and options chosen with an agent are chosen again in its next session."""
    options: Mapping[str, Mapping[str, str | bool]] = MappingProxyType({})
    """What to choose in each new session: by the name of an agent, values by the id of an option."""
    agents: Mapping[str, KnownAgent] = MappingProxyType({})
    """The user's own agents by name."""
    mcp_servers: tuple[mcp.McpServer, ...] = ()


def _calls(value: Any, place: Place, findings: shape.Findings) -> str:
    """Read when to call the user; true and false are what this setting was once."""
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
    "stale_writes": shape.one_of(*get_args(StaleWrites)),
    "tell_rejections": shape.switch,
    "line_limit_mb": shape.whole(1, 4096),
    "terminal_output_limit_kb": shape.whole(1, 1_048_576),
    "initialize_timeout_s": shape.number(1, 3600),
    "keys": shape.text_by_name,
    "agents": shape.by_name(KNOWN_AGENT),
    "mcp_servers": mcp.servers,
    "mcpServers": mcp.servers,
}
"""What the file may hold, by name. A new setting is a field of `Settings` and a row here."""

_OTHER_NAMES: Final = {"mcpServers": "mcp_servers"}
"""Names that other programs use for one of ours."""

_TOML_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$")


def load(path: Path) -> tuple[Settings, list[Problem]]:
    """Return (the settings of a file, what is wrong with it); a missing file is all defaults."""
    try:
        text = path.read_text("utf-8-sig")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        return Settings(), []
    except tomllib.TOMLDecodeError as error:
        return Settings(), [_no_toml(path, str(error))]
    except UnicodeDecodeError:
        return Settings(), [Problem(path, None, "not text in UTF-8; all settings have their defaults")]
    except OSError as error:
        return Settings(), [Problem(path, None, f"cannot be read ({error.strerror}); defaults are used")]
    findings = shape.Findings()
    if tables.pop("rules", None) is not None:
        findings.add(("rules", 0), f"rules do not count here; move them to {path.with_name('rules.toml')}")
    values = shape.read_table(tables, _KINDS, (), findings)
    settings = Settings(**{_OTHER_NAMES.get(name, name): value for name, value in values.items()})
    return settings, [Problem(path, line_of(text, place), message) for place, message in findings.items]


def _no_toml(path: Path, error: str) -> Problem:
    found = _TOML_LINE.search(error)
    message = f"not valid TOML: {_TOML_LINE.sub('', error)}; all settings have their defaults"
    return Problem(path, int(found[1]) if found else None, message)
