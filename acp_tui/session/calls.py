"""Tool calls: any news of one, in any order, merged into its entry."""

from __future__ import annotations

from acp_tui.acp import dialects
from acp_tui.acp.tools import TOOL_STATUSES, ToolCallFields
from acp_tui.session.entries import FINAL, ToolCall


def merge(call: ToolCall, news: ToolCallFields, at: float, *, announces: bool) -> None:
    """Merge news into a call: absent and null keep, lists replace. Source: ACP, "tool calls", updating.

    `announces` is true for `tool_call` and for the tool call of a permission request: their `pending` is how
    a call begins, and does not take back what is known already.
    """
    if news.title:
        call.title = news.title
    if news.kind:
        call.kind = news.kind
    if news.content is not None:
        call.content = news.content
    if news.locations is not None:
        call.locations = news.locations
    if news.raw_input is not None:
        call.raw_input = news.raw_input
    if news.raw_output is not None:
        call.raw_output = news.raw_output
    if news.name:
        call.name = news.name
    if news.meta:
        call.meta = {**call.meta, **news.meta}
    if news.status is not None:
        _set_status(call, dialects.tool_status(news.status), at, announces=announces)


def settle(call: ToolCall, status: str, at: float) -> bool:
    """Give an unfinished call a status of ours; return whether it was unfinished."""
    if call.is_final:
        return False
    call.status = status
    call.ended = at
    return True


def _set_status(call: ToolCall, status: str, at: float, *, announces: bool) -> None:
    if status not in TOOL_STATUSES and status not in FINAL:
        status = "pending"
    if announces and status == "pending" and call.status != "pending":
        return
    call.status = status
    call.ended = at if status in FINAL else None
