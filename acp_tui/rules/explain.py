"""What a command line does, part by part, for the person who is asked: what each runs, and what to look at.

This is advice and decides nothing: it finds what is plainly written, not what a program does by itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from acp_tui.rules.shell import SHELLS, Command, Redirect, Word, is_too_long, script_of, take_apart

_PATH: Final = re.compile(r"(?:/|~|\.\.(?:/|$)|.*/\.\.(?:/|$))")
"""Words that lead somewhere else than below the folder that the command runs in."""
_HOME: Final = re.compile(r"""^"?\$(?:HOME\b|\{HOME\})""")
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
_DEEPEST: Final = 3


@dataclass(frozen=True)
class Note:
    """Something to look at in a part."""

    text: str
    grave: bool = True
    """Whether it reaches beyond the workspace, or cannot be taken back."""


@dataclass(frozen=True)
class Part:
    """One command of a line."""

    text: str
    """As it is written, without what joins it to others."""
    notes: tuple[Note, ...] = ()
    depth: int = 0
    """How many others it is written inside of: in a `$(…)`, in the text for another shell."""


@dataclass(frozen=True)
class Explanation:
    """A command line in parts."""

    parts: tuple[Part, ...]
    understood: bool
    """Whether the parser could read all of it; else there may be more in it than the parts."""
    too_long: bool = False
    """Whether more of it was left than is read."""


def explain(command: str, cwd: str, inside: Callable[[str], bool]) -> Explanation:
    """Return the parts of a command line.

    Args:
        command: the line.
        cwd: the folder that it runs in, absolute.
        inside: whether an absolute path lies in the workspace.
    """
    line = take_apart(command)
    return Explanation(tuple(_parts(line.commands, cwd, inside, 0)), line.understood, is_too_long(command))


def _parts(
    commands: Sequence[Command], cwd: str, inside: Callable[[str], bool], depth: int
) -> Iterator[Part]:
    owners = _owners(commands)
    for command in commands:
        words = [word.text for word in command.words]
        own = replace(
            command, redirects=tuple(one for one in command.redirects if owners[id(one)] is command)
        )
        yield Part(_written(own), tuple(_notes(own, words, cwd, inside)), depth + _is_inner(command))
        script = script_of(words)
        if script is not None and depth < _DEEPEST:
            yield from _parts(take_apart(script).commands, cwd, inside, depth + _is_inner(command) + 1)
        if words[:1] == ["cd"] and len(words) == 2 and words[1] and "subshell" not in command.within:
            cwd = _absolute(words[1], cwd)


def _owners(commands: Sequence[Command]) -> dict[int, Command]:
    """Return by each redirect (its `id`) the command to tell it with: one of a group belongs to several."""
    by_nearness = sorted(commands, key=lambda one: not _is_inner(one))
    return {id(redirect): command for command in by_nearness for redirect in command.redirects}


def _is_inner(command: Command) -> bool:
    return not command.within.isdisjoint(("command_substitution", "process_substitution"))


def _written(command: Command) -> str:
    redirects = []
    for one in command.redirects:
        stream, target = (word.source if word is not None else "" for word in (one.stream, one.target))
        gap = "" if one.operator.endswith("&") else " "
        redirects.append(f"{stream}{one.operator}{gap}{target}".rstrip())
    words = [*command.assignments, *(word.source for word in command.words), *redirects]
    return " ".join(" ".join(words).split())


def _notes(
    command: Command, words: Sequence[str | None], cwd: str, inside: Callable[[str], bool]
) -> Iterator[Note]:
    if words and words[0] is None:
        yield Note("the shell decides what runs")
    yield from dict.fromkeys(_about_programs(words))
    for redirect in command.redirects:
        if redirect.writes:
            yield _writing(redirect, cwd, inside)
    outside = [path for path in _paths(command.words) if not inside(_absolute(path, cwd))]
    if outside:
        yield Note(f"outside the workspace: {', '.join(dict.fromkeys(outside))}")
    if command.background:
        yield Note("in the background", grave=False)


def _about_programs(words: Sequence[str | None]) -> Iterator[Note]:
    """Yield what is known of the program, and of those that it runs for us."""
    for place, word in enumerate(words):
        name = posixpath.basename(word or "")
        rest = [each for each in words[place + 1 :] if each and not each.startswith("-")]
        if name in _RAISERS:
            yield Note("as another user")
        if name in _NETWORK or _NETWORK_WHEN.get(name, frozenset()) & set(rest[:1]):
            yield Note("network")
        if name in _DELETERS or _DELETES_WHEN.get(name, "-") in words[place + 1 :]:
            yield Note("deletes")
        if name == "git" and rest[:1] == ["reset"] and "--hard" in words:
            yield Note("throws changes away")
        if name not in _RAISERS and name not in _RUNNERS and name != "xargs":
            is_option = place and (not word or word.startswith("-") or "=" in word or word.isdigit())
            if not is_option:
                return


def _writing(redirect: Redirect, cwd: str, inside: Callable[[str], bool]) -> Note:
    target = redirect.target
    if target is None or target.text is None:
        return Note("writes where the shell decides")
    is_inside = inside(_absolute(target.text, cwd))
    where = "" if is_inside else ", outside the workspace"
    return Note(f"writes {target.text}{where}", grave=not is_inside)


def _paths(words: Sequence[Word]) -> Iterator[str]:
    """Yield what in the words after the program leads out of its folder, also behind `=` in an option."""
    for word in words[1:]:
        text = _HOME.sub("~", word.source) if word.text is None else word.text
        path = text.rpartition("=")[2]
        if _PATH.match(path) and "://" not in path and path not in _NO_FILES:
            yield path


def _absolute(path: str, cwd: str) -> str:
    return posixpath.normpath(posixpath.join(cwd, posixpath.expanduser(path)))
