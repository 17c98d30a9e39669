"""Line notes: notes of the user that follow their lines while a file changes, and are sent with a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, get_args

from acp_tui.formatting import inside
from acp_tui.session.entries import LINE_NOTES

Subject = Literal["file", "removed", "proposed", "plan", "answer"]
"""The kind of text: a file, lines removed from it, a proposed edit, a plan, or an answer."""

State = Literal["there", "moved", "gone"]
"""The state of the lines since the note was written."""

CONTEXT: Final = 5
"""Lines above and below that distinguish a place from others with the same lines."""
_WINDOW: Final = 8
"""Most lines by which a line of the context may have moved."""
_LEAST: Final = 2
"""Minimum agreement with the context for a place to count as the same."""
_EDGE: Final = "\0"
"""Marks the start or the end of the file in a context; no line equals it."""
_LONGEST_WORD: Final = 4
"""Minimum characters of a line that identifies a place; shorter ones are mostly brackets."""

_MOST_PLACES: Final = 1_000
"""Most places with the same lines that are compared; with more, none counts."""

_GONE: Final = "these lines are gone"
_ALIKE: Final = "these lines occur at several places"
_NO_FILE: Final = "the file is gone"


@dataclass(frozen=True)
class LineNote:
    """A note on some lines."""

    text: str
    quoted: tuple[str, ...]
    """The lines when the note was written."""
    path: str = ""
    """The absolute path of the file; "" for an answer."""
    first: int = 0
    """The number of the first line, from 1; 0 if unknown."""
    subject: Subject = "file"
    above: tuple[str, ...] = ()
    """Lines above, the nearest first."""
    below: tuple[str, ...] = ()
    """Lines below, the nearest first."""
    twins: int = 1
    """The number of places with the same lines and surroundings."""
    twin: int = 0
    """The number of this place among them, from 0."""
    rival: int = 0
    """The agreement of the most similar other place."""
    was: int = 0
    """The number of the first line when the note was written."""
    was_path: str = ""
    """The path of the file when the note was written, if it has changed."""
    state: State = "there"
    why: str = ""
    """The reason for the state `gone`."""

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.quoted) - 1

    @property
    def follows(self) -> bool:
        """True if its lines can be searched in the file."""
        return self.subject in ("file", "proposed") and bool(self.path) and bool(self.quoted)

    def remark(self, cwd: str) -> str:
        """Return the state for display; "" for lines that did not move.

        Paths are shown relative to `cwd`.
        """
        if self.state == "gone":
            return self.why
        if self.was_path:
            return f"moved from {inside(self.was_path, cwd)}:{self.was}"
        return f"moved from line {self.was}" if self.state == "moved" else ""

    def row(self) -> dict[str, object]:
        """Return the note as a JSON object."""
        return dict(self.__dict__)


def note_on(
    lines: Sequence[str],
    first: int,
    last: int,
    text: str,
    *,
    path: str = "",
    subject: Subject = "file",
    first_line: int | None = 1,
) -> LineNote:
    """Return a note on lines of a text.

    Args:
        lines: the lines of the text, without line ends.
        first: the first of the lines, from 0.
        last: the last one.
        text: the note.
        path: the absolute path of the file.
        subject: the kind of text.
        first_line: the number of the first line of the text in its file; None if unknown.
    """
    number = 0 if first_line is None else first_line + first
    lines = _bare(lines)
    note = LineNote(text, tuple(lines[first : last + 1]), path, number, subject, was=number)
    return _anchored(note, lines, first)


def followed(note: LineNote, lines: Sequence[str] | None) -> LineNote:
    """Return a note updated to the current lines of its file; None: the file is gone.

    A place counts only if its surroundings also agree, so that a note never moves to other code.
    """
    if not note.follows:
        return note
    if lines is None:
        return note if note.subject == "proposed" else replace(note, state="gone", why=_NO_FILE)
    lines = _bare(lines)
    found = _find(note, lines)
    if isinstance(found, str):
        return note if note.subject == "proposed" else replace(note, state="gone", why=found)
    first = found + 1
    was = (note.was if note.subject == "file" else 0) or first  # lines that were in no file cannot have moved
    state: State = "there" if first == was and not note.was_path else "moved"
    return _anchored(replace(note, first=first, was=was, subject="file", state=state, why=""), lines, found)


def followed_to(note: LineNote, path: str, lines: Sequence[str]) -> LineNote | None:
    """Move a note on a missing file to one that may be its new name; None without its lines there."""
    was_path = note.was_path or note.path
    moved = followed(replace(note, path=path, was_path="" if was_path == path else was_path), lines)
    return moved if moved.subject == "file" and moved.state != "gone" else None


def lines_in(text: str) -> list[str]:
    """Return the lines of a text without line ends, as line numbers count them."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _bare(lines: Sequence[str]) -> Sequence[str]:
    return [line.rstrip() for line in lines]


def _anchored(note: LineNote, lines: Sequence[str], place: int) -> LineNote:
    """Return a note with the surroundings of its place, and counts of similar places."""
    length = len(note.quoted)
    above = tuple(_line(lines, place - 1 - number) for number in range(CONTEXT))
    below = tuple(_line(lines, place + length + number) for number in range(CONTEXT))
    note = replace(note, above=above, below=below)
    agreement = _agreements(note, lines)
    own = agreement.get(place, 0)
    twins = [at for at, much in agreement.items() if much == own] if place in agreement else [place]
    rival = max((much for at, much in agreement.items() if at != place), default=0)
    return replace(note, twins=len(twins), twin=twins.index(place), rival=rival)


