"""Rules and policies: allow, ask about or deny a tool call."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from acp_tui.rules import command_rules, effort, path_rules, protected_files, shell
from acp_tui.store.settings import Policy
from acp_tui.workspace.files import Files

Decision = Literal["allow", "ask", "deny"]

TOOL_KINDS: Final = (
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other",
)  # fmt: skip
"""The kinds of tool call that a rule can name, those of the protocol."""
_STRONGEST_FIRST: Final[tuple[Decision, ...]] = ("deny", "ask", "allow")


@dataclass(frozen=True)
class Rule:
    """A decision that the user makes in advance; a condition that is None matches anything."""

    decision: Decision
    agent: str | None = None
    tool_kind: str | None = None
    tool_name: str | None = None
    """A glob for the tool's name in the agent; calls without a name do not match."""
    path: str | None = None
    """A glob; `*` and `?` stay within one folder, `**` does not. A relative one matches below any folder, but
    allows only below those of the workspace."""
    command: str | None = None
    """The first words of a command. Several allow rules may together cover the commands of a chain."""
    mode: str | None = None
    note: str = ""
    """A remark of the user."""
    workspace: str | None = None
    """An absolute folder: the rule applies to sessions in it or below."""
    session: str | None = None
    """The id of the only session that the rule applies to."""
    where: str = ""
    """The place of the rule for display: `file:line`, or "a rule of this session"."""
    exact: bool = False
    """True for an allow rule for exactly this command, not for all that begin with it."""
    folder: str | None = None
    """The only absolute folder in which an exact rule allows its command."""
    expires: datetime | None = None
    """The end of the rule, with a time zone."""
    file: Path | None = None
    """The file of the rule; None for a rule of a session."""
    number: int = 0
    """The position in the file, from 0."""
    mistake: str = ""
    """The mistake in the rule, if any: then it only asks."""

    @property
    def source(self) -> str:
        """The rule as shown in a transcript or a log: its note and place."""
        return ", ".join(filter(None, (self.note, self.where)))


@dataclass(frozen=True)
class ToolUse:
    """A tool call in the form that rules match."""

    agent: str
    tool_kind: str
    paths: tuple[str, ...] = ()
    """Absolute paths that the call names, with links followed if the caller can."""
    command: str | None = None
    mode: str | None = None
    workspace: str = ""
    """The folder of the session, absolute."""
    session: str = ""
    """The id of the session."""
    inputs: tuple[str, ...] = ()
    """Absolute paths named only in its input: they can deny the call, but not allow it."""
    find_others: Callable[[], Sequence[str]] = field(default=tuple, compare=False)
    """Finds the absolute paths of files in its patches and in fields of any name, for an allow rule.

    It looks at the disk, so only an allow rule with a path calls it.
    """
    worded: str | None = None
    """A command found in its texts, if no field names one: it can deny the call, but not allow it."""
    possible_commands: tuple[str, ...] = ()
    """Other texts that may contain a command, if no field names one.

    A deny or ask rule that matches one makes a question; they allow nothing.
    """
    hints: tuple[str, ...] = ()
    """Other texts of the input that may be paths; a match makes a question."""
    folder: str = ""
    """The absolute working directory of the command; empty: the workspace."""
    folders: tuple[str, ...] = ()
    """All absolute folders that its input names: the command may run in any of them."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables that may change what the command does."""
    unknown_fields: tuple[str, ...] = ()
    """Unknown fields of a command's input, which may change the command."""
    unread: tuple[str, ...] = ()
    """Parts of the call that are not understood."""
    roots: tuple[str, ...] = ()
    """The folders of the workspace, absolute; empty: the workspace alone."""
    names_command: bool = False
    """True if a field of its input has a name for a command, whatever the kind of the call."""
    tool_name: str = ""
    """The tool's name in the agent, if the agent sends it."""
    is_open: bool = False
    """True if its input is too large to be searched: it may contain any path or command."""
    also_kinds: tuple[str, ...] = ()
    """Further kinds that its content and input tell: an edit may delete files, a read may run a command."""
    has_more_paths: bool = False
    """True if it names more paths than `paths` holds: the rest may be denied and is not allowed."""

    def is_inside(self, path: str) -> bool:
        """Return whether an absolute path lies in the workspace, links followed."""
        return path_rules.is_below(path, self.roots or (self.workspace or "/",))


