"""The decisions screen: requests of agents with their answers, over all sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import ClassVar, Final, Literal, TypeVar

from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.store.decisions import Decision, Decisions
from acp_tui.ui.screens.base.full_screens import ListScreen, list_keys
from acp_tui.ui.screens.base.text_screens import Fact, Section, SessionDetailsScreen
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.rows.row_view import RowList
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece

Outcome = Literal["allowed", "rejected", "cancelled"]

OUTCOMES: Final[tuple[Outcome, ...]] = ("allowed", "rejected", "cancelled")
_MARKS: Final[dict[Outcome, tuple[str, str]]] = {
    "allowed": ("success", "completed"),
    "rejected": ("error", "failed"),
    "cancelled": ("muted", "cancelled"),
}
_WIDE: Final = 100
"""Width from which a row shows the agent."""


def outcome(decision: Decision) -> Outcome:
    """Return the outcome of a decision."""
    if decision.chosen is None:
        return "cancelled"
    return "allowed" if decision.is_allowed else "rejected"


def wish(decision: Decision) -> str:
    """Return the request in one line: the command, else the title, else the paths."""
    return decision.command or decision.title or ", ".join(decision.paths) or decision.kind


def who(decision: Decision) -> str:
    """Return who answered, with the key, the rule or the policy."""
    by = "you" if decision.by == "person" else decision.by
    return f"{by}: {decision.detail}" if decision.detail else by


@dataclass(frozen=True)
class DecisionFilter:
    """A filter for decisions."""

    words: str = ""
    """Words that a decision must contain."""
    outcome: Outcome | None = None
    by: str | None = None
    session: str | None = None
    agent: str | None = None

    def keeps(self, decision: Decision) -> bool:
        """Return whether a decision passes."""
        if self.outcome not in (None, outcome(decision)) or self.by not in (None, decision.by):
            return False
        if self.session not in (None, decision.session) or self.agent not in (None, decision.agent):
            return False
        text = "\n".join(_texts(decision)).casefold()
        return all(word in text for word in self.words.casefold().split())

    def told(self) -> Iterator[str]:
        """Yield the conditions, for display."""
        if self.outcome is not None:
            yield self.outcome
        if self.by is not None:
            yield f"by {'you' if self.by == 'person' else self.by}"
        if self.agent is not None:
            yield f"of {self.agent}"
        if self.session is not None:
            yield "of this session"


class DecisionList(RowList[Decision]):
    """A list of decisions, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [*list_keys("decision-list", "Newest", "Oldest")]

    @override
    def pieces(self, item: Decision) -> tuple[list[Piece], list[Piece]]:
        role, symbol = _MARKS[outcome(item)]
        left: list[Piece] = [
            ("muted", f" {item.time.astimezone():%m-%d %H:%M} "),
            (role, f"{self.theme_styles.symbol(symbol)} "),
            ("muted", f"{safe_line(item.kind)[:11]:<11} "),
            ("warning", "asked again: " if item.again else ""),
            ("text", exact_line(wish(item))),
        ]
        right: list[Piece] = [("muted", f"  {safe_line(who(item))[:32]} ")]
        if self.row_width >= _WIDE:
            right.append(("accent", f" {safe_line(item.agent)[:12]:<12} "))
        return left, right


def _texts(decision: Decision) -> Iterator[str]:
    yield from (decision.session, decision.agent, decision.workspace, decision.kind, decision.title)
    yield from (
        decision.command or "",
        decision.tool,
        *decision.paths,
        *decision.inputs,
        who(decision),
        outcome(decision),
    )
    if decision.chosen is not None:
        yield f"{decision.chosen.name} {decision.chosen.kind}"


Choice = TypeVar("Choice")

SLICE: Final = 0.006
"""Seconds of reading in one piece; keys are handled in between."""
_BY: Final = ("person", "rule", "policy")


