"""Disk space of recorded sessions, freed while the interface runs."""

from __future__ import annotations

import logging
from datetime import datetime

from acp_tui.formatting import size
from acp_tui.store.disk_space import NAME, KeptJournals, clean
from acp_tui.store.folders import data_folder
from acp_tui.store.settings import JournalBudget

log = logging.getLogger(__name__)


def free_space(budget: JournalBudget) -> str:
    """Delete recordings beyond the budget; return a message, or "" if none was deleted. Blocking."""
    data = data_folder()
    try:
        deleted, left = clean(data / "journals", KeptJournals(data / NAME), budget.max_size, budget.max_age)
    except OSError as error:
        log.warning("no recorded session is deleted: %s", error)
        return ""
    for one, why in left:
        log.warning("%s is not deleted: %s", one.recorded.path, why)
    if not deleted:
        return ""
    newest = datetime.fromtimestamp(max(one.used for one in deleted))
    freed = size(sum(one.size for one in deleted))
    return (
        f"{len(deleted):,} of them, last used before {newest:%Y-%m-%d}, were beyond the budget and "
        f"are deleted ({freed}). [journals] in the settings says how much may stay; "
        f"acp-tui sessions --keep keeps some."
    )
