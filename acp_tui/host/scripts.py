"""The text that a command hands to a shell (`bash -lc '…'`), and what it is made of."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from acp_tui.host.shell import Command, Line, take_apart
from acp_tui.host.shell_words import Word

SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_READ_ALIKE: Final = frozenset({"sh", "bash", "dash", "zsh"})
"""Shells that read plain commands as our parser does."""
_FOLDERS: Final = ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
"""Where a program of that name is the shell."""
_TAKE_A_WORD: Final = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_HARMLESS: Final = re.compile(
    r"(?=.*(?:^| )-\w*c)(?:(?:-[lceux]+|-[lceux]*o pipefail|--login|--posix|--norc|--noprofile)(?: |$))+"
)
"""Options that say that a text follows, and change nothing about what it runs."""
_SAME_IN_ZSH: Final = re.compile(r"""(?:[\w./:@%+,-][\w./:@%+,=-]*|'[^']*'|"[^"$`\\!]*")+""")
_DEEPEST: Final = 4
"""How many shells inside shells (`sh -c "sh -c …"`) are followed."""


def script_of(words: Sequence[str | None]) -> str | None:
    """Return the text that words give a shell to run, whoever runs the shell (`env`, `sudo`, `docker`)."""
    for place, word in enumerate(words):
        if posixpath.basename(word or "") in SHELLS:
            found = _behind_options(words[place + 1 :])
            if found is not None:
                return found
    if words[:1] == ["eval"] and len(words) > 1 and None not in words:
        return " ".join(word or "" for word in words[1:])
    return None


def lines_in(text: str) -> Iterator[Line]:
    """Yield a command line, and those in the texts for shells that stand in it."""
    waiting = [(text, 0)]
    while waiting:
        text, depth = waiting.pop()
        line = take_apart(text)
        yield line
        for command in line.commands if depth < _DEEPEST else ():
            script = script_of([word.text for word in command.words])
            if script is not None:
                waiting.append((script, depth + 1))


def handed_on(command: Command) -> Line | None:
    """Return the line that a command does nothing with but hand it to a shell; None if there may be more."""
    words = [word.text for word in command.words]
    if command.assignments or command.background or len(words) < 3 or None in words:
        return None
    if not all(redirect.harmless for redirect in command.redirects):
        return None
    folder, name = posixpath.split(words[0] or "")
    options, text = " ".join(word or "" for word in words[1:-1]), words[-1] or ""
    if name not in _READ_ALIKE or folder not in _FOLDERS or not _HARMLESS.fullmatch(options):
        return None
    line = take_apart(text)
    is_sure = line.plain and bool(line.commands)
    return line if is_sure and (name != "zsh" or _is_same_in_zsh(line)) else None


def _behind_options(words: Sequence[str | None]) -> str | None:
    has_text, skips = False, False
    for word in words:
        if skips:
            skips = False
        elif word is None:
            return None
        elif word in _TAKE_A_WORD:
            skips = True
        elif word.startswith(("-", "+")) and word not in ("-", "--"):
            is_letters = not word.startswith("--")
            has_text = has_text or (is_letters and "c" in word)
            skips = is_letters and word.endswith("o")
        else:
            return word if has_text else None
    return None


def _is_same_in_zsh(line: Line) -> bool:
    """Whether nothing in a line means more to zsh: no pattern of its own, no `=program`."""
    words: list[Word] = [word for command in line.commands for word in command.words]
    return all(_SAME_IN_ZSH.fullmatch(word.source) for word in words)
