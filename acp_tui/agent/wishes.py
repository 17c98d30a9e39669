"""What an agent has us do without having asked: rules and the policy decide, or the person does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from acp_tui.agent import verdicts
from acp_tui.agent.coverage import behind
from acp_tui.agent.decisions import Record
from acp_tui.agent.grants import Allowed
from acp_tui.agent.host import Host
from acp_tui.agent.own_questions import Decided, OwnQuestions
from acp_tui.agent.verdicts import Denied
from acp_tui.agent.wish import Wish
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules.model import Decision
from acp_tui.rules.protected import why_protected
from acp_tui.session import events
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.workspace.files import FileError, Stale

LET, REFUSE = "let", "refuse"
_OPTIONS: Final = {
    "execute": ("Run it", "Do not run it"),
    "edit": ("Write it", "Do not write it"),
    "read": ("Let it be read", "Do not let it be read"),
}
_NO_TEXT: Final = "\0"
"""Stands for what is there and is no text."""
_CHANGED: Final = "It has changed on disk since the agent last read or wrote it."
_ENCODING: Final = "Its text is {} now, and will be UTF-8."
_DOES: Final = {"execute": "run", "edit": "write", "read": "read"}
_BY_POLICY: Final = frozenset({"execute", "edit"})
"""What a policy speaks of although nobody asked; reading is how agents look at what they were lent."""


class Known(NamedTuple):
    """What is known of an act that the agent has us do, before the user is asked."""

    kind: str
    said: Decision
    """What a rule says, else the policy."""
    is_by_rule: bool = False
    is_covered: bool = False
    """A permission covers it: the very thing was shown and allowed."""
    is_protected: bool = False
    """It writes where programs are started from or told what to do, and no rule that allows it names that."""
    leads_out: bool = False
    """It is a command that runs outside the workspace."""
    mode_lets: bool = False
    """The user has chosen a mode of the agent that acts without asking."""


def goes_on(known: Known) -> bool:
    """Return whether an act may go on without a question. Nothing else decides that."""
    if known.said == "deny":
        return False
    if known.is_covered:
        return True
    if known.is_protected:
        return False
    if known.said == "allow":
        return not known.leads_out or known.mode_lets
    if known.is_by_rule:
        return False
    return known.kind not in _BY_POLICY or known.mode_lets


class Refused(Exception):
    """It is not done; the message says why, for the agent."""


class Wishes:
    """Decides about what the agent of one connection would have us do."""

    def __init__(
        self,
        host: Host,
        questions: OwnQuestions,
        allowed: Allowed,
        record: Record,
        tell: Callable[[str, str], None],
        title: Callable[[], str],
    ) -> None:
        """Decide for one connection.

        Args:
            host: has the rules and policies.
            questions: puts to the person what they do not decide.
            allowed: what permissions have let the agent do.
            record: the decision log.
            tell: says something in the chat of the session of an id.
            title: what the agent is called in the chat and in dialogs.
        """
        self._host = host
        self._questions = questions
        self._allowed = allowed
        self._record = record
        self._tell = tell
        self._title = title

    async def may(self, session: Session, agent: str, wish: Wish) -> Stale | None:
        """Come back when a wish may be fulfilled; return what the person was shown that a write then loses.

        Raises:
            Denied: a rule of the person's forbids it.
            Refused: the person does, or the turn was stopped.
        """
        if wish.kind != "execute" and not self._host.lends(session.id, wish.path):
            return None  # what follows will say so
        said = verdicts.beforehand(self._host, wish.as_call(), session, agent)
        if said.decision == "deny":
            self._deny(session, wish, said.given.detail)
        is_protected = wish.kind == "edit" and self._is_protected(session, wish)
        is_by_rule = said.given.by == "rule"
        known = Known(
            wish.kind,
            said.decision,
            is_by_rule=is_by_rule,
            is_covered=await self._is_covered(session, wish, is_protected=is_protected),
            # A rule allows a protected file only where it names that.
            is_protected=is_protected and not (is_by_rule and said.decision == "allow"),
            leads_out=self._leads_out(session, wish),
            mode_lets=session.lets_act,
        )
        if goes_on(known):
            return None
        if session.turn_state == "cancelling":
            raise Refused("It was not done: the turn was stopped.")
        return await self._ask(session, wish)

    async def _is_covered(self, session: Session, wish: Wish, *, is_protected: bool) -> bool:
        """Return whether a permission covers a wish, which uses it up."""
        before, is_read = None, True
        if wish.kind == "edit" and self._allowed.knows(session, wish):
            there, _ = await asyncio.to_thread(self._there, session.id, wish)
            before = there.now if there is not None and not there.encoding else None
            is_read = before is not None or (there is not None and there.version is None)
        return self._allowed.use(session, wish, before, is_read=is_read, is_protected=is_protected)

    def _is_protected(self, session: Session, wish: Wish) -> bool:
        """Return whether a write goes to where programs are started from, or to what is ours."""
        return why_protected(wish.path, self._host.files(session.id).roots) is not None

    def _leads_out(self, session: Session, wish: Wish) -> bool:
        """Return whether a command runs outside the workspace, which a rule that allows it does not mean."""
        if self._host.policy_of(session.id) == "allow-everything":
            return False
        return wish.kind == "execute" and bool(wish.cwd) and not self._host.lends(session.id, wish.cwd or "")

    def _deny(self, session: Session, wish: Wish, source: str) -> None:
        where = f" ({source})" if source else ""
        if self._record.denied(session, behind(session, wish), wish.as_call(), source):
            text = f"Denied by a rule{where}: {self._title()} had us {_told(wish)} without asking."
            self._tell(session.id, text)
        raise Denied(source)

    async def _ask(self, session: Session, wish: Wish) -> Stale | None:
        there, is_new = await asyncio.to_thread(self._there, session.id, wish)
        if there is not None and there.now == wish.content and not there.encoding:
            return there  # some agents have written it by themselves: nothing changes
        call, about = wish.as_call(_text_of(there)), behind(session, wish)
        call.tool_call_id = about.tool_call_id if about is not None else ""
        call.title = _CHANGED if is_new else about.title if about is not None else ""
        if there is not None and there.now is not None and there.encoding:
            call.title = " ".join(filter(None, (_ENCODING.format(there.encoding), call.title)))
        options = _options(wish.kind)

        def record(decided: Decided) -> None:
            self._record.unasked(session, about, call, options, decided)

        def asked(key: str) -> events.ImplicitlyAsked:
            return events.ImplicitlyAsked(Permission(key, call, options, unasked=True))

        decided = await self._questions.ask(session.id, asked, (LET, REFUSE), record)
        if decided.choice == LET:
            self._tell(session.id, f"You let {self._title()} {_told(wish)}.")
            return there
        if decided.choice is None:
            raise Refused("It was not done: the turn was stopped.")
        self._tell(session.id, f"You did not let {self._title()} {_told(wish)}.")
        raise Refused("The person does not allow this.")

    def _there(self, session_id: str, wish: Wish) -> tuple[Stale | None, bool]:
        """Return what stands in the file that is to be written, and whether that is new to the agent."""
        if wish.content is None:
            return None, False
        try:
            return self._host.files(session_id).compare(wish.path, wish.content)
        except FileError:  # the write will say so
            return None, False


def _text_of(there: Stale | None) -> str | None:
    if there is None or there.version is None:
        return None
    return _NO_TEXT if there.now is None else there.now


def _options(kind: str) -> list[PermissionOption]:
    yes, no = _OPTIONS[kind]
    return [
        PermissionOption(option_id=LET, name=yes, kind="allow_once"),
        PermissionOption(option_id=REFUSE, name=no, kind="reject_once"),
    ]


def _told(wish: Wish) -> str:
    what = wish.line if wish.kind == "execute" else wish.path  # variables may hold secrets
    line = " ".join(what.split())
    return f"{_DOES[wish.kind]} “{line if len(line) <= 120 else f'{line[:119]}…'}”"
