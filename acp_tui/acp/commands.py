"""Slash commands. Source: ACP, page "slash commands"."""

from __future__ import annotations

from acp_tui.acp.word import Word


class CommandInput(Word):
    """What may follow a command's name."""

    hint: str = ""


class Command(Word):
    """A command of the agent, without its slash."""

    name: str
    description: str = ""
    input: CommandInput | None = None
