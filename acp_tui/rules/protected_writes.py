"""Protected writes: the protected files that a command line may write, judged by its text.

A file name reveals a write more reliably than a program: wrappers, scripts and odd quoting hide programs.
So every piece of the text that names a protected place counts, except in commands that surely only read.
"""

from __future__ import annotations

import itertools
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from acp_tui.lazy_regex import regex
from acp_tui.rules.effort import spend
from acp_tui.rules.path_rules import alternatives, files_matching, joined, runs_text
from acp_tui.rules.protected_files import (
    Protection,
    protection,
    protection_by_name,
    protections_below,
    protections_named,
)
from acp_tui.rules.read_only_commands import text_left
from acp_tui.rules.shell import MAX_LINE, MOVERS, SimpleCommand, Word, parse_line, rough_commands

_MAX_COMMANDS: Final = 250
_MAX_DEPTH: Final = 3
"""Most levels of command lines within words that are searched."""
_MAX_FOLDERS: Final = 12
_MAX_FOLLOWED: Final = 100
"""Most words whose links are followed in both directions."""
MAX_COPIED: Final = 5_000
"""Most files of a copied folder that are checked; a larger copy is asked about."""
_MAX_PIECES: Final = 20_000
"""Most names in a line; a line with more is asked about."""
_TOO_MANY: Final = ""
"""Stands for more files than are checked."""
_OUTPUT: Final = regex(r"(-\w*[oO]|--o(?:ut(?:put)?(?:-\w+)?)?)(?:=(.*))?")
"""An option for a file that a program writes."""
_UNKNOWN: Final = Protection("it names too many files to know them", (frozenset(),))
_CHANGERS: Final = frozenset(
    (
        *("tee", "cp", "mv", "ln", "install", "rm", "unlink", "shred", "truncate", "dd"),
        *("touch", "chmod", "chown", "rsync", "scp", "patch", "sponge", "ed", "ex"),
    )
)
_COPYING: Final = frozenset({"cp", "mv", "install", "ln", "rsync", "scp", "ditto"})
_ANSI: Final = regex(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_ANSI_ESCAPE: Final = regex(
    r"\\(?:x\{?([0-9a-fA-F]{1,2})\}?|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))"
)
_QUOTES: Final = regex(r"""\$(?=")|\\\n|['"\\]""")
_VARIABLE: Final = regex(r"\$(?:(PWD)\b|\{(PWD)\}|HOME\b|\{HOME\})")
_EXPANSION: Final = regex(r"\$(?:\d|[a-zA-Z_]\w*|\{[^{}]*\}|\(\s*\)|[@*#?!$-])|``")
_SOME_TEXT: Final = "\N{REPLACEMENT CHARACTER}"
_BETWEEN_WORDS: Final = regex(r"[\s;&|<>()`]+")
_BETWEEN_PARTS: Final = regex(r"""[\s'"`(){}\[\]<>|&;,=:@!#%^+$\\]+""")
_BEHIND_LETTER: Final = regex(r"[a-zA-Z](?=[.~])")
"""The letter of a command in a script, such as `w` of sed."""
_WRITING: Final = regex(r"(?<![a-zA-Z])[gpiIme\d]*[wW](?=[.~/])")
"""The same after an address or the flags of another command."""
_DEFAULT: Final = regex(r"\$\{!?\w+:?[-=+?]([^{}]*)\}")
"""A variable with a default text."""


def protections_in(command: str, folder: str, roots: Sequence[str]) -> list[Protection]:
    """Return the protections of the files that a command line may write.

    Args:
        command: the line.
        folder: its working directory, absolute.
        roots: the folders of the session.
    """
    _present.cache_clear()
    spend(100 + len(command))
    left = text_left(command)
    if not any(text.strip() for text in left):
        return []
    commands = [one for text in left for one in _commands_in(text)]
    folders = _folders_of(command, folder)
    relevant = [folder, *(one for one in folders if one != folder and _matters(one, roots))]
    found = dict[Protection, None]()
    changes = any(name in _CHANGERS for one in commands for name in _names_of(one)) or any(
        map(runs_text, commands)
    )
    outputs = {path for one in commands for word in _outputs(one.words) for path in _spelled(word, folders)}
    pieces = (piece for text in left for piece in _pieces(text))
    paths = list(islice((joined(piece, place) for piece in pieces for place in relevant), _MAX_PIECES))
    if len(paths) == _MAX_PIECES:
        return [_UNKNOWN]
    for path in paths:
        if changes or path in outputs or not _is_program(path):
            found.update(dict.fromkeys(protections_named(path, roots)))
    for path in dict.fromkeys(_made_by(commands, folders)):
        if path == _TOO_MANY:
            return [_UNKNOWN]
        found.update(dict.fromkeys(protections_named(path, roots)))
    for path in islice(dict.fromkeys(_words_of(commands, folders)), _MAX_FOLLOWED):
        if changes or path in outputs or not _is_program(path):
            found.update(dict.fromkeys(filter(None, [protection(path, roots)])))
    return list(found)


def _matters(folder: str, roots: Sequence[str]) -> bool:
    """Return whether names may be protected in this folder that are not protected elsewhere."""
    return protection_by_name(folder, roots) is not None or any(protections_below(folder))


def _pieces(text: str) -> Iterator[str]:
    """Yield every piece of a text that may be a name, each once."""
    text = _ANSI.sub(lambda found: _decoded(found[1]), text)
    text = _VARIABLE.sub(lambda found: "." if found[1] or found[2] else "~", text)
    bare = _QUOTES.sub("", text)
    replaced = _DEFAULT.sub(r"\1", bare)
    readings = dict.fromkeys((text, bare, replaced, _expanded(bare, _SOME_TEXT), _expanded(bare, "")))
    yield from dict.fromkeys(piece for reading in readings for piece in _pieces_of(reading))


def _expanded(text: str, value: str) -> str:
    """Return a text with all variables, also nested ones, replaced by one value."""
    for _ in range(_MAX_DEPTH):
        before, text = text, _EXPANSION.sub(value, text)
        if text == before:
            break
    return text


def _pieces_of(text: str) -> Iterator[str]:
    words = [word for word in _BETWEEN_WORDS.split(text) if word]
    expanded = [one for word in words for one in (alternatives(word) if "{" in word else [word])]
    for word in expanded:
        for piece in (word, *_BETWEEN_PARTS.split(word)):
            if not piece or len(piece) > 4096 or "\0" in piece:
                continue
            spend(4)
            yield piece
            if _BEHIND_LETTER.match(piece):
                yield piece[1:]
            yield from (piece[found.end() :] for found in _WRITING.finditer(piece))
            if piece.startswith("-"):
                letters = re.match(r"\w{0,64}", piece[1:])
                yield from (piece[cut:] for cut in range(1, (letters.end() if letters else 0) + 2))


def _decoded(text: str) -> str:
    """Return the text of `$'…'` with escapes for letters decoded."""

    def letter(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        number = int(digits, 16) if digits else int(found[4], 8) & 0xFF
        return chr(number) if 0 < number < 0xD800 else " "

    return _ANSI_ESCAPE.sub(letter, text)


def _commands_in(text: str, depth: int = 0) -> list[SimpleCommand]:
    """Return every possible simple command in a text, also within its words."""
    if len(text) > MAX_LINE:
        return []
    spend(10 + len(text))
    found = dict.fromkeys((*parse_line(text).commands, *rough_commands(text)))
    words = dict.fromkeys(word.text for one in found for word in one.words if word.text)
    inner = [word for word in words if depth < _MAX_DEPTH and word != text and re.search(r"[\s;]", word)]
    return [*found, *(one for word in inner for one in _commands_in(word, depth + 1))][:_MAX_COMMANDS]


def _names_of(command: SimpleCommand) -> list[str]:
    return [posixpath.basename(word.text or "") for word in command.words]


def _folders_of(command: str, folder: str) -> list[str]:
    """Return the folders in which the commands of a line may run."""
    found = {folder: None}
    for one in _commands_in(command):
        for place, name in enumerate(_names_of(one)):
            for word in one.words[place + 1 :] if name in MOVERS else ():
                starts = list(found)[:_MAX_FOLDERS]
                found.update((posixpath.normpath(path), None) for path in _spelled(word, starts))
    return list(found)


def _words_of(commands: Sequence[SimpleCommand], folders: Sequence[str]) -> Iterator[str]:
    """Yield the files that whole words name."""
    for one in commands:
        for word in one.words:
            yield from _spelled(word, folders)
        for redirect in one.redirects:
            if redirect.target is not None:
                yield from _spelled(redirect.target, folders)


def _spelled(word: Word, folders: Sequence[str]) -> list[str]:
    """Return the files that a word names; for a pattern, the existing ones."""
    if word.text is not None:
        texts = [word.text, word.text.rpartition("=")[2]]
        return [joined(text, folder) for text in dict.fromkeys(texts) for folder in folders if text]
    source = _QUOTES.sub("", _VARIABLE.sub(lambda found: "." if found[1] or found[2] else "~", word.source))
    paths = [joined(text, folder) for text in alternatives(source) for folder in folders]
    if not word.pattern:
        return [path.replace("$", _SOME_TEXT) for path in paths]
    return [name for path in paths for name in (_present(path) if set("*?[") & set(path) else [path])]


@lru_cache(maxsize=64)
def _present(pattern: str) -> Sequence[str]:
    """Return the files that a pattern matches in a shell: hidden ones only with a dot.

    They are cached, since a line may repeat a pattern. `protections_in` clears the cache.
    """
    parts = [part for part in pattern.split("/") if part]
    return [
        path
        for path in files_matching(pattern) or ()
        if all(
            name.startswith(".") <= part.startswith((".", "["))
            for name, part in zip([name for name in path.split("/") if name], parts, strict=False)
        )
    ]


def _made_by(commands: Sequence[SimpleCommand], folders: Sequence[str]) -> Iterator[str]:
    """Yield the files that commands write without naming them, and the targets of redirects."""
    for one in commands:
        words, names = [word.text or "" for word in one.words], _names_of(one)
        for redirect in one.redirects:
            if redirect.writes and redirect.target is not None:
                yield from _spelled(redirect.target, folders)
        for place, name in enumerate(names):
            behind = one.words[place + 1 :]
            if name in _COPYING:
                yield from _copies(behind, folders)
            elif name == "git" or name.startswith("git-"):
                said = [*filter(None, [name[4:]]), *words[place + 1 :]]
                yield from (joined(path, folder) for path in _git_settings(said) for folder in folders)
            elif name == "find":
                yield from _found(words[place + 1 :], folders)
            elif name == "wget" or (name == "curl" and any(map(_TAKES_NAME.fullmatch, words))):
                ends = [word.partition("?")[0].rpartition("/")[2] for word in words if "://" in word]
                yield from (joined(end, folder) for end in filter(None, ends) for folder in folders)
            elif name == "crontab":
                yield "/var/spool/cron/crontabs"
            elif name in _SETS:
                pattern, path = _SETS[name]
                operands = [word for word in words[place + 1 :] if not word.startswith("-")]
                if re.match(pattern, " ".join([*operands[:5], "", *words])):
                    yield path
        for word in one.words if not _CHANGERS.isdisjoint(names) else ():
            if word.pattern:
                yield from _spelled(word, folders)


def _copies(words: Sequence[Word], folders: Sequence[str]) -> Iterator[str]:
    """Yield the files that a copy creates from its sources."""
    texts = [word.text or "" for word in words]
    operands = [word for word in words if not (word.text or "").startswith("-")]
    taken = [text.partition("=")[2] for text in texts if text.startswith("--target-d")]
    taken += [after for before, after in pairwise(texts) if re.fullmatch(r"-\w*t", before)]
    left = MAX_COPIED
    for word, folder in itertools.product(operands, folders):
        named = _spelled(operands[-1], [folder]) if len(operands) > 1 or operands[-1].pattern else []
        for place, goal in itertools.product(
            _spelled(word, [folder]), [*(joined(one, folder) for one in taken if one), *named[-1:]]
        ):
            name = "" if place.endswith(("/", "/.")) else posixpath.basename(place)
            yield posixpath.join(goal, posixpath.basename(place.rstrip("/.")) or name)
            for path, _, files in os.walk(place):
                for file in files:
                    left -= 1
                    spend(5)
                    if left < 0:
                        yield _TOO_MANY
                        return
                    yield posixpath.normpath(posixpath.join(goal, name, posixpath.relpath(path, place), file))


_GIT_TAKES: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_GIT_SETS: Final = {
    "config": r".",
    "remote": r"add|rename|rm|remove|set-.*",
    "submodule": r"add|set-.*|init|sync",
    "clone": r"-\w*c.*|--c.*|--te.*",
    "init": r"--[ts]e.*",
    "lfs": r"install",
    "maintenance": r"start|register",
}
"""Subcommands of git that write settings or hooks, with a pattern for the arguments that cause it."""


_CHANGES: Final = r"set|unset|delete|rm|edit|fix"
_CONFIG: Final = rf"(?!run |exec |test )(?:\S+ )?config (?:\S+ )?(?:{_CHANGES}) "
_SETS: Final = {
    **dict.fromkeys(("npm", "pnpm"), (rf"set |c (?:{_CHANGES}) |{_CONFIG}", "~/.npmrc")),
    "yarn": (_CONFIG, "~/.yarnrc.yml"),
    **dict.fromkeys(("pip", "pip3"), (_CONFIG, "~/.config/pip/pip.conf")),
    **dict.fromkeys(("conda", "mamba"), (r"config .*--(?:set|add|append|prepend|remove)", "~/.condarc")),
}
"""Programs that write unnamed settings files, with a pattern for the arguments that cause it."""


_TAKES_NAME: Final = regex(r"-\w*[OJ]\w*|--remote-name.*")
"""The option by which curl takes the name of a file from its address."""


def _outputs(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words that options name as output files."""
    for before, word in pairwise(words):
        found = _OUTPUT.fullmatch(before.text or "")
        if found is not None and found[2] is None:
            yield word
        found = _OUTPUT.fullmatch(word.text or "")
        if found is not None and found[2]:
            yield Word(found[2], found[2])


def _found(words: Sequence[str], folders: Sequence[str]) -> Iterator[str]:
    """Yield the existing files directly in a folder that a search finds by name."""
    for before, pattern in pairwise(words):
        if before in ("-name", "-iname", "-path", "-wholename", "-ipath"):
            yield from (path for folder in folders for path in _present(joined(pattern, folder)))


def _git_settings(words: Sequence[str]) -> list[str]:
    """Return the settings files that a git command writes without naming them."""
    rest = list(words)
    while rest and (rest[0].startswith("-") or not rest[0]):
        del rest[: 2 if rest[0] in _GIT_TAKES else 1]
    name, rest = (rest[0], rest[1:]) if rest else ("", [])
    sets = _GIT_SETS.get(name)
    if sets is None or (name != "config" and not any(re.fullmatch(sets, word) for word in rest)):
        return []
    return ["~/.gitconfig" if "--global" in rest else ".git/config"]


def _is_program(path: str) -> bool:
    """Return whether a path is an installed program, which a command names in order to run it."""
    folder = posixpath.basename(posixpath.dirname(path))
    return folder in ("bin", "sbin", "shims") and os.access(path, os.X_OK) and os.path.isfile(path)  # noqa: PTH113
