"""Command rules: match the command of a rule with a command line.

An allow rule must cover every simple command of a line (`covering`); a deny or ask rule matches wherever the
command may run (`runs`, `may_run`). `POWERS` lists what programs can do beyond what their name says.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.rules.effort import spend
from acp_tui.rules.harmless_options import unknown_word
from acp_tui.rules.path_rules import runs_text
from acp_tui.rules.shell import (
    MAX_LINE,
    MOVERS,
    Redirect,
    SimpleCommand,
    Word,
    lines_in,
    parse_line,
    rough_commands,
    shell_line_of,
    takes_code,
)

_RUNS_ALL: Final = "run any program"
_CODE: Final = "run any program and write any file"
_SHELL: Final = "run any program and write any file"
_SCRIPTS: Final = "run whatever scripts its settings name"
_COPIES: Final = "write over any file"

POWERS: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            *("env", "xargs", "nohup", "setsid", "nice", "time", "timeout", "sudo"),
            *("doas", "watch", "parallel", "ssh", "exec", "command", "builtin", "eval"),
            *("busybox", "toybox", "strace", "script", "flock", "stdbuf", "npx", "bunx"),
            *("uvx", "docker", "podman", "kubectl", "entr", "chroot"),
            *("unshare", "systemd-run"),
        ),
        _RUNS_ALL,
    ),
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "fish", "source", "."), _SHELL),
    **dict.fromkeys(
        (
            *("python", "python3", "node", "perl", "ruby", "php", "lua", "deno", "bun"),
            *("osascript", "Rscript", "julia"),
        ),
        _CODE,
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "composer"), _SCRIPTS),
    **dict.fromkeys(
        ("poetry", "uv", "pipenv", "pdm", "hatch", "conda", "mise", "direnv"),
        "run any program",
    ),
    **dict.fromkeys(
        ("make", "gmake", "just", "ninja", "cmake", "gradle", "mvn", "rake", "ant", "task"),
        "run whatever its files say",
    ),
    **dict.fromkeys(
        ("cargo", "go", "zig", "dotnet", "swift"),
        "run the code that it builds",
    ),
    "find": "run programs and delete files",
    **dict.fromkeys(("fd", "fdfind"), "run programs"),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        "run programs and write files",
    ),
    **dict.fromkeys(
        ("sed", "gsed"),
        "run programs and write files",
    ),
    "git": "run programs and write files",
    **dict.fromkeys(
        ("tar", "bsdtar", "gtar"),
        "run programs and write over files",
    ),
    **dict.fromkeys(("zip", "unzip"), "run programs and write files"),
    "sort": "run a program and write a file",
    "uniq": "write its second file",
    "tee": _COPIES,
    **dict.fromkeys(("cp", "mv", "install", "ln", "dd", "truncate"), _COPIES),
    "rsync": "run programs and write over files",
    **dict.fromkeys(("scp", "sftp"), "run programs and write over files"),
    "curl": "write files and send any file away",
    "wget": "write files and run a program",
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "ed", "emacs", "nano", "view"), _SHELL),
    **dict.fromkeys(
        ("less", "more", "man"),
        "run programs and write a file",
    ),
    **dict.fromkeys(("rg", "ripgrep"), "run programs"),
    "ag": "run programs",
    "tree": "write a file",
    "gdb": _SHELL,
    "sqlite3": _SHELL,
    "psql": "run programs and write files",
    "jq": "read any file",
    "yq": "write files",
    **dict.fromkeys(
        ("pytest", "tox", "nox", "jest", "mocha"),
        "run the code of the workspace",
    ),
    **dict.fromkeys(
        ("pip", "pip3", "gem"),
        "run the code of what it installs",
    ),
}
"""Powers that an allow rule for a program gives, in the words of the rule dialog ("it can …")."""


def power_of(words: Sequence[str]) -> str | None:
    """Return what an allow rule for these first words makes possible beyond what they say."""
    return POWERS.get(posixpath.basename(words[0])) if words else None


_PART: Final = regex(r"[;&|()`{}\n\r]+")
_QUOTED_PART: Final = regex(r"[;&|()`{}\n\r'\"]+")
_ASSIGNMENT: Final = regex(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_POWERFUL_VARIABLE: Final = regex(
    r"BASH_ENV|ENV|ZDOTDIR|LD_\w+|DYLD_\w+|PATH|GIT_\w+|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|"
    r"IFS|SHELL|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|MANPAGER|PYTHON(?:STARTUP|PATH|HOME)|"
    r"PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_OPTIONS|NODE_PATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|RUSTC_WRAPPER|"
    r"CARGO_\w+|npm_config_\w+|NPM_CONFIG_\w+|MAKEFLAGS|MAKEFILES|CC|CXX|SSH_ASKPASS|SUDO_ASKPASS|TAR_OPTIONS|"
    r"RSYNC_RSH|CVS_RSH|SVN_SSH|GREP_OPTIONS|AWKPATH|GAWK\w*|GCONV_PATH|HOSTALIASES|HOME|XDG_\w+|DOCKER_\w+"
)
"""Variables by which a program runs, or becomes, another one."""
_MAX_DEPTH: Final = 4
"""Most levels of nested shells (`sh -c "sh -c …"`) that are followed."""
_WRAPPERS: Final = frozenset(
    {
        *("sudo", "doas", "env", "command", "builtin", "exec", "eval", "nohup", "setsid"),
        *("time", "timeout", "nice", "xargs", "sh", "bash", "dash", "zsh", "!"),
        *("ash", "ksh", "fish", "busybox", "toybox", "ssh", "script", "watch", "parallel", "coproc", "entr"),
        *("pkexec", "runuser", "chroot", "unshare", "nsenter", "setpriv", "fakeroot", "bwrap", "firejail"),
        *("ionice", "chrt", "taskset", "numactl", "prlimit", "systemd-run", "stdbuf", "unbuffer", "flock"),
        *("strace", "ltrace", "rlwrap", "xvfb-run", "dbus-run-session", "npx", "pnpx", "bunx", "uvx"),
        *("kitty", "foot", "st"),
        *("screen", "valgrind", "faketime", "proot", "catchsegv", "cpulimit", "tsocks", "torsocks"),
        *("proxychains", "proxychains4", "caffeinate", "start-stop-daemon", "daemonize", "dtach", "abduco"),
        *("hyperfine", "cage", "xinit", "startx", "gosu", "su-exec", "tini", "dumb-init"),
    }
)
"""Programs whose arguments may be another command."""
_STARTERS: Final[dict[str, frozenset[str]]] = {
    "find": frozenset({"-exec", "-execdir", "-ok", "-okdir"}),
    **dict.fromkeys(("fd", "fdfind"), frozenset({"-x", "-X", "--exec", "--exec-batch"})),
    "git": frozenset({"run", "foreach"}),
    **dict.fromkeys(
        ("uv", "poetry", "pipenv", "pdm", "hatch", "pixi", "conda", "docker", "podman", "kubectl"),
        frozenset({"run", "exec", "--"}),
    ),
    "perf": frozenset({"stat", "record", "trace", "--"}),
    "ip": frozenset({"exec"}),
    "asdf": frozenset({"exec"}),
    "pipx": frozenset({"run"}),
    "adb": frozenset({"shell", "exec-out"}),
    **dict.fromkeys(
        ("xterm", "urxvt", "rxvt", "konsole", "alacritty", "wezterm", "terminator"),
        frozenset({"-e", "-x", "--", "start", "--command"}),
    ),
    **dict.fromkeys(
        ("gnome-terminal", "xfce4-terminal", "mate-terminal", "lxterminal", "tilix", "ghostty"),
        frozenset({"-e", "-x", "--", "--command"}),
    ),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun", "bundle", "mise", "direnv"), frozenset({"exec", "x", "--"})
    ),
}
"""Programs that run a command after one of these words."""

_GIT_RUNS: Final = regex(
    r"(?s:alias\..*|core\.\w+=.*|\w[\w.-]*\.(?:cmd|command|program|helper|editor|pager|tool|path|textconv|external)"
    r"=.*|.*=!.*|--exec.*|-x.*|--upload-pack.*|--receive-pack.*|--config-env.*|--exec-path.*|bisect|filter-branch|-O.*|"
    r"--open-files-in-pager.*|ext::.*|config)",
    re.IGNORECASE,
)
"""Arguments that make git run a program."""
_ENV_SPLITS: Final = regex(r"(?s:-[a-zA-Z]*S.*|--split-string.*)")
_FINDERS: Final = frozenset({"find", "fd", "fdfind"})
_QUOTES: Final = regex(r"""["'\\]""")
_RUN_NOTHING: Final = frozenset(
    {
        *("echo", "printf", "grep", "egrep", "fgrep", "ls", "cd", "test", "[", "head", "tail", "wc", "stat"),
        *("mkdir", "rmdir", "touch", "basename", "dirname", "realpath", "readlink"),
    }
)
"""Programs that start no other program, whatever their arguments."""
_SAYING: Final = frozenset({"echo", "grep", "egrep", "fgrep"})
_GIT_SAYING: Final = frozenset({"commit", "log", "tag"})
"""Programs, and subcommands of git, whose arguments are only texts and patterns: they run no command."""
_COPIERS: Final = frozenset({"cp", "ln", "mv", "install", "cat", "dd", "rsync", "which", "tee"})

