"""The unsent line notes of one conversation, which go with the next prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

from acp_tui.formatting import inside
from acp_tui.protocol.schema import ContentBlock, ResourceLink, TextContent
from acp_tui.session import line_notes
from acp_tui.store.plain_files import plain_file
from acp_tui.workspace.encodings import decode

_LARGEST: Final = 8_000_000
"""Most bytes of a file that is searched for lines."""
_MOST: Final = 50
"""Most new files that are searched for the lines of a missing file."""
_NO_NAMES: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


class LineNotes:
    """The unsent notes by key, the newest last."""

    def __init__(
        self, changed: Callable[[], None], new_names: Callable[[str], Sequence[str]] = lambda path: ()
    ) -> None:
        """Begin without notes.

        Args:
            changed: called when the notes have changed.
            new_names: returns the possible new paths of a missing file.
        """
        self._changed = changed
        self._new_names = new_names
        self._keys = count(1)
        self._notes: dict[int, line_notes.LineNote] = {}
        self._taken: dict[int, line_notes.LineNote] = {}
        """The notes of the last sent prompt, until the agent has it."""

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self._notes)

    @property
    def notes(self) -> dict[int, line_notes.LineNote]:
        """The notes by their keys."""
        return dict(self._notes)

    def of(self, path: str) -> dict[int, line_notes.LineNote]:
        """Return the notes on lines of a file."""
        return {key: note for key, note in self._notes.items() if note.path == path}

    def add(self, *notes: line_notes.LineNote) -> int:
        """Add notes; return the key of the last one."""
        key = 0
        for note in notes:
            key = next(self._keys)
            self._notes[key] = note
        if notes:
            self._changed()
        return key

    def change(self, key: int, note: line_notes.LineNote) -> None:
        """Replace a note, if it still exists."""
        if key in self._notes and self._notes[key] != note:
            self._notes[key] = note
            self._changed()

    def drop(self, *keys: int) -> None:
        """Drop notes."""
        if [self._notes.pop(key) for key in keys if key in self._notes]:
            self._changed()

    # ------------------------------------------------------------------ the lines

    async def follow(self) -> None:
        """Move all notes with their lines in the files on disk, also in renamed files."""
        paths = {note.path for note in self._notes.values() if note.follows}
        if not paths:
            return
        lines = await asyncio.to_thread(_lines_of, paths)
        gone = [note for note in self._notes.values() if note.path in lines and lines[note.path] is None]
        names = {note.path: [*self._new_names(note.path)[:_MOST], note.was_path] for note in gone}
        others = {name for found in names.values() for name in found if name} - set(lines)
        if others:
            lines |= await asyncio.to_thread(_lines_of, others)
        self._follow(lines, names)

    def _follow(
        self, lines: Mapping[str, Sequence[str] | None], names: Mapping[str, Sequence[str]] = _NO_NAMES
    ) -> None:
        before = dict(self._notes)
        for key, note in before.items():
            if note.path in lines:
                there = ((name, text) for name in names.get(note.path, ()) if (text := lines.get(name)))
                renamed = (line_notes.followed_to(note, name, text) for name, text in there if note.follows)
                found = [one for one in renamed if one is not None]
                self._notes[key] = (
                    found[0] if len(found) == 1 else line_notes.followed(note, lines[note.path])
                )
        if self._notes != before:
            self._changed()

    # ------------------------------------------------------------------ the prompt

    def take(self, roots: Sequence[str]) -> list[ContentBlock]:
        """Return the notes as blocks of a prompt, with links to their files; they count as sent.

        `roots` are the folders of the session, its working directory first.
        """
        self._taken, self._notes = self._notes, {}
        if not self._taken:
            return []
        self._changed()
        notes = list(self._taken.values())
        return [TextContent(text=line_notes.as_text(notes, roots[0])), *_links(notes, roots)]

    def arrived(self) -> None:
        """Forget the sent notes: they have arrived and cannot be given back."""
        self._taken = {}

    def give_back(self) -> None:
        """Restore the sent notes: they did not reach the agent."""
        if self._taken:
            self._notes, self._taken = {**self._taken, **self._notes}, {}
            self._changed()


def _links(notes: Iterable[line_notes.LineNote], roots: Sequence[str]) -> list[ContentBlock]:
    """Return a link to each file of the session that has notes, with its lines."""
    lines: dict[str, list[str]] = {}
    for note in notes:
        if note.subject == "file" and note.state != "gone" and note.first and _is_in(note.path, roots):
            lines.setdefault(note.path, []).append(
                str(note.first) if note.first == note.last else f"{note.first}-{note.last}"
            )
    return [
        ResourceLink(
            uri=Path(path).as_uri(), name=inside(path, roots[0]), description=f"lines {', '.join(places)}"
        )
        for path, places in lines.items()
    ]


def _is_in(path: str, roots: Sequence[str]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


def _lines_of(paths: Iterable[str]) -> dict[str, list[str] | None]:
    """Return the lines of files by path: None for a missing file, unreadable files left out."""
    found: dict[str, list[str] | None] = {}
    for path in paths:
        try:
            with plain_file(Path(path)) as file:
                content = file.read(_LARGEST + 1)
        except (FileNotFoundError, NotADirectoryError):
            found[path] = None
        except (OSError, ValueError):
            continue
        else:
            if len(content) <= _LARGEST:
                found[path] = line_notes.lines_in(decode(content).text)
    return found
