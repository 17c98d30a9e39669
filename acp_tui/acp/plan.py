"""The plan. Source: ACP, page "agent plan"."""

from __future__ import annotations

from acp_tui.acp.word import Word


class PlanEntry(Word):
    """One step: `priority` is high, medium or low; `status` pending, in_progress or completed."""

    content: str
    priority: str = "medium"
    status: str = "pending"
