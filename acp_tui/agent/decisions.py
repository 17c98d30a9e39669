"""What goes into the decision log: permissions, stale writes, and what a rule denies that nobody asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from acp_tui.agent.own_questions import Decided
from acp_tui.agent.verdicts import Given, input_paths
from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import ToolCall, absolute
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.decisions import OVERWRITE, Decision, OfferedOption, now

log = logging.getLogger(__name__)

Keep = Callable[[Decision], None]
"""Told of each decision."""

_WAYS: Final = {
    "write": OfferedOption("write", "Write the agent's version", "allow_once"),
    "keep": OfferedOption("keep", "Keep what is there", "reject_once"),
}
"""What can become of a write over newer changes, in the words of permissions."""
_DENIED: Final = OfferedOption("denied", "Denied", "reject_once")
"""Stands for the answer where nothing was asked."""


class Record:
    """Writes down what was decided about one agent. It never fails its owner."""

    def __init__(self, keep: Keep | None, agent: str) -> None:
        """Take where decisions go (None: nowhere), and what the person calls the agent."""
        self._keep = keep
        self._agent = agent
        self._denied: set[tuple[str, str, str, str | None, str]] = set()

    def permission(
        self, asked: Permission, session: Session, result: dict[str, Any], given: Given, waited: float
    ) -> None:
        """Write a permission down: the call as it was asked about.

        Args:
            asked: the question.
            session: where it was asked.
            result: the answer as it goes out.
            given: who answered.
            waited: seconds between question and answer.
        """

        def made() -> Decision:
            option_id = result["outcome"].get("optionId")
            options = tuple(OfferedOption(one.option_id, one.name, one.kind) for one in asked.options)
            chosen = next((option for option in options if option.id == option_id), None)
            about = self._about(session, asked.call, given, waited)
            return replace(about, options=options, chosen=chosen)

        self._add(made)

    def overwriting(self, session: Session, call: ToolCall | None, path: str, decided: Decided) -> None:
        """Write down what became of a write over a file that the agent had not seen as it was.

        Args:
            session: where it was asked.
            call: the tool call that the write belongs to, if that is known.
            path: of the file.
            decided: the answer.
        """

        def made() -> Decision:
            about = self._about(
                session, _of(call, ToolCall("", "", OVERWRITE)), decided.given, decided.waited
            )
            chosen = _WAYS[decided.choice] if decided.choice is not None else None
            return replace(about, paths=(path,), options=tuple(_WAYS.values()), chosen=chosen)

        self._add(made)

    def unasked(
        self,
        session: Session,
        call: ToolCall | None,
        wish: ToolCall,
        options: Sequence[PermissionOption],
        decided: Decided,
    ) -> None:
        """Write down what the person said to a wish that the agent had not asked for; `call` as above."""

        def made() -> Decision:
            about = self._about(session, _of(call, wish), decided.given, decided.waited)
            offered = {one.option_id: OfferedOption(one.option_id, one.name, one.kind) for one in options}
            return replace(
                about, options=tuple(offered.values()), chosen=offered.get(decided.choice or ""), unasked=True
            )

        self._add(made)

    def denied(self, session: Session, call: ToolCall | None, wish: ToolCall, rule: str) -> bool:
        """Write down what an agent would have had us do without having asked, and a rule forbids.

        Return whether it is new: an agent that tries again and again must not push older decisions out of
        the log.
        """
        attempt = (session.id, wish.kind, ":".join(wish.named_paths), wish.command, rule)
        if attempt in self._denied:
            return False
        self._denied.add(attempt)

        def made() -> Decision:
            about = self._about(session, _of(call, wish), Given("rule", rule), 0.0)
            return replace(about, chosen=_DENIED, unasked=True)

        self._add(made)
        return True

    def _about(self, session: Session, call: ToolCall, given: Given, waited: float) -> Decision:
        named = call.named_paths
        known = {absolute(path, session.cwd) for path in named}
        return Decision(
            at=now(),
            session=session.id,
            agent=self._agent,
            workspace=session.cwd,
            tool_call=call.tool_call_id,
            kind=call.kind,
            title=call.title,
            command=call.command,
            paths=tuple(named),
            options=(),
            chosen=None,
            by=given.by,
            detail=given.detail,
            waited=round(waited, 3),
            inputs=tuple(path for path in input_paths(call, session.cwd) if path not in known),
        )

    def _add(self, made: Callable[[], Decision]) -> None:
        if self._keep is None:
            return
        try:
            self._keep(made())
        except Exception:  # what was decided happens all the same
            log.exception("the decision log")


def _of(call: ToolCall | None, told: ToolCall) -> ToolCall:
    """Return what was told as news of the call that it belongs to, if that is known."""
    if call is None:
        return told
    return replace(told, tool_call_id=call.tool_call_id, title=call.title)
