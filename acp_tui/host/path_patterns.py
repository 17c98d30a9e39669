"""The globs of rules by path, and the files that they mean, whichever way a path is written."""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

_PLACE: Final = re.compile(r"(?::\d+(?:[:,-]\d+)*|#L?\d+(?:[-C:L\d]*)?|\?.*|#.*)$")
"""What names a line behind a path."""
_OWN_VIEW: Final = re.compile(r"^/proc/(?:self|thread-self|\d+)/(?:task/\d+/)?(root|cwd)(?=/|$)")
_MOST_ENTRIES: Final = 2_000
_ANY_CASE: Final = sys.platform in ("darwin", "win32")
_SOME_NAME: Final = "\N{REPLACEMENT CHARACTER}"


@lru_cache(maxsize=512)
def compiled(pattern: str, *, any_case: bool = False) -> re.Pattern[str]:
    """Compile a glob over whole paths."""
    if not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    flags = re.DOTALL | (re.IGNORECASE if any_case else re.NOFLAG)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts), flags)


class Meant:
    """What a glob of a rule that denies or asks means: as it is written, and where its folder leads."""

    def __init__(self, pattern: str) -> None:
        self.folder = _plain_start(pattern)
        """The folder of an absolute glob, as far as it is plain; empty for one that fits below any."""
        self._patterns = [compiled(pattern, any_case=_ANY_CASE)]
        self.sample = re.sub(r"\*+", "", pattern.rpartition("/")[2])
        if self.folder:
            real = _real(self.folder)
            if real != self.folder:
                self._patterns.append(compiled(real + pattern[len(self.folder) :], any_case=_ANY_CASE))

    def has(self, path: str) -> bool:
        """Return whether a path is meant."""
        return any(pattern.fullmatch(path) for pattern in self._patterns)

    def has_any(self, paths: Iterable[str], folder: str) -> bool:
        """Return whether one of some paths is meant, in any of the ways to write it."""
        return any(self.has(spelling) for path in paths for spelling in spellings(path, folder))

    def is_below(self, path: str) -> bool:
        """Return whether all that lies in a folder is meant."""
        return self.has(f"{path.rstrip('/')}/{_SOME_NAME}")

    def may_be_below(self, path: str) -> bool:
        """Return whether a folder holds something that is meant, or too much to know."""
        top = _real(path).rstrip("/")
        if self.folder:
            if f"{_real(self.folder)}/".startswith(f"{top}/"):
                return True
            if not f"{top}/".startswith(f"{_real(self.folder)}/"):
                return False
        return self._found(top, None) is not False

    def is_linked(self, path: str, folder: str) -> bool | None:
        """Return whether a file is a meant one by another name; None: there is too much to look at."""
        try:
            state = os.stat(path)  # noqa: PTH116 - text, not yet a path
        except (OSError, ValueError):
            return False
        if state.st_nlink < 2 or os.path.isdir(path):  # noqa: PTH112
            return False
        key = (state.st_dev, state.st_ino)
        places = [folder] if not self.folder else [self.folder]
        found = [self._found(place, key) for place in (*places, posixpath.dirname(path))]
        return True if True in found else None if None in found else False

    def _found(self, top: str, key: tuple[int, int] | None) -> bool | None:
        """Return whether a meant file (of an inode) is in a folder; None if there is too much to look at."""
        waiting, left = [top], _MOST_ENTRIES
        if self.has(top) and key is not None and _key(top) == key:
            return True
        while waiting:
            try:
                with os.scandir(waiting.pop()) as entries:
                    for entry in entries:
                        left -= 1
                        if self.has(entry.path) and key in (None, _key(entry.path)):
                            return True
                        if left < 0:
                            return None
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        elif key is None and entry.is_symlink() and self.has(_real(entry.path)):
                            return True
            except (OSError, ValueError):
                continue
        return False

    def may_match(self, glob: str) -> bool:
        """Return whether a glob of a tool, by its last part, may find what is meant."""
        return fnmatchcase(self.sample, glob.rpartition("/")[2] or "*")


def spellings(path: str, folder: str) -> Iterator[str]:
    """Yield a path in all the ways in which a rule may mean it: plain, links followed, without a line number.

    Args:
        path: absolute, or below the folder.
        folder: where a program that is given it runs.
    """
    for text in dict.fromkeys(_texts(path, folder)):
        yield text
        if "\0" in text:
            continue
        if "/." in text or "//" in text:
            yield _single(posixpath.normpath(text))
        real = _real(text)
        yield real
        yield below_alias(real, folder)
        if real.startswith("/private/"):
            yield real.removeprefix("/private")


def below_alias(real: str, folder: str) -> str:
    """Return a real path below a folder as that folder is written."""
    real_folder = _real(folder).rstrip("/")
    return folder.rstrip("/") + real[len(real_folder) :] if f"{real}/".startswith(f"{real_folder}/") else real


def _texts(path: str, folder: str) -> Iterator[str]:
    for text in (path, path.strip(), _PLACE.sub("", path)):
        for one in (text, unquote(text)) if "%" in text else (text,):
            name = one.rpartition("file://")[2] if "file:/" in one else one
            yield _own_view(_absolute(name, folder), folder)
            if name.rpartition("/")[2].startswith("@"):
                yield _absolute(f"{name.rpartition('/')[0]}/{name.rpartition('/')[2][1:]}", folder)


def _absolute(path: str, folder: str) -> str:
    if path.startswith("file:"):
        path = path.removeprefix("file:")
    elif path.startswith("localhost/"):
        path = path.removeprefix("localhost")
    if path.startswith("~"):
        path = os.path.expanduser(path)  # noqa: PTH111
    return _single(posixpath.join(folder, path))


def _own_view(path: str, folder: str) -> str:
    """Return a path through `/proc` as the program sees it that runs in a folder."""
    found = _OWN_VIEW.match(path)
    if found is None:
        return path
    rest = path[found.end() :]
    return (rest or "/") if found[1] == "root" else folder + rest


def _single(path: str) -> str:
    return re.sub(r"^/{2,}", "/", path)


def _plain_start(pattern: str) -> str:
    if not pattern.startswith("/"):
        return ""
    plain = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return plain.rpartition("/")[0] or "/" if plain != pattern else posixpath.dirname(pattern)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:
        return posixpath.normpath(path)


def _key(path: str) -> tuple[int, int] | None:
    try:
        state = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino
