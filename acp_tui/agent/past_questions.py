"""What agents asked for in recorded sessions, so that rules can be tried on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final

from acp_tui.agent.coverage import is_about
from acp_tui.agent.events import question_key
from acp_tui.agent.replay import replay
from acp_tui.agent.serving import wish_of
from acp_tui.agent.verdicts import ask_of
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.validation import Unreadable
from acp_tui.rules.model import Ask
from acp_tui.session.entries import ToolCall, absolute
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store import recordings
from acp_tui.store.decisions import OVERWRITE, Decision, Decisions

_ASKING = (b'"session/request_permission"', b'"terminal/create"', b'"fs/write_text_file"')


@dataclass(frozen=True)
class PastAsk:
    """One permission that an agent asked for, or what it had us do without one."""

    ask: Ask
    title: str
    options: tuple[tuple[str, str], ...]
    """(id, kind) as the agent offered them."""
    at: datetime | None
    """When its connection began."""
    journal: Path


def past_asks(journals: Iterable[recordings.RecordedSession]) -> Iterator[PastAsk]:
    """Yield what was asked, journal by journal; one that cannot be read is passed over."""
    for journal in journals:
        try:
            if _asks_something(journal.path):
                yield from _of(journal)
        except OSError:
            continue


def _asks_something(path: Path) -> bool:
    """Look before a journal is read in full: most ask nothing."""
    with path.open("rb") as file:
        return any(word in line for line in file for word in _ASKING)


def _of(journal: recordings.RecordedSession) -> list[PastAsk]:
    found: list[PastAsk] = []

    def asked(session: Session, request: Request) -> None:
        call, options = _permission(session, request)
        call = call or _unasked(session, request)
        if call is not None:
            ask = ask_of(call, session, journal.agent)
            found.append(PastAsk(ask, call.title, options, journal.started, journal.path))

    replay(recordings.read(journal.path), asked)
    return found


def _permission(session: Session, request: Request) -> tuple[ToolCall | None, tuple[tuple[str, str], ...]]:
    """Return the tool call that a permission is about, and its options."""
    question = session.questions.get(question_key(request.id))
    if not isinstance(question, Permission):
        return None, ()
    options = tuple((option.option_id, option.kind) for option in question.options)
    return question.call, options


def _unasked(session: Session, request: Request) -> ToolCall | None:
    """Return what a request would have us do, unless a permission was asked for that."""
    try:
        wish = wish_of(request)
    except Unreadable:
        return None
    calls = [entry for entry in session.entries if isinstance(entry, ToolCall) and entry.decision]
    if wish is None or any(is_about(call, wish, session.cwd) for call in calls):
        return None
    return wish.as_call()


def asks_of(decisions: Iterable[Decision]) -> Iterator[Ask]:
    """Yield what was asked, as far as the decision log tells it; which mode it was in, it does not."""
    for one in decisions:
        if one.kind == OVERWRITE:  # no rule answers that
            continue
        paths = tuple(absolute(path, one.workspace) for path in one.paths)
        yield Ask(
            one.agent,
            one.kind,
            paths,
            one.command,
            workspace=one.workspace,
            session=one.session,
            inputs=one.inputs,
        )


MOST: Final = 300
"""Decisions that are looked at: what is older says little, and the person waits."""


@dataclass(frozen=True)
class Precedents:
    """How often something was allowed or rejected; what was cancelled does not count."""

    allowed: int
    rejected: int
    last: datetime
    """When it was decided last."""
    beginning: str = ""
    """For commands that only begin alike: how. Empty: it was exactly the same."""


def precedents(
    path: Path, workspace: str, kind: str, command: str | None, paths: Iterable[str], beginning: str = ""
) -> Precedents | None:
    """Return what was decided about this command, or about a call of this kind with these paths.

    Args:
        path: the log.
        workspace: only decisions of sessions in this folder count.
        kind: the kind of the tool call.
        command: as it stands in the log; None: the paths count.
        paths: all of them, absolute.
        beginning: words that count if the whole command was never asked for; empty: none do.

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
    recent = islice(Decisions(path, holding), MOST)
    return [one for one in recent if one.workspace == workspace and one.chosen is not None and fits(one)]


def _counted(found: list[Decision], beginning: str = "") -> Precedents | None:
    if not found:
        return None
    allowed = sum(one.is_allowed for one in found)
    return Precedents(allowed, len(found) - allowed, found[0].time, beginning)
