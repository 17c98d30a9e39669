"""Makes, changes and removes rules for the person, and undoes that, the last change first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

from acp_tui.agent.rule_book import Listed, RuleBook, host_rule
from acp_tui.host.rules import Rule
from acp_tui.store import rules_writing
from acp_tui.store.rules import WrittenRule

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
