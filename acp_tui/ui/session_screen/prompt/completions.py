"""Completions above the prompt: slash commands, and files of the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.cells import cell_len

from acp_tui.conversation import typed_paths
from acp_tui.conversation.file_search import WorkspaceFiles
from acp_tui.conversation.mentions import mention_of, typed_mention
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.text import exact_line

LEAST: Final = 6
"""Rows of completions on the smallest screen; on larger ones they take up to half of it."""
_NAME: Final = 30
"""Most cells of the column of names."""


class SlashCommand(NamedTuple):
    """A command after `/`, of acp-tui or of the agent."""

    name: str
    description: str = ""
    hint: str = ""
    """The placeholder of its argument."""
    has_argument: bool = False
    aliases: tuple[str, ...] = ()
    """Other names."""


@dataclass(frozen=True)
class Completion:
    """A completion."""

    text: str
    """Text that replaces the typed text."""
    length: int
    """Characters before the cursor that it replaces."""
    line: StatusRow
    """Its row in the list."""
    goes_on: bool = False
    """True for a folder, whose files can be completed next."""


def matching(commands: Sequence[SlashCommand], text: str) -> list[SlashCommand]:
    """Return the commands that contain `text`, such as `/pl`; those that start with it come first.

    A command that is found by an alias is listed under it. There are none if `text` is no
    command, or already has a whole name before a space.
    """
    if not text.startswith("/") or "\n" in text:
        return []
    typed = text[1:].lower()
    if any(typed.startswith(f"{name.lower()} ") for one in commands for name in (one.name, *one.aliases)):
        return []
    if not typed:
        return list(commands)
    found = [(rank, command) for one in commands for rank, command in _found(one, typed)]
    return [command for _, command in sorted(found, key=lambda pair: (pair[0], len(pair[1].name)))]


def _found(command: SlashCommand, typed: str) -> Iterator[tuple[int, SlashCommand]]:
    """Yield (rank, command) by its first name that matches; 0 is the best rank."""
    for rank, name in enumerate((command.name, *command.aliases)):
        if name.lower().startswith(typed):
            yield min(rank, 1), command._replace(name=name)
            return
    has = next((name for name in (command.name, *command.aliases) if typed in name.lower()), None)
    if has is not None:
        yield 2, command._replace(name=has)


class Completions:
    """The list of completions for the text in the prompt."""

    def __init__(
        self,
        box: PromptBox,
        lines: StatusRows,
        commands: Callable[[], Sequence[SlashCommand]],
        files: Callable[[], WorkspaceFiles],
        recent: Callable[[], Sequence[str]],
        refresh: Callable[[], object],
    ) -> None:
        """Complete in a prompt.

        Args:
            box: the prompt.
            lines: shows the list.
            commands: returns the current slash commands.
            files: returns the current files of the workspace.
            recent: returns paths that come first while little is typed.
            refresh: starts listing the files again; call `refreshed` when there are more.
        """
        self._box = box
        self._lines = lines
        self._commands = commands
        self._files = files
        self._recent = recent
        self._refresh = refresh
        self._found: list[Completion] = []
        self._marked = 0
        self._dismissed = ""
        self._spaced = ""
        """Text before the cursor with a space that was added after a file; "" if the space is kept."""
        self._before = ""
        """Text before the cursor for the current list."""

    def typed(self) -> None:
        """Update the list for a changed prompt."""
        self._take_space_back()
        text = self._box.text
        self._found = self._completions() if text != self._dismissed else []
        self._dismissed = ""
        self._marked = 0
        self._show()

    def show_again(self) -> bool:
        """Show the list for the current text, even after it was hidden; return False if there is none."""
        self._dismissed = ""
        self.typed()
        return bool(self._found)

    def complete_path(self, typed: typed_paths.TypedPath, paths: list[str]) -> None:
        """Complete a path to the common prefix of `paths`; if that adds nothing, list them."""
        start = typed.written(typed_paths.common_start(paths))
        if len(start) > typed.length or len(paths) == 1:
            self._box.complete(typed.length, start)
            return
        self._found = [_path(path, typed.written(path), typed.length) for path in paths]
        self._marked, self._before = 0, self._box.before
        self._show()

    def refreshed(self) -> None:
        """Update the list for more files; keep the marked completion."""
        if not self._box.text or self._box.text == self._dismissed:
            return
        marked = self._found[self._marked].text if self._found and self._marked else None
        self._found = self._completions()
        texts = [completion.text for completion in self._found]
        self._marked = texts.index(marked) if marked in texts else 0
        self._show()

    def move(self, step: int) -> None:
        """Mark the completion `step` further."""
        if self._found:
            self._marked = (self._marked + step) % len(self._found)
            self._show()

    def take(self) -> bool:
        """Insert the marked completion; return whether that changed the text."""
        if self._box.before != self._before:
            self.typed()  # the text or the cursor has changed since the list was made
        if not self._found:
            return False
        taken = self._found[self._marked]
        typed = taken.text.rstrip()  # a fully typed command needs no extra Enter for its argument
        if taken.length == len(typed) and self._box.before.endswith(typed):
            self.dismiss()
            return False
        is_file = taken.text.startswith("@") and not taken.goes_on
        space = " " if is_file and not self._box.after.startswith(" ") else ""
        self._box.complete(taken.length, taken.text + space)
        self._spaced = self._box.before if space else ""
        self._dismissed = "" if taken.goes_on else self._box.text
        return True

    def _take_space_back(self) -> None:
        """Remove the added space before a colon, which starts line numbers."""
        spaced, before = self._spaced, self._box.before
        if spaced and before != spaced:
            self._spaced = ""
            lines = before.removeprefix(spaced)  # several keys may come at once
            if before.startswith(f"{spaced}:"):
                self._box.complete(len(lines) + 1, lines)

    def dismiss(self) -> bool:
        """Hide the list until the text changes; return whether there was one."""
        had = bool(self._found)
        self._dismissed = self._box.text
        self._found = []
        self._show()
        return had

    def _completions(self) -> list[Completion]:
        text = self._box.text
        self._before = before = self._box.before
        mention = typed_mention(before)
        if mention is not None:
            return self._mentions(mention.needle, len(before) - mention.start)
        if not text.startswith("/"):
            return []  # do not search the commands, which takes longer than everything else that a key does
        commands = matching(self._commands(), text)
        if before != text or (len(commands) == 1 and commands[0].name == text[1:]):
            return []
        width = min(_NAME, max((cell_len(_name(command)) for command in commands), default=0))
        return [_command(command, len(text), width) for command in commands]

    def _mentions(self, needle: str, length: int) -> list[Completion]:
        files = self._files()
        if files.is_stale:
            self._refresh()
        found = files.matching(needle, self._recent())
        return [_file(path, length) for path in found if path != needle]

    def _show(self) -> None:
        rows = max(LEAST, self._box.screen.size.height // 2 - 2)
        first = max(0, min(self._marked - rows + 1, len(self._found) - rows))
        shown = self._found[first : first + rows]
        self._box.completing = bool(shown)
        lines = [completion.line for completion in shown] or self._arguments()
        self._lines.set_rows(lines, self._marked - first if shown else None)

    def _arguments(self) -> list[StatusRow]:
        """Return the hint of the command whose arguments are being typed."""
        name, space, _ = self._box.text.partition(" ")
        if not space or not name.startswith("/") or "\n" in self._box.text:
            return []
        command = next((one for one in self._commands() if one.name == name[1:] and _hint(one)), None)
        return [_command(command, 0, 0).line] if command is not None else []


def _hint(command: SlashCommand) -> str:
    """Return the placeholder for the arguments of a command."""
    hint = command.hint
    return hint if not hint or hint[0] in "<[(" else f"<{hint}>"


def _name(command: SlashCommand) -> str:
    return f"/{command.name} {_hint(command)}".rstrip()


def _command(command: SlashCommand, length: int, width: int) -> Completion:
    """Return a command as a completion, with a space after it if it takes arguments."""
    hint = f" {_hint(command)}".rstrip()
    gap = " " * (max(0, width - cell_len(_name(command))) + 2)
    about = command.description.partition("\n")[0]
    line: StatusRow = ([("accent", f"/{command.name}"), ("muted", f"{hint}{gap}"), ("text", about)], ())
    return Completion(f"/{command.name} " if command.has_argument else f"/{command.name}", length, line)


def _file(path: str, length: int) -> Completion:
    return _path(path, mention_of(path), length)


def _path(path: str, text: str, length: int) -> Completion:
    is_folder = path.endswith("/")
    folder, slash, name = exact_line(path).rstrip("/").rpartition("/")
    line: StatusRow = ([("muted", f"{folder}{slash}"), ("text", f"{name}{'/' if is_folder else ''}")], ())
    return Completion(text, length, line, goes_on=is_folder)
