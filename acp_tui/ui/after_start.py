"""The end of the start-up: the first session, custom keys and disk space."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from typing import Final

from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.start_options import Start
from acp_tui.formatting import size
from acp_tui.store import disk_space
from acp_tui.store.edited_texts import FOLDER, left_behind
from acp_tui.store.folders import data_folder, journals_folder, state_folder
from acp_tui.store.preferences import SavedDiffPreferences, SessionNames
from acp_tui.store.settings import JournalBudget
from acp_tui.ui.application import key_settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.config_files import ConfigFiles
from acp_tui.ui.tabs import Tabs
from acp_tui.ui.widgets.markdown import parser as markdown_parser

log = logging.getLogger(__name__)

ANSWERED: Final = 2.0
"""Seconds after the start until the parser of Markdown is loaded, in a thread: with the first answer it would
take a key 30 ms."""

CLEANED: Final = 30.0
"""Seconds after the start until old recordings are deleted, so that the start has the disk to itself."""


async def begin(app: AcpApp, start: Start, running: RunningAgent | None) -> None:
    """Replace the first frame by the first session."""
    app.diff_preferences = SavedDiffPreferences(state_folder() / "differences.json")
    if start.settings.keys:
        app.set_keymap(key_settings.usable(start.settings.keys))
    kept = state_folder() / "names.json" if start.settings.journal else None
    tabs = Tabs(app, SessionNames(kept), start, running)
    await app.take_place_of_first_frame(tabs)
    app.run_worker(ConfigFiles(app, tabs, start).run(), group="config")
    app.run_worker(_tell_edits(app), group="edits")
    app.set_timer(ANSWERED, lambda: app.run_worker(_load_parser(), group="parser"))
    app.set_timer(CLEANED, lambda: app.run_worker(_free_space(app, start), group="space"))


async def _load_parser() -> None:
    """Load the parser of Markdown before the first answer."""
    await asyncio.to_thread(lambda: markdown_parser.parse("*", {}))


async def _tell_edits(app: AcpApp) -> None:
    """Report edited texts that were not written before the program was killed."""
    for path in await asyncio.to_thread(left_behind, data_folder() / FOLDER):
        text = f"You were editing this when acp-tui ended: {path}"
        app.notify(text, title="Edited text", severity="warning", timeout=30, markup=False)


async def _free_space(app: AcpApp, start: Start) -> None:
    """Delete recorded sessions beyond the budget, and notify the user."""
    told = await asyncio.to_thread(free_space, start.settings.journals)
    if told:
        app.notify(told, title="Recorded sessions", timeout=20)


def free_space(budget: JournalBudget) -> str:
    """Delete recordings beyond the budget; return a message, or "" if none was deleted. Blocking."""
    try:
        kept = disk_space.KeptJournals(data_folder() / disk_space.NAME)
        deleted, left = disk_space.clean(journals_folder(), kept, budget.max_size, budget.max_age)
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
        f"{len(deleted):,} of them, last used before {newest:%Y-%m-%d}, were deleted because the limit was "
        f"exceeded ({freed}). The limit is `journals` in settings.toml; acp-tui sessions --keep exempts some."
    )
