"""The rules that count now: those of files, read again when they change, and those of sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, get_args

from acp_tui.readable import from_home
from acp_tui.rules import files as rules_writing
from acp_tui.rules import files as store
from acp_tui.rules.commands import is_prefix
from acp_tui.rules.files import RuleFile, Trust, WrittenRule
from acp_tui.rules.model import Rule
from acp_tui.store.folders import Problem

State = Literal["counts", "expired", "not trusted", "mistake"]


@dataclass(frozen=True)
class Listed:
    """One rule as the person's list shows it."""

    rule: Rule
    state: State
    written: WrittenRule | None = None
    """As it stands in its file; None for a rule of a session."""


@dataclass
class _Cached:
    signature: tuple[int, ...]
    file: RuleFile


@dataclass
class RuleBook:
    """What `decide` is given, for one agent. Iterating looks whether the files have changed."""

    user_file: Path
    trust: Trust
    of_sessions: list[Rule] = field(default_factory=list)
    """Rules that end with their session."""
    workspaces: list[str] = field(default_factory=list)
    """The folders that sessions work in."""
    _cache: dict[Path, _Cached] = field(default_factory=dict)

    def enter(self, workspace: str) -> None:
        """Let the rules of a workspace count, too, as far as they are trusted."""
        if workspace not in self.workspaces:
            self.workspaces.append(workspace)

    def __iter__(self) -> Iterator[Rule]:
        """Yield the rules that count now."""
        for listed in self.listed():
            if listed.state in ("counts", "mistake"):
                yield listed.rule

    def listed(self) -> list[Listed]:
        """Return all rules, also those that do not count now, in the order in which they are looked at."""
        found = [Listed(rule, "counts") for rule in self.of_sessions]
        for path in self.files():
            file = self.file(path)
            trusted = self.is_trusted(path)
            found += [_listed(written, trusted, self._folder_of(path)) for written in file.rules]
        return found

    def files(self) -> list[Path]:
        """Return where files of rules may be: the person's own, then one for each workspace."""
        return [self.user_file, *(Path(workspace) / store.WORKSPACE_FILE for workspace in self.workspaces)]

    def file(self, path: Path) -> RuleFile:
        """Return a file as it is now, read again only if it has changed."""
        signature = store.signature(path)
        cached = self._cache.get(path)
        if cached is None or cached.signature != signature:
            cached = self._cache[path] = _Cached(signature, _checked(store.load(path)))
        return cached.file

    def problems(self) -> list[Problem]:
        """Return what is wrong with the files as they are now."""
        return [problem for path in self.files() for problem in self.file(path).problems]

    def is_trusted(self, path: Path) -> bool:
        """Return whether the rules of a file that allow something count; the person's own always do."""
        return path == self.user_file or self.trust.has(path, self.file(path).digest)

    def not_trusted(self) -> list[RuleFile]:
        """Return the files of workspaces that would allow something if they were trusted."""
        files = [self.file(path) for path in self.files() if not self.is_trusted(path)]
        return [file for file in files if any(rule.decision == "allow" for rule in file.rules)]

    def _folder_of(self, path: Path) -> str | None:
        return None if path == self.user_file else str(path.parent.parent)


def host_rule(written: WrittenRule, folder: str | None = None) -> Rule:
    """Return a rule for `decide`; those of a workspace's file are for that workspace only.

    Args:
        written: as it stands in a file, or is about to.
        folder: the workspace whose file it stands in; None for the person's own file.
    """
    return Rule(
        decision="ask" if written.mistake else written.decision,
        agent=written.agent,
        tool_kind=written.tool_kind,
        path=written.path,
        command=written.command,
        mode=written.mode,
        note=written.note,
        workspace=folder if folder is not None else written.workspace,
        where=from_home(written.where) if written.file is not None else "",
    )


