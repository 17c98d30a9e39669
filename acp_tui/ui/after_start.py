"""The rest of the start, once everything is loaded: the first session, the keys of the settings, the disk."""

from __future__ import annotations

import asyncio
from typing import Final

from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.start import Start
from acp_tui.store.folders import config_folder, state_folder
from acp_tui.store.preferences import SessionNames
from acp_tui.ui.app import AcpApp
from acp_tui.ui.disk_space import free_space
from acp_tui.ui.keys import problems, usable
from acp_tui.ui.tabs import Tabs
from acp_tui.ui.widgets.diff.view import SavedDiffPreferences

CLEANED: Final = 30.0
"""Seconds after the start, when nobody waits for the disk any more and recorded sessions may be deleted."""


async def begin(app: AcpApp, start: Start, running: RunningAgent | None) -> None:
    """Show the first session in place of the first frame; its agent may be running already."""
    app.diff_habits = SavedDiffPreferences(state_folder() / "differences.json")
    if start.settings.keys:
        app.set_keymap(usable(start.settings.keys))
        app.run_worker(_check_keys(app, start), group="keys")
    kept = state_folder() / "names.json" if start.settings.journal else None
    tabs = Tabs(app, SessionNames(kept), start, running)
    await app.take_place_of_first_frame(tabs)
    app.set_timer(CLEANED, lambda: app.run_worker(_free_space(app, start), group="space"))


async def _free_space(app: AcpApp, start: Start) -> None:
    """Delete recorded sessions beyond the budget of the settings, and say so."""
    told = await asyncio.to_thread(free_space, start.settings.journals)
    if told:
        app.notify(told, title="Recorded sessions", timeout=20)


async def _check_keys(app: AcpApp, start: Start) -> None:
    """Say which keys of the settings cannot be used as written; F1 goes on saying so."""
    app.key_problems = await problems(app, start.settings.keys, config_folder() / "settings.toml")
    for problem in app.key_problems:
        app.warn(str(problem), "Keys")