def _find(note: LineNote, lines: Sequence[str]) -> int | str:
    """Return the index of the first line of a note, from 0, or the reason why there is none."""
    agreement = _agreements(note, lines)
    if len(agreement) == _MOST_PLACES:
        return _ALIKE
    best = max(agreement.values(), default=0)
    found = [at for at, much in agreement.items() if much == best]
    if best < _LEAST:
        return _GONE
    if note.twins > 1:
        return found[note.twin] if len(found) == note.twins and best >= note.rival else _ALIKE
    if best <= note.rival:
        return _GONE  # the remaining place existed before and is another one
    if len(found) > 1:
        return note.first - 1 if note.first - 1 in found else _ALIKE
    return found[0]


def _agreements(note: LineNote, lines: Sequence[str]) -> dict[int, int]:
    """Return the agreement of each place that has the lines of a note."""
    return {at: _agreement(note, lines, at) for at in islice(_places(note.quoted, lines), _MOST_PLACES)}


def _places(quoted: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield the start index of every occurrence of the lines."""
    wanted, length = list(quoted), len(quoted)
    at = -1
    while length:
        try:
            at = lines.index(wanted[0], at + 1)
        except ValueError:
            return
        if list(lines[at : at + length]) == wanted:
            yield at


def _agreement(note: LineNote, lines: Sequence[str], place: int) -> int:
    """Return a score for how well the surroundings of a place agree with those of a note.

    A distinctive line counts two at the same distance, one nearby; the edge of the file counts two.
    """
    after = place + len(note.quoted)
    near_above = set(lines[max(0, place - _WINDOW) : place])
    near_below = set(lines[after : after + _WINDOW])
    return _side(note.above, [_line(lines, place - 1 - number) for number in range(CONTEXT)], near_above) + (
        _side(note.below, [_line(lines, after + number) for number in range(CONTEXT)], near_below)
    )


def _side(context: Sequence[str], there: Sequence[str], near: set[str]) -> int:
    much = 0
    for number, line in enumerate(context):
        if line == _EDGE:
            much += 2 * (there[number] == _EDGE)
            break
        if len(line.strip()) < _LONGEST_WORD:
            continue
        much += 2 if there[number] == line else int(line in near)
    return much


def _line(lines: Sequence[str], at: int) -> str:
    return lines[at] if 0 <= at < len(lines) else _EDGE


# ------------------------------------------------------------------ for the agent, and for the disk


def as_text(notes: Iterable[LineNote], cwd: str) -> str:
    """Return notes as one block of a prompt: place, quoted lines and text of each."""
    return LINE_NOTES + "".join(f"\n\n{_block_of(note, cwd)}" for note in notes) + "\n"


def _block_of(note: LineNote, cwd: str) -> str:
    quoted = "".join(f"> {line}\n" for line in note.quoted)
    return f"{place_of(note, cwd, _FOR_AGENT)}\n{quoted}{note.text}"


_FOR_USER: Final[Mapping[Subject, str]] = {
    "answer": "answer",
    "plan": "plan",
    "removed": "removed",
    "proposed": "proposed",
}
_FOR_AGENT: Final[Mapping[Subject, str]] = {
    "answer": "your answer",
    "plan": "your plan",
    "removed": "removed by your change",
    "proposed": "in the edit that you proposed",
}


def place_of(note: LineNote, cwd: str, words: Mapping[Subject, str] = _FOR_USER) -> str:
    """Return the place of a note for display, such as `a.py:3-5 (moved from line 1)`."""
    if not note.path:
        return words.get(note.subject, "")
    where = inside(note.path, cwd)
    if note.first:
        where += f":{note.first}" if len(note.quoted) < 2 else f":{note.first}-{note.last}"
    about = ", ".join(filter(None, (words.get(note.subject, ""), note.remark(cwd))))
    return f"{where} ({about})" if about else where


def note_of(row: object) -> LineNote | None:
    """Return the note of a JSON object, or None for an invalid one."""
    if not isinstance(row, Mapping):
        return None
    texts = {name: row.get(name, "") for name in ("text", "path", "why", "was_path")}
    numbers = {name: row.get(name, 0) for name in ("first", "twins", "twin", "rival", "was")}
    lines = {name: row.get(name, ()) for name in ("quoted", "above", "below")}
    valid = (
        all(isinstance(text, str) for text in texts.values())
        and all(isinstance(number, int) for number in numbers.values())
        and all(isinstance(one, list | tuple) for one in lines.values())
        and all(isinstance(line, str) for one in lines.values() for line in one)
        and row.get("subject") in get_args(Subject)
        and row.get("state") in get_args(State)
    )
    if not valid:
        return None
    quoted, above, below = (tuple(one) for one in lines.values())
    note = LineNote(texts["text"], quoted, texts["path"], above=above, below=below, why=texts["why"])
    places = {"was_path": texts["was_path"], **numbers}
    return replace(note, subject=row["subject"], state=row["state"], **places)
