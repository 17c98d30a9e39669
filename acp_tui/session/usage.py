"""How full the agent's context is and what it has cost, as far as it has told."""

from __future__ import annotations

from acp_tui.acp.updates import UsageUpdate


def filled(news: UsageUpdate, before: UsageUpdate | None) -> UsageUpdate:
    """Return news of the usage with what they leave out as it was before."""
    if news.used is None or news.size is None:
        used, size = (before.used, before.size) if before is not None else (None, None)
        news = news.model_copy(update={"used": used, "size": size})
    if news.cost is None and before is not None:
        news = news.model_copy(update={"cost": before.cost})
    return news
