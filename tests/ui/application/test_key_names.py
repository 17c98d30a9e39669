"""Whatever names a key on the screen names the key that the action has now."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

import acp_tui.ui
from acp_tui.store.agents import demo_launch
from acp_tui.ui.application import key_settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.screens.base.menu import LineDialog, Menu
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.protocol import ProtocolScreen
from acp_tui.ui.screens.questions.address import AddressDialog
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.questions.stale_write import StaleWriteDialog
from acp_tui.ui.screens.rules.decisions import DecisionsScreen
from acp_tui.ui.screens.rules.rules import RulesScreen
from acp_tui.ui.screens.start import FailureScreen
from acp_tui.ui.screens.theme_menu import ThemeMenu
from acp_tui.ui.session_screen.prompt.queue import QueueMenu
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.key_names import key_text
from tests.conversation.talks import PLAIN
from tests.tables import each
from tests.ui.seats import Seat, seat

_DEFAULTS = re.compile(
    r"(?<![\w+])((Ctrl|ctrl|Alt|alt|Shift|shift)\+(?!hyper|Hyper)\S+|\^[a-z]\b|F\d{1,2}\b|f\d{1,2}\b|Esc\b|esc\b|PgDn|Tab\b|Del\b)"
    r"|[↑↓]{2}"
)
"""Keys as they are written while nobody has changed them; Enter is Textual's own in its fields."""

_SHORT = ("session.", "app.", "prompt.", "permission.", "dialog.", "menu.")
"""Actions whose odd keys are the shortest, so that all of them fit into a row."""


def _names() -> list[str]:
    """Return the names of all actions that have keys."""
    for module in pkgutil.walk_packages(acp_tui.ui.__path__, "acp_tui.ui."):
        importlib.import_module(module.name)
    groups = key_settings.key_groups(AcpApp.__new__(AcpApp))
    found = {named.name: None for group in groups for named in key_settings.named_actions(group)}
    return sorted(found, key=lambda name: not name.startswith(_SHORT))


def odd_keys() -> dict[str, str]:
    """Return a key that nobody has for each action."""
    modifiers = (
        "hyper+",
        "super+",
        "meta+",
        "hyper+super+",
        "hyper+meta+",
        "super+meta+",
        "hyper+super+meta+",
        "ctrl+hyper+",
        "ctrl+hyper+super+",
        "ctrl+hyper+meta+",
        "ctrl+super+meta+",
    )
    odd = [f"{held}{key}" for held, key in product(modifiers, "abcdefghijklmnopqrstuvwxyz0123456789")]
    names = _names()
    assert len(names) <= len(odd)
    return dict(zip(names, odd, strict=False))


@each(
    ("key", "written", "plain"),
    [
        ("ctrl+g", "Ctrl+G", "Ctrl+G"),
        ("ctrl+backslash", "Ctrl+\\", "Ctrl+\\"),
        ("ctrl+right_square_bracket", "Ctrl+]", "Ctrl+]"),
        ("shift+tab", "Shift+Tab", "Shift+Tab"),
        ("alt+up", "Alt+↑", "Alt+Up"),
        ("down", "↓", "Down"),
        ("escape", "Esc", "Esc"),
        ("pagedown", "PgDn", "PgDn"),
        ("f10", "F10", "F10"),
        ("z", "z", "z"),
        ("Z", "Z", "Z"),
        ("slash", "/", "/"),
        ("+", "+", "+"),
    ],
)
def test_keys_are_written_as_people_write_them(key: str, written: str, plain: str) -> None:
    assert key_text(key) == written
    assert key_text(key, ascii=True) == plain


class Odd:
    """A user who has changed all keys, and reads what the screen says of them."""

    def __init__(self, here: Seat, keys: dict[str, str]) -> None:
        self.here = here
        self.keys = keys

    async def press(self, name: str) -> None:
        await self.here.press(self.keys[name])

    async def say(self, text: str) -> None:
        await self.here.write(text)
        await self.press("prompt.send")

    async def reads(self, *names: str) -> None:
        """Wait until the keys of these actions are named, and find none that is a default."""
        await self.here.sees(*(key_text(self.keys[name]) for name in names))
        assert [found[0] for found in _DEFAULTS.finditer(self.here.text)] == [], self.here.text


