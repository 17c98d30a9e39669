"""What the agent waits for the person to say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import ToolCall


@dataclass(slots=True)
class OldText:
    """What stands in a file whose old text the agent does not tell, as it was shown with a question."""

    text: str | None = None
    """None where there is no file, or no text that is shown."""
    why_not: str = ""
    """Why the text of a file is not shown; empty where there is no file."""


@dataclass(slots=True)
class Permission:
    """May this tool call go on? Answered with the id of an option, or None: cancelled."""

    key: str
    """Names the question among the open ones of its session."""
    call: ToolCall
    """The call as it was asked about. What is said of it later never changes it."""
    options: list[PermissionOption]
    at: float = 0.0
    unasked: bool = False
    """The agent has us do it without having asked: the question and its options are ours."""
    later: ToolCall | None = None
    """The call as the agent tells of it since, where that is something else."""
    place: int | None = None
    """The index of the entry that shows the call, if there is one."""
    old_texts: dict[str, OldText] = field(default_factory=dict)
    """By path as the agent writes it, what was shown of files whose old text it does not tell."""

    def option(self, option_id: str | None) -> PermissionOption | None:
        """Return the option with this id."""
        return next((option for option in self.options if option.option_id == option_id), None)


@dataclass(slots=True)
class Elicitation:
    """A form to fill in (`schema`) or an address to visit (`url`)."""

    key: str
    message: str
    schema: dict[str, Any] | None = None
    url: str | None = None
    elicitation_id: str | None = None
    tool_call_id: str | None = None
    at: float = 0.0
    visiting: bool = field(default=False)
    """The person agreed to visit; the agent has not said yet that it is complete."""


@dataclass(slots=True)
class StaleWrite:
    """May the agent write over a file that has changed since it last saw it? `write`, `keep`, or None."""

    key: str
    path: str
    """Absolute."""
    wanted: str
    """What the agent wants to write."""
    now: str | None
    """What is there; None where there is no file, or no text."""
    before: str | None
    """What the agent last saw, as far as that is known."""
    is_there: bool = True
    encoding: str = ""
    """What `now` is written in, for people; empty for UTF-8, in which the agent's version will be."""
    at: float = 0.0


Question = Permission | Elicitation | StaleWrite
Group = TypeVar("Group")


def asked_of(call: ToolCall) -> tuple[object, ...]:
    """Return what a permission for a call is about, to be compared."""
    return call.title, call.kind, call.raw_input, call.content, call.locations


class OpenQuestions:
    """The questions of one session that wait for the person."""

    def __init__(self) -> None:
        self.open: dict[str, Question] = {}
        """By key, oldest first. To be changed by this class only."""
        self._permissions: dict[str, dict[str, Permission]] = {}
        """The permissions among them by the id of their call and their key."""
        self._at: dict[int, dict[str, Permission]] = {}
        """The same by the entry that shows the call, and their key."""

    def ask(self, question: Question, at: float) -> None:
        """Open a question at `at`, a time on the session's clock."""
        question.at = at
        self._close(question.key)
        self.open[question.key] = question
        if isinstance(question, Permission):
            self._permissions.setdefault(question.call.tool_call_id, {})[question.key] = question
            if question.place is not None:
                self._at.setdefault(question.place, {})[question.key] = question

    def about(self, call_id: str) -> Collection[Permission]:
        """Return the permissions that wait about calls of this id."""
        return self._permissions.get(call_id, {}).values()

    def told(self, place: int, call: ToolCall) -> bool:
        """Take in news of the call of an entry; return whether a question about it shows them."""
        changed = False
        for question in self._at.get(place, {}).values():
            shown = question.later or question.call
            if asked_of(call) != asked_of(shown):
                is_other = asked_of(call) != asked_of(question.call)
                question.later, changed = (copy(call) if is_other else None), True
        return changed

    def answered(self, key: str, *, waiting: bool) -> Question | None:
        """Close a question and return it; one that is `waiting` for a visit to an address stays open."""
        question = self._close(key)
        if isinstance(question, Elicitation) and waiting:
            question.visiting = True
            self.open[key] = question
        return question

    def completed(self, elicitation_id: str) -> bool:
        """An address was visited; return whether that was waited for."""
        for key, question in self.open.items():
            if isinstance(question, Elicitation) and question.elicitation_id == elicitation_id:
                del self.open[key]
                return True
        return False

    def end_turn(self) -> None:
        """Nobody waits for answers any more, only for the agent to say that addresses were visited."""
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


KINDS: Final = {
    "allow_once": "allows it once",
    "allow_always": "allows it always",
    "reject_once": "rejects it once",
    "reject_always": "rejects it always",
}
"""What an option does, by its kind."""

_ALLOWS: Final = frozenset(
    {
        *("allow", "accept", "approve", "yes", "ok", "okay", "proceed"),
        *("continue", "run", "permit", "grant", "confirm"),
    }
)
_REJECTS: Final = frozenset(
    {
        *("reject", "deny", "no", "never", "cancel", "decline", "refuse"),
        *("disallow", "disapprove", "block", "abort", "forbid"),
    }
)
_FIRST: Final = re.compile(r"[^\W_]+")
_DO_NOT: Final = re.compile(r"(?:do\s+not|don['’]?t|not)\b", re.I)
_BEFORE: Final = frozenset(["always", "please"])
"""Words that may stand before the one that says it."""

_TOLD_APART: Final = 1_000
"""Characters by which names are told apart: a user is shown no more of them."""


def doubt_of(option: PermissionOption, options: Sequence[PermissionOption]) -> str:
    """Return what is odd about an option among those that are offered; empty if nothing is.

    An odd option has no key, and allows nothing by itself.
    """
    others = [other for other in options if other is not option]
    has_id = any(other.option_id == option.option_id for other in others)
    return _doubt(option, has_id, any(_plain(other.name) == _plain(option.name) for other in others))


def doubts_of(options: Sequence[PermissionOption]) -> list[str]:
    """Return what is odd about each of the options that are offered."""
    ids = Counter(option.option_id for option in options)
    names = Counter(_plain(option.name) for option in options)
    return [_doubt(one, ids[one.option_id] > 1, names[_plain(one.name)] > 1) for one in options]


def _doubt(option: PermissionOption, has_id: bool, has_name: bool) -> str:
    """Return what is odd about an option; another one `has_id` or `has_name` of it, or not."""
    if option.kind not in KINDS:
        return f"of a kind that is not known: {option.kind or 'none'}"
    if not option.name.strip():
        return f"without a name; it {KINDS[option.kind]}"
    says = _says(option.name)
    if says and says != option.kind.partition("_")[0]:
        return f"its name contradicts its kind: it {KINDS[option.kind]}"
    if has_id:
        return f"another option is the same to the agent; this one {KINDS[option.kind]}"
    if has_name:
        return f"another option has this name; this one {KINDS[option.kind]}"
    return ""


def _says(name: str) -> str:
    """Return `allow` or `reject` for a name that begins by saying so; empty for any other."""
    if _DO_NOT.match(name.strip()):
        return "reject"
    words = (word[0].lower() for word in _FIRST.finditer(name))
    first = next((word for word in words if len(word) > 1 and word not in _BEFORE and not word.isdigit()), "")
    return "allow" if first in _ALLOWS else "reject" if first in _REJECTS else ""


def _plain(name: str) -> str:
    return " ".join(name[:_TOLD_APART].split()).casefold()
