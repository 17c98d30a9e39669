"""Open questions to the user, by the agent or the client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeVar

from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import ToolCall
from acp_tui.session.permission_option_names import (
    allows,
    has_hidden,
    is_seen,
    mixes_alphabets,
    says,
    styles_of,
)


@dataclass(slots=True)
class OldText:
    """The current text of a file, for a diff without an old text."""

    text: str | None = None
    """None for no file, or no readable text."""
    why_not: str = ""
    """Reason why an existing file is not shown, or ""."""


class Destination(NamedTuple):
    """The target of a path."""

    at: str = ""
    """The target for display, absolute or below the workspace; "" if it is the path itself."""
    why: str | None = ""
    """Reason why it is protected, "" if it is not, None if unknown."""
    names: int = 1
    """Number of its hard links; a write changes all of them."""
    real: str = ""
    """The target, absolute."""
    linked: tuple[int, int] | None = None
    """Device and inode of a file with hard links."""


@dataclass(slots=True)
class Permission:
    """A permission request for a tool call, answered with an option id or None (cancelled)."""

    key: str
    """Key among the open questions of the session."""
    call: ToolCall
    """The call as it was at the time of the request; never updated."""
    options: list[PermissionOption]
    at: float = 0.0
    title: str = ""
    """The agent's question, if it differs from the call's title."""
    description: str = ""
    has_no_call: bool = False
    """True if it is about no tool call: `call` is then its subject and ends with the answer."""
    unasked: bool = False
    """True if the client asks, because the agent acted without a permission request."""
    later: ToolCall | None = None
    """The call after later updates, if they differ."""
    place: int | None = None
    """Index of the entry with the call, if any."""
    old_texts: dict[str, OldText] = field(default_factory=dict)
    """Current texts of files, by path as the agent writes it."""
    places: dict[str, Destination] = field(default_factory=dict)
    """Targets of the call's paths and folder when they were last shown."""
    follows_edit: bool = False
    """True for an unasked write in place of a change that the user has edited."""
    merged: str | None = None
    """For a write over a newer text: both sides merged, with conflict marks."""
    conflicts: int = 0
    """Number of conflicts in the merge."""

    def option(self, option_id: str | None) -> PermissionOption | None:
        """Return the option with this id."""
        return next((option for option in self.options if option.option_id == option_id), None)


@dataclass(slots=True)
class Elicitation:
    """A form to fill in (`schema`) or a URL to visit (`url`)."""

    key: str
    message: str
    schema: dict[str, Any] | None = None
    url: str | None = None
    elicitation_id: str | None = None
    tool_call_id: str | None = None
    at: float = 0.0
    visiting: bool = field(default=False)
    """True after the user agreed to visit, until the agent reports completion."""


@dataclass(slots=True)
class StaleWrite:
    """A question about overwriting a file that changed since the agent saw it.

    Answered with `write`, `keep`, `merge` or None.
    """

    key: str
    path: str
    """Absolute path."""
    wanted: str
    """The agent's new text."""
    now: str | None
    """The current text, or None."""
    before: str | None
    """The text last seen by the agent, if known."""
    is_there: bool = True
    encoding: str = ""
    """Encoding of `now`, for display; "" for UTF-8."""
    at: float = 0.0
    merged: str | None = None
    """Both sides merged, with conflict marks; None if there is no merge."""
    conflicts: int = 0
    """Number of conflicts in the merge."""


def conflict_words(count: int) -> str:
    """Return the number of conflicts of a merge, for display."""
    if not count:
        return "without conflicts"
    return "1 conflict, marked in the file" if count == 1 else f"{count} conflicts, marked in the file"


Question = Permission | Elicitation | StaleWrite
MOST_OPTIONS: Final = 5_000
"""Maximum options of a question: nobody reads more, and each is compared with the others."""
MOST_OPEN: Final = 500
"""Maximum open questions: nobody answers more, and each costs memory, and time when it is closed."""
Group = TypeVar("Group")


def subject_of(call: ToolCall) -> tuple[object, ...]:
    """Return the parts of a call that a permission is about, for comparison."""
    return call.title, call.kind, call.raw_input, call.content, call.locations, call.plan, call.unread