Words = Sequence[str | None]
"""The words of a simple command; None for a word that the shell expands."""


Inside = Callable[[str], bool]
"""Returns whether an absolute path lies in the workspace."""


def _nowhere(_: str) -> bool:
    return False


# `git status && rm x` begins with `git status`: an allow rule has to cover each simple command of a line by
# itself. Deny rules ask the opposite question, so they look at every place where a command could start:
# after separators, in quotes, as an argument of `sudo` and the like. The two must not share a matcher: one
# must err on the side of too few matches, the other of too many.
def covering(prefixes: Sequence[str], command: str | None, is_inside: Inside = _nowhere) -> list[int] | None:
    """Return the indices of the prefixes that cover a line; None if a simple command is left uncovered.

    A line is covered only if it does nothing else: no assignment, no redirect to a file, no background
    job, no expansion (except file name patterns), no function and no loop, which could turn the text
    into other commands. A prefix may be followed by the words in `harmless_options`. A text for a shell
    (`bash -lc '…'`) counts as its content.
    """
    line = parse_line(command) if command is not None else None
    if line is None or not line.plain or not line.commands:
        return None
    found = list(_covering([split(prefix) for prefix in prefixes], line.commands, is_inside))
    return None if None in found else list(dict.fromkeys(number for number in found if number is not None))


