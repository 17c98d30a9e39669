"""The user's settings, read from `settings.toml` and never written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from acp_tui.lazy_regex import regex
from acp_tui.store import mcp, toml_check
from acp_tui.store.agents import KNOWN_AGENT, KnownAgent, SandboxNetwork
from acp_tui.store.plain_files import plain_text
from acp_tui.store.toml_check import Place, Problem, line_of

PANES: Final = ("plan", "tool-calls", "changes")
"""Panes available beside the chat."""
Policy = Literal["ask", "ask-edits-and-commands", "allow-edits", "allow-everything", "read-only"]
StaleWriteSetting = Literal["ask", "write", "keep"]
BusyEnter = Literal["queue", "steer"]
Thoughts = Literal["auto", "always", "never"]
Calls = Literal["auto", "always", "never"]
SandboxUse = Literal["off", "on", "strict"]


class JournalBudget(NamedTuple):
    """The disk space of recorded sessions; beyond it the oldest are deleted."""

    max_size: int = 2 << 30
    """Total bytes, or 0 for no limit; sessions used within 30 days are exempt."""
    max_age: float = 0.0
    """Days since the last use, or 0 for no limit."""


class SandboxSettings(NamedTuple):
    """The sandbox around an agent and its commands."""

    use: SandboxUse = "off"
    """`strict`: hide the home except the workspace, the agent's own files, programs, and `read`."""
    partial: bool = False
    """Accept a partial sandbox, which leaves sockets open, if there is no better one."""
    network: SandboxNetwork = "on"
    """The network inside: `on`, `off`, or `commands-off` for commands that acp-tui runs."""
    write: tuple[str, ...] = ()
    """Additional writable places."""
    read: tuple[str, ...] = ()
    """Places that would be hidden otherwise, to be read-only."""
    hide: tuple[str, ...] = ()
    """Additional hidden places."""
    sockets: tuple[str, ...] = ()
    """Sockets of programs outside that may be used inside: `ssh-agent`, `docker` or paths."""
    protect: tuple[str, ...] = ()
    """Additional names below a workspace that stay read-only."""


class Settings(NamedTuple):
    """All settings with their defaults."""

    theme: str = "acp-dark"
    layout: tuple[str, ...] = PANES
    """Panes shown beside the chat."""
    thoughts: Thoughts = "auto"
    """`auto`: a line with the newest words while they stream; `always`: unfolded; `never`: without words."""
    fold_turns: bool = False
    """Fold all turns but the last to one line."""
    enter_sends: bool = True
    """Enter sends; otherwise it starts a new line, and Ctrl+J or Alt+Enter sends."""
    busy_enter: BusyEnter = "queue"
    """While a turn runs, Enter queues, or steers the agents that can be."""
    copy_on_select: bool = False
    """Copy text as soon as it is selected with the mouse."""
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


def _calls(value: Any, place: Place, findings: toml_check.Findings) -> str:
    """Read the notifications setting, formerly a boolean."""
    if isinstance(value, bool):
        return "auto" if value else "never"
    words: str = toml_check.one_of(*get_args(Calls))(value, place, findings)
    return words


_PATHS: Final = "a list of paths"

Applies = Literal["now", "next agent", "next start"]
"""When a saved setting applies: at once, to agents started later, or to later runs of acp-tui."""


class Part(NamedTuple):
    """The texts of an entry of a table."""

    values: str
    about: str


class Setting(NamedTuple):
    """A setting: the kind that reads it, and its texts for the user."""

    kind: toml_check.Kind
    values: str
    """Its possible values in TOML, or an example."""
    about: str
    """Its meaning, in one sentence without a full stop."""
    applies: Applies = "now"
    parts: Mapping[str, Part] = MappingProxyType({})
    """The entries of a table with fixed names."""