@dataclass(frozen=True)
class RuleVerdict:
    """The decision of the rules, and the rule behind it."""

    decision: Decision
    rule: Rule | None
    """None: no rule matched."""
    also: tuple[Rule, ...] = ()
    """Rules that allow the other commands of a chain."""
    why: str = ""
    """For display: why rules that seem to allow it do not."""


# Deny and ask rules have three outcomes: yes, no, and "maybe", when a path or a command is only
# known to the shell or the program. A "yes" of the strongest rule decides; a "maybe" makes a question of
# what would be allowed otherwise. Allow rules have two outcomes: what is not certain is not allowed.
def decide(rules: Iterable[Rule], use: ToolUse) -> RuleVerdict:
    """Return the decision of the rules: deny before ask, ask before allow, and ask when none matches.

    A use that would take too long to examine may match each of them.
    A deny rule that only may match asks: for example, if the shell has yet to expand the command, or if only
    texts of the call contain it.
    """
    matcher = _RuleMatcher(use)
    fitting = [rule for rule in rules if _fits(rule, use)]
    denying, asking, allowing = ([r for r in fitting if r.decision == word] for word in _STRONGEST_FIRST)
    path_rules.forget_spellings()
    with effort.limited():
        sure = {id(rule): matcher.matches(rule) for rule in (*denying, *asking)}
    for rule in (*denying, *asking):
        if sure[id(rule)]:
            return RuleVerdict(rule.decision, rule)
    for rule in (*denying, *asking):
        if sure[id(rule)] is None:
            return RuleVerdict("ask", rule)
    return _allowed([rule for rule in allowing if _allows_paths(rule, use)], use)


@dataclass
class _RuleMatcher:
    """Matches deny and ask rules with a tool use; its command is parsed once for all of them."""

    use: ToolUse

    def matches(self, rule: Rule) -> bool | None:
        """Return whether a rule matches; None: maybe."""
        try:
            found = True if rule.command is None else self._runs(rule.command)
            if found is not False and rule.path is not None:
                reached = self._reaches(path_rules.PathPattern(rule.path))
                found = reached if found or reached is False else None
        except effort.TooMuchEffort:
            return None
        return found

    def _runs(self, prefix: str) -> bool | None:
        use = self.use
        if command_rules.runs(prefix, use.command) or command_rules.runs(prefix, use.worded):
            return True
        known = use.command or use.worded
        is_hidden = use.tool_kind == "execute" and use.command is None
        if is_hidden or use.is_open or command_rules.may_run(prefix, known):
            return None
        if any(
            len(text) > shell.MAX_LINE or command_rules.runs(prefix, text) for text in use.possible_commands
        ):
            return None
        return None if known is not None and command_rules.may_change(use.env) else False

    def _reaches(self, meant: path_rules.PathPattern) -> bool | None:
        use, folder = self.use, self._folder
        named = (*use.paths, *use.inputs)
        found = [meant.has_any(named, folder), *(meant.is_linked(path, folder) for path in named)]
        if True in found:
            return True
        by_command = self._reaches_by_command(meant)
        if by_command is not False:
            return by_command
        return None if None in found or self._may_reach(meant, named) else False

    def _may_reach(self, meant: path_rules.PathPattern, named: Sequence[str]) -> bool:
        use, folder = self.use, self._folder
        if use.is_open or use.has_more_paths or (use.tool_kind == "execute" and use.command is None):
            return True
        hinted = [*use.hints, *(value for _, value in use.env)]
        found = [path for text in use.possible_commands for path in path_rules.fragments(text, folder)]
        return (
            any(map(meant.is_below, named))
            or meant.has_any((*hinted, *found), folder)
            or any(meant.may_match(hint) for hint in hinted if "*" in hint or "?" in hint)
        )

    def _reaches_by_command(self, meant: path_rules.PathPattern) -> bool | None:
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
        return self.use.folder or self.use.workspace or "/"

    @cached_property
    def _reach(self) -> path_rules.Reach:
        command = self.use.command or self.use.worded
        return path_rules.reach_of(command, self._folder) if command is not None else path_rules.Reach()


