"""Path rules: match the glob of a rule with the spellings of a path, and find the reach of a command line."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.rules.effort import TooMuchEffort, spend
from acp_tui.rules.shell import (
    MAX_LINE,
    MOVERS,
    SHELLS,
    SimpleCommand,
    Word,
    lines_in,
    rough_commands,
    script_of,
    takes_code,
)
from acp_tui.workspace.real_paths import is_deep, is_in_any_case, resolved

_PLACE: Final = regex(r"(?::\d{1,9}(?:[:,-]\d{1,9}){0,5}|\?.*|#.*)$")
"""A line number after a path."""
_OWN_VIEW: Final = regex(r"^/proc/(?:self|thread-self|\d+)/(?:task/\d+/)?(root|cwd)(?=/|$)")
_READ_OTHERWISE: Final = regex(
    r"""[\\\x00-\x1f\x7f-\x9f\u2028\u2029] | :/ | %2[eEfF] | (?:^|/) (?: [\s"'`<~] | [fF][iI][lL][eE]: )
      | [\s"'`>] (?:/|$) | (?:^|/) \$\{?[A-Z_]+\}? (?:/|$)""",
    re.X,
)
"""Parts of a path that some programs read as another one."""
_MAX_ENTRIES: Final = 2_000
"""Most names that a search of folders may read."""
_SOME_NAME: Final = "\N{REPLACEMENT CHARACTER}"


_MOST_ODD_STARS: Final = 1
"""Most `**/` after a letter in a pattern: each makes the search slower, and hardly anybody means it."""
_NO_GLOB: Final = regex(r"\{[^{}]*,[^{}]*\}|^\$|^[A-Za-z][A-Za-z0-9+.-]*://")
"""Parts of a path that mean more to other programs; here they would never match."""


def glob_mistake(glob: str) -> str:
    """Return the parts that the glob of a rule must not have, or ""."""
    if {"..", "."} & set(glob.split("/")):
        return ". or .."
    if glob.strip() != glob:
        return "blanks at its ends"
    if glob.endswith("/"):
        return "/ at its end (a/** is all below a)"
    if _NO_GLOB.search(glob):
        return "braces, variables and addresses (write several rules)"
    if len(re.findall(r"[^/*]\*\*/", glob)) > _MOST_ODD_STARS:
        return "** beside a letter (a/**/b)"
    return ""


_STARS: Final = {"": "", "**/": "(?:.*?/)??", "**": ".*?"}


@lru_cache(maxsize=512)
def compiled(pattern: str, *, any_case: bool = False) -> re.Pattern[str]:
    """Compile a glob over whole paths."""
    if not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    pattern = re.sub(r"(?:\*\*/)+", "**/", re.sub(r"\*{3,}", "**", pattern))
    text, star = "", ""
    parts = re.split(r"(\*\*/|\*\*)", pattern)
    for block, following in zip(parts[::2], [*parts[1::2], ""], strict=True):
        is_settled = following == "**" or (following == "**/" and block.endswith("/"))
        found = _STARS[star] + _block(block, is_settled=is_settled)
        text += f"(?>{found})" if is_settled else found
        star = following
    return re.compile(text, re.DOTALL | (re.IGNORECASE if any_case else re.NOFLAG))


# Workspace rules and an agent's paths are untrusted, and a search that tries each star with
# each length takes forever. What follows a star is matched at its first position, which leaves most for the
# rest, and is never retried; only the last block must reach the end.
def _block(block: str, *, is_settled: bool) -> str:
    """Return the expression for a part of a glob without `**`; `is_settled`: its first match is the best."""
    texts = [
        "".join("[^/]" if sign == "?" else re.escape(sign) for sign in part) for part in block.split("*")
    ]
    first, *others = texts
    ends = [f"[^/]*{others.pop()}"] if others and not is_settled else []
    return "".join([first, *(f"(?>[^/]*?{part})" for part in others), *ends])


class PathPattern:
    """The glob of a deny or ask rule, as written and with the links of its folder followed."""

    def __init__(self, pattern: str) -> None:
        self.folder = _plain_start(pattern)
        """The folder before the first wildcard of an absolute glob; empty for a relative one."""
        texts = [pattern]
        self.sample = re.sub(r"\*+", "", pattern.rpartition("/")[2])
        if self.folder:
            real = resolved(self.folder)
            if real != self.folder:
                texts.append(real + pattern[len(self.folder) :])
        texts = [_composed(text) for text in texts]
        self._patterns = [compiled(text) for text in texts]
        self._in_any_case = [compiled(text, any_case=True) for text in texts]

    def has(self, path: str) -> bool:
        """Return whether a path matches, as the file system compares names."""
        spend(3)
        path = _composed(path)
        if any(pattern.fullmatch(path) for pattern in self._patterns):
            return True
        return any(pattern.fullmatch(path) for pattern in self._in_any_case) and is_in_any_case(path)

    def has_any(self, paths: Iterable[str], folder: str) -> bool:
        """Return whether any spelling of the paths matches."""
        return any(self.has(spelling) for path in paths for spelling in spellings(path, folder))

    def is_below(self, path: str) -> bool:
        """Return whether everything in a folder matches."""
        return self.has(f"{path.rstrip('/')}/{_SOME_NAME}")

    def may_be_below(self, path: str) -> bool:
        """Return whether a folder may hold a match; True if it is too large to be searched."""
        top = resolved(path).rstrip("/")
        if self.folder:
            if f"{resolved(self.folder)}/".startswith(f"{top}/"):
                return True
            if not f"{top}/".startswith(f"{resolved(self.folder)}/"):
                return False
        return self._found(top, None) is not False

    def is_linked(self, path: str, folder: str) -> bool | None:
        """Return whether a file is a hard link of a matching one; None: there is too much to search."""
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
        """Return whether a folder holds a matching file (of an inode); None if it is too large."""
        waiting, left = [top], _MAX_ENTRIES
        if self.has(top) and key is not None and _key(top) == key:
            return True
        while waiting:
            try:
                with os.scandir(waiting.pop()) as entries:
                    for entry in entries:
                        left -= 1
                        spend(3)
                        if self.has(entry.path) and key in (None, _key(entry.path)):
                            return True
                        if left < 0:
                            return None
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        elif key is None and entry.is_symlink() and self.has(resolved(entry.path)):
                            return True
            except (OSError, ValueError):
                continue
        return False

    def may_match(self, glob: str) -> bool:
        """Return whether the last part of a tool's glob may find a match."""
        return fnmatchcase(self.sample, glob.rpartition("/")[2] or "*")


def _composed(text: str) -> str:
    """Return a name with its accents composed: some systems store them separately."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def spellings(path: str, folder: str) -> tuple[str, ...]:
    """Return the spellings that a rule may match: as given, with links followed, without a line number.

    They are cached, since every rule compares them. `forget_spellings` clears the cache.

    Args:
        path: a path, absolute or below the folder.
        folder: the working directory of the program that uses it.
    """
    return _spellings(path, folder)


def forget_spellings() -> None:
    """Follow links anew."""
    _spellings.cache_clear()


@lru_cache(maxsize=4096)
def _spellings(path: str, folder: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_spelled(path, folder)))


def _spelled(path: str, folder: str) -> Iterator[str]:
    for text in dict.fromkeys(_texts(path, folder)):
        if is_deep(text):
            raise TooMuchEffort
        spend(20 + 15 * text.count("/"))  # each of its folders is examined, several times
        yield text
        if "\0" in text:
            continue
        if "/." in text or "//" in text:
            yield _single(posixpath.normpath(text))
        real = resolved(text)
        yield real
        yield below_alias(real, folder)
        if real.startswith("/private/"):
            yield real.removeprefix("/private")


def below_alias(real: str, folder: str) -> str:
    """Return a real path below a folder in the spelling of that folder."""
    real_folder = resolved(folder).rstrip("/")
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
        path = expand_home(path)
    return _single(posixpath.join(folder, path))


def _own_view(path: str, folder: str) -> str:
    """Translate a path through `/proc/self` as a program in a folder sees it."""
    found = _OWN_VIEW.match(path)
    if found is None:
        return path
    rest = path[found.end() :]
    return (rest or "/") if found[1] == "root" else folder + rest


def _single(path: str) -> str:
    return re.sub(r"^/{2,}", "/", path)


def is_plain(path: str) -> bool:
    """Return whether a path can be read in one way only: no URL, no quotes, nothing to expand, not deep."""
    return not is_deep(path) and _READ_OTHERWISE.search(path) is None


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether an absolute path, with links followed, is one of the folders or in one."""
    return real_below(path, map(resolved, folders)) is not None


def real_below(path: str, folders: Iterable[str]) -> str | None:
    """Return an absolute path with its links followed if it leads into real folders, else None."""
    real = resolved(path)
    is_inside = any(f"{real}/".startswith(f"{folder.rstrip('/')}/") for folder in folders)
    return real if is_inside and "\0" not in path else None


def _plain_start(pattern: str) -> str:
    if not pattern.startswith("/"):
        return ""
    plain = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return plain.rpartition("/")[0] or "/" if plain != pattern else posixpath.dirname(pattern)


def _key(path: str) -> tuple[int, int] | None:
    try:
        state = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino


_MAX_FOLDERS: Final = 12
"""Most folders in which a line may be after its `cd`s; with more, its reach is unknown."""
_MAX_PATHS: Final = 3_000
"""Most paths that a line may name; with more, its reach is unknown."""
_MAX_ALTERNATIVES: Final = 64

_FRAGMENT: Final = regex(r"""[\s'"`(){}\[\]<>|&;,=:@]+""")
_EXPANDING_ELSEWHERE: Final = regex(
    r"(?s:\A(?:(?!\[\[|\(\().)*+(?:\[\[|\(\().*[$`<])|\$\(\s*<|/proc/[^ ]{0,200}[*?\[{]|(?<![\w/.])~[-+\d]"
)
"""Expansions outside simple commands, or in folders that only the program sees."""
_QUOTES: Final = regex(r"""\\\n|['"\\]""")
_MOVING: Final = regex(r"(?:CDPATH|HOME|OLDPWD|PWD|IFS|BASH_ENV|ENV)\+?=")
"""Assignments that change the meaning of words."""
_WALKERS: Final = frozenset(
    {
        *("find", "fd", "fdfind", "rg", "ripgrep", "ag", "ack", "tree", "du", "tar", "bsdtar", "gtar"),
        *("rsync", "mv", "ln", "7z", "7za", "zip", "pax", "cpio", "mount", "unison", "rclone", "ditto"),
        *("docker", "podman", "buildah", "restic", "borg", "unar", "entr", "fzf", "git-lfs"),
    }
)
"""Programs that walk through their folder arguments."""
_WALK_HERE: Final = frozenset({"find", "fd", "fdfind", "rg", "ripgrep", "ag", "ack", "tree", "du", "fzf"})
"""Programs that walk through their working directory without an argument."""
_GIT_WALKS: Final = frozenset(
    {
        "add",
        "clean",
        "stash",
        "archive",
        "grep",
        "checkout",
        "restore",
        "reset",
        "rm",
        "mv",
        "apply",
    }
)
_STAYS: Final = frozenset(
    {
        *("cd", "ls", "cat", "head", "tail", "wc", "stat", "test", "[", "echo", "printf", "pwd", "touch"),
        *("mkdir", "rmdir", "pushd", "popd", "basename", "dirname", "realpath", "readlink", "which", "file"),
        *("chdir", "git", "type", "export", "set", "true", "false", "chmod", "chown", "rm", "cp", "grep"),
        *("egrep", "fgrep", "diff", "sed", "awk", "sort", "uniq", "cut", "tr", "tee", "env", "time", "sudo"),
    }
)
"""Programs that walk through folders only with an option."""
_DEEP: Final = regex(
    r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive.*|--dereference-recursive|--archive|(?:--d[a-z]*=)?recurse|--no-index"
)
_JOINED: Final = regex(r"[=:,]")
"""Signs between a folder and other parts of a word."""
_FROM_LISTS: Final = regex(
    r"--(?:files0?-from|pathspec-from-file|from-file|files|include-from|config|input-file|arg-file|load)\b.*"
)
"""Options whose file lists more files."""
_LISTS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("tar", "bsdtar", "gtar"), frozenset({"-T"})),
    "curl": frozenset({"-K"}),
    "wget": frozenset({"-i"}),
}
_READS_WORDS: Final = frozenset({"xargs", "parallel", "cpio", "pax"})
"""Programs that read file names from their input."""
_CODE: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = (
    (regex(r"python[\d.]*|pypy3?|ipython"), regex(r"-[a-zA-Z]*c.*|-")),
    (regex(r"node|nodejs|bun|deno|tsx|ts-node"), regex(r"-[a-z]*[ep].*|--eval.*|--print.*|eval|-")),
    (
        regex(r"perl[\d.]*|ruby[\d.]*|lua[\d.]*|luajit|osascript|elixir|erl|julia|Rscript|ghc"),
        regex(r"-[a-zA-Z0-9]*[eE].*|--eval.*|-eval|-"),
    ),
    (
        regex(r"guile[\d.]*|ocaml|clojure|clj|bb|sbcl|ecl|clisp|racket|gosh|chicken-csi|csi|janet|raku|nu"),
        regex(r"-[a-zA-Z]*[ceEx].*|--eval.*|--load.*|--expr.*|-"),
    ),
    (regex(r"php[\d.]*"), regex(r"-[rRBEF].*|--run.*|--process.*|-")),
    (
        regex(r"vim?|nvim|ex|view|emacs|ed|gdb|lldb"),
        regex(r"-[cesS].*|\+.*|--eval.*|--cmd.*|-ex.*|-"),
    ),
    (
        regex(r"sqlite3?|psql|mysql|m4|bc|dc|expect|tclsh|wish|groovy|scala|swift|irb|pwsh"),
        regex(r".*", re.S),
    ),
)
"""Programs that run a text, with the options that take it."""
_INTERPRETERS: Final = regex(
    r"(?:python[\d.]*|pypy3?|node|nodejs|bun|perl[\d.]*|ruby[\d.]*|lua[\d.]*|php[\d.]*|tclsh|ed|ex|bc|dc|m4|"
    r"sh|bash|dash|zsh|ksh|ash|fish|pwsh|sqlite3?|make|gmake|gdb|awk|at|guile|ocaml|clojure|clj|sbcl|racket|batch|crontab|ssh|ftp|sftp)"
)
"""Programs that run their input if they get no file."""
_TAKE_ORDERS: Final = frozenset({"ed", "red", "ex", "mail", "mailx"})
"""Programs that run commands from their input, even if they get a file."""
_SOURCING: Final = frozenset({".", "source"})
"""Commands by which a shell runs a file."""
_MAKES: Final = frozenset({"make", "gmake"})
_MAKEFILE_OF_INPUT: Final = regex(r"-[a-zA-Z]*f-|--(?:file|m[a-z]*)=-")
_FROM_INPUT: Final = regex(r"-[a-zA-Z]*s[a-zA-Z]*")
_SHELL: Final = regex("|".join(sorted(SHELLS)))
_VALUED: Final = (
    (_SHELL, regex(r"[-+][a-zA-Z]*[oO]|--rcfile|--init-file")),
    (regex(r"python[\d.]*|pypy3?"), regex(r"-[a-zA-Z]*[WX]")),
    (regex(r"perl[\d.]*"), regex(r"-[a-zA-Z]*I")),
    (regex(r"ruby[\d.]*"), regex(r"-[a-zA-Z]*[rICE]")),
    (
        regex(r"node|nodejs|bun"),
        regex(r"-[rC]|--(?:require|import|preload|conditions|loader|experimental-loader|inspect-port)"),
    ),
    (regex(r"lua[\d.]*"), regex(r"-l")),
    (regex(r"php[\d.]*"), regex(r"-[dcz]")),
    (regex(r"tclsh"), regex(r"-encoding")),
)
"""Options of interpreters whose value is the next word."""
_ENDS: Final = regex(r"--version|--help|-[Vvh]")
_ENDING: Final = (
    (_SHELL, regex(r"--version|--help")),
    (regex(r"python[\d.]*|pypy3?"), regex(r"--version|--help|-V+|-h")),
    (regex(r"ssh|s?ftp"), regex(r"-V")),
)
"""Options after which an interpreter runs nothing, where they are others than usual."""
_AWK: Final = regex(r"[gmn]?awk|busybox")
_AWK_OPENS: Final = regex(r"getline|system|ARG[VCI]|[|>@]|close|printf?\s*\(?.*>")
_SED_STAYS: Final = regex(
    r"(?s:[\d,$~+ ]*+[pdqnDGHNPghx=;{} ]*|\d*+,?\d*+\s*+s(.)(?:(?!\1).)*+\1(?:(?!\1).)*+\1[gpiI0-9]*)"
)


