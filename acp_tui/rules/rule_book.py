"""The rule book: the rules of files and sessions, and every change of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final, Literal, get_args

from acp_tui.rules import rule_files
from acp_tui.rules.model import Rule
from acp_tui.rules.rule_files import RuleFile
from acp_tui.rules.trusted_files import Trust
from acp_tui.store.toml_check import Problem

RuleState = Literal["counts", "expired", "not trusted", "mistake"]


@dataclass(frozen=True)
class ListedRule:
    """A rule and its state, as shown in the list of rules."""

    rule: Rule
    state: RuleState


SETTLING: Final = 1.0
"""Seconds for which deny and ask rules that were removed from a file still apply.

Many editors empty a file, or move it away, before they write it: nobody meant its content in between.
"""
_IN_NO_PLACE: Final = 1 << 30
"""The number of a rule that is no longer in its file."""


@dataclass
class _CachedFile:
    signature: tuple[int, ...]
    file: RuleFile
    until: float = inf
    """When it must be read again, in seconds of the monotonic clock."""


@dataclass
class RuleBook:
    """The rules for one agent. Iterating checks whether the files have changed."""

    user_file: Path
    trust: Trust
    of_sessions: list[Rule] = field(default_factory=list)
    """The rules that end with their session."""
    workspaces: list[str] = field(default_factory=list)
    """The folders of the sessions."""
    _cache: dict[Path, _CachedFile] = field(default_factory=dict)
    _denied: dict[Path, tuple[Rule, ...]] = field(default_factory=dict)
    """The deny and ask rules of each file when it was last readable."""
    _settling: dict[Path, tuple[tuple[int, ...], float]] = field(default_factory=dict)
    """Files that changed: the new signature, and the time when it was seen."""

    def enter(self, workspace: str) -> None:
        """Add the rules of a workspace; its allow rules count once the file is trusted."""
        if workspace not in self.workspaces:
            self.workspaces.append(workspace)

    def close(self, session_id: str) -> None:
        """Drop the rules that end with a session."""
        self.of_sessions[:] = [rule for rule in self.of_sessions if rule.session != session_id]

    def __iter__(self) -> Iterator[Rule]:
        """Yield the rules that apply now."""
        for listed in self.listed():
            if listed.state in ("counts", "mistake"):
                yield listed.rule

    def listed(self) -> list[ListedRule]:
        """Return all rules, also those that do not apply: first those of sessions, then those of files."""
        found = [_listed(rule) for rule in self.of_sessions]
        for path in self.files():
            file = self.file(path)
            trusted = self._trusts(file)
            found += [_listed(rule, trusted=trusted) for rule in file.rules]
        return found

    def files(self) -> list[Path]:
        """Return the paths of rule files: the user's own, then one for each workspace."""
        return [
            self.user_file,
            *(Path(workspace) / rule_files.WORKSPACE_FILE for workspace in self.workspaces),
        ]

    def file(self, path: Path) -> RuleFile:
        """Return the current content of a file, read again only if it has changed."""
        signature = rule_files.signature(path)
        cached = self._cache.get(path)
        if cached is None or cached.signature != signature or monotonic() >= cached.until:
            cached = self._cache[path] = self._load(path, signature)
        return cached.file

    def read_again(self) -> None:
        """Have all files read again at their next use: a save within a clock tick leaves no new signature."""
        self._cache.clear()

    def changed_by_user(self, path: Path) -> None:
        """Apply a file at once, without the delay of `SETTLING`: the user has changed it here."""
        self._denied.pop(path, None)
        self._cache.pop(path, None)

    def _load(self, path: Path, signature: tuple[int, ...]) -> _CachedFile:
        """Read a file; the rules of a workspace's file are for that workspace only.

        While it cannot be read, its deny rules still apply and everything else is asked. Deny and ask rules
        that were removed still apply for `SETTLING` seconds.
        """
        file = rule_files.load(path)
        if path != self.user_file:
            folder = str(path.parent.parent)
            file = replace(file, rules=tuple(replace(rule, workspace=folder) for rule in file.rules))
        before = self._denied.get(path, ())
        if not file.is_readable:
            return _CachedFile(signature, replace(file, rules=(*file.rules, *before)))
        denied = tuple(rule for rule in file.rules if rule.decision != "allow" and not rule.mistake)
        there = set(map(_condition, denied))
        lost = tuple(replace(one, number=_IN_NO_PLACE) for one in before if _condition(one) not in there)
        known, since = self._settling.get(path, (None, 0.0))
        if known != signature:
            known, since = self._settling[path] = signature, monotonic()
        if lost and monotonic() < since + SETTLING:
            return _CachedFile(signature, replace(file, rules=(*file.rules, *lost)), since + SETTLING)
        self._denied[path] = denied
        return _CachedFile(signature, file)

    def problems(self) -> list[Problem]:
        """Return the mistakes in the current files."""
        return [problem for path in self.files() for problem in self.file(path).problems]

    def is_trusted(self, path: Path) -> bool:
        """Return whether the allow rules of a file apply; those of the user's own file always do."""
        return self._trusts(self.file(path))

    def _trusts(self, file: RuleFile) -> bool:
        """Return whether the content that was read is trusted: the file may have changed since."""
        return file.path == self.user_file or self.trust.has(file.path, file.digest)

    def not_trusted(self) -> list[RuleFile]:
        """Return the untrusted files with allow rules."""
        found = [self.file(path) for path in self.files()]
        return [
            file
            for file in found
            if not self._trusts(file) and any(rule.decision == "allow" for rule in file.rules)
        ]


