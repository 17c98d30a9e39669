"""Client questions: the client asks them when an agent acts without a permission request.

There are two kinds: an implicit request that rules and policy leave to the user, and a stale write, which
would replace changes that the agent has not read. `old_texts` reads the files that a permission request
would replace.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Collection, Sized
from dataclasses import replace
from typing import Final, NamedTuple, NoReturn

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.amendments import Amendment, Amendments
from acp_tui.agent.permissions.authorization import (
    USER,
    AnsweredBy,
    Authorization,
    Denied,
    Grounds,
    authorize,
    may_go_on,
)
from acp_tui.agent.permissions.decision_records import ClientAnswer, DecisionRecorder
from acp_tui.agent.permissions.grants import Grants, ImplicitRequest, call_behind
from acp_tui.agent.permissions.tool_input import folder_of
from acp_tui.changes import merge as merges
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules import protected_files
from acp_tui.session import events
from acp_tui.session.entries import Diff, ToolCall, absolute
from acp_tui.session.events import Event
from acp_tui.session.questions import MOST_OPEN, Permission, conflict_words
from acp_tui.session.session import Session
from acp_tui.workspace.files import (
    FileError,
    NotAFile,
    OtherTarget,
    Stale,
    Target,
    below,
    link_target,
)


class Refused(Exception):
    """The user refused, the turn was stopped, or too many are open; the message is for the agent."""


class _Pending(NamedTuple):
    answer: asyncio.Future[ClientAnswer]
    choices: Collection[str]


class ClientQuestions:
    """The open client questions of one connection."""

    def __init__(self, note: Callable[[str, Event], None], others: Sized = ()) -> None:
        """Take the function that applies an event to the session of an id, and the agent's open questions."""
        self._note = note
        self._others = others
        self._numbers = itertools.count(1)
        self._open: dict[tuple[str, str], _Pending] = {}

    async def ask(
        self,
        session_id: str,
        asked: Callable[[str], Event],
        choices: Collection[str],
        record: Callable[[ClientAnswer], None],
    ) -> ClientAnswer:
        """Ask and return the answer; the question is closed in any case.

        Args:
            session_id: where it is asked.
            asked: makes the event that asks, given the key of the question.
            choices: the possible answers.
            record: called with the answer, also if the agent cancels its request.

        Raises:
            Refused: too many are open; the user is not asked, and nothing is recorded.
        """
        if len(self._open) + len(self._others) >= MOST_OPEN:
            raise Refused("It was not done: too many questions are open.")
        key = f"own-{next(self._numbers)}"
        answer: asyncio.Future[ClientAnswer] = asyncio.get_running_loop().create_future()
        self._open[session_id, key] = _Pending(answer, choices)
        self._note(session_id, asked(key))
        since, answered = time.monotonic(), ClientAnswer(None, AnsweredBy("withdrawn"))
        try:
            answered = await answer
        finally:
            del self._open[session_id, key]
            answered = answered._replace(waited=time.monotonic() - since)
            record(answered)
            self._note(session_id, events.Answered(key, answered.choice, str(answered.answered_by)))
        return answered

    def answer(
        self,
        session_id: str,
        key: str,
        choice: str | None,
        answered_by: AnsweredBy = USER,
        amendment: Amendment | None = None,
    ) -> bool:
        """Answer an open question (None: no choice was made); return False if no question has this key.

        `amendment` is a text that the user wrote in place of the proposed one.

        Raises:
            ValueError: the choice is not offered.
        """
        pending = self._open.get((session_id, key))
        if pending is None:
            return False
        if choice is not None and choice not in pending.choices:
            raise ValueError(f"not offered: {choice!r}")
        if not pending.answer.done():
            pending.answer.set_result(ClientAnswer(choice, answered_by, amendment=amendment))
        return True

    def __len__(self) -> int:
        """Return the number of open questions."""
        return len(self._open)

    def cancel(self, session_id: str, why: str) -> None:
        """Close the open questions of a session without a choice."""
        for (session, _), pending in self._open.items():
            if session == session_id and not pending.answer.done():
                pending.answer.set_result(ClientAnswer(None, AnsweredBy("cancelled", why)))


LET, REFUSE, MERGE = "let", "refuse", "merge"
_OPTIONS: Final = {
    "execute": ("Run it", "Do not run it"),
    "edit": ("Write it", "Do not write it"),
    "read": ("Allow reading", "Do not allow reading"),
}
_NO_TEXT: Final = "\0"
"""Shown for the content of a file that is no text."""
_CHANGED: Final = "It has changed on disk since the agent last read or wrote it."
_CHANGED_SINCE: Final = "It has changed on disk since the agent told what it would write."
_EDITED: Final = "This is not the change that you edited: what you edited follows if both fit."
_OTHER: Final = "Asked again: the file or folder has changed since your decision."
_STRICTNESS: Final = ("allow", "ask", "deny")
_ENCODING: Final = "It is {} now, and would be written as UTF-8."
_VERBS: Final = {"execute": "run", "edit": "write", "read": "read"}


