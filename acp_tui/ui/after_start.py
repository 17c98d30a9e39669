"""The end of the start-up: the first session, custom keys and disk space."""

from __future__ import annotations

import asyncio
from typing import Final

from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.start import Start
from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import SessionNames
from acp_tui.ui.app import AcpApp
from acp_tui.ui.config_files import ConfigFiles
from acp_tui.ui.disk_space import free_space
from acp_tui.ui.keys import usable
from acp_tui.ui.tabs import Tabs
from acp_tui.ui.widgets.diff.view import SavedDiffPreferences

CLEANED: Final = 30.0
"""Seconds after the start before old recordings are deleted, so that the start has the disk for itself."""


async def begin(app: AcpApp, start: Start, running: RunningAgent | None) -> None:
    """Replace the first frame by the first session."""
    app.diff_habits = SavedDiffPreferences(state_folder() / "differences.json")
    if start.settings.keys:
        app.set_keymap(usable(start.settings.keys))
    kept = state_folder() / "names.json" if start.settings.journal else None
    tabs = Tabs(app, SessionNames(kept), start, running)
    await app.take_place_of_first_frame(tabs)
    app.run_worker(ConfigFiles(app, tabs, start).run(), group="config")
    app.set_timer(CLEANED, lambda: app.run_worker(_free_space(app, start), group="space"))


async def _free_space(app: AcpApp, start: Start) -> None:
    """Delete recorded sessions beyond the budget, and notify the user."""
    told = await asyncio.to_thread(free_space, start.settings.journals)
    if told:
        app.notify(told, title="Recorded sessions", timeout=20)