def _condition(rule: Rule) -> Rule:
    """Return a rule without its position, for comparison."""
    return replace(rule, where="", number=0, note="")


def _listed(rule: Rule, *, trusted: bool = True) -> ListedRule:
    state: RuleState = "counts"
    if rule.mistake:
        state = "mistake"
    elif rule.expires is not None and rule.expires <= datetime.now(UTC):
        state = "expired"
    elif not trusted and rule.decision == "allow":
        state = "not trusted"
    return ListedRule(rule, state)


Scope = Literal["session", "workspace", "everywhere"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

OF_SESSION: Final = "a rule of this session"
"""Shown as the place of a rule that is in no file."""


@dataclass(frozen=True)
class RuleDraft:
    """A rule in the editor, and its scope."""

    rule: Rule
    scope: Scope


class RuleChanges:
    """Change the rules of a book, with undo. Each change may raise `CannotWrite`."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self._undo: list[Callable[[], None]] = []

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._undo)

    def add(self, draft: RuleDraft, workspace: str, session: str) -> None:
        """Add a rule to the user's own file, or to the session that it ends with."""
        if draft.scope == "session":
            self.keep(replace(draft.rule, session=session, where=OF_SESSION))
        else:
            folder = workspace if draft.scope == "workspace" else None
            rule = replace(draft.rule, workspace=folder)
            path = self.book.user_file
            self._write(path, lambda: rule_files.add(path, rule))

    def keep(self, rule: Rule) -> None:
        """Add a rule of a session."""
        self.book.of_sessions.append(rule)
        self._undo.append(lambda: self._drop(rule))

    def change(self, listed: ListedRule, draft: RuleDraft, workspace: str, session: str) -> None:
        """Replace a rule."""
        old = listed.rule
        if old.file is None or draft.scope == "session":
            self.remove(listed)
            self.add(draft, workspace, session)
            self._join()
            return
        file = self.book.file(old.file)
        folder = (old.workspace or workspace) if draft.scope == "workspace" else None
        rule = replace(draft.rule, workspace=folder if old.file == self.book.user_file else None)
        self._write(old.file, lambda: rule_files.change(file, old, rule))

    def remove(self, listed: ListedRule) -> None:
        """Remove a rule."""
        old = listed.rule
        if old.file is None:
            place = self.book.of_sessions.index(old)
            rule: Rule = self.book.of_sessions.pop(place)
            self._undo.append(lambda: self.book.of_sessions.insert(place, rule))
        else:
            file = self.book.file(old.file)
            self._write(old.file, lambda: rule_files.remove(file, old))

    def undo(self) -> None:
        """Undo the last change."""
        self._undo.pop()()

    def _write(self, path: Path, change: Callable[[], bytes | None]) -> None:
        """Change a file; a trusted one stays trusted, since it is the user who changes it."""
        trusted = self.book.is_trusted(path)
        before = change()
        self.book.changed_by_user(path)
        now = self.book.file(path).digest
        if trusted and path != self.book.user_file:
            self.book.trust.give(path, now)

        def back() -> None:
            rule_files.put_back(path, before, now)
            self.book.changed_by_user(path)
            if trusted and path != self.book.user_file:
                self.book.trust.give(path, self.book.file(path).digest)

        self._undo.append(back)

    def _drop(self, rule: Rule) -> None:
        if rule in self.book.of_sessions:  # otherwise its session was closed
            self.book.of_sessions.remove(rule)

    def _join(self) -> None:
        """Merge the last two changes into one step of undo."""
        second, first = self._undo.pop(), self._undo.pop()

        def both() -> None:
            second()
            first()

        self._undo.append(both)