class ImplicitRequests:
    """Authorize the implicit requests of one connection."""

    def __init__(
        self,
        access: AgentAccess,
        questions: ClientQuestions,
        grants: Grants,
        recorder: DecisionRecorder,
        tell: Callable[[str, str], None],
        title: Callable[[], str],
        amendments: Amendments | None = None,
    ) -> None:
        """Authorize for one connection.

        Args:
            access: has the rules and policies.
            questions: asks the user.
            grants: what permissions have allowed.
            recorder: writes to the decision log.
            tell: adds a notice to the chat of a session, given its id.
            title: returns the name of the agent in the chat and in dialogs.
            amendments: the user's texts for writes of the agent; None: there are none.
        """
        self._access = access
        self._questions = questions
        self._grants = grants
        self._recorder = recorder
        self._tell = tell
        self._title = title
        self._amendments = amendments

    async def authorize(self, session: Session, agent: str, request: ImplicitRequest) -> Stale | None:
        """Wait until a request may go on; return the old text that the user saw, for a write.

        Raises:
            Denied: a rule of the user denies it.
            Refused: the user refuses it, or the turn was stopped.
            OtherTarget: its path leads elsewhere by now; authorize it again.
            NotAFile: the path to write is a pipe, a socket or a folder.
        """
        if request.kind != "execute" and not self._access.grants(session.id, request.leads_to):
            return None  # the request will fail for the same reason
        said = self._verdict(session, agent, request)
        if said.decision == "deny":
            self._deny(session, request, said.answered_by)
        is_protected = request.kind == "edit" and self._is_protected(session, request)
        is_by_rule = said.answered_by.who == "rule"
        consent = session.root.consent
        grounds = Grounds(
            request.kind,
            said.decision,
            is_by_rule=is_by_rule,
            is_covered=await self._is_covered(session, request, is_protected=is_protected),
            # A rule allows a protected file only if it names that file.
            is_protected=is_protected and not (is_by_rule and said.decision == "allow"),
            mode_lets=consent == "everything" or (consent == "edits" and request.kind == "edit"),
        )
        if may_go_on(grounds):
            self._tell_folder(session, request)
            return None
        if session.turn_state == "cancelling":
            raise Refused("Not done: the turn was stopped.")
        return await self._ask(session, request)

    def _verdict(self, session: Session, agent: str, request: ImplicitRequest) -> Authorization:
        """Return the stricter decision about a request: for the path as written, and with links followed."""
        said = authorize(self._access, request.as_call(), session, agent)
        written = request.path or request.cwd or ""
        if request.target is None or not written:
            return said
        followed = below(request.target.real, session.cwd)
        if followed == absolute(written, session.cwd):
            return said
        led = replace(request, path=followed) if request.path else replace(request, cwd=followed)
        also = authorize(self._access, led.as_call(), session, agent)
        return max(said, also, key=lambda one: _STRICTNESS.index(one.decision))

    async def _is_covered(self, session: Session, request: ImplicitRequest, *, is_protected: bool) -> bool:
        """Return whether a grant covers a request, and use it up."""
        before, is_read = None, True
        if request.kind == "edit" and self._grants.has_change_of(session, request):
            there, _ = await asyncio.to_thread(self._on_disk, session.id, request)
            before = there.now if there is not None and not there.encoding else None
            is_read = before is not None or (there is not None and there.version is None)
        return self._grants.use(session, request, before, is_read=is_read, is_protected=is_protected)

    def _is_protected(self, session: Session, request: ImplicitRequest) -> bool:
        roots = self._access.files(session.id).roots
        return any(
            protected_files.why_protected(path, roots) is not None
            for path in {request.path, request.leads_to}
        )

    def _deny(self, session: Session, request: ImplicitRequest, by: AnsweredBy) -> NoReturn:
        where = f" ({by.detail})" if by.detail else ""
        if self._recorder.denied(session, call_behind(session, request), request.as_call(), by):
            asked = f"asked acp-tui to {_in_words(request)} without a permission"
            text = (
                f"Denied by {'the' if by.who == 'policy' else 'a'} {by.who}{where}: {self._title()} {asked}."
            )
            self._tell(session.id, text)
        raise Denied(by)

    async def _ask(self, session: Session, request: ImplicitRequest) -> Stale | None:
        there, is_new = await asyncio.to_thread(self._on_disk, session.id, request)
        if there is not None and there.now == request.content and not there.encoding:
            return there  # some agents write the file first and request it afterwards: nothing changes
        if there is not None and not there.encoding and self._has_edited(session, request, there.now):
            return there  # nor here: the user's text is written instead
        call, about = request.as_call(_text_of(there)), call_behind(session, request)
        call.tool_call_id = about.tool_call_id if about is not None else ""
        changed = _OTHER if request.again else _CHANGED if is_new else ""
        if there is not None and (base := _base_of_write(there, about, session.cwd)) is not None:
            there.before, is_new = base, True
            changed = changed or _CHANGED_SINCE
        is_edited = (
            self._amendments is not None
            and isinstance(request.target, Target)
            and request.kind == "edit"
            and self._amendments.waits_for(session, request.target)
        )
        changed = _EDITED if is_edited and not changed else changed
        call.title = changed or (about.title if about is not None else "")
        if there is not None and there.now is not None and there.encoding:
            call.title = " ".join(filter(None, (_ENCODING.format(there.encoding), call.title)))
        merge = await merge_of(there) if is_new and there is not None else None
        options = _options(request.kind, merge)

        def record(answer: ClientAnswer) -> None:
            led_to = _led_to(session, request)
            self._recorder.implicit(session, about, call, options, answer, led_to, again=request.again)

        question = Permission("", call, options, unasked=True, follows_edit=is_edited)
        if merge is not None:
            question.merged, question.conflicts = merge.text, merge.conflicts

        def asked(key: str) -> events.ImplicitlyAsked:
            question.key = key
            return events.ImplicitlyAsked(question)

        choices = [option.option_id for option in options]
        answer = await self._questions.ask(session.id, asked, choices, record)
        if self._amendments is not None:
            if answer.choice == MERGE and merge is not None and there is not None:
                merged = Amendment(there.path, there.wanted, merge.text)
                self._amendments.add(session.id, call.tool_call_id, [merged])
            elif answer.choice == LET and answer.amendment is None:  # this very text was shown
                self._amendments.withdraw(session.id, request.path or "", request.content or "")
        if answer.choice in (LET, MERGE):
            shown = question.places.get(request.path or folder_of(call, session.cwd))
            if shown is not None and request.target is not None and shown.real != request.target.real:
                raise OtherTarget(request.path or request.cwd or session.cwd)
            self._tell(session.id, f"You allowed {self._title()} to {_in_words(request)}.")
            self._tell_folder(session, request)
            return there
        if answer.choice is None:
            raise Refused("Not done: the turn was stopped.")
        self._tell(session.id, f"You did not allow {self._title()} to {_in_words(request)}.")
        raise Refused("The user does not allow this.")

    def _has_edited(self, session: Session, request: ImplicitRequest, now: str | None) -> bool:
        """Return whether a file has what the user wrote in place of the requested text."""
        if self._amendments is None or not isinstance(request.target, Target) or request.content is None:
            return False
        amendment = self._amendments.of(session, request.target, request.content)
        return amendment is not None and amendment.edited == now

    def _tell_folder(self, session: Session, request: ImplicitRequest) -> None:
        """Show in the chat where a command runs, if its folder is a link."""
        led_to = _led_to(session, request) if request.kind == "execute" else ""
        if led_to:
            self._tell(
                session.id, f"{request.cwd} is a link to {led_to}: “{_line(request.line)}” runs there."
            )

    def _on_disk(self, session_id: str, request: ImplicitRequest) -> tuple[Stale | None, bool]:
        """Return the current content of a file to be written, and whether the agent has not read that."""
        if request.content is None:
            return None, False
        try:
            target = request.target if isinstance(request.target, Target) else request.path
            return self._access.files(session_id).compare(target, request.content)
        except (OtherTarget, NotAFile):
            raise
        except FileError:  # the write will fail for the same reason
            return None, False


