"""Completing slash commands: the agent's list, above the prompt, while a command's name is being typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.acp.commands import Command
    from acp_tui.ui.widgets.lines import Line, Lines
    from acp_tui.ui.widgets.prompt_box import PromptBox

SHOWN: Final = 8
"""Rows of completions."""


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that `text`, such as `/pl`, may become: those that begin so come first.

    Nothing while `text` is no command, or is one whose name is complete already.
    """
    if not text.startswith("/") or "\n" in text:
        return []
    typed = text[1:].lower()
    names = [(command.name.lower(), command) for command in commands]
    if any(typed.startswith(f"{name} ") for name, _ in names):
        return []
    begins = [command for name, command in names if name.startswith(typed)]
    return begins + [command for name, command in names if typed in name and not name.startswith(typed)]


class Completing:
    """Keeps the list above the prompt equal to what is typed."""

    def __init__(self, box: PromptBox, lines: Lines, commands: Callable[[], Sequence[Command]]) -> None:
        self._box = box
        self._lines = lines
        self._commands = commands
        self._found: list[Command] = []
        self._marked = 0
        self._dismissed = ""

    def typed(self) -> None:
        """The text of the prompt changed."""
        text = self._box.text
        self._found = matching(self._commands(), text) if text != self._dismissed else []
        if len(self._found) == 1 and self._found[0].name == text[1:]:
            self._found = []
        self._dismissed = ""
        self._marked = 0
        self._show()

    def move(self, step: int) -> None:
        """Mark the completion `step` further."""
        if self._found:
            self._marked = (self._marked + step) % len(self._found)
            self._show()

    def take(self) -> None:
        """Put the marked command in the prompt; one that takes an argument waits for it."""
        if self._found:
            command = self._found[self._marked]
            self._dismissed = f"/{command.name}"
            self._box.replace_all(f"/{command.name} " if command.input is not None else f"/{command.name}")

    def dismiss(self) -> bool:
        """Take the list away until something else is typed; return whether there was one."""
        had = bool(self._found)
        self._dismissed = self._box.text
        self._found = []
        self._show()
        return had

    def _show(self) -> None:
        first = max(0, min(self._marked - SHOWN + 1, len(self._found) - SHOWN))
        shown = self._found[first : first + SHOWN]
        self._box.completing = bool(shown)
        self._lines.set_lines([_line(command) for command in shown], self._marked - first if shown else None)


def _line(command: Command) -> Line:
    hint = f" <{command.input.hint}>" if command.input is not None and command.input.hint else ""
    about = command.description.split("\n")[0]
    return [("accent", f"/{command.name}"), ("muted", f"{hint}  "), ("text", about)], ()
