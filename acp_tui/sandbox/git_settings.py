"""Settings of git, read as text: the folders and files that they lead git to.

Git itself is not asked: that would take longer than all the rest of a fence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.lazy_regex import regex
from acp_tui.store.plain_files import plain_bytes

_ROW: Final = regex(
    r'^[ \t]*+(?:\[(?:"(?:\\.|[^"\\])*+"|[^]"\n])*+\][ \t]*+)?([a-z][a-z0-9-]*+)[ \t]*+='
    r'[ \t]*+((?:"(?:\\.|[^"\\])*+"|\\.|[^"\\#;\n])*+)',
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""A setting with its value: in quotes, continued after a backslash, or followed by a comment."""
_QUOTING: Final = regex(r'\\(.)|"', re.DOTALL)
_UNQUOTED: Final = {None: "", "\n": "", "n": "\n", "t": "\t", "b": "\b"}
_MOST_FILES: Final = 20


class GitSettings(NamedTuple):
    """The folders and files that settings of git name."""

    hooks: tuple[str, ...] = ()
    """Folders of hooks: absolute, or relative to the top of a repository."""
    files: tuple[str, ...] = ()
    """Further files with settings, absolute."""
    is_per_worktree: bool = False
    """True if each worktree has a file of its own."""


def settings_in(files: Iterable[str], home: str) -> GitSettings:
    """Return the settings in some files, and in those that they include."""
    waiting, hooks, included, is_per_worktree = [*files], [], dict[str, None](), False
    for _ in range(_MOST_FILES):
        if not waiting:
            break
        file = waiting.pop()
        for name, value in _rows(file):
            if name == "worktreeconfig":
                is_per_worktree = True
            elif name == "hookspath" and value:
                hooks.append(_expanded(value, home))
            elif name == "path" and value:  # also that of a tool, which does no harm here
                path = os.path.join(os.path.dirname(file), _expanded(value, home))  # noqa: PTH118, PTH120
                if path not in included:
                    included[path] = None
                    waiting.append(path)
    return GitSettings(tuple(hooks), tuple(included), is_per_worktree)


def files_of_user(home: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the files with settings of git for all repositories."""
    yield environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    if environment.get("GIT_CONFIG_GLOBAL"):
        yield environment["GIT_CONFIG_GLOBAL"]
        return
    yield f"{environment.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/config"
    yield f"{home}/.gitconfig"


def _rows(file: str) -> Iterator[tuple[str, str]]:
    """Yield the names, in lower case, and the values in a file, which is untrusted and may be a pipe."""
    try:
        text = os.fsdecode(plain_bytes(Path(file)))
    except (OSError, ValueError):
        return
    for found in _ROW.finditer(text.replace("\0", "")):
        value = _QUOTING.sub(lambda quoting: _UNQUOTED.get(quoting[1], quoting[1] or ""), found[2])
        yield found[1].lower(), value.strip()


def _expanded(path: str, home: str) -> str:
    """Return a path with `~/` replaced by the home."""
    return f"{home}/{path[2:]}" if path.startswith("~/") else path