def _base_of_write(there: Stale, call: ToolCall | None, cwd: str) -> str | None:
    """Return the old text in the agent's own diff, if the file has another one by now; else None.

    For agents that read files by themselves, nothing else shows which text they know.
    """
    if call is None or there.now is None:
        return None
    path = absolute(there.path, cwd)
    diffs = (item for item in call.content if isinstance(item, Diff) and absolute(item.path, cwd) == path)
    base = next((item.before for item in diffs if item.new_text == there.wanted), None)
    return None if base == there.now else base


def _text_of(there: Stale | None) -> str | None:
    if there is None or there.version is None:
        return None
    return _NO_TEXT if there.now is None else there.now


def _options(kind: str, merge: merges.Merge | None = None) -> list[PermissionOption]:
    yes, no = _OPTIONS[kind]
    options = [
        PermissionOption(option_id=LET, name=yes, kind="allow_once"),
        PermissionOption(option_id=REFUSE, name=no, kind="reject_once"),
    ]
    if merge is not None:
        name = f"Write it merged with the newer text: {conflict_words(merge.conflicts)}"
        options.append(PermissionOption(option_id=MERGE, name=name, kind="allow_once"))
    return options


def _in_words(request: ImplicitRequest) -> str:
    what = request.line if request.kind == "execute" else request.path  # variables may hold secrets
    return f"{_VERBS[request.kind]} “{_line(what)}”"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119]}…"


def _led_to(session: Session, request: ImplicitRequest) -> str:
    """Return where the path or folder of a request leads if it is a link, else ""."""
    path = request.path or request.cwd
    return link_target(path, request.target.real, session.cwd) if path and request.target else ""


async def merge_of(stale: Stale) -> merges.Merge | None:
    """Return the merge of both sides' changes; None if the agent's base is unknown or the file is no text."""
    if stale.before is None or stale.now is None or stale.encoding or stale.version is None:
        return None
    return await merges.merge_texts(stale.before, stale.now, stale.wanted)