_AT_HOME: Final = regex(r"~(?:/[\w./-]*)?")
_MOST_FOLDERS: Final = 16


def goes_out(command: str | None, folder: str, is_inside: Inside) -> bool:
    """Return whether a line may leave a workspace by `cd`; a rule for a command is meant inside.

    Args:
        command: the line.
        folder: the absolute folder in which it starts.
        is_inside: whether an absolute path lies in the workspace.
    """
    folders = {folder}
    for one in simple_commands(command) if command is not None else ():
        words = [word.text for word in one.words]
        if posixpath.basename(words[0] or "" if words else "") not in (*MOVERS, "popd"):
            continue
        targets = [_target(word) for word in one.words[1:] if word.text not in ("-P", "-L", "--")]
        target = targets[0] if len(targets) == 1 else None
        if not target or target.startswith(("-", "+", "~")):
            return True
        folders |= {posixpath.join(folder, target) for folder in folders}
        if len(folders) > _MOST_FOLDERS or not all(map(is_inside, folders)):
            return True
    return False


def _target(word: Word) -> str | None:
    """Return the folder that a word names, if known."""
    return expand_home(word.source) if _AT_HOME.fullmatch(word.source) else word.text


def unknown_to(prefixes: Sequence[str], command: str | None, is_inside: Inside = _nowhere) -> str:
    """Return the reason why prefixes that its commands begin with do not cover a line, or ""."""
    line = parse_line(command) if command is not None else None
    wanted = [split(prefix) for prefix in prefixes]
    if line is None or not line.plain or not wanted:
        return ""
    for one in simple_commands(command or ""):
        if None not in _covering(wanted, [one], is_inside):
            continue
        for prefix, words in zip(prefixes, wanted, strict=True):
            word = unknown_word(one.words, len(words), is_inside) if _starts_with(one, words) else None
            if word is not None:
                return f"the rule “{prefix}” does not know {word}"
    return ""


