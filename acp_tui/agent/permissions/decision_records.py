"""Decision records: makes the rows of the decision log, and searches earlier ones."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.agent.permissions.tool_input import input_paths
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules.model import ToolUse
from acp_tui.session.entries import ToolCall, absolute
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.decisions import OVERWRITE, Decision, Decisions, OfferedOption, now
from acp_tui.workspace.files import link_target

log = logging.getLogger(__name__)

KeepDecision = Callable[[Decision], None]
"""Writes a decision to the log."""

_STALE_WRITE_OPTIONS: Final = {
    "write": OfferedOption("write", "Write the agent's version", "allow_once"),
    "keep": OfferedOption("keep", "Keep the file as it is", "reject_once"),
    "merge": OfferedOption("merge", "Merge both versions", "allow_once"),
}
_DENIED: Final = OfferedOption("denied", "Denied", "reject_once")
"""The option to record if a rule denied a request without a question."""


class ClientAnswer(NamedTuple):
    """The answer to a question that the client asked by itself."""

    choice: str | None
    """None: no option was chosen."""
    answered_by: AnsweredBy
    waited: float = 0.0
    """Seconds between question and answer."""
    amendment: Amendment | None = None
    """The text that the user wrote in place of the proposed one."""


class DecisionRecorder:
    """Records the decisions about one agent. If the log fails, answers still count."""

    def __init__(self, keep: KeepDecision | None, agent: str) -> None:
        """Take the log (None: keep nothing) and the name that the user has given the agent."""
        self._keep = keep
        self._agent = agent
        self._denied: set[tuple[str, str, str, str | None, str]] = set()

    def permission(
        self,
        asked: Permission,
        session: Session,
        result: dict[str, Any],
        answered_by: AnsweredBy,
        waited: float,
    ) -> None:
        """Record a permission with the call as its question showed it.

        Args:
            asked: the question.
            session: where it was asked.
            result: the answer, as it goes to the agent.
            answered_by: who answered.
            waited: seconds between question and answer.
        """

        def made() -> Decision:
            option_id = result["outcome"].get("optionId")
            options = tuple(OfferedOption(one.option_id, one.name, one.kind) for one in asked.options)
            chosen = next((option for option in options if option.id == option_id), None)
            about = self._about(session, asked.call, answered_by, waited)
            led = (link_target(path, there.real, session.cwd) for path, there in asked.places.items())
            led_to = tuple(dict.fromkeys(filter(None, led)))
            return replace(about, options=options, chosen=chosen, led_to=led_to)

        self._add(made)

    def stale_write(self, session: Session, call: ToolCall | None, path: str, answer: ClientAnswer) -> None:
        """Record the answer about a stale write.

        Args:
            session: where it was asked.
            call: the tool call behind the write, if known.
            path: of the file.
            answer: the answer of the user or of the settings.
        """

        def made() -> Decision:
            request = _as_news_of(call, ToolCall("", "", OVERWRITE))
            about = self._about(session, request, answer.answered_by, answer.waited)
            chosen = _STALE_WRITE_OPTIONS[answer.choice] if answer.choice is not None else None
            return replace(about, paths=(path,), options=tuple(_STALE_WRITE_OPTIONS.values()), chosen=chosen)

        self._add(made)

    def implicit(
        self,
        session: Session,
        call: ToolCall | None,
        request: ToolCall,
        options: Sequence[PermissionOption],
        answer: ClientAnswer,
        led_to: str = "",
        *,
        again: bool = False,
    ) -> None:
        """Record the user's answer about an implicit request.

        Args:
            session: where it was asked.
            call: the tool call behind it, if known.
            request: as a call.
            options: offered to the user.
            answer: of the user.
            led_to: the real path, if the path or folder is a link.
            again: True if it was decided before, and its path has led elsewhere since.
        """

        def made() -> Decision:
            about = self._about(session, _as_news_of(call, request), answer.answered_by, answer.waited)
            offered = {one.option_id: OfferedOption(one.option_id, one.name, one.kind) for one in options}
            chosen = offered.get(answer.choice or "")
            led = (led_to,) if led_to else ()
            asked = replace(about, options=tuple(offered.values()), chosen=chosen, led_to=led)
            return replace(asked, unasked=True, again=again)

        self._add(made)

    def denied(self, session: Session, call: ToolCall | None, request: ToolCall, by: AnsweredBy) -> bool:
        """Record an implicit request that was denied without a question; return False for a repeat.

        Repeats are not recorded: an agent that keeps trying must not push older decisions out of the log.
        """
        attempt = (session.id, request.kind, ":".join(request.named_paths), request.command, by.detail)
        if attempt in self._denied:
            return False
        self._denied.add(attempt)

        def made() -> Decision:
            about = self._about(session, _as_news_of(call, request), by, 0.0)
            return replace(about, chosen=_DENIED, unasked=True)

        self._add(made)
        return True

    def _about(self, session: Session, call: ToolCall, answered_by: AnsweredBy, waited: float) -> Decision:
        named = call.named_paths
        known = {absolute(path, session.cwd) for path in named}
        return Decision(
            at=now(),
            session=session.root.id,
            agent=self._agent,
            workspace=session.root.cwd,
            tool_call=call.tool_call_id,
            kind=call.kind,
            title=call.title,
            command=call.command,
            paths=tuple(named),
            options=(),
            chosen=None,
            by=answered_by.who,
            detail=answered_by.detail,
            waited=round(waited, 3),
            inputs=tuple(path for path in input_paths(call, session.cwd) if path not in known),
            tool=call.name or "",
            subagent=session.title if session.parent is not None else "",
        )

    def _add(self, made: Callable[[], Decision]) -> None:
        if self._keep is None:
            return
        try:
            self._keep(made())
        except Exception:  # the answer still counts
            log.exception("the decision log")


def _as_news_of(call: ToolCall | None, request: ToolCall) -> ToolCall:
    """Return a request with the id and title of the tool call behind it, if that is known."""
    if call is None:
        return request
    return replace(request, tool_call_id=call.tool_call_id, title=call.title, name=call.name)


def past_tool_uses(decisions: Iterable[Decision]) -> Iterator[ToolUse]:
    """Yield the recorded requests in the form that rules match; the agent's mode is not recorded."""
    for one in decisions:
        if one.kind == OVERWRITE:  # no rule can match that
            continue
        paths = tuple(absolute(path, one.workspace) for path in one.paths)
        yield ToolUse(
            one.agent,
            one.kind,
            paths,
            one.command,
            workspace=one.workspace,
            session=one.session,
            inputs=one.inputs,
            tool_name=one.tool,
        )