@dataclass(frozen=True, slots=True)
class Reach:
    """The files that a command line may reach."""

    paths: tuple[str, ...] = ()
    """Absolute paths of its plain words and redirects, links not followed."""
    hints: tuple[str, ...] = ()
    """Other texts in the line that may be paths."""
    walked: tuple[str, ...] = ()
    """Folders that it walks through."""
    is_open: bool = False
    """True if it may reach more files, which only the shell or a program knows."""


def reach_of(command: str, folder: str) -> Reach:
    """Return the reach of a command line in an absolute working directory."""
    return _ReachReader(folder).read(command) if len(command) <= MAX_LINE else Reach(is_open=True)


def fragments(text: str, folder: str) -> Iterator[str]:
    """Yield the pieces of a text that may be paths, absolute."""
    bare = _QUOTES.sub("", text)
    for reading in (text, bare) if bare != text else (text,):
        for piece in _FRAGMENT.split(reading):
            spend(2)
            if piece:
                yield joined(piece, folder)


@dataclass(slots=True)
class _ReachReader:
    folder: str
    _folders: list[str] = field(default_factory=list)
    """The possible working directories after the `cd`s so far."""
    _paths: dict[str, None] = field(default_factory=dict)
    _hints: dict[str, None] = field(default_factory=dict)
    _walked: dict[str, None] = field(default_factory=dict)
    _is_open: bool = False

    def read(self, command: str) -> Reach:
        self._folders = [self.folder]
        self._is_open = _EXPANDING_ELSEWHERE.search(command) is not None
        scripts = [command]
        for line in lines_in(command):
            self._is_open = self._is_open or not line.understood
            for one in line.commands:
                self._take(one)
                scripts += filter(None, [script_of([word.text for word in one.words])])
                if self._is_open and len(self._paths) > _MAX_PATHS:
                    break
        for text in scripts:  # the parser loses words between and after redirects
            for one in rough_commands(text) if re.search("[<>]", text) else ():
                self._take(one)
        for folder in self._folders:
            self._hints.update(dict.fromkeys(fragments(command, folder)))
        return Reach(tuple(self._paths), tuple(self._hints), tuple(self._walked), self._is_open)

    def _take(self, command: SimpleCommand) -> None:
        words = [word.text for word in command.words]
        spend(100 + 10 * len(words))
        names = [posixpath.basename(word or "") for word in words]
        here = [*self._folders, *self._own_folders(command.words)]
        is_by_name = bool(words) and words[0] is not None and "/" not in words[0]
        files = command.words[1:] if is_by_name else command.words
        named = [found for word in files for found in self._named(word, here)]
        for redirect in command.redirects:
            if redirect.target is not None:
                named += self._named(redirect.target, here)
        for assignment in command.assignments:
            self._is_open = self._is_open or _MOVING.match(assignment) is not None or "$" in assignment
            named += self._spelled(assignment.partition("=")[2].strip("'\""), here)
        self._paths.update(dict.fromkeys(named))
        if len(self._paths) > _MAX_PATHS:
            self._is_open = True
        self._is_open = self._is_open or _takes_names(words, names) or runs_text(command)
        self._is_open = self._is_open or takes_code(words)
        self._walk(words, names, named, here)
        if words and any(name in MOVERS for name in names):
            self._move(command.words)

    def _named(self, word: Word, here: Sequence[str]) -> list[str]:
        if word.text is not None:
            return self._spelled(word.text, here)
        if not word.pattern:
            self._is_open = True
            return []
        found: list[str] = []
        for source in alternatives(word.source):
            if re.search(r"""['"\\(!]|\{|\*\*""", source):
                self._is_open = True
                return found
            if not set("*?[") & set(source):
                found += self._spelled(source, here)
                continue
            for folder in here:
                names = files_matching(joined(source, folder))
                if names is None:
                    self._is_open = True
                else:
                    self._hints.update(dict.fromkeys(names))
                    found += [name for name in names if os.path.isdir(name)]  # noqa: PTH112
        return found

    def _spelled(self, text: str, here: Sequence[str]) -> list[str]:
        """Return the paths that a word may name: all of it, or its end after `=`, `@` or an option."""
        texts = [text, *re.split(r"[=@]", text)[1:]]
        if "=" in text:
            texts.append(text.partition("=")[2])
        if text.startswith("-") and not text.startswith("--"):
            texts += [text[cut:] for cut in range(2, min(len(text), 8))]
        known = dict.fromkeys(one for one in texts if one and len(one) < 4096 and "\0" not in one)
        spend(5 * len(known) * len(here))
        return [joined(one, folder) for one in known for folder in here]

    def _own_folders(self, words: Sequence[Word]) -> list[str]:
        """Return the folders that words name: a command may first change to one, as `git -C` does."""
        found: dict[str, None] = {}
        for word in words[1:]:
            for path in self._spelled(word.text, self._folders) if word.text else ():
                if path not in self._folders and len(found) < _MAX_FOLDERS and os.path.isdir(path):  # noqa: PTH112
                    found[path] = None
        return list(found)

    def _walk(
        self, words: Sequence[str | None], names: Sequence[str], named: Iterable[str], here: Sequence[str]
    ) -> None:
        is_git = "git" in names
        goes = (
            any(name in _WALKERS for name in names)
            or any(word is not None and _DEEP.fullmatch(word) for word in words)
            or (names[:1] and names[0] not in _STAYS and not is_git)
            or (is_git and not _GIT_WALKS.isdisjoint(words))
            or ("cp" in names and any(word and re.fullmatch(r"-\w*a\w*", word) for word in words))
        )
        if not goes:
            return
        # As in `docker run -v .:/x` and `--mount type=bind,source=.`.
        parts = [part for word in words if word and _JOINED.search(word) for part in _JOINED.split(word)]
        spend(10 * len(parts) * len(here))
        more = (joined(part, folder) for part in parts if part for folder in here)
        below = [path for path in (*named, *more) if os.path.isdir(path)]  # noqa: PTH112
        is_deep = any(word is not None and _DEEP.fullmatch(word) for word in words)
        if not below and (is_git or is_deep or any(name in _WALK_HERE for name in names)):
            below = [*here]
        self._walked.update(dict.fromkeys(below))

    def _move(self, words: Sequence[Word]) -> None:
        targets = [word for word in words[1:] if not (word.text or "").startswith("-")] or [Word("~", "~")]
        more = [path for word in targets for path in self._named(word, self._folders)]
        self._folders = list(dict.fromkeys([*self._folders, *map(posixpath.normpath, more)]))
        if len(self._folders) > _MAX_FOLDERS:
            self._folders = self._folders[:_MAX_FOLDERS]
            self._is_open = True