def uncovered(prefixes: Sequence[str], command: str, is_inside: Inside = _nowhere) -> list[str]:
    """Return the source text of the simple commands that no prefix covers."""
    wanted = [split(prefix) for prefix in prefixes]
    return [
        " ".join(word.source for word in one.words)
        for one in simple_commands(command)
        if None in _covering(wanted, [one], is_inside)
    ]


def simple_commands(command: str) -> list[SimpleCommand]:
    """Return the simple commands of a line; a text for a shell is replaced by its commands."""
    found: list[SimpleCommand] = []
    waiting = [*reversed(parse_line(command).commands)]
    while waiting:
        one = waiting.pop()
        inner = shell_line_of(one)
        if inner is not None:
            waiting += reversed(inner.commands)
        else:
            found.append(one)
    return found


def _covering(
    wanted: Sequence[Sequence[str]],
    commands: Sequence[SimpleCommand],
    is_inside: Inside,
    depth: int = 0,
) -> Iterator[int | None]:
    """Yield the index of the prefix that covers each command, else None."""
    for one in commands:
        fitting = (number for number, words in enumerate(wanted) if _covers(words, one, is_inside))
        number = next(fitting, None)
        inner = shell_line_of(one) if number is None and depth < _MAX_DEPTH else None
        if inner is None:
            yield number
        else:
            yield from _covering(wanted, inner.commands, is_inside, depth + 1)


def runs(prefix: str, command: str | None) -> bool:
    """Return whether a part of a line runs a command with this prefix, directly or through another (`sudo`).

    It finds too much rather than too little: quoted text may also be a command.
    """
    wanted = split(prefix)
    if command is None or not wanted:
        return False
    reading = _read(command)
    return wanted[0] in reading.names and any(_runs(words, wanted) for words in reading.commands)


def may_run(prefix: str, command: str | None) -> bool:
    """Return whether a line might run a command with this prefix.

    The line was not parsed, may expand to it, or has it among the arguments of another program.
    """
    wanted = split(prefix)
    if command is None or not wanted:
        return False
    reading = _read(command)
    return (
        not reading.understood
        or reading.runs_texts
        or any(_may_begin(words, wanted) for words in reading.unknown)
        or any(_is_copied(words, wanted[0]) for words in reading.commands)
        or any(wanted[0] in " ".join(words) and _is_named(words, wanted) for words in reading.written)
    )


def may_change(env: Iterable[tuple[str, str]]) -> bool:
    """Return whether environment variables may make a command run another program."""
    return any(_POWERFUL_VARIABLE.fullmatch(name) for name, _ in env)


def is_prefix(text: str) -> bool:
    """Return whether a text is the first words of one command, without expansions."""
    line = parse_line(text)
    return line.plain and len(line.commands) == 1 and bool(covering([text], text))


def prefix_mistake(command: str) -> str:
    """Return the mistake in the command of a rule, or ""."""
    if is_prefix(command):
        return ""
    return f"'{command}' must be the first words of one command, without chains, redirects and expansions"