MAX_PRECEDENTS: Final = 300
"""Most decisions that are searched: older ones matter less, and the user is waiting."""


@dataclass(frozen=True)
class Precedents:
    """Counts of earlier decisions about the same command or call, without cancelled ones."""

    allowed: int
    rejected: int
    last: datetime
    """The time of the newest decision."""
    beginning: str = ""
    """The common first words of the commands; empty if they are identical."""


def precedents(
    path: Path, workspace: str, kind: str, command: str | None, paths: Iterable[str], beginning: str = ""
) -> Precedents | None:
    """Return the earlier decisions about a command, or about a call of a kind with the same paths.

    Args:
        path: the decision log.
        workspace: only decisions of sessions in this folder count.
        kind: the kind of the tool call.
        command: as written in the log; None: search for the paths.
        paths: all of them, absolute.
        beginning: first words to search for if the whole command is not found; empty: none.

    Raises:
        OSError: the log cannot be read.
    """
    if command is not None:
        same = _found(path, command, workspace, lambda one: one.command == command)
        if same or not beginning:
            return _counted(same)
        begins = f"{beginning} "
        alike = _found(path, beginning, workspace, lambda one: f"{one.command} ".startswith(begins))
        return _counted(alike, beginning)
    named = tuple(paths)
    if not named:
        return None
    return _counted(_found(path, named[0], workspace, lambda one: one.kind == kind and one.paths == named))


def _found(path: Path, holding: str, workspace: str, fits: Callable[[Decision], bool]) -> list[Decision]:
    recent = islice(Decisions(path, holding), MAX_PRECEDENTS)
    return [one for one in recent if one.workspace == workspace and one.chosen is not None and fits(one)]


def _counted(found: list[Decision], beginning: str = "") -> Precedents | None:
    if not found:
        return None
    allowed = sum(one.is_allowed for one in found)
    return Precedents(allowed, len(found) - allowed, found[0].time, beginning)