def awk_opens(text: str) -> bool:
    """Return whether an awk script may open a file or run a program."""
    return _AWK_OPENS.search(text) is not None


def _takes_names(words: Sequence[str | None], names: Sequence[str]) -> bool:
    """Return whether a command reads file names from a file or its input."""
    return any(
        name in _READS_WORDS
        or any(word and _FROM_LISTS.fullmatch(word) for word in words[place + 1 :])
        or not _LISTS.get(name, frozenset()).isdisjoint(words[place + 1 :])
        for place, name in enumerate(names)
    )


def runs_text(command: SimpleCommand) -> bool:
    """Return whether a command runs a text, which may do anything."""
    words = [word.text for word in command.words]
    names = [posixpath.basename(word or "") for word in words]
    if not _TAKE_ORDERS.isdisjoint(names[:1]):
        return True
    for place, name in enumerate(names):
        rest = words[place + 1 :]
        spend(10 + len(rest) // 50)
        if any(
            program.fullmatch(name) and any(word and says.fullmatch(word) for word in rest)
            for program, says in _CODE
        ):
            return True
        if _INTERPRETERS.fullmatch(name) and _reads_input(name, rest):
            return True
        if _AWK.fullmatch(name) and any(word and _AWK_OPENS.search(word) for word in rest):
            return True
        if name in ("sed", "gsed") and not is_plain_sed(rest):
            return True
        if name == "eval" and script_of(words) is None:
            return True
        if name in _SOURCING and any(map(_is_stream, rest)):
            return True
    return any(redirect.operator.startswith("<<") for redirect in command.redirects) and bool(
        SHELLS.intersection(names)
    )


def _is_stream(word: str | None) -> bool:
    return (word or "").startswith(("/dev/stdin", "/dev/fd/", "/proc/"))


def _reads_input(name: str, rest: Sequence[str | None]) -> bool:
    """Return whether an interpreter runs its input: it gets no file, or is told so."""
    if name in SHELLS and script_of([name, *rest]) is not None:
        return False
    options, files = _options_and_files(name, rest)
    is_told = "-" in files or any(map(_is_stream, files))
    if name in _MAKES:  # it has a file of its own
        return is_told or any(map(_MAKEFILE_OF_INPUT.fullmatch, options))
    is_told = is_told or (name in SHELLS and any(map(_FROM_INPUT.fullmatch, options)))
    ends = next((ends for program, ends in _ENDING if program.fullmatch(name)), _ENDS)
    return (is_told or not files) and not any(map(ends.fullmatch, options))


def _options_and_files(name: str, rest: Sequence[str | None]) -> tuple[list[str], list[str | None]]:
    """Return (the options before the first file, the words that are no options and no values of one)."""
    takes = next((options for program, options in _VALUED if program.fullmatch(name)), None)
    options: list[str] = []
    files: list[str | None] = []
    is_value = False
    for word in rest:
        if is_value:
            is_value = False
        elif word is None or word == "-" or not word.startswith(("-", "+")):
            files.append(word)
        else:
            is_value = takes is not None and takes.fullmatch(word) is not None
            options += [] if files else [word]
    return options, files


def is_plain_sed(rest: Sequence[str | None]) -> bool:
    """Return whether the arguments of `sed` run no program and write at most the files that it edits."""
    options = ("-e", "--expression", "-n", "-E", "-r", "-i", "-s", "-u", "-z", "--quiet", "--silent")
    scripts = [
        word
        for place, word in enumerate(rest)
        if word and place and rest[place - 1] in ("-e", "--expression")
    ]
    if not scripts:
        scripts = [word for word in rest if word and not word.startswith("-")][:1]
    known = all(word in options or not (word or "-").startswith("-") for word in rest)
    return known and all(_SED_STAYS.fullmatch(script) for script in scripts)


def alternatives(source: str) -> list[str]:
    """Return the expansions of a word with braces; a nested one stays as it is."""
    waiting = [source]
    done: list[str] = []
    while waiting and len(waiting) + len(done) < _MAX_ALTERNATIVES:
        text = waiting.pop()
        found = re.search(r"\{(?:([^{}]*,[^{}]*)|(\w)\.\.(\w))\}", text)
        if found is None:
            done.append(text)
            continue
        first, last = sorted((ord(found[2] or "a"), ord(found[3] or "a")))
        inner = [chr(one) for one in range(first, last + 1)] if found[2] else found[1].split(",")
        waiting += [f"{text[: found.start()]}{one}{text[found.end() :]}" for one in inner]
    return [*done, *waiting]


def files_matching(pattern: str) -> list[str] | None:
    """Return the existing files that a pattern matches, hidden ones too; None if there are too many."""
    found, left = ["/"], _MAX_ENTRIES
    for part in filter(None, pattern.split("/")):
        spend(len(found))
        if not set("*?[") & set(part):
            found = [posixpath.join(folder, part) for folder in found]
            continue
        below = []
        for folder in found:
            spend(20)
            names = entries(folder, left)
            if names is None:
                return None
            left -= len(names)
            spend(len(names))
            below += [
                posixpath.join(folder, name) for name in names if fnmatchcase(name, part.replace("[^", "[!"))
            ]
        found = below
    return found


def entries(folder: str, most: int) -> list[str] | None:
    """Return the names in a folder; [] for a missing folder, None if there are too many."""
    names: list[str] = []
    try:
        with os.scandir(folder) as found:
            for entry in found:
                names.append(entry.name)
                if len(names) > most:
                    return None
    except (OSError, ValueError):
        return []
    return names


def joined(text: str, folder: str) -> str:
    """Return the absolute path of a text in a folder; `~` is expanded as by a shell."""
    if text.startswith("~"):
        text = expand_home(text)
    return posixpath.join(folder, text)