class Questions:
    """The open questions of one session."""

    def __init__(self) -> None:
        self.open: dict[str, Question] = {}
        """Questions by key, oldest first; only this class changes it."""
        self._permissions: dict[str, dict[str, Permission]] = {}
        """Permissions by tool call id and key."""
        self._at: dict[int, dict[str, Permission]] = {}
        """Permissions by entry index and key."""

    def ask(self, question: Question, at: float) -> None:
        """Open a question at `at`, on the session's clock."""
        question.at = at
        self._close(question.key)
        self.open[question.key] = question
        if isinstance(question, Permission):
            self._permissions.setdefault(question.call.tool_call_id, {})[question.key] = question
            if question.place is not None:
                self._at.setdefault(question.place, {})[question.key] = question

    def of_call(self, call_id: str) -> Collection[Permission]:
        """Return the open permissions for a tool call id."""
        return self._permissions.get(call_id, {}).values()

    def update_call(self, place: int, call: ToolCall) -> bool:
        """Update the questions about an entry's call; return whether one shows a difference."""
        changed = False
        for question in self._at.get(place, {}).values():
            shown = question.later or question.call
            if subject_of(call) != subject_of(shown):
                is_other = subject_of(call) != subject_of(question.call)
                question.later, changed = (copy(call) if is_other else None), True
        return changed

    def answered(self, key: str, *, waiting: bool) -> Question | None:
        """Close and return a question; `waiting` keeps a visit to a URL open."""
        question = self._close(key)
        if isinstance(question, Elicitation) and waiting:
            question.visiting = True
            self.open[key] = question
        return question

    def completed(self, elicitation_id: str) -> bool:
        """Close the question of a visited URL; return whether there was one."""
        for key, question in self.open.items():
            if isinstance(question, Elicitation) and question.elicitation_id == elicitation_id:
                del self.open[key]
                return True
        return False

    def end_turn(self) -> None:
        """Close all questions except visits that await completion."""
        visits = {
            key: question
            for key, question in self.open.items()
            if isinstance(question, Elicitation) and question.visiting
        }
        self.clear()
        self.open.update(visits)

    def clear(self) -> None:
        """Close all questions."""
        self.open.clear()
        self._permissions.clear()
        self._at.clear()

    def _close(self, key: str) -> Question | None:
        question = self.open.pop(key, None)
        if isinstance(question, Permission):
            _remove(self._permissions, question.call.tool_call_id, key)
            if question.place is not None:
                _remove(self._at, question.place, key)
        return question


def _remove(groups: dict[Group, dict[str, Permission]], group: Group, key: str) -> None:
    if group in groups:
        groups[group].pop(key, None)
        if not groups[group]:
            del groups[group]


class OptionKind(NamedTuple):
    """Meaning of a kind of option."""

    effect: str
    """The end of a sentence about the option."""
    word: Literal["allow", "reject"]
    """The meaning that its name may have; the other one contradicts it."""
    is_lasting: bool
    """True if the answer also counts for later requests."""

    @property
    def allows(self) -> bool:
        """True for a kind that lets the agent act."""
        return self.word == "allow"


KINDS: Final = {
    "allow_once": OptionKind("allows it once", "allow", is_lasting=False),
    "allow_always": OptionKind("allows it always", "allow", is_lasting=True),
    "reject_once": OptionKind("rejects it once", "reject", is_lasting=False),
    "reject_always": OptionKind("rejects it always", "reject", is_lasting=True),
}
"""All kinds of option. An option of another kind is flawed: it is shown, but allows nothing."""


def option_kind(option: PermissionOption) -> OptionKind | None:
    """Return the meaning of an option's kind; None for an unknown kind."""
    return KINDS.get(option.kind)


def is_understood(option: PermissionOption) -> bool:
    """Return whether the name of an option shows its effect; an unclear rejection does no harm."""
    kind = option_kind(option)
    return kind is None or not kind.allows or allows(option.name, is_lasting=kind.is_lasting)


class Flaws:
    """The flaws of options that are offered together, computed on demand: there may be thousands.

    A flawed option has no key and is never chosen automatically.
    """

    def __init__(self, options: Sequence[PermissionOption]) -> None:
        self._ids = Counter(option.option_id for option in options)
        self._names = Counter(styles_of(option.name) for option in options)

    def of(self, option: PermissionOption) -> str:
        """Return the flaw of one of the options, or ""."""
        return _flaw(option, self._ids[option.option_id] > 1, self._names[styles_of(option.name)] > 1)


def flaw_of(option: PermissionOption, options: Sequence[PermissionOption]) -> str:
    """Return the flaw of an option among those offered, or ""."""
    return Flaws(options).of(option)


def _flaw(option: PermissionOption, shares_id: bool, shares_name: bool) -> str:
    """Return the flaw of an option, given another option with its id or name."""
    kind = option_kind(option)
    if kind is None:
        return f"of an unknown kind: {option.kind or 'none'}"
    if not is_seen(option.name):
        return f"without a name; it {kind.effect}"
    if says(option.name) - {kind.word}:
        return f"its name contradicts its kind: it {kind.effect}"
    if has_hidden(option.name):
        return f"it has invisible characters, or some that reverse its text; it {kind.effect}"
    if mixes_alphabets(option.name):
        return f"it mixes letters of several alphabets; it {kind.effect}"
    if shares_id:
        return f"another option has the same id; this one {kind.effect}"
    if shares_name:
        return f"another option has this name or a similar one; this one {kind.effect}"
    return ""