def _is_exactly(rule: Rule, use: ToolUse) -> bool:
    """Return whether a tool use runs exactly the command of a rule, in its folder."""
    if use.command is None or shell.trimmed(use.command) != rule.command:
        return False
    folders = filter(None, (use.folder or use.workspace, *use.folders))
    return rule.folder is None or {each.rstrip("/") for each in folders} == {rule.folder.rstrip("/")}


_NAME: Final = 40
"""Most characters of a field name in a message."""


def _allowed(rules: Sequence[Rule], use: ToolUse) -> RuleVerdict:
    """Return "allow" if one rule covers the whole tool use, or several cover the commands of a chain."""
    if use.has_more_paths:
        return RuleVerdict("ask", None, why="rules allow no call that names so many files" if rules else "")
    if use.unread:
        return RuleVerdict("ask", None, why="rules allow no call that is not understood" if rules else "")
    if use.is_open:
        return RuleVerdict("ask", None, why="rules allow no call whose input is too large to be searched")
    runs = use.command is not None or use.tool_kind == "execute"
    if runs and not all(map(use.is_inside, filter(None, (use.folder, *use.folders)))):
        return RuleVerdict("ask", None, why="rules allow no command outside the workspace" if rules else "")
    other = _other_command(use)
    for rule in rules:
        if rule.exact and not other and _is_exactly(rule, use):
            return RuleVerdict("allow", rule)
    why = other if any(rule.command is not None for rule in rules) else ""
    rules = [rule for rule in rules if not rule.exact]
    if command_rules.goes_out(use.command, use.folder or use.workspace or "/", use.is_inside):
        other = "rules allow no command that leaves the workspace"
        why = other if any(rule.command is not None for rule in rules) else why
    if other:
        rules = [rule for rule in rules if rule.command is None]
    by_command = [rule for rule in rules if rule.command is not None]
    for rule in rules:
        if (
            rule.command is None
            or command_rules.covering([rule.command], use.command, use.is_inside) is not None
        ):
            return RuleVerdict("allow", rule)
    prefixes = [rule.command or "" for rule in by_command]
    needed = command_rules.covering(prefixes, use.command, use.is_inside)
    if not needed:
        return RuleVerdict(
            "ask", None, why=why or command_rules.unknown_to(prefixes, use.command, use.is_inside)
        )
    first, *others = (by_command[number] for number in needed)
    return RuleVerdict("allow", first, tuple(others))


def _other_command(use: ToolUse) -> str:
    """Return the reason why another command than the named one may run, or ""."""
    if use.unknown_fields:
        name = use.unknown_fields[0]
        more = f" and {len(use.unknown_fields) - 1} more" if len(use.unknown_fields) > 1 else ""
        shown = name if len(name) <= _NAME else f"{name[:_NAME]}…"
        return f"the request has a field that acp-tui does not know: {shown}{more}"
    return "variables may turn it into another command" if use.env else ""


def choose(options: Sequence[tuple[str, str]], decision: Decision) -> str | None:
    """Return the id of the option that matches a decision; `options` are (id, kind) in the agent's order.

    None if there is none, or if the user must choose: it is never an "always" or an unknown kind, and
    never one of several "allow once" options, since only the user can choose among those.
    """
    kind = {"allow": "allow_once", "deny": "reject_once", "ask": None}[decision]
    found = [option_id for option_id, its_kind in options if its_kind == kind]
    return found[0] if found and (decision == "deny" or len(found) == 1) else None


def _fits(rule: Rule, use: ToolUse) -> bool:
    """Return whether a rule matches, apart from its path and command."""
    return (
        rule.agent in (None, use.agent)
        and rule.mode in (None, use.mode)
        and rule.session in (None, use.session)
        and (rule.tool_name is None or _is_named(use.tool_name, rule.tool_name))
        and (rule.workspace is None or _is_for(rule, use.workspace))
        and _matches_kind(rule, use)
        and _may_allow_command(rule, use)
    )


def _is_named(name: str, glob: str) -> bool:
    return name != "" and fnmatchcase(name, glob)


def _is_for(rule: Rule, workspace: str) -> bool:
    """Return whether a rule applies to a workspace with links followed, for deny and ask also as written."""
    folder = (rule.workspace or "").rstrip("/")
    if workspace and path_rules.is_below(workspace, (folder or "/",)):
        return True
    return rule.decision != "allow" and f"{workspace}/".startswith(f"{folder}/")


