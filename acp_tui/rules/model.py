"""The person's own rules: whether a request is allowed, denied, or put to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from acp_tui.rules.commands import covering, may_change, may_run, runs
from acp_tui.rules.paths import Meant, Reach, compiled, fragments, reach_of
from acp_tui.rules.protected import why_protected
from acp_tui.workspace.files import Files

Decision = Literal["allow", "ask", "deny"]

KNOWN_KINDS: Final = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
)
"""The kinds of tool of the protocol. "other" is also where an unknown kind ends up when it is read."""
_STRONGEST_FIRST: Final[tuple[Decision, ...]] = ("deny", "ask", "allow")


@dataclass(frozen=True)
class Rule:
    """What the person decided in advance; a field that is None matches anything."""

    decision: Decision
    agent: str | None = None
    tool_kind: str | None = None
    path: str | None = None
    """A glob; `*` and `?` stay in one folder, `**` does not. A relative one fits below any folder."""
    command: str | None = None
    """The first words of a command. Several allow rules may together cover the commands of a chain."""
    mode: str | None = None
    note: str = ""
    workspace: str | None = None
    """A folder, absolute: only for sessions that work in it, or below."""
    session: str | None = None
    """The id of the only session that it is for."""
    where: str = ""
    """Where the rule stands, as `file:line`; empty if it stands in no file."""
    exact: bool = False
    """Of a rule that allows: the command is all of it, not how it begins."""

    @property
    def source(self) -> str:
        """What a transcript or a log says of the rule: the person's remark and where it stands."""
        return ", ".join(filter(None, (self.note, self.where)))


@dataclass(frozen=True)
class Ask:
    """What an agent asks to do."""

    agent: str
    tool_kind: str
    paths: tuple[str, ...] = ()
    """Absolute, links followed where the caller can; what the call says of itself."""
    command: str | None = None
    mode: str | None = None
    workspace: str = ""
    """The folder of the session, absolute."""
    session: str = ""
    """The id of the session."""
    inputs: tuple[str, ...] = ()
    """Likewise, those that only the tool's input names: they can forbid, and allow nothing by themselves."""
    worded: str | None = None
    """Where no command is known: the one that its words ask for. It can be forbidden, and allows nothing."""
    told: tuple[str, ...] = ()
    """Where no command is known: what else the call says of itself, in which one may stand. A rule that
    denies or asks for it makes this a question; none is allowed by it."""
    hints: tuple[str, ...] = ()
    """What else in the tool's input may be a path, as it is written: likewise."""
    folder: str = ""
    """The folder that the command runs in, absolute; empty: the workspace."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that the command is given."""


@dataclass(frozen=True)
class Verdict:
    """What the rules say, and the rule that says so (None: no rule matched)."""

    decision: Decision
    rule: Rule | None
    also: tuple[Rule, ...] = ()
    """The rules that allow the other commands of a chain."""


def decide(rules: Iterable[Rule], ask: Ask) -> Verdict:
    """Return what the rules say: deny before ask, ask before allow, and ask when none matches.

    A rule that denies what a command may turn out to run, once the shell has expanded it, asks; so does one
    that denies what only the words of the call speak of.
    """
    about = _About(ask)
    fitting = [rule for rule in rules if _fits(rule, ask)]
    denying, asking, allowing = ([r for r in fitting if r.decision == word] for word in _STRONGEST_FIRST)
    sure = {id(rule): about.is_meant(rule) for rule in (*denying, *asking)}
    for rule in (*denying, *asking):
        if sure[id(rule)]:
            return Verdict(rule.decision, rule)
    for rule in (*denying, *asking):
        if sure[id(rule)] is None:
            return Verdict("ask", rule)
    return _allowed([rule for rule in allowing if _allows_paths(rule, ask)], ask)


@dataclass
class _About:
    """What is asked, as rules that deny and ask look at it; its command is read once for all of them."""

    ask: Ask

    def is_meant(self, rule: Rule) -> bool | None:
        """Return whether a rule means what is asked; None: it may, for all that is known."""
        found = True if rule.command is None else self._runs(rule.command)
        if found is not False and rule.path is not None:
            reached = self._reaches(Meant(rule.path))
            found = reached if found or reached is False else None
        return found

    def _runs(self, prefix: str) -> bool | None:
        ask = self.ask
        if runs(prefix, ask.command) or runs(prefix, ask.worded):
            return True
        known = ask.command or ask.worded
        is_hidden = ask.tool_kind == "execute" and ask.command is None
        if is_hidden or may_run(prefix, known) or any(runs(prefix, text) for text in ask.told):
            return None
        return None if known is not None and may_change(ask.env) else False

    def _reaches(self, meant: Meant) -> bool | None:
        ask, folder = self.ask, self._folder
        named = (*ask.paths, *ask.inputs)
        found = [meant.has_any(named, folder), *(meant.is_linked(path, folder) for path in named)]
        if True in found:
            return True
        by_command = self._reaches_by_command(meant)
        if by_command is not False:
            return by_command
        return None if None in found or self._may_reach(meant, named) else False

    def _may_reach(self, meant: Meant, named: Sequence[str]) -> bool:
        ask, folder = self.ask, self._folder
        if ask.tool_kind == "execute" and ask.command is None:
            return True
        hinted = [*ask.hints, *(value for _, value in ask.env)]
        told = [path for text in ask.told for path in fragments(text, folder)]
        return (
            any(map(meant.is_below, named))
            or meant.has_any((*hinted, *told), folder)
            or any(meant.may_match(hint) for hint in hinted if "*" in hint or "?" in hint)
        )

    def _reaches_by_command(self, meant: Meant) -> bool | None:
        reach, folder = self._reach, self._folder
        found: list[bool | None] = [meant.has_any(reach.paths, folder)]
        if not found[0]:
            found += [meant.is_linked(path, folder) for path in reach.paths]
        if True in found:
            return True
        may = (
            reach.is_open
            or None in found
            or meant.has_any(reach.hints, folder)
            or any(meant.is_linked(path, folder) is not False for path in reach.hints)
            or any(map(meant.is_below, (*reach.paths, *reach.hints)))
            or any(map(meant.may_be_below, reach.walked))
        )
        return None if may else False

    @property
    def _folder(self) -> str:
        return self.ask.folder or self.ask.workspace or "/"

    @cached_property
    def _reach(self) -> Reach:
        command = self.ask.command or self.ask.worded
        return reach_of(command, self._folder) if command is not None else Reach()


