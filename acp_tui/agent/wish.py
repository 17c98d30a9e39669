"""What an agent would have us do: read or write a file, run a command. In the words of a tool call."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from acp_tui.session.entries import Diff, Location, ToolCall, shell_command

_HARMLESS: Final = frozenset(
    {
        *("CI", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"),
        *("LINES", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "DEBIAN_FRONTEND"),
        *("AGENT", "AI_AGENT", "CLAUDECODE", "GEMINI_CLI", "GOOSE_TERMINAL", "QWEN_CODE"),
    }
)
"""Variables that only change how a program speaks, or say who runs it."""
_HARMLESS_PAIRS: Final = frozenset({("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")})


def mattering(env: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the variables that may change what a command does."""
    pairs = ((name, value) for name, value in env if (name, value) not in _HARMLESS_PAIRS)
    return {name: value for name, value in pairs if name not in _HARMLESS}


@dataclass(frozen=True, slots=True)
class Wish:
    """A request of the protocol that touches what is the person's."""

    kind: str
    """`read`, `edit` or `execute`, as the kind of a tool call."""
    path: str = ""
    content: str | None = None
    """What is to be written."""
    command: str = ""
    args: Sequence[str] = ()
    cwd: str | None = None
    env: Sequence[tuple[str, str]] = ()
    """Variables for the command; they may change what it does, or make another one of it."""

    @property
    def line(self) -> str:
        """The command, without its variables; the text itself of what only is a text for a shell."""
        words = [self.command, *self.args] if self.args else self.command
        said = shell_command("execute", {"command": words})
        return said.text if said is not None else ""

    def as_call(self, before: str | None = None) -> ToolCall:
        """Return it as the tool call that would tell of it; `before` is what stands in the file."""
        call = ToolCall("", kind=self.kind)
        if self.path:
            call.locations = (Location(self.path),)
        if self.content is not None:
            call.content = (Diff(self.path, self.content, before),)
        if self.kind == "execute":
            call.raw_input = {"command": self._command()}
            if self.cwd:
                call.raw_input["cwd"] = self.cwd
            if self.env:
                call.raw_input["env"] = dict(self.env)
        return call

    def _command(self) -> str | list[str]:
        """Return what runs, behind the variables that matter, as one would write it."""
        setting = [f"{name}={shlex.quote(value)}" for name, value in mattering(self.env).items()]
        words = [self.command, *self.args]
        if not setting:
            return words if self.args else self.command
        if not self.args and not all(map(str.isalnum, self.command)):
            words = ["sh", "-c", self.command]
        return " ".join([*setting, shlex.join(words)])
