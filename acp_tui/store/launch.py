"""How an agent is to be started, for whoever starts it first or again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Quirks(NamedTuple):
    """What one agent does differently from the protocol, as switches that the host and the agent obey."""

    missing_file_reads_empty: bool = False
    """Answer "" instead of an error when it reads a file that is not there: else it cannot create one."""
    title_is_command: bool = False
    """It gives calls of the kind `execute` no input: the whole command is their title."""


class Launch(NamedTuple):
    """One agent, ready to be spawned."""

    name: str
    """What the user calls it: the name in the known agents, or the program's base name."""
    title: str
    argv: tuple[str, ...]
    """Program and arguments; the program is a path that exists."""
    env: Mapping[str, str] = MappingProxyType({})
    """Variables laid over our own environment."""
    quirks: Quirks = Quirks()
    login: str = ""
    """One line about how to log in, shown when the agent asks for it; may be empty."""
