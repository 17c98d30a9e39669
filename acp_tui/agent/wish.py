"""What an agent would have us do: read or write a file, run a command. In the words of a tool call."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from acp_tui.agent.verdicts import input_paths
from acp_tui.host.scripts import script_of
from acp_tui.session.entries import ToolCall
from acp_tui.session.items import Diff, Location, Text, absolute
from acp_tui.session.session import Session
from acp_tui.session.shell_command import shell_command

_HARMLESS: Final = frozenset(
    {
        *("CI", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"),
        *("LINES", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "DEBIAN_FRONTEND"),
    }
)
"""Variables that only change how a program speaks."""
_LOOKED_AT: Final = 200
"""Entries in which the tool call is looked for that a wish belongs to: the newest."""


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
        setting = [f"{name}={shlex.quote(value)}" for name, value in self.env if name not in _HARMLESS]
        words = [self.command, *self.args]
        if not setting:
            return words if self.args else self.command
        if not self.args and not all(map(str.isalnum, self.command)):
            words = ["sh", "-c", self.command]
        return " ".join([*setting, shlex.join(words)])


def behind(session: Session, wish: Wish) -> ToolCall | None:
    """Return the open tool call that a wish belongs to, as far as it names the same file or command."""
    return next((call for call in _open_calls(session) if is_about(call, wish, session.cwd)), None)


def is_about(call: ToolCall, wish: Wish, cwd: str) -> bool:
    """Return whether a tool call names the file, or the command, of a wish."""
    if wish.kind == "execute":
        return names_command(call, wish)
    named = {absolute(path, cwd) for path in call.named_paths}
    return wish.path in named or wish.path in input_paths(call, cwd)


def _open_calls(session: Session) -> Iterator[ToolCall]:
    for entry in islice(reversed(session.entries), _LOOKED_AT):
        if isinstance(entry, ToolCall) and not entry.is_final:
            yield entry


def names_command(call: ToolCall, wish: Wish) -> bool:
    """Return whether a tool call says that it runs the command of a wish."""
    return any(_is_same(asked, wish) for asked in _commands(call, wish))


def _is_same(asked: str, wish: Wish) -> bool:
    """Return whether a command that was asked for is the one that is to run."""
    runs = wish.line
    words = _split(asked)
    if wish.args and words == [wish.command, *wish.args]:  # run without a shell: quotes are all that differs
        return True
    return runs.strip() in (asked.strip(), (script_of(words) or "").strip())


def _commands(call: ToolCall, wish: Wish) -> Iterator[str]:
    """Yield what a call may have asked to run; where it has no command, its words may say so."""
    if call.command is not None:
        yield call.command
        return
    command = wish.line.strip()
    texts = [call.title, *(item.text for item in call.content if isinstance(item, Text))]
    for text in texts:
        if f"`{command}`" in text or text.strip() == command or text.strip().endswith(f": {command}"):
            yield command


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []
