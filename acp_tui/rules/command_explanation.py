"""Explains a command line to the user: its parts, and the remarkable points of each.

This is advice and decides nothing: it reads plain words and does not know what a program does inside.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.rules.shell import SHELLS, Redirect, SimpleCommand, Word, is_too_long, parse_line, script_of

_PATH: Final = regex(r"(?:/|~|\.\.(?:/|$)|.*/\.\.(?:/|$))")
"""Words that lead out of the working directory."""
_HOME: Final = regex(r"""^"?\$(?:HOME\b|\{HOME\})""")
_NO_FILES: Final = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty")
_RAISERS: Final = frozenset({"sudo", "doas", "su", "pkexec"})
_RUNNERS: Final = SHELLS | {"eval", "env", "nohup", "time", "timeout", "nice"}
_DELETERS: Final = frozenset({"rm", "rmdir", "unlink", "shred"})
_NETWORK: Final = frozenset(
    {
        *("curl", "wget", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "socat", "dig"),
        *("ping", "gh", "glab", "aws", "gcloud", "az", "kubectl", "npx", "bunx", "uvx", "heroku", "flyctl"),
    }
)
_NETWORK_WHEN: Final[dict[str, frozenset[str]]] = {
    "git": frozenset({"push", "pull", "fetch", "clone", "ls-remote", "submodule"}),
    "docker": frozenset({"pull", "push", "run", "build", "login"}),
    "podman": frozenset({"pull", "push", "run", "build", "login"}),
    **dict.fromkeys(("pip", "pip3", "pipx"), frozenset({"install", "download", "run"})),
    "uv": frozenset({"add", "sync", "pip", "tool", "publish", "lock"}),
    "poetry": frozenset({"add", "install", "update", "publish"}),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        frozenset({"install", "i", "ci", "add", "update", "publish", "exec", "dlx", "create"}),
    ),
    "cargo": frozenset({"install", "add", "update", "fetch", "publish"}),
    "go": frozenset({"get", "install", "mod"}),
    "gem": frozenset({"install", "update", "push"}),
    "brew": frozenset({"install", "upgrade", "update"}),
    **dict.fromkeys(
        ("apt", "apt-get", "dnf", "yum"), frozenset({"install", "update", "upgrade", "dist-upgrade"})
    ),
}
_DELETES_WHEN: Final[dict[str, str]] = {"git": "clean", "find": "-delete"}
_MAX_DEPTH: Final = 3


@dataclass(frozen=True)
class PartNote:
    """A remark about a part of a command line."""

    text: str
    grave: bool = True
    """True if the part reaches beyond the workspace, or cannot be undone."""


@dataclass(frozen=True)
class CommandPart:
    """One command of a line."""

    text: str
    """The source text of the command."""
    notes: tuple[PartNote, ...] = ()
    depth: int = 0
    """Number of commands around it: a `$(…)`, or a text for another shell."""


@dataclass(frozen=True)
class CommandExplanation:
    """A command line in parts."""

    parts: tuple[CommandPart, ...]
    understood: bool
    """True if the whole line was parsed; otherwise it may contain more than the parts."""
    too_long: bool = False
    """True if only the start of the line was read."""


def explain(command: str, cwd: str, inside: Callable[[str], bool]) -> CommandExplanation:
    """Return the parts of a command line.

    Args:
        command: the line.
        cwd: its absolute working directory.
        inside: returns whether an absolute path lies in the workspace.
    """
    line = parse_line(command)
    return CommandExplanation(
        tuple(_parts(line.commands, cwd, inside, 0)), line.understood, is_too_long(command)
    )


