"""What an agent would have us do: read or write a file, run a command. In the words of a tool call."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from acp_tui.agent.verdicts import absolute, input_paths, named_paths
from acp_tui.host.scripts import script_of
from acp_tui.session.entries import ToolCall
from acp_tui.session.items import Diff, Location, Text
from acp_tui.session.session import Session

_LOOKED_AT = 200
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

    def as_call(self, before: str | None = None) -> ToolCall:
        """Return it as the tool call that would tell of it; `before` is what stands in the file."""
        call = ToolCall("", kind=self.kind)
        if self.path:
            call.locations = (Location(self.path),)
        if self.content is not None:
            call.content = (Diff(self.path, self.content, before),)
        if self.kind == "execute":
            words = [self.command, *self.args]
            call.raw_input = {"command": words if self.args else self.command}
            if self.cwd:
                call.raw_input["cwd"] = self.cwd
        return call


def behind(session: Session, wish: Wish) -> ToolCall | None:
    """Return the open tool call that a wish belongs to, as far as it names the same file or command."""
    return next((call for call in _open_calls(session) if is_about(call, wish, session.cwd)), None)


def is_about(call: ToolCall, wish: Wish, cwd: str) -> bool:
    """Return whether a tool call names the file, or the command, of a wish."""
    if wish.kind == "execute":
        return names_command(call, wish)
    named = {absolute(path, cwd) for path in named_paths(call)}
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
    runs = wish.as_call().command or ""
    words = _split(asked)
    if wish.args and words == [wish.command, *wish.args]:  # run without a shell: quotes are all that differs
        return True
    return runs.strip() in (asked.strip(), (script_of(words) or "").strip())


def _commands(call: ToolCall, wish: Wish) -> Iterator[str]:
    """Yield what a call may have asked to run; where it has no command, its words may say so."""
    if call.command is not None:
        yield call.command
        return
    command = (wish.as_call().command or "").strip()
    texts = [call.title, *(item.text for item in call.content if isinstance(item, Text))]
    for text in texts:
        if f"`{command}`" in text or text.strip() == command or text.strip().endswith(f": {command}"):
            yield command


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []
