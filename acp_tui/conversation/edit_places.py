"""Edit places: where edits are in their files, each found once, in a thread."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final, NamedTuple

from acp_tui.session import snippets
from acp_tui.session.entries import Diff, absolute
from acp_tui.workspace.files import FileError, Files, NotAFile, OutsideRoots

_KEPT: Final = 500
"""Number of edits whose place is kept."""
_LARGEST: Final = 8_000_000
"""Most characters of a file that is searched."""

_Key = tuple[str, str | None, str]


class _Wish(NamedTuple):
    """An edit to be placed."""

    diff: Diff
    may_be_done: bool
    then: Callable[[], object]


class EditPlaces:
    """Locates edits of one session, without blocking the event loop."""

    def __init__(self, files: Callable[[], Files | None], cwd: str) -> None:
        """Take `files`, which returns the readable files of the moment, or None."""
        self._files = files
        self._cwd = cwd
        self._known: OrderedDict[_Key, tuple[snippets.PlacedEdit, bool]] = OrderedDict()
        """Placed edits, with True if the result is final."""
        self._wanted: dict[_Key, _Wish] = {}
        self._task: asyncio.Task[None] | None = None

    def known(self, diff: Diff) -> snippets.PlacedEdit | None:
        """Return an edit if it was placed before, else None."""
        found = self._known.get(_key(diff))
        return found[0] if found is not None else None

    def look(
        self, diff: Diff, *, may_be_done: bool, then: Callable[[], object] = lambda: None
    ) -> snippets.PlacedEdit | None:
        """Return a placed edit, or what is known of it; if it must be searched, call `then` afterwards.

        For a new file only an obstacle at its path can be known.
        """
        key = _key(diff)
        edit, is_settled = self._known.get(key, (None, False))
        if not is_settled and (edit is None or may_be_done) and self._files() is not None:
            self._wanted[key] = _Wish(diff, may_be_done, then)
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._work())
        return edit if edit is None or edit.note or diff.before is not None else None

    async def find(self, diffs: Iterable[Diff], *, may_be_done: bool = False) -> None:
        """Locate edits; return when all are known. `may_be_done`: see `look`."""
        files = self._files()
        wishes = [_Wish(diff, may_be_done, _nothing) for diff in diffs if diff.before is not None]
        wishes = [wish for wish in wishes if not self._known.get(_key(wish.diff), (None, False))[1]]
        if files is not None and wishes:
            self._keep(wishes, await asyncio.to_thread(_placed, files, wishes, self._cwd))

    async def _work(self) -> None:
        while self._wanted and (files := self._files()) is not None:
            wishes = [*self._wanted.values()]
            self._wanted.clear()
            self._keep(wishes, await asyncio.to_thread(_placed, files, wishes, self._cwd))
            for wish in wishes:
                wish.then()

    def _keep(self, wishes: Iterable[_Wish], found: Iterable[snippets.PlacedEdit]) -> None:
        for wish, edit in zip(wishes, found, strict=True):
            self._known[_key(wish.diff)] = edit, edit.is_placed or wish.may_be_done
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)


def _nothing() -> None:
    pass


def _key(diff: Diff) -> _Key:
    return diff.path, diff.before, diff.new_text


def _placed(files: Files, wishes: list[_Wish], cwd: str) -> list[snippets.PlacedEdit]:
    """Locate edits; consecutive edits of a file read it once. Blocking."""
    found: list[snippets.PlacedEdit] = []
    for (path, is_new), group in groupby(wishes, key=lambda wish: (wish.diff.path, wish.diff.before is None)):
        if is_new:
            found += [_made(files, absolute(path, cwd), wish.diff.new_text) for wish in group]
            continue
        now, why_not = _text(files, absolute(path, cwd))
        for wish in group:
            old, new = wish.diff.before or "", wish.diff.new_text
            found.append(
                snippets.PlacedEdit(old, new, None, why_not)
                if now is None
                else snippets.placed(old, new, now, may_be_done=wish.may_be_done)
            )
    return found


def _made(files: Files, path: str, new: str) -> snippets.PlacedEdit:
    """Return the text of a new file, with a note if no file can be at its path."""
    try:
        files.compare(path, "")
    except NotAFile as error:
        return snippets.PlacedEdit("", new, None, str(error).removesuffix("."))
    except FileError:
        pass
    return snippets.PlacedEdit("", new, 1)


def _text(files: Files, path: str) -> tuple[str | None, str]:
    """Return (the text of a file, ""), or (None, the reason)."""
    try:
        there, _ = files.compare(path, "")
    except OutsideRoots:
        return None, ""
    except FileError as error:
        return None, str(error).removesuffix(".")
    if there.version is None:
        return None, "the file does not exist"
    if there.now is None or len(there.now) > _LARGEST:
        return None, ""
    return there.now, ""
