"""What goes into the decision log of one permission."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.permissions import PermissionRequest
from acp_tui.acp.reading import read
from acp_tui.agent.given import Given
from acp_tui.agent.verdicts import named_paths
from acp_tui.session.entries import ToolCall
from acp_tui.session.session import Session
from acp_tui.store.decisions import Decision, Offered, now
from acp_tui.wire.messages import Request


def decision(
    request: Request, session: Session, agent: str, result: dict[str, Any], given: Given, waited: float
) -> Decision:
    """Return what is kept of a permission: the call as it was known when it was answered.

    Args:
        request: the agent's, which could be read.
        session: where it was asked.
        agent: what the person calls the agent.
        result: the answer as it goes out.
        given: who answered.
        waited: seconds between question and answer.
    """
    asked = read(PermissionRequest, request.params)
    call = session.tool_call(asked.tool_call.tool_call_id) or ToolCall(asked.tool_call.tool_call_id)
    options = tuple(Offered(option.option_id, option.name, option.kind) for option in asked.options)
    option_id = result["outcome"].get("optionId")
    return Decision(
        at=now(),
        session=session.id,
        agent=agent,
        workspace=session.cwd,
        tool_call=call.tool_call_id,
        kind=call.kind,
        title=call.title,
        command=call.command,
        paths=tuple(named_paths(call)),
        options=options,
        chosen=next((option for option in options if option.id == option_id), None),
        by=given.by,
        detail=given.detail,
        waited=round(waited, 3),
    )
