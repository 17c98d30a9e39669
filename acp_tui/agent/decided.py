"""What goes into the decision log: permissions, stale writes, and what a rule denies that nobody asked."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from acp_tui.acp.permissions import PermissionRequest
from acp_tui.acp.reading import read
from acp_tui.agent.given import Given
from acp_tui.agent.verdicts import absolute, input_paths, named_paths
from acp_tui.session.entries import ToolCall
from acp_tui.session.session import Session
from acp_tui.store.decisions import OVERWRITE, Decision, Offered, now
from acp_tui.wire.messages import Request

log = logging.getLogger(__name__)

Keep = Callable[[Decision], None]
"""Told of each decision."""

_WAYS: Final = {
    "write": Offered("write", "Write the agent's version", "allow_once"),
    "keep": Offered("keep", "Keep what is there", "reject_once"),
}
"""What can become of a write over newer changes, in the words of permissions."""
_DENIED: Final = Offered("denied", "Denied", "reject_once")
"""Stands for the answer where nothing was asked."""


class Record:
    """Writes down what was decided about one agent. It never fails its owner."""

    def __init__(self, keep: Keep | None, agent: str) -> None:
        """Take where decisions go (None: nowhere), and what the person calls the agent."""
        self._keep = keep
        self._agent = agent
        self._denied: set[tuple[str, str, str, str | None, str]] = set()

    def permission(
        self, request: Request, session: Session, result: dict[str, Any], given: Given, waited: float
    ) -> None:
        """Write a permission down: the call as it was known when it was answered.

        Args:
            request: the agent's, which could be read.
            session: where it was asked.
            result: the answer as it goes out.
            given: who answered.
            waited: seconds between question and answer.
        """

        def made() -> Decision:
            asked = read(PermissionRequest, request.params)
            call_id, option_id = asked.tool_call.tool_call_id, result["outcome"].get("optionId")
            options = tuple(Offered(option.option_id, option.name, option.kind) for option in asked.options)
            chosen = next((option for option in options if option.id == option_id), None)
            about = self._about(session, session.tool_call(call_id) or ToolCall(call_id), given, waited)
            return replace(about, options=options, chosen=chosen)

        self._add(made)

    def overwriting(
        self, session: Session, path: str, choice: str | None, given: Given, waited: float
    ) -> None:
        """Write down what became of a write over a file that the agent had not seen as it was."""

        def made() -> Decision:
            about = self._about(session, ToolCall("", "", OVERWRITE), given, waited)
            chosen = _WAYS[choice] if choice is not None else None
            return replace(about, paths=(path,), options=tuple(_WAYS.values()), chosen=chosen)

        self._add(made)

    def denied(self, session: Session, kind: str, path: str, command: str | None, rule: str) -> None:
        """Write down, once, what an agent would have had us do without having asked, and a rule forbids."""
        if (attempt := (session.id, kind, path, command, rule)) in self._denied:
            return  # an agent that tries again and again must not push older decisions out of the log
        self._denied.add(attempt)

        def made() -> Decision:
            about = self._about(session, ToolCall("", "", kind), Given("rule", rule), 0.0)
            return replace(about, command=command, paths=(path,) if path else (), chosen=_DENIED)

        self._add(made)

    def _about(self, session: Session, call: ToolCall, given: Given, waited: float) -> Decision:
        named = named_paths(call)
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