@asynccontextmanager
async def odd_seat(folder: Path, width: int) -> AsyncIterator[Odd]:
    launch = demo_launch()
    launch = launch._replace(env={**launch.env, "ACP_TUI_DEMO_SPEED": "0"})
    keys = odd_keys()
    async with seat(folder, PLAIN._replace(keys=keys), size=(width, 60), given=launch) as here:
        yield Odd(here, keys)


@pytest.mark.slow
async def test_no_default_key_is_named_by_lists_and_screens_where_all_are_changed(tmp_path: Path) -> None:
    async with odd_seat(tmp_path, 240) as odd:
        await odd.reads("app.help", "app.palette", "session.stop", "session.next-mode")
        opened: list[tuple[str, type[Screen[Any]], str]] = [
            ("app.help", HelpScreen, "app.palette"),
            ("app.theme", ThemeMenu, "menu.close"),
            ("session.rules", RulesScreen, "rules.new"),
            ("session.decisions", DecisionsScreen, "decisions.close"),
            ("session.protocol", ProtocolScreen, "protocol.close"),
            ("session.rename", LineDialog, "dialog.put-aside"),
            ("session.policy", Menu, "menu.close"),
            ("session.ladder", Menu, "menu.close"),
        ]
        for name, kind, way_out in opened:
            await odd.press(name)
            screen = await odd.here.is_before(kind)
            await odd.reads(way_out)
            screen.dismiss(None)
            await odd.here.is_before(SessionScreen)
        await odd.press("session.find")
        await odd.reads("find.previous", "find.close")
        await odd.press("find.close")
        await odd.here.write("a draft")
        await odd.press("prompt.stash")
        await odd.reads("prompt.stash")


@pytest.mark.slow
async def test_no_default_key_is_named_by_questions_and_the_queue_where_all_are_changed(
    tmp_path: Path,
) -> None:
    async with odd_seat(tmp_path, 160) as odd:
        here = odd.here
        here.conversation.say("/ask")
        await here.is_before(PermissionDialog)
        await odd.reads("permission.allow-always", "permission.reject-once", "dialog.put-aside")
        await odd.press("dialog.put-aside")
        await odd.reads("session.answer", "session.stop")
        here.conversation.say("waits")
        await odd.reads("session.queue", "session.edit-queue", "session.send-now")
        await odd.press("session.queue")
        await here.is_before(QueueMenu)
        await odd.reads("queue.drop", "menu.close")
        await odd.press("menu.close")


@pytest.mark.slow
async def test_no_default_key_is_named_by_an_address_or_a_stale_write_where_all_are_changed(
    tmp_path: Path,
) -> None:
    async with odd_seat(tmp_path, 160) as odd:
        here = odd.here
        here.conversation.say("/link")
        await here.is_before(AddressDialog)
        await odd.reads("address.open", "address.copy", "address.decline", "address.up", "address.choose")
        await odd.press("address.decline")
        await here.until(lambda: not here.conversation.is_busy)

        here.conversation.choices.set_policy("allow-everything")
        here.conversation.say("/clash")
        await here.is_before(StaleWriteDialog)
        await odd.reads("stale-write.write", "stale-write.keep", "stale-write.stop", "stale-write.zoom")
        assert re.search(r"^.?\s*[wkx]  ", here.text, re.MULTILINE) is None


@pytest.mark.slow
async def test_no_default_key_is_named_on_a_narrow_screen_or_by_a_failure(tmp_path: Path) -> None:
    async with odd_seat(tmp_path, 100) as odd:
        here = odd.here
        await odd.reads("session.chat", "session.plan-pane", "session.tool-calls", "session.changes")
        await odd.say("!sleep 60")
        await here.sees("running,")
        await odd.reads("session.stop")
        await odd.press("session.stop")
        await here.until(lambda: "running," not in here.text)
        await odd.say("/die")
        await here.is_before(FailureScreen)
        await odd.reads("failure.retry", "failure.close")
        await odd.press("failure.close")
        await odd.reads("session.restart")
