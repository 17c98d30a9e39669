"""The user's files that apply as soon as they are saved: settings, keys, rules and themes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from acp_tui.conversation.start_options import Start
from acp_tui.store.agents import known_agents
from acp_tui.store.folders import config_folder, settings_path
from acp_tui.store.settings import SETTINGS, Settings, load
from acp_tui.store.toml_check import Problem
from acp_tui.ui.application import key_settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.tabs import Tabs
from acp_tui.ui.widgets.textual_internals import keymap_of, withdraw_notices
from acp_tui.workspace.folder_events import why_unwatchable
from acp_tui.workspace.watched_files import WatchedFiles

_NEXT_START: Final = [name for name, setting in SETTINGS.items() if setting.applies == "next start"]
_NEXT_AGENT: Final = [name for name, setting in SETTINGS.items() if setting.applies == "next agent"]


class ConfigFiles:
    """Watches the user's files and applies saved changes."""

    def __init__(self, app: AcpApp, tabs: Tabs, start: Start) -> None:
        """Prepare; watching starts with `run`."""
        self._app = app
        self._tabs = tabs
        self._start = start
        self._saved = start.settings
        """The settings as last read: some apply at the next start."""
        self._wrong = [problem for problem in start.problems if self._is_of_settings(problem)]
        self._is_remote = False
        self._has_told = False
        self._watching = WatchedFiles(lambda: set(self._files()), self._saved_now)

    async def run(self) -> None:
        """Watch until cancelled."""
        self._is_remote = bool(await asyncio.to_thread(why_unwatchable, config_folder()))
        if not self._app.is_running:  # the program has ended in the meantime
            return
        self._app.theme_changed_signal.subscribe(self._app, lambda _: self._watching.look())
        self._tabs.on_other_files = self._watching.look
        self._app.on_return = self._look_unless_told
        if self._start.settings.keys:
            await self._check_keys(self._start.settings.keys)
        await self._watching.run()

    def _files(self) -> Iterator[Path]:
        if self._start.settings_file is not None:
            yield self._start.settings_file
        yield self._app.app_theme.file
        for screen in self._tabs.screens:
            yield from screen.parts.rules.book.files()

    def _look_unless_told(self) -> None:
        """Check the files when the user comes back to the terminal, if the system reports no changes."""
        if self._watching.obstacle or self._is_remote:
            self._watching.look()

    def _saved_now(self, files: frozenset[Path]) -> None:
        if self._start.settings_file in files:
            self._read_settings(self._start.settings_file)
        if self._app.app_theme.file in files:
            self._app.app_theme.reload()
        if any(file in files for screen in self._tabs.screens for file in screen.parts.rules.book.files()):
            for session in self._tabs.screens:
                session.parts.rules.saved()
        if self._watching.obstacle and not self._has_told:
            self._has_told = True
            text = (
                "Settings, rules and themes are read when you come back to the terminal, and with each "
                f"Enter. They cannot be watched: {self._watching.obstacle}."
            )
            self._app.warn(text, "Not watching")

    # ------------------------------------------------------------------ settings

    def _is_of_settings(self, problem: Problem) -> bool:
        return problem.path == self._start.settings_file and not problem.about

    def _read_settings(self, file: Path) -> None:
        before = self._saved
        saved, wrong = load(file, before)
        if (saved, wrong) == (before, self._wrong):
            return
        self._saved, self._wrong = saved, wrong
        withdraw_notices(self._app, "Settings")
        for problem in wrong:
            self._app.warn(str(problem), "Settings")
        others = [problem for problem in self._start.problems if not self._is_of_settings(problem)]
        now = self._start.settings
        after = saved._replace(**{name: getattr(now, name) for name in _NEXT_START})
        self._tabs.use_settings(after, known_agents(after.agents), (*others, *wrong))
        self._app.use_settings(now, after)
        if after.keys != now.keys:
            self._use_keys(after.keys)
        if text := deferred(before, saved, now):
            self._app.notify(text, title="Settings", timeout=15)

    def _use_keys(self, keys: Mapping[str, str]) -> None:
        """Use the keys; an action with an invalid key keeps its current one."""
        last = keymap_of(self._app)
        good = key_settings.usable(keys)
        kept = {action: last[action] for action in keys if action not in good and action in last}
        self._app.set_keymap({**kept, **good})
        for screen in self._tabs.screens:
            screen.keys_changed()
        self._app.run_worker(self._check_keys(keys), group="keys", exclusive=True)

    async def _check_keys(self, keys: Mapping[str, str]) -> None:
        """Warn of unusable keys of the settings; the help screen lists them, too."""
        file = self._start.settings_file or settings_path()
        withdraw_notices(self._app, "Keys")
        self._app.key_problems = await key_settings.problems(self._app, keys, file)
        for problem in self._app.key_problems:
            self._app.warn(str(problem), "Keys")


def deferred(before: Settings, saved: Settings, now: Settings) -> str:
    """Return a text about saved settings that do not apply yet, or "".

    Args:
        before: the settings saved before.
        saved: the settings saved last.
        now: the settings in force.
    """
    new = {name for name in Settings._fields if getattr(saved, name) != getattr(before, name)}
    waits = [name for name in _NEXT_START if name in new and getattr(saved, name) != getattr(now, name)]
    later = [name for name in _NEXT_AGENT if name in new]
    lines = []
    if waits:
        lines.append(f"Applies at the next start of acp-tui: {', '.join(waits)}.")
    if later:
        lines.append(f"Applies to agents started from now on: {', '.join(later)}.")
    return "\n".join(lines)