def _listed(written: WrittenRule, trusted: bool, folder: str | None) -> Listed:
    state: State = "counts"
    if written.mistake:
        state = "mistake"
    elif written.expires is not None and written.expires <= datetime.now(UTC):
        state = "expired"
    elif not trusted and written.decision == "allow":
        state = "not trusted"
    return Listed(host_rule(written, folder), state, written)


def _checked(file: RuleFile) -> RuleFile:
    """Return a file with what only a parser of the shell's language can find wrong in it."""
    problems = list(file.problems)
    rules = []
    for rule in file.rules:
        mistake = prefix_mistake(rule.command) if rule.command is not None else ""
        if mistake and not rule.mistake:
            problems.append(Problem(file.path, rule.line, f"{mistake}; this rule asks"))
            # Without the command: it is not known which ones were meant.
            rule = replace(rule, mistake=mistake, command=None)
        rules.append(rule)
    return replace(file, rules=tuple(rules), problems=tuple(problems))


def prefix_mistake(command: str) -> str:
    """Return what is wrong with the command of a rule, or nothing."""
    if is_prefix(command):
        return ""
    return f"'{command}' must be the first words of one command, without chains, redirects and expansions"


Scope = Literal["session", "workspace", "everywhere"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

OF_SESSION: Final = "a rule of this session"
"""Where a rule stands that no file has."""


@dataclass(frozen=True)
class Draft:
    """A rule that the person has made, and for how much it is."""

    written: WrittenRule
    scope: Scope


class RuleChanges:
    """All that is done to the rules of one book; `CannotWrite` is raised when a file is in the way."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self._undo: list[Callable[[], None]] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._undo)

    def add(self, draft: Draft, workspace: str, session: str) -> None:
        """Put a new rule into the person's own file, or beside a session that it ends with."""
        if draft.scope == "session":
            self.keep(replace(host_rule(draft.written), session=session, where=OF_SESSION))
        else:
            folder = workspace if draft.scope == "workspace" else None
            written = replace(draft.written, workspace=folder)
            path = self.book.user_file
            self._write(path, lambda: rules_writing.add(path, written))

    def keep(self, rule: Rule) -> None:
        """Let a rule count that ends with its session."""
        self.book.of_sessions.append(rule)
        self._undo.append(lambda: self.book.of_sessions.remove(rule))

    def change(self, listed: Listed, draft: Draft, workspace: str, session: str) -> None:
        """Put another rule in the place of one."""
        old = listed.written
        if old is None or old.file is None or draft.scope == "session":
            self.remove(listed)
            self.add(draft, workspace, session)
            self._join()
            return
        file = self.book.file(old.file)
        folder = (old.workspace or workspace) if draft.scope == "workspace" else None
        written = replace(draft.written, workspace=folder if old.file == self.book.user_file else None)
        self._write(old.file, lambda: rules_writing.change(file, old, written))

    def remove(self, listed: Listed) -> None:
        """Take a rule away."""
        old = listed.written
        if old is None or old.file is None:
            place = self.book.of_sessions.index(listed.rule)
            rule: Rule = self.book.of_sessions.pop(place)
            self._undo.append(lambda: self.book.of_sessions.insert(place, rule))
        else:
            file = self.book.file(old.file)
            self._write(old.file, lambda: rules_writing.remove(file, old))

    def undo(self) -> None:
        """Take the last change back."""
        self._undo.pop()()

    def _write(self, path: Path, change: Callable[[], bytes | None]) -> None:
        """Change a file; what was trusted stays so, since it is the person who changes it."""
        trusted = self.book.is_trusted(path)
        before = change()
        now = self.book.file(path).digest
        if trusted and path != self.book.user_file:
            self.book.trust.give(path, now)

        def back() -> None:
            rules_writing.put_back(path, before, now)
            if trusted and path != self.book.user_file:
                self.book.trust.give(path, self.book.file(path).digest)

        self._undo.append(back)

    def _join(self) -> None:
        """Make the last two changes one."""
        second, first = self._undo.pop(), self._undo.pop()

        def both() -> None:
            second()
            first()

        self._undo.append(both)
