"""The person's own rules: whether a request is allowed, denied, or put to them."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Decision = Literal["allow", "ask", "deny"]

KNOWN_KINDS: Final = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
)
"""The kinds of tool of the protocol. "other" is also where an unknown kind ends up when it is read."""
_STRONGEST_FIRST: Final[tuple[Decision, ...]] = ("deny", "ask", "allow")
_CHAINED: Final = re.compile(r"[;&|<>()`$\n\r]")
_PART: Final = re.compile(r"[;&|()`{}\n\r]+")
_QUOTED_PART: Final = re.compile(r"[;&|()`{}\n\r'\"]+")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_WRAPPERS: Final = frozenset(
    {
        *("sudo", "doas", "env", "command", "builtin", "exec", "eval", "nohup", "setsid"),
        *("time", "timeout", "nice", "xargs", "sh", "bash", "dash", "zsh", "!"),
    }
)


@dataclass(frozen=True)
class Rule:
    """What the person decided in advance; a field that is None matches anything."""

    decision: Decision
    agent: str | None = None
    tool_kind: str | None = None
    path: str | None = None
    """A glob; `*` and `?` stay in one folder, `**` does not. A relative one fits below any folder."""
    command: str | None = None
    """The first words of a command."""
    mode: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Ask:
    """What an agent asks to do."""

    agent: str
    tool_kind: str
    paths: tuple[str, ...] = ()
    """Absolute, links followed where the caller can."""
    command: str | None = None
    mode: str | None = None


@dataclass(frozen=True)
class Verdict:
    """What the rules say, and the rule that says so (None: no rule matched)."""

    decision: Decision
    rule: Rule | None


def decide(rules: Iterable[Rule], ask: Ask) -> Verdict:
    """Return what the rules say: deny before ask, ask before allow, and ask when none matches."""
    matching = [rule for rule in rules if _matches(rule, ask)]
    for decision in _STRONGEST_FIRST:
        for rule in matching:
            if rule.decision == decision:
                return Verdict(decision, rule)
    return Verdict("ask", None)


def choose(options: Sequence[tuple[str, str]], decision: Decision) -> str | None:
    """Return the id of the option, given as (id, kind) in the agent's order, that carries out a decision.

    None when there is none, or when the person is to be asked: never an "always", never an unknown kind, and
    no "allow" among several, which differ in something that only the person can weigh.
    """
    kind = {"allow": "allow_once", "deny": "reject_once", "ask": None}[decision]
    found = [option_id for option_id, its_kind in options if its_kind == kind]
    return found[0] if found and (decision == "deny" or len(found) == 1) else None


def _matches(rule: Rule, ask: Ask) -> bool:
    return (
        rule.agent in (None, ask.agent)
        and rule.mode in (None, ask.mode)
        and _matches_kind(rule, ask)
        and _matches_paths(rule, ask)
        and _matches_command(rule, ask)
    )


def _matches_kind(rule: Rule, ask: Ask) -> bool:
    if rule.decision != "allow":
        return rule.tool_kind in (None, ask.tool_kind)
    if ask.tool_kind not in KNOWN_KINDS:
        return False
    if ask.tool_kind == "other":  # may be anything, so it has to be named
        return rule.tool_kind == "other"
    return rule.tool_kind in (None, ask.tool_kind)


def _matches_paths(rule: Rule, ask: Ask) -> bool:
    """Match all paths when it allows something, any when it forbids."""
    if rule.path is None:
        return True
    pattern = _glob(rule.path)
    if rule.decision == "allow":
        return bool(ask.paths) and all(_plain(path) and pattern.fullmatch(path) for path in ask.paths)
    return any(pattern.fullmatch(path) or pattern.fullmatch(posixpath.normpath(path)) for path in ask.paths)


def _plain(path: str) -> bool:
    return not {"..", "."} & set(path.split("/"))


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    """Compile a glob over whole paths."""
    if not pattern.startswith("/"):
        pattern = f"**/{pattern}"
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts), re.DOTALL)


def _matches_command(rule: Rule, ask: Ask) -> bool:
    if rule.command is None:
        return True
    prefix = _words(rule.command)
    if ask.command is None or not prefix:
        return False
    if rule.decision == "allow":
        return not _CHAINED.search(ask.command) and _begins(_words(ask.command), prefix)
    return any(_runs(words, prefix) for words in _parts(ask.command))


def _begins(words: Sequence[str], prefix: Sequence[str]) -> bool:
    return list(words[: len(prefix)]) == list(prefix)


def _runs(words: Sequence[str], prefix: Sequence[str]) -> bool:
    """Return whether a simple command may run `prefix`, by itself or for another such as sudo."""
    wrapped = False
    for number, word in enumerate(words):
        here = words[number : number + len(prefix)]
        if _begins(here, prefix) or _begins([posixpath.basename(word), *here[1:]], prefix):
            return True
        wrapped = wrapped or posixpath.basename(word) in _WRAPPERS
        if not wrapped and not _ASSIGNMENT.match(word):
            return False
    return False


def _parts(command: str) -> Iterable[list[str]]:
    """Yield the words of each simple command in a line.

    This finds too much rather than too little: what stands in quotes may be a command, too.
    """
    for text in (command, *_PART.split(command), *_QUOTED_PART.split(command)):
        yield _words(text)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote is left open
        return text.split()
