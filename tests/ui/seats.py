"""The whole interface with a true agent behind it, as a user sits before it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from textual.events import Key
from textual.notifications import Notification
from textual.pilot import Pilot
from textual.screen import Screen

from acp_tui.conversation.conversation import Conversation
from acp_tui.store.agents import Launch
from acp_tui.store.settings import Settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.screens.base.unasked_screen import UnaskedScreen
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.tabs import Tabs
from tests.conversation.talks import said, start
from tests.ui.screens.dialogs import let_the_pause_pass
from tests.ui.screens.stage import drawn, screen_text
from tests.waiting import PATIENCE

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e]")


class Seat:
    """The place of a user: keys and the screen."""

    def __init__(self, app: AcpApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.written: list[str] = []
        """Output to the terminal that is no picture."""

    @property
    def session(self) -> SessionScreen:
        return self.tabs.current

    @property
    def tabs(self) -> Tabs:
        return tabs_of(self.app)

    @property
    def conversation(self) -> Conversation:
        return self.session.conversation

    @property
    def text(self) -> str:
        """The text on the screen."""
        return screen_text(self.app)

    @property
    def obeyed(self) -> list[str]:
        """Characters on the screen that a terminal would obey, or that would turn its text around."""
        strips = drawn(self.app.screen)
        return [segment.text for strip in strips for segment in strip if _UNSAFE.search(segment.text)]

    @property
    def notices(self) -> list[Notification]:
        """The notices that are there, the oldest first."""
        return list(self.app._notifications)

    @property
    def draft(self) -> str:
        """The text in the prompt box."""
        return self.session.prompt.text

    @property
    def said(self) -> list[str]:
        return said(self.conversation)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    def press_together(self, *keys: str) -> None:
        """Press keys that arrive in one write: none waits for what the one before does."""
        for key in keys:
            self.app.post_message(Key(key, key if len(key) == 1 else None))

    async def write(self, text: str) -> None:
        """Write into the prompt, without the wait of a key each; a `!` is typed, to make a command."""
        if text.startswith("!"):
            await self.press("!")
            text = text[1:]
        self.session.prompt.insert(text)
        await self.pilot.pause(0)

    async def say(self, text: str) -> None:
        await self.write(text)
        await self.press("enter")

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition, and fail with what the screen shows."""
        end = monotonic() + PATIENCE
        delay = 0.01
        while not condition():
            assert monotonic() < end, self.text
            await self.pilot.pause(delay)
            delay = min(delay * 1.2, 0.1)  # a look draws the screen: long waits took a tenth of all tests

    async def sees(self, *words: str) -> None:
        def shows() -> bool:
            text = self.text
            return all(word in text for word in words)

        await self.until(shows)

    async def is_before(self, kind: type[Screen[Any]], *, waits: bool = False) -> Any:
        """Wait until a screen of this kind is on top, and return it; a dialog when its keys count.

        `waits`: for as long as the user has to, before keys count.
        """

        def counts() -> bool:
            screen = self.app.screen
            if type(screen) is not kind:
                return False
            if isinstance(screen, UnaskedScreen):
                return screen.armed if waits else let_the_pause_pass(screen)
            return bool(getattr(screen, "armed", True))

        await self.until(counts)
        return self.app.screen

    async def asked(self, *names: str) -> Any:
        """Have the plain agent ask about tool calls of these names; return the dialog of the first."""
        await self.say(f"ask {' '.join(names)}")
        return await self.is_before(PermissionDialog)


def tabs_of(app: AcpApp) -> Tabs:
    """Return the tabs of a loaded interface."""
    assert isinstance(app.tabs, Tabs)
    return app.tabs


@asynccontextmanager
async def seat(
    folder: Path,
    settings: Settings | None = None,
    /,
    *,
    size: tuple[int, int] = (120, 40),
    given: Launch | None = None,
    ready: bool = True,
    notices: bool = False,
    settings_file: Path | None = None,
    **like: Any,
) -> AsyncIterator[Seat]:
    """Sit down before the interface; the agent is the plain one, `like` says what is special about it.

    Changed files are known with `TRACKED` settings alone.

    `notices`: they are drawn, too. `settings_file`: where the settings come from, and is watched.
    """
    began = start(folder, settings, **like)
    app = AcpApp(replace(began, launch=given or began.launch, settings_file=settings_file))
    try:
        async with app.run_test(size=size, notifications=notices) as pilot:
            here = Seat(app, pilot)
            app.write_to_terminal = here.written.append  # type: ignore[method-assign, assignment]
            await here.until(lambda: app.is_complete)
            if ready:
                await here.until(lambda: here.conversation.phase == "ready")
            try:
                yield here
            finally:  # a test that fails leaves nothing behind that others would wait for
                await app.tabs.end()
    finally:
        began.guard.close()


def told(here: Seat) -> str:
    """Return the newest notice, but for what there is to say of the clipboard outside; nothing before one."""
    notices = [notice for notice in here.notices if notice.title != "Clipboard"]
    return notices[-1].message if notices else ""
