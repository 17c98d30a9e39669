"""File search: fuzzy search among the paths of the workspace that git does not ignore."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Final
from unicodedata import combining, normalize

import frizbee

from acp_tui.changes.file_list import files_in


def plain(text: str) -> str:
    """Return a text without accents: `é` becomes `e`; separate letters, such as `ø`, are kept."""
    if text.isascii():
        return text

    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter))


FRESH: Final = 5.0
"""Seconds for which a list is used."""

MAX_PATHS: Final = 400_000
"""Most paths that are listed: the workspace may be `/`."""

_SHORT: Final = 2
"""Longest search text, in characters, for which recent files come first."""

_POOL: Final = 100
"""Number of matches among which the best ones are chosen."""

_NAME_BONUS: Final = 16
"""The bonus of a match in the name of a file."""


class PathIndex:
    """A searchable list of paths, which can be used while it grows."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._known: set[str] = set()
        self.folders: dict[str, list[str]] = {"": []}
        """The content of each folder, by its path without the last slash."""
        self._whole = frizbee.Haystacks()
        self._names = frizbee.Haystacks()

    def add(self, paths: Iterable[str]) -> None:
        """Add paths relative to the workspace."""
        before = len(self.paths)
        for path in paths:
            if path not in self._known and path.isprintable():  # other paths can be neither typed nor drawn
                self._known.add(path)
                self._put(path, path.rpartition("/")[0])
        new = [plain(path) for path in self.paths[before:]]
        self._whole.extend(new)
        self._names.extend([path.rstrip("/").rpartition("/")[2] for path in new])

    def _put(self, path: str, folder: str) -> None:
        inside = self.folders.get(folder)
        if inside is None:
            inside = self.folders[folder] = []
            self._put(f"{folder}/", folder.rpartition("/")[0])
        self.paths.append(path)
        inside.append(path)

    def best(self, needle: str, limit: int) -> list[str]:
        """Return the paths that contain the characters of `needle` in order, the best first."""
        matcher = frizbee.Matcher(plain(needle), max_items=_POOL)
        named = matcher.match_list(self._names) if "/" not in needle else []
        scores = {match.index: match.score + _NAME_BONUS for match in named}
        if len(scores) < limit:
            for match in matcher.match_list(self._whole):
                scores[match.index] = max(scores.get(match.index, 0), match.score)
        order = sorted(scores, key=lambda index: (-scores[index], len(self.paths[index]), index))
        return [self.paths[index] for index in order[:limit]]


class WorkspaceFiles:
    """The paths of one folder, listed on demand and searched."""

    def __init__(self, folder: str, changed: Callable[[], None]) -> None:
        """Take the folder, and the function to call when more paths are found."""
        self.folder = folder
        self._changed = changed
        self._listing: PathIndex | None = None
        self._made = float("-inf")
        self._is_listing = False

    @property
    def is_stale(self) -> bool:
        """True if `refresh` is due."""
        return not self._is_listing and time.monotonic() - self._made > FRESH

    async def refresh(self) -> None:
        """List the folder: tracked files first, then others that git does not ignore; without git, all files.

        The first list is used while it grows; a later one replaces it when complete.
        """
        self._is_listing = True
        listing = PathIndex()
        try:
            if self._listing is None:
                self._listing = listing
            async with aclosing(files_in(self.folder)) as pieces:
                async for paths in pieces:
                    listing.add(paths)
                    if self._listing is listing:
                        self._changed()
                    if len(listing.paths) >= MAX_PATHS:
                        break
        finally:
            self._is_listing = False
            self._listing = listing
            self._made = time.monotonic()
        self._changed()

    def matching(self, needle: str, recent: Sequence[str] = (), limit: int = 50) -> list[str]:
        """Return matching paths relative to the folder, the best first; those of folders end with `/`.

        An empty needle, or one that ends with a slash, returns the content of that folder. Paths of `recent`
        come first while the needle is short.
        """
        listing = self._listing
        if listing is None:
            return []
        inside = listing.folders.get(needle[:-1]) if needle.endswith("/") else None
        if not needle or inside is not None:
            found = sorted(inside or listing.folders[""], key=_folders_first)
        else:
            found = listing.best(needle, limit)
        if len(needle) <= _SHORT:
            letters = plain(needle).casefold()
            first = [path for path in recent if letters in plain(path.rpartition("/")[2]).casefold()]
            found = list(dict.fromkeys([*first, *found]))
        return found[:limit]


def _folders_first(path: str) -> tuple[bool, bool, str]:
    return not path.endswith("/"), path.startswith("."), path.casefold()
