"""The list of all settings, with the value and the source of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.store.mcp import McpServer
from acp_tui.store.plain_files import plain_text
from acp_tui.store.settings import SETTINGS, JournalBudget, Settings, load
from acp_tui.store.toml_check import Problem, line_of

DEFAULT: Final = "default"
"""Source of a setting that is not set anywhere."""


class ListedSetting(NamedTuple):
    """A setting, or an entry of one that is a table."""

    name: str
    """Its path in TOML, such as `theme` or `options.claude.mode`."""
    value: str
    source: str
    """File and line, an option of the command line, or another place where it was chosen."""
    line: int | None
    """Its line in the file; None if it is not in it."""
    about: str
    values: str
    is_pending: bool = False
    """True if the saved value does not apply before the next start."""


class Override(NamedTuple):
    """A value that overrides the file's."""

    value: str
    source: str


def listed(
    file: Path | None, current: Settings, overrides: Mapping[str, Override]
) -> tuple[list[ListedSetting], list[Problem]]:
    """Return (all settings as saved, the problems of the file).

    Args:
        file: settings.toml, which need not exist.
        current: the settings in force.
        overrides: by name of the setting.
    """
    if file is None:
        return list(_listed("", "", current, current, overrides)), []
    saved, problems = load(file, current)
    try:
        text = plain_text(file, "utf-8-sig")
    except (OSError, UnicodeDecodeError):  # its problem is among the others
        text = ""
    return list(_listed(text, file.name, saved, current, overrides)), problems


def _listed(
    text: str, file: str, saved: Settings, current: Settings, overrides: Mapping[str, Override]
) -> Iterator[ListedSetting]:
    for name, setting in SETTINGS.items():
        value = getattr(saved, name)
        waits = setting.applies == "next start" and value != getattr(current, name)
        entries = list(_entries(name, value)) or [((name,), shown(value))]
        for place, said in entries:
            line = _line(text, place)
            source = f"{file}:{line}" if line is not None else DEFAULT
            override = overrides.get(name) if len(place) == 1 else None
            if override is not None:
                said, source = override
            texts = setting.parts.get(place[-1], setting)
            yield ListedSetting(_path(place), said, source, line, texts.about, texts.values, waits)


def _line(text: str, place: tuple[str, ...]) -> int | None:
    """Return the line of a setting, or of the table around it; another program's name for it counts."""
    if place[0] != "mcp_servers":
        return line_of(text, place)
    return line_of(text, place) or line_of(text, ("mcpServers", *place[1:]))


def _entries(name: str, value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield (path, value) of each entry of a setting that is a table, without environments."""
    match name:
        case "journals":
            assert isinstance(value, JournalBudget)
            yield (name, "max_size"), _bytes(value.max_size) if value.max_size else "no limit"
            yield (name, "max_age"), f'"{value.max_age:g}d"' if value.max_age else "no limit"
        case "sandbox":
            yield from (((name, field), shown(one)) for field, one in value._asdict().items())
        case "keys":
            yield from (((name, action), shown(key)) for action, key in value.items())
        case "options":
            for agent, chosen in value.items():
                yield from (((name, agent, option), shown(one)) for option, one in chosen.items())
        case "agents":
            yield from (((name, agent), shown(known.command)) for agent, known in value.items())
        case "mcp_servers":
            yield from (((name, server.name), transport_of(server)) for server in value)


def transport_of(server: McpServer) -> str:
    """Return the transport of a server, with its program but without its URL, which may hold secrets."""
    return f"stdio, {server.command}" if server.transport == "stdio" else server.transport


def shown(value: Any) -> str:
    """Return a value as in TOML; "none" for an empty table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, Mapping) or value is None:
        return "none"
    return f"[{', '.join(shown(one) for one in value)}]" if value else "none"


def _bytes(count: int) -> str:
    """Return a size as in TOML, in the largest unit that keeps it exact."""
    unit = next((unit for unit in (40, 30, 20, 10) if count % (1 << unit) == 0), 0)
    return f'"{count >> unit} {_UNITS[unit]}"'


_UNITS: Final = {40: "TB", 30: "GB", 20: "MB", 10: "KB", 0: "B"}


def _path(place: tuple[str, ...]) -> str:
    """Return a path in TOML, with quotes around names that need them."""
    return ".".join(
        part if part.replace("-", "").replace("_", "").isalnum() else f'"{part}"' for part in place
    )