class DecisionsScreen(ListScreen):
    """Lists decisions, newest first."""

    NOTHING = """\
No decisions yet.

Requests of agents are recorded with their answers, unless settings.toml has:

    decisions = false"""
    FILTER = "filter decisions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="decisions.close"),
        Binding("slash", "filter", "Search", id="decisions.find"),
        Binding("a", "outcome", "Answer", id="decisions.outcome"),
        Binding("b", "by", "Answered by", id="decisions.by"),
        Binding("s", "session", "This session", id="decisions.session"),
        Binding("g", "agent", "Agent", id="decisions.agent"),
    ]

    def __init__(self, path: Path, session: str | None = None, styles: Styles | None = None) -> None:
        """Show a log; `session` is the id of the current session."""
        super().__init__(styles)
        self._path = path
        self._session = session
        self._all: list[Decision] = []
        self._shown: list[Decision] = []
        self._sieve = DecisionFilter()
        self._reading: Decisions | None = None
        self._problem = ""

    @override
    def make_list(self) -> DecisionList:
        return DecisionList(self.theme_styles, id="decisions")

    def on_mount(self) -> None:
        """Start to read the log."""
        try:
            self._reading = Decisions(self._path)
            self._read()
        except OSError as error:
            self._fail(error)
        self.rows.focus()

    def on_row_list_opened(self, event: DecisionList.Opened) -> None:
        """Show the details of a decision."""
        self.app.push_screen(SessionDetailsScreen(sections(event.item), self.theme_styles, "decision"))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter by words."""
        self._sift(replace(self._sieve, words=event.value))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "session" or self._session is not None

    def action_outcome(self) -> None:
        """Show the decisions of the next outcome, or all."""
        self._sift(replace(self._sieve, outcome=_next((None, *OUTCOMES), self._sieve.outcome)))

    def action_by(self) -> None:
        """Show the decisions of the user, then of rules, then of policies, then all."""
        self._sift(replace(self._sieve, by=_next((None, *_BY), self._sieve.by)))

    def action_agent(self) -> None:
        """Show the decisions about the next agent, or all."""
        agents = dict.fromkeys(decision.agent for decision in self._all)
        self._sift(replace(self._sieve, agent=_next((None, *agents), self._sieve.agent)))

    def action_session(self) -> None:
        """Switch between the current session and all."""
        session = self._session if self._sieve.session is None else None
        self._sift(replace(self._sieve, session=session))

    def _read(self) -> None:
        """Read for one slice of time, then continue soon."""
        assert self._reading is not None
        before, until = len(self._all), perf_counter() + SLICE
        for decision in self._reading:
            self._all.append(decision)
            if perf_counter() > until:
                after(self, 0.002, self._read_on)
                break
        self._show([decision for decision in self._all[before:] if self._sieve.keeps(decision)])

    def _read_on(self) -> None:
        try:
            self._read()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self._problem = f"The decision log cannot be read further: {error.strerror or error}."
        self.show_nothing(not self._all, safe_line(self._problem))
        self._show([])

    def _sift(self, sieve: DecisionFilter) -> None:
        self._sieve = sieve
        self._shown = []
        self._show([decision for decision in self._all if sieve.keeps(decision)])

    def _show(self, more: list[Decision]) -> None:
        before = len(self._shown)
        self._shown += more
        self.rows.show(self._shown, before)
        self.show_nothing(not self._all)
        self._show_title()

    def _show_title(self) -> None:
        count, all_of_them = len(self._shown), len(self._all)
        told = ", ".join(self._sieve.told())
        is_sifted = bool(told or self._sieve.words.strip())
        text = f" {count:,} of {all_of_them:,} decisions" if is_sifted else f" {all_of_them:,} decisions"
        broken = self._reading.broken if self._reading is not None else 0
        notes = f"{broken:,} line{'s' if broken > 1 else ''} cannot be read " if broken else ""
        left = [("strong", text), ("accent", f"  {safe_line(told)}")]
        self.show_title((left, [("warning", self._problem or notes)]))


def sections(decision: Decision) -> list[Section]:
    """Return the details of a decision."""
    chosen, came = decision.chosen, outcome(decision)
    answer = [
        ("answer", f"{came}: {chosen.name} ({chosen.kind})" if chosen is not None else came),
        ("answered by", who(decision)),
        ("when", f"{decision.time.astimezone():%Y-%m-%d %H:%M:%S}, after {decision.waited:.1f} s"),
    ]
    where = [
        ("agent", decision.agent),
        ("workspace", decision.workspace),
        ("session", decision.session),
        ("tool call", decision.tool_call),
    ]
    return [("Request", list(_asked(decision))), ("Answer", answer), ("Where", where)]


def _asked(decision: Decision) -> Iterator[Fact]:
    yield "kind", f"{decision.kind}, without a permission request" if decision.unasked else decision.kind
    if decision.tool:
        yield "tool", decision.tool
    if decision.subagent:
        yield "subagent", decision.subagent
    if decision.again:
        yield "asked again", "its file or folder had changed; the earlier answer had no effect"
    if decision.title:
        yield "title", decision.title
    if decision.command is not None:
        yield "command", decision.command
    for number, path in enumerate(decision.paths):
        yield "" if number else "paths", path
    for number, path in enumerate(decision.led_to):
        yield "" if number else "link to", path
    for number, path in enumerate(decision.inputs):
        yield "" if number else "in the input", path
    for number, option in enumerate(decision.options):
        yield "" if number else "offered", f"{option.name} ({option.kind}, id {option.id})"


def _next(choices: tuple[Choice, ...], current: Choice) -> Choice:
    """Return the next choice, the first after the last."""
    place = choices.index(current) if current in choices else -1
    return choices[(place + 1) % len(choices)]