def _allowed(rules: Sequence[Rule], ask: Ask) -> Verdict:
    """Return "allow" where one rule covers all that is asked, or several cover the commands of a chain."""
    for rule in rules:
        if rule.exact and ask.command is not None and ask.command.strip() == rule.command:
            return Verdict("allow", rule)
    rules = [rule for rule in rules if not rule.exact]
    by_command = [rule for rule in rules if rule.command is not None]
    for rule in rules:
        if rule.command is None or covering([rule.command], ask.command) is not None:
            return Verdict("allow", rule)
    needed = covering([rule.command or "" for rule in by_command], ask.command)
    if not needed:
        return Verdict("ask", None)
    first, *others = (by_command[number] for number in needed)
    return Verdict("allow", first, tuple(others))


def choose(options: Sequence[tuple[str, str]], decision: Decision) -> str | None:
    """Return the id of the option, given as (id, kind) in the agent's order, that carries out a decision.

    None when there is none, or when the person is to be asked: never an "always", never an unknown kind, and
    no "allow" among several, which differ in something that only the person can weigh.
    """
    kind = {"allow": "allow_once", "deny": "reject_once", "ask": None}[decision]
    found = [option_id for option_id, its_kind in options if its_kind == kind]
    return found[0] if found and (decision == "deny" or len(found) == 1) else None


def _fits(rule: Rule, ask: Ask) -> bool:
    """Return whether all of a rule fits but, perhaps, its command."""
    return (
        rule.agent in (None, ask.agent)
        and rule.mode in (None, ask.mode)
        and rule.session in (None, ask.session)
        and (rule.workspace is None or f"{ask.workspace}/".startswith(f"{rule.workspace.rstrip('/')}/"))
        and _matches_kind(rule, ask)
        and _may_allow_command(rule, ask)
    )


def _matches_kind(rule: Rule, ask: Ask) -> bool:
    if rule.decision != "allow":
        return rule.tool_kind in (None, ask.tool_kind)
    if ask.tool_kind not in KNOWN_KINDS:
        return False
    if ask.tool_kind == "other":  # may be anything, so it has to be named
        return rule.tool_kind == "other"
    return rule.tool_kind in (None, ask.tool_kind)


def _may_allow_command(rule: Rule, ask: Ask) -> bool:
    """Some agents tell a command by what it does or where, as a read of a file: it stays a command."""
    if rule.decision != "allow" or ask.command is None or rule.command is not None:
        return True
    return rule.tool_kind == "execute" or (rule.tool_kind is None and rule.path is None)


def _allows_paths(rule: Rule, ask: Ask) -> bool:
    """Return whether a rule that allows something means all the paths that are named."""
    if rule.path is None:
        return True
    pattern = compiled(rule.path)
    return bool(ask.paths) and all(
        _plain(path) and pattern.fullmatch(path) for path in (*ask.paths, *ask.inputs)
    )


def _plain(path: str) -> bool:
    return not {"..", "."} & set(path.split("/"))


Policy = Literal["ask", "ask-edits-and-commands", "allow-edits", "allow-everything"]
"""From the most careful to the one that asks nothing."""

WORDS: Final[dict[Policy, str]] = {
    "ask": "asks for all",
    "ask-edits-and-commands": "asks for edits and commands",
    "allow-edits": "allows edits in the workspace",
    "allow-everything": "allows everything",
}
"""What a session does under each policy, in words."""

LOOKING: Final = frozenset({"read", "search", "think"})
"""Kinds of tool that change nothing."""


def by_policy(
    policy: Policy, tool_kind: str, command: str | None, paths: Sequence[str], files: Files | None
) -> Decision:
    """Return `allow` or `ask`; a policy never denies. Asked only when no rule matched.

    Args:
        policy: the session's.
        tool_kind: what the agent calls it; only "allow everything" takes a kind that is new to us.
        command: some agents tell a command by what it does, as a read or a search: it stays a command.
        paths: all that the call names, as the agent wrote them.
        files: the session's roots; None when it has none (any more).
    """
    if policy == "allow-everything":
        return "allow"
    if policy == "ask" or command is not None or files is None or tool_kind not in KNOWN_KINDS:
        return "ask"
    if tool_kind in LOOKING:
        return "allow" if all(map(files.contains, paths)) else "ask"
    if policy == "allow-edits" and tool_kind == "edit" and paths:
        return "allow" if all(_is_edit(path, files) for path in paths) else "ask"
    return "ask"


def _is_edit(path: str, files: Files) -> bool:
    """Whether to change this file, links followed, is an edit of the workspace and nothing else."""
    if not path.startswith("/") or not files.contains(path):
        return False
    return why_protected(path, files.roots) is None