def _matches_kind(rule: Rule, use: ToolUse) -> bool:
    if rule.decision != "allow":
        return rule.tool_kind in (None, use.tool_kind, *use.also_kinds)
    more = set(use.also_kinds) - _INCLUDED.get(use.tool_kind, frozenset())
    if use.tool_kind not in TOOL_KINDS or (more and rule.tool_kind is not None):
        return False
    if use.tool_kind == "other":  # may do anything, so the rule must name the kind or the tool
        names_tool = rule.tool_kind is None and bool((rule.tool_name or "").strip("*?"))
        return rule.tool_kind == "other" or names_tool
    return rule.tool_kind in (None, use.tool_kind)


_INCLUDED: Final = {"execute": frozenset({"edit"}), "other": frozenset({"edit", "execute"})}
"""Kinds that an allow rule for a kind includes: a command may edit, and an `other` call do anything."""


def _may_allow_command(rule: Rule, use: ToolUse) -> bool:
    """Return whether an allow rule may allow a command.

    Some agents report a command by its effect, such as reading a file: it still counts as a command.
    """
    is_command = use.command is not None or use.names_command
    if rule.decision != "allow" or not is_command or rule.command is not None:
        return True
    return rule.tool_kind == "execute" or (rule.tool_kind is None and rule.path is None)


def _allows_paths(rule: Rule, use: ToolUse) -> bool:
    """Return whether an allow rule matches all the paths of a tool use."""
    if rule.path is None:
        return True
    pattern = path_rules.compiled(rule.path)
    is_anywhere = rule.path.startswith("/")

    def allows(path: str) -> bool:
        return (
            _is_plain(path) and pattern.fullmatch(path) is not None and (is_anywhere or use.is_inside(path))
        )

    is_named = bool(use.paths) and all(map(allows, (*use.paths, *use.inputs)))
    return is_named and all(map(allows, use.find_others())) and _allows_words(allows, use)


def _allows_words(allows: Callable[[str], bool], use: ToolUse) -> bool:
    """Return whether a rule with a path matches all the files that the command of a tool use names."""
    folder = use.folder or use.workspace or "/"
    reach = path_rules.reach_of(use.command, folder) if use.command is not None else path_rules.Reach()
    named = (path for path in reach.paths if posixpath.dirname(path) != folder or os.path.lexists(path))
    return not reach.is_open and all(map(allows, (*named, *reach.walked)))


def _is_plain(path: str) -> bool:
    return path_rules.is_plain(path) and not {"..", "."} & set(path.split("/"))


WORDS: Final[dict[Policy, str]] = {
    "ask": "asks before everything",
    "ask-edits-and-commands": "asks before edits and commands",
    "allow-edits": "allows edits in the workspace",
    "allow-everything": "allows everything",
    "read-only": "refuses edits and commands",
}
"""The policies, for display."""

LOOKING: Final = frozenset({"read", "search", "think"})
"""Kinds of tool call that change nothing."""


def by_policy(
    policy: Policy, tool_kind: str, command: str | None, paths: Sequence[str], files: Files | None
) -> Decision:
    """Return the decision of a policy if no rule matches: "allow" or "ask".

    Args:
        policy: the policy of the session.
        tool_kind: the kind of the call; only "allow everything" allows unknown ones.
        command: the command of the call; a read or a search with a command counts as a command.
        paths: the paths of the call, as the agent wrote them.
        files: the files of the session; None for a session without folders.
    """
    if policy == "allow-everything":
        return "allow"
    if policy == "ask" or command is not None or files is None or tool_kind not in TOOL_KINDS:
        return "ask"
    if tool_kind in LOOKING:
        is_inside = all(path_rules.is_plain(path) and files.contains(path) for path in paths)
        return "allow" if is_inside else "ask"
    if policy == "allow-edits" and tool_kind == "edit" and paths:
        return "allow" if all(_is_edit(path, files) for path in paths) else "ask"
    return "ask"


def _is_edit(path: str, files: Files) -> bool:
    """Return whether a path, with links followed, is in the workspace and not protected."""
    if not path.startswith("/") or not path_rules.is_plain(path) or not files.contains(path):
        return False
    return protected_files.why_protected(path, files.roots) is None
