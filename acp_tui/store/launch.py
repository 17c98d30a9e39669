"""The launch of an agent: command, environment and quirks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

ProtocolChoice = Literal[1, 2, "newest"]
"""The version of the protocol to ask an agent for; `newest` is the latest that both speak."""


class Quirks(NamedTuple):
    """Known deviations of an agent from the protocol."""

    missing_file_reads_empty: bool = False
    """Read a missing file as "": an error keeps the agent from creating it."""
    title_is_command: bool = False
    """Take the title of an `execute` call as its command: the agent sends no input."""
    unsaid: tuple[str, ...] = ()
    """Texts that the agent sends as messages and that nobody said; `*` stands for the rest of a line."""


class Launch(NamedTuple):
    """An agent ready to be spawned."""

    name: str
    """Name of the known agent, or base name of the program."""
    title: str
    argv: tuple[str, ...]
    """Program, as an existing path, and arguments."""
    env: Mapping[str, str] = MappingProxyType({})
    """Variables added to our own environment."""
    quirks: Quirks = Quirks()
    login: str = ""
    """One line about logging in, or ""."""
    system_prompt: str = ""
    """Text that the user adds to the agent's system prompt."""
    protocol: ProtocolChoice = 1