SETTINGS: Final[Mapping[str, Setting]] = {
    "theme": Setting(
        toml_check.text, '"NAME"', "Theme: a bundled one, or one of your own from themes/NAME.toml"
    ),
    "layout": Setting(
        toml_check.some_of(*PANES),
        'a list of "plan", "tool-calls", "changes"',
        "Panes beside the chat, from the top",
    ),
    "thoughts": Setting(
        toml_check.one_of(*get_args(Thoughts)),
        '"auto", "always" or "never"',
        "Thoughts: auto shows the newest words while they stream, always all of them, never none",
    ),
    "fold_turns": Setting(toml_check.switch, "true or false", "Fold all turns but the last to one line"),
    "enter_sends": Setting(
        toml_check.switch,
        "true or false",
        "Enter sends the prompt; if false, it inserts a newline and Ctrl+J sends",
    ),
    "copy_on_select": Setting(
        toml_check.switch, "true or false", "Copy text as soon as it is selected with the mouse"
    ),
    "busy_enter": Setting(
        toml_check.one_of(*get_args(BusyEnter)),
        '"queue" or "steer"',
        "Enter while a turn runs: queue the prompt, or send it into the turn if the agent can be steered",
    ),
    "ascii": Setting(
        toml_check.switch,
        "true or false",
        "Draw ASCII symbols only; by default where the locale is not UTF-8",
        "next start",
    ),
    "reduced_motion": Setting(toml_check.switch, "true or false", "No animation and no blinking"),
    "notifications": Setting(
        _calls,
        '"auto", "always" or "never"',
        "Desktop notifications and bell: auto notifies while the terminal is not focused",
    ),
    "policy": Setting(
        toml_check.one_of(*get_args(Policy)),
        '"ask", "ask-edits-and-commands", "allow-edits", "allow-everything" or "read-only"',
        "Permission policy of new sessions, for requests that no rule matches",
        "next agent",
    ),
    "stale_writes": Setting(
        toml_check.one_of(*get_args(StaleWriteSetting)),
        '"ask", "write" or "keep"',
        "Writes of the agent over newer changes: ask, write over them, or keep the file",
        "next agent",
    ),
    "tell_rejections": Setting(
        toml_check.switch,
        "true or false",
        "Report rejected changes to the agent with the next prompt",
        "next agent",
    ),
    "snapshots": Setting(
        toml_check.switch,
        "true or false",
        "Track all changes in the workspace, so that they can be undone",
        "next agent",
    ),
    "decisions": Setting(
        toml_check.switch, "true or false", "Record permission requests and their answers", "next agent"
    ),
    "journal": Setting(
        toml_check.switch, "true or false", "Record sessions, prompts and drafts", "next start"
    ),
    "journals": Setting(
        toml_check.record(JournalBudget, {"max_size": toml_check.byte_count, "max_age": toml_check.days}),
        '{ max_size = "2 GB", max_age = "365d" }',
        "Limits of recorded sessions: the oldest are deleted; 0 for no limit",
        "next start",
        {
            "max_size": Part(
                'such as "2 GB"; 0 for no limit', "Total size of recorded sessions; the oldest are deleted"
            ),
            "max_age": Part('such as "365d"; 0 for no limit', "Age at which recorded sessions are deleted"),
        },
    ),
    "remember_choices": Setting(
        toml_check.switch,
        "true or false",
        "Restore the last mode, model and options of an agent in new sessions",
    ),
    "options": Setting(
        toml_check.by_name(toml_check.choice_by_name),
        "[options.AGENT] with ID = VALUE",
        "Mode, model and options to select in new sessions of an agent, by id",
        "next agent",
    ),
    "keys": Setting(
        toml_check.text_by_name, '[keys] with "ACTION" = "KEY"', "Keys of actions, by the names that F1 lists"
    ),
    "agents": Setting(
        toml_check.by_name(KNOWN_AGENT),
        '[agents.NAME] with command = ["PROGRAM", …]',
        "Your own agents for --agent NAME, or changes to known ones",
    ),
    "sandbox": Setting(
        toml_check.record(
            SandboxSettings,
            {
                "use": toml_check.one_of(*get_args(SandboxUse)),
                "partial": toml_check.switch,
                "network": toml_check.one_of(*get_args(SandboxNetwork)),
                **dict.fromkeys(("write", "read", "hide", "sockets", "protect"), toml_check.texts),
            },
        ),
        '[sandbox] with use = "on", network = "off", …',
        "Sandbox of the operating system around agents and their commands",
        "next agent",
        {
            "use": Part(
                '"off", "on" or "strict"',
                "Start agents in a sandbox of the operating system; strict hides most of the home, too",
            ),
            "partial": Part(
                "true or false",
                "Accept a partial sandbox, which leaves sockets open, if there is no better one",
            ),
            "network": Part(
                '"on", "off" or "commands-off"',
                "The network in the sandbox; commands-off: none for commands that acp-tui runs",
            ),
            "write": Part(_PATHS, "Additional places that the sandbox may change"),
            "read": Part(_PATHS, "Places that would be hidden otherwise, to be read-only"),
            "hide": Part(_PATHS, "Additional places that are hidden"),
            "sockets": Part(
                'a list of "ssh-agent", "docker" or paths',
                "Sockets of programs outside that may be used in the sandbox",
            ),
            "protect": Part("a list of names", "Additional names in the workspace that stay read-only"),
        },
    ),
    "mcp_servers": Setting(
        mcp.servers,
        "[mcp_servers.NAME] with command or url",
        "MCP servers passed to every agent; mcpServers tables of other programs work, too",
        "next start",
    ),
    "line_limit_mb": Setting(
        toml_check.whole(1, 4096), "1 to 4096", "Largest message of an agent, in megabytes", "next agent"
    ),
    "terminal_output_limit_kb": Setting(
        toml_check.whole(1, 1_048_576),
        "1 to 1048576",
        "Output kept of each terminal, in kilobytes",
        "next agent",
    ),
    "initialize_timeout_s": Setting(
        toml_check.number(1, 3600), "1 to 3600", "Seconds without a reply before a starting agent is reported"
    ),
}
"""All settings, as the settings screen and docs/settings.md list them.

A new setting needs a field of `Settings` and a row here.
"""

_OTHER_NAMES: Final = {"mcpServers": "mcp_servers"}
"""Names of settings in other programs."""
_KINDS: Final[Mapping[str, toml_check.Kind]] = {
    **{name: setting.kind for name, setting in SETTINGS.items()},
    **{other: SETTINGS[name].kind for other, name in _OTHER_NAMES.items()},
}

_TOML_LINE: Final = regex(r" \(at line (\d+), column \d+\)$")


def load(path: Path, before: Settings | None = None) -> tuple[Settings, list[Problem]]:
    """Return (settings, problems) of a file; a missing file means the defaults.

    Args:
        path: the file.
        before: the settings in force, which are kept if there is a mistake.
    """
    last = before if before is not None else Settings()
    stays = "the settings are unchanged" if before is not None else "the defaults apply"
    try:
        text = plain_text(path, "utf-8-sig")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        return Settings(), []
    except UnicodeDecodeError:
        return last, [Problem(path, None, f"not text in UTF-8; {stays}")]
    except (ValueError, RecursionError) as error:  # tomllib has no error of its own for endless numbers
        return last, [_no_toml(path, str(error), stays)]
    except OSError as error:
        return last, [Problem(path, None, f"cannot be read ({error.strerror}); {stays}")]
    findings = toml_check.Findings()
    if tables.pop("rules", None) is not None:
        findings.add(("rules", 0), f"rules have no effect here; move them to {path.with_name('rules.toml')}")
    values = toml_check.read_table(tables, _KINDS, (), findings)
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
