"""Running commands for the agent. Source: ACP, page "terminals"."""

from __future__ import annotations

from typing import ClassVar

from acp_tui.acp.word import Word


class EnvVariable(Word):
    """One variable of a command's environment."""

    name: str
    value: str


class CreateTerminalRequest(Word):
    """Run a command; `output_byte_limit` bounds what is kept, in bytes of UTF-8."""

    whole: ClassVar[frozenset[str]] = frozenset({"args", "env", "cwd"})
    """The schema would leave out what is malformed: another command than the one that was asked for."""

    session_id: str
    command: str
    args: list[str] = []
    env: list[EnvVariable] = []
    cwd: str | None = None
    output_byte_limit: int | None = None


class TerminalRequest(Word):
    """Anything else about a terminal: its output, its end, kill, release."""

    session_id: str
    terminal_id: str