def split(text: str) -> list[str]:
    """Split a text as a shell does, or at blanks if a quote is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _starts_with(command: SimpleCommand, prefix: Sequence[str]) -> bool:
    return bool(prefix) and [word.text for word in command.words[: len(prefix)]] == list(prefix)


def _covers(prefix: Sequence[str], command: SimpleCommand, is_inside: Inside) -> bool:
    words = command.words
    return (
        _starts_with(command, prefix)
        and all(word.text is not None or word.pattern for word in words)
        and all(redirect.harmless and _is_last(redirect, words) for redirect in command.redirects)
        and not (command.assignments or command.background)
        and unknown_word(words, len(prefix), is_inside) is None
    )


def _is_last(redirect: Redirect, words: Sequence[Word]) -> bool:
    """Return whether a redirect means the same in all shells: in some, `&>` ends a command."""
    target = redirect.target
    return not redirect.operator.startswith("&") or (
        target is not None and all(word.start < target.start for word in words)
    )


def _words_of(command: SimpleCommand) -> list[str | None]:
    return [word.text for word in command.words]


def _may_begin(words: Words, prefix: Sequence[str]) -> bool:
    """Return whether words may begin with a prefix after expansion; one may expand to several."""
    program = posixpath.basename(words[0] or "") if words else ""
    if program in _WRAPPERS or not _STARTERS.get(program, frozenset()).isdisjoint(words):
        return None in words
    for word, wanted in zip(words, prefix, strict=False):
        if word is None:
            return True
        if word != wanted and posixpath.basename(word) != wanted:
            return False
    return False


class _Reading(NamedTuple):
    """A line as deny and ask rules see it, parsed once for all of them."""

    commands: tuple[Words, ...]
    """Everything in the line that may be a simple command."""
    names: frozenset[str]
    """Every word of the line, with and without its folder: no other name can run."""
    unknown: tuple[Words, ...]
    """The simple commands with a word that the shell expands."""
    written: tuple[Sequence[str], ...]
    """The simple commands, each word both expanded and as written; assignments last."""
    understood: bool
    runs_texts: bool
    """True if the line runs an unknown text, or changes how programs are found or behave."""


@lru_cache(maxsize=8)
def _read(command: str) -> _Reading:
    if len(command) > MAX_LINE:
        return _Reading((), frozenset(), (), (), understood=False, runs_texts=True)
    said = _only_says(command)
    if said:
        programs = frozenset(words[0] or "" for words in said)
        return _Reading(said, programs, (), (), understood=True, runs_texts=False)
    lines = list(lines_in(command))
    # The parser sees no command in backticks in a here-document.
    is_hidden = "<<" in command and "`" in command
    rough = _rough(command) if is_hidden else rough_commands(command)
    simple = [*(one for line in lines for one in line.commands), *rough]
    commands = tuple(dict.fromkeys(tuple(words) for words in _readings(command)))
    found = {word for words in commands for word in words if word is not None}
    unknown = tuple(dict.fromkeys(tuple(words) for one in simple for words in _and_fed(_words_of(one))))
    return _Reading(
        commands,
        frozenset(found | {posixpath.basename(word) for word in found}),
        tuple(words for words in unknown if None in words),
        tuple(dict.fromkeys(map(_written, simple))),
        all(line.understood for line in lines),
        any(map(_is_opaque, simple)),
    )


def _only_says(command: str) -> tuple[Words, ...]:
    """Return the commands of a line if all their arguments are texts, as in `git commit -m 'rm x'`."""
    line = parse_line(command)
    found = tuple(tuple(_words_of(one)) for one in line.commands)
    is_sure = line.plain and all(
        bool(words)
        and None not in words
        and (words[0] in _SAYING or (words[0] == "git" and len(words) > 1 and words[1] in _GIT_SAYING))
        and not (one.redirects or one.assignments or one.background)
        for one, words in zip(line.commands, found, strict=True)
    )
    return found if is_sure else ()


def _is_opaque(command: SimpleCommand) -> bool:
    """Return whether a command runs a text, or changes how other commands run."""
    words = _words_of(command)
    names = [posixpath.basename(word or "") for word in words]
    sources = (word.source for word in command.words)
    settings = [*command.assignments, *(source for source in sources if _ASSIGNMENT.match(source))]
    return (
        may_change((setting.partition("=")[0].rstrip("+"), "") for setting in settings)
        or runs_text(command)
        or takes_code(words)
        or _may_run_any(words)
        or _is_shell_for_input(command, names)
        or ("git" in names and any(_GIT_RUNS.fullmatch(word or "") for word in words))
        or ("env" in names and any(_ENV_SPLITS.fullmatch(word or "") for word in words))
        or names[:1] in (["alias"], ["enable"], ["hash"], ["trap"], ["bind"], ["complete"])
        or (names[:1] in (["source"], ["."]) and None in words)
    )


def _rough(command: str) -> list[SimpleCommand]:
    """Split a text and each of its lines at separators: a here-document may be no here-document."""
    texts = (command, *command.split("\n")) if "\n" in command else (command,)
    return list(dict.fromkeys(one for text in texts for one in rough_commands(text)))


_FEEDERS: Final = frozenset({"xargs", "gxargs"})
_TAKING: Final = regex(r"-[0rtpxo]*[nLPsdEaIJRS]")
"""An option of `xargs` whose value is the next word."""
_TAKING_NOTHING: Final = regex(r"-\w.*|--(?:null|no-run-if-empty|verbose|interactive|exit|open-tty|\S*=.*)")
_JOINERS: Final = frozenset({"parallel", "gparallel", "rush"})
"""Programs that turn their input into command lines."""
_SHELL_STARTERS: Final = frozenset(
    {"ssh", "su", "chroot", "unshare", "nsenter", "script", "newgrp", "tmux", "screen", "rsh", "runuser"}
)
"""Programs that start a shell, which runs its input."""
_RUN_NO_OTHER: Final = frozenset(
    {
        *("echo", "printf", "grep", "egrep", "fgrep", "ls", "test", "[", "head"),
        *("tail", "wc", "stat", "mkdir"),
        *("rmdir", "touch", "basename", "dirname", "realpath", "readlink", "cat"),
        *("cp", "mv", "ln", "rm", "chmod"),
        *("chown", "du", "file", "md5sum", "sha1sum", "sha256sum", "sha512sum"),
        *("diff", "cmp", "cut", "tr", "nl"),
        *("uniq", "tac", "rev", "kill", "unlink", "true", "false", "sleep", "id", "which", "shred"),
    }
)
"""Programs that run no other program, whatever their options."""
_GIT_RUNS_NONE: Final = frozenset(
    {"add", "rm", "mv", "diff", "log", "show", "status", "blame", "restore", "checkout"}
)


def _and_fed(words: Words) -> Iterator[Words]:
    yield words
    yield from _given(words)
    yield from _fed(words)


def _fed(words: Words) -> Iterator[Words]:
    """Yield the commands that `xargs` completes; None stands for the words that it inserts or appends."""
    for place, word in enumerate(words):
        if posixpath.basename(word or "") not in _FEEDERS:
            continue
        rest = words[place + 1 :]
        marks = _replaced_by(rest)
        spend(len(rest) * (5 + len(marks)) // 2)
        known = [None if one is None or any(mark in one for mark in marks) else one for one in rest]
        for start in _beginnings(rest):
            spend(len(rest) - start)
            yield [*known[start:], None]


def _beginnings(rest: Words) -> Iterator[int]:
    """Yield the positions where the program may be after `xargs`."""
    skips = may_skip = False
    for place, word in enumerate(rest):
        if skips:
            skips = False
        elif word is not None and word.startswith("-") and len(word) > 1:
            skips = _TAKING.fullmatch(word) is not None
            may_skip = not skips and _TAKING_NOTHING.fullmatch(word) is None
        else:
            yield place
            if not may_skip:
                return
            may_skip = False


def _replaced_by(rest: Words) -> list[str]:
    """Return the placeholders that `xargs` replaces."""
    found = []
    for word, following in pairwise([*rest, None]):
        if word is None or not re.match(r"-\w*[IiJ]|--replace", word):
            continue
        behind = re.sub(r"^(?:-\w*?[IiJ]|--replace=?)", "", word)
        found += [mark for mark in ("{}", behind or following) if mark]
    return found


def _given(words: Words) -> Iterator[Words]:
    """Yield the commands that `find` and `fd` start for each file; None stands for its name."""
    for place, word in enumerate(words):
        name = posixpath.basename(word or "")
        if name not in _FINDERS:
            continue
        spend(len(words) - place)
        for number in range(place + 1, len(words)):
            if words[number] in _STARTERS[name]:
                spend(len(words) - number)
                yield [None if one is None or "{" in one else one for one in words[number + 1 :]]


def _may_run_any(words: Words) -> bool:
    """Return whether a command runs a program that is known only at run time."""
    names = [posixpath.basename(word or "") for word in words]
    if not _JOINERS.isdisjoint(names[:4]):
        return True
    for given in _given(words):
        if given and (given[0] is None or (posixpath.basename(given[0]) in _WRAPPERS and None in given)):
            return True
    for fed in _fed(words):
        name = posixpath.basename(fed[0] or "")
        is_plain_git = name == "git" and len(fed) > 2 and fed[1] in _GIT_RUNS_NONE
        if len(fed) > 1 and name not in _RUN_NO_OTHER and not is_plain_git:
            return True
    return False


def _is_shell_for_input(command: SimpleCommand, names: Sequence[str]) -> bool:
    """Return whether a command may be a shell that runs a pipe or a file."""
    is_read = "piped" in command.within or any(one.operator.startswith("<") for one in command.redirects)
    is_shell = not _SHELL_STARTERS.isdisjoint(names[:4]) or (
        names[:1] in (["sudo"], ["doas"]) and not {"-s", "-i", "su"}.isdisjoint(names)
    )
    return is_read and is_shell


def _written(command: SimpleCommand) -> tuple[str, ...]:
    """Return the words of a command with and without quotes, as another program may read them."""
    words = [word.source if word.text is None else word.text for word in command.words]
    bare = (_QUOTES.sub("", word) for word in words if _QUOTES.search(word))
    is_passed_on = words[:1] in (["echo"], ["printf"]) and "pipeline" in command.within
    return (*([""] if is_passed_on else []), *words, *bare, *command.assignments)


def _is_named(words: Sequence[str], prefix: Sequence[str]) -> bool:
    """Return whether the arguments of a program name a command, alone or within a text.

    A bare argument of a known starter (`docker rm x`) starts nothing; after an option it may.
    """
    program, *rest = words or ("",)
    program = posixpath.basename(program)
    spend(1 + len(rest))
    if program == prefix[0]:  # its own options may precede the denied word (`git -C x push`)
        return (
            len(prefix) > 1 and bool(rest) and rest[0].startswith(("-", "+")) and _in_order(rest, prefix[1:])
        )
    if program in _RUN_NOTHING:
        return False
    if program in _STARTERS:
        rest = [
            word
            for before, word in pairwise(words)
            if word != prefix[0] or (before.startswith("-") and program not in _FINDERS)
        ]
    text, end = "\n".join(("", *rest)), 0
    for word in prefix:
        found = _whole(word).search(text, end)
        if found is None:
            return False
        end = found.end()
    return True


def _in_order(words: Iterable[str], wanted: Sequence[str]) -> bool:
    left = iter(words)
    return all(word in left for word in wanted)


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    """Return a pattern for a whole word, which may be joined to an option of one letter (`tar -Irm`).

    It is no part of another word, a file name or a folder name.
    """
    return re.compile(rf"(?:(?<![\w.-])|(?<=\n-[A-Za-z])){re.escape(word)}(?![\w/-]|\.\w)")


def _is_copied(words: Words, program: str) -> bool:
    """Return whether a command may copy a program to another name."""
    names = [posixpath.basename(word or "") for word in words]
    return any(name in _COPIERS for name in names) and (program in names[1:] or None in words)


def _readings(command: str, depth: int = 0) -> Iterator[Words]:
    """Yield the words of every possible simple command, by the parser and by splitting at separators."""
    for text in (command, *_PART.split(command), *_QUOTED_PART.split(command)):
        spend(5 + len(text))
        yield split(text)
    for one in (*parse_line(command).commands, *_rough(command)):
        words = _words_of(one)
        spend(5 + len(words))
        yield words
        if depth < _MAX_DEPTH and any(posixpath.basename(word or "") in _WRAPPERS for word in words):
            for word in words:
                if word and any(mark in word for mark in " \t\n;"):
                    yield from _readings(word, depth + 1)


def _runs(words: Words, prefix: Sequence[str]) -> bool:
    """Return whether a simple command runs a prefix, directly or as an argument of a wrapper."""
    is_command, all_may_be = True, False
    starts: frozenset[str] = frozenset()
    for number, word in enumerate(words):
        spend(2 + (len(words) - number) // 50)
        if is_command and word is not None and _begins_here(words[number:], prefix):
            return True
        if all_may_be:
            continue
        name = posixpath.basename(word or "")
        if word in starts or (is_command and name in _WRAPPERS):
            is_command = all_may_be = True
        elif is_command and (word is None or not _ASSIGNMENT.match(word)):
            is_command, starts = False, _STARTERS.get(name, frozenset())
            if not starts:
                return False
    return False


def _begins_here(words: Words, prefix: Sequence[str]) -> bool:
    """Return whether words begin with a prefix; its options may be anywhere, joined or separate."""
    if prefix[0] not in (words[0], posixpath.basename(words[0] or "")):
        return False
    wanted, rest = prefix[1:], [word for word in words[1:] if word is not None]
    if list(words[1 : len(prefix)]) == list(wanted):
        return True
    options = [word for word in wanted if _is_option(word)]
    operands = [word for word in wanted if not _is_option(word)]
    first = [word for word in rest if not _is_option(word)][: len(operands)]
    return bool(options) and first == operands and all(_has(prefix[0], option, rest) for option in options)


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-")


_LONG_NAMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "rm": {"r": ("--recursive",), "R": ("--recursive",), "f": ("--force",)},
    "cp": {"r": ("--recursive", "--archive"), "R": ("--recursive", "--archive"), "f": ("--force",)},
    "mv": {"f": ("--force",)},
    "chmod": {"R": ("--recursive",)},
    "chown": {"R": ("--recursive",)},
    "git": {"f": ("--force",), "d": ("--delete",), "D": ("--delete",), "n": ("--no-verify",)},
}
"""Long names of short options, by program: a rule that denies `rm -rf` denies `rm --recursive --force`."""


def _has(program: str, option: str, given: Sequence[str]) -> bool:
    """Return whether an option is among words: abbreviated long options and joined letters count."""
    longs = [word.partition("=")[0] for word in given if word.startswith("--") and len(word) > 3]
    letters = {letter for word in given if word[:1] == "-" and word[:2] != "--" for letter in word[1:]}
    names = _LONG_NAMES.get(program, {})

    def has_long(name: str) -> bool:
        return any(name.startswith(long) for long in longs)

    if option.startswith("--"):
        name = option.partition("=")[0]
        short = {letter for letter, known in names.items() if name in known}
        return has_long(name) or not short.isdisjoint(letters)
    same = {"r": "R", "R": "r"} if program in ("rm", "cp") else {}
    return all(
        letter in letters or same.get(letter) in letters or any(map(has_long, names.get(letter, ())))
        for letter in option[1:]
    )
