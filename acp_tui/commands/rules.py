"""`acp-tui rules`: check files of rules, and try them on recorded sessions."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from acp_tui.agent.client_methods import implicit_request_of
from acp_tui.agent.permissions.authorization import tool_use_of
from acp_tui.agent.permissions.grants import is_about
from acp_tui.agent.replay import replay
from acp_tui.agent.session_events import question_key
from acp_tui.commands.log import print_lines
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.validation import Unreadable
from acp_tui.rules.model import RuleVerdict, ToolUse, decide
from acp_tui.rules.rule_book import RuleBook
from acp_tui.safe_text import exact_line
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.plain_files import plain_file
from acp_tui.store.recordings import RecordedSession, read, recent

_MANY: Final = 100_000


def check(book: RuleBook, files: Sequence[Path]) -> int:
    """Print the mistakes in files, one per line, and return the exit code."""
    wrong = 0
    for path in files or book.files():
        file = book.file(path)
        if not file.digest and not file.problems:
            _say(f"{path}: the file does not exist" if files else f"{path}: no rules yet")
            wrong += bool(files)
        for problem in file.problems:
            _say(str(problem))
        wrong += len(file.problems)
        if file.digest and not file.problems:
            _say(f"{path}: {_counted(len(file.rules), 'rule')}, no mistakes")
    return int(wrong > 0)


def try_out(book: RuleBook, journals: Path, since: float | None, agent: str | None, *, as_json: bool) -> int:
    """Print the rules' answer to each past request, and return the exit code."""
    start = datetime.now(UTC) - timedelta(days=since) if since is not None else None
    kept = [
        one
        for one in reversed(recent(journals, _MANY))
        if agent in (None, one.agent)
        and (start is None or (one.started is not None and one.started >= start))
    ]
    counts: Counter[str] = Counter()
    for past in _past_requests(kept):
        book.enter(past.ask.workspace)
        verdict = decide(book, past.ask)
        counts[verdict.decision] += 1
        _say(json.dumps(_plain(past, verdict)) if as_json else _line(past, verdict))
    if not as_json:
        _say(", ".join(_summary(counts)) if counts else "No requests in these sessions.")
    problems = book.problems()
    for problem in problems:  # on stderr, apart from the results
        print(exact_line(str(problem)), file=sys.stderr)
    return int(bool(problems))


def _summary(counts: Counter[str]) -> Iterator[str]:
    for decision, word in (("allow", "allowed"), ("ask", "asked"), ("deny", "denied")):
        yield f"{counts[decision]} {word}"


def _line(past: _PastRequest, verdict: RuleVerdict) -> str:
    ask = past.ask
    when = f"{past.at.astimezone():%Y-%m-%d}" if past.at is not None else " " * 10
    what = " ".join((ask.command or ", ".join(ask.paths) or past.title or ask.tool_kind).split())
    rules = " + ".join(rule.source for rule in (verdict.rule, *verdict.also) if rule is not None)
    because = rules or verdict.why or "no rule"
    return f"{verdict.decision:5}  {when}  {ask.agent}  {ask.tool_kind:8} {what}  [{because}]"


def _plain(past: _PastRequest, verdict: RuleVerdict) -> dict[str, Any]:
    ask = past.ask
    return {
        "decision": verdict.decision,
        "rules": [
            {"decision": rule.decision, "where": rule.where, "note": rule.note}
            for rule in (verdict.rule, *verdict.also)
            if rule is not None
        ],
        "agent": ask.agent,
        "kind": ask.tool_kind,
        "tool": ask.tool_name,
        "command": ask.command,
        "paths": list(ask.paths),
        "title": past.title,
        "mode": ask.mode,
        "workspace": ask.workspace,
        "session": ask.session,
        "started": past.at.isoformat() if past.at is not None else None,
        "journal": str(past.journal),
    }


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _say(line: str) -> None:
    print_lines([exact_line(line)])


# ------------------------------------------------------------------ past requests

_REQUESTS = (b'"session/request_permission"', b'"terminal/create"', b'"fs/write_text_file"')


@dataclass(frozen=True)
class _PastRequest:
    """A permission request of a recorded session, or an implicit request."""

    ask: ToolUse
    title: str
    at: datetime | None
    """The time when its connection started."""
    journal: Path


def _past_requests(journals: Iterable[RecordedSession]) -> Iterator[_PastRequest]:
    """Yield the requests of each journal; one that cannot be read is skipped."""
    for journal in journals:
        try:
            if _holds_requests(journal.path):
                yield from _of(journal)
        except OSError:
            continue


def _holds_requests(path: Path) -> bool:
    """Return whether a journal holds a request; most do not, and need not be read in full."""
    with plain_file(path) as file:
        return any(word in line for line in file for word in _REQUESTS)


def _of(journal: RecordedSession) -> list[_PastRequest]:
    found: list[_PastRequest] = []

    def asked(session: Session, request: Request) -> None:
        question = session.questions.get(question_key(request.id))
        call = question.call if isinstance(question, Permission) else _implicit(session, request)
        if call is not None:
            ask = tool_use_of(call, session, journal.agent)
            found.append(_PastRequest(ask, call.title, journal.started, journal.path))

    replay(read(journal.path), asked)
    return found


def _implicit(session: Session, request: Request) -> ToolCall | None:
    """Return an implicit request as a tool call, unless a permission was asked for it."""
    try:
        implicit = implicit_request_of(request)
    except Unreadable:
        return None
    calls = [entry for entry in session.entries if isinstance(entry, ToolCall) and entry.decision]
    if implicit is None or any(is_about(call, implicit, session.cwd) for call in calls):
        return None
    return implicit.as_call()