def _parts(
    commands: Sequence[SimpleCommand], cwd: str, inside: Callable[[str], bool], depth: int
) -> Iterator[CommandPart]:
    owners = _owners(commands)
    for command in commands:
        words = [word.text for word in command.words]
        own = replace(
            command, redirects=tuple(one for one in command.redirects if owners[id(one)] is command)
        )
        yield CommandPart(_written(own), tuple(_notes(own, words, cwd, inside)), depth + _is_inner(command))
        script = script_of(words)
        if script is not None and depth < _MAX_DEPTH:
            yield from _parts(parse_line(script).commands, cwd, inside, depth + _is_inner(command) + 1)
        if words[:1] == ["cd"] and len(words) == 2 and words[1] and "subshell" not in command.within:
            cwd = _absolute(words[1], cwd)


def _owners(commands: Sequence[SimpleCommand]) -> dict[int, SimpleCommand]:
    """Return the command of each redirect, by its `id`: a redirect of a group belongs to several."""
    by_nearness = sorted(commands, key=lambda one: not _is_inner(one))
    return {id(redirect): command for command in by_nearness for redirect in command.redirects}


def _is_inner(command: SimpleCommand) -> bool:
    return not command.within.isdisjoint(("command_substitution", "process_substitution"))


def _written(command: SimpleCommand) -> str:
    redirects = []
    for one in command.redirects:
        stream, target = (word.source if word is not None else "" for word in (one.stream, one.target))
        gap = "" if one.operator.endswith("&") else " "
        redirects.append(f"{stream}{one.operator}{gap}{target}".rstrip())
    words = [*command.assignments, *(word.source for word in command.words), *redirects]
    return " ".join(" ".join(words).split())


def _notes(
    command: SimpleCommand, words: Sequence[str | None], cwd: str, inside: Callable[[str], bool]
) -> Iterator[PartNote]:
    if words and words[0] is None:
        yield PartNote("the shell decides what runs")
    yield from dict.fromkeys(_about_programs(words))
    for redirect in command.redirects:
        if redirect.writes:
            yield _writing(redirect, cwd, inside)
    outside = [path for path in _paths(command.words) if not inside(_absolute(path, cwd))]
    if outside:
        yield PartNote(f"outside the workspace: {', '.join(dict.fromkeys(outside))}")
    if command.background:
        yield PartNote("in the background", grave=False)


def _about_programs(words: Sequence[str | None]) -> Iterator[PartNote]:
    """Yield remarks about the program, and about those that it runs in turn."""
    for place, word in enumerate(words):
        name = posixpath.basename(word or "")
        rest = [each for each in words[place + 1 :] if each and not each.startswith("-")]
        if name in _RAISERS:
            yield PartNote("as another user")
        if name in _NETWORK or _NETWORK_WHEN.get(name, frozenset()) & set(rest[:1]):
            yield PartNote("network")
        if name in _DELETERS or _DELETES_WHEN.get(name, "-") in words[place + 1 :]:
            yield PartNote("deletes")
        if name == "git" and rest[:1] == ["reset"] and "--hard" in words:
            yield PartNote("discards changes")
        if name not in _RAISERS and name not in _RUNNERS and name != "xargs":
            is_option = place and (not word or word.startswith("-") or "=" in word or word.isdigit())
            if not is_option:
                return


def _writing(redirect: Redirect, cwd: str, inside: Callable[[str], bool]) -> PartNote:
    target = redirect.target
    if target is None or target.text is None:
        return PartNote("writes where the shell decides")
    is_inside = inside(_absolute(target.text, cwd))
    where = "" if is_inside else ", outside the workspace"
    return PartNote(f"writes {target.text}{where}", grave=not is_inside)


def _paths(words: Sequence[Word]) -> Iterator[str]:
    """Yield the arguments that lead out of the working directory, also after `=` in an option."""
    for word in words[1:]:
        text = _HOME.sub("~", word.source) if word.text is None else word.text
        path = text.rpartition("=")[2]
        if _PATH.match(path) and "://" not in path and path not in _NO_FILES:
            yield path


def _absolute(path: str, cwd: str) -> str:
    return posixpath.normpath(posixpath.join(cwd, expand_home(path)))
