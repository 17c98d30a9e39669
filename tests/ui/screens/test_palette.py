"""The command palette."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.ui.screens.palette import Palette, palette_items, ranked
from tests.ui.seats import seat

pytestmark = pytest.mark.slow

HOSTILE = "[@click=app.quit]now[/] \\[x] [/] [bold \x1b]0;t\x07 \\"


FOUND = {
    "clear": "Start over in this tab",
    "resume": "Resume a session",
    "undo": "Restore files to before the last turn",
    "diff": "Review the changes",
    "keys": "Show the keys",
    "sidebar": "Toggle the sidebar",
    "exit": "Quit",
    "new": "Open a new session",
    "permision rules": "Show the permission rules",
    "dracula": "Theme: dracula",
}


async def test_words_that_users_type_find_the_command(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        items = palette_items(here.session, lambda name: True, [], ["nord", "dracula"])

        assert {words: ranked(items, words)[0].label for words in FOUND} == FOUND


async def test_a_command_is_run_from_the_palette(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("ctrl+p")
        await here.is_before(Palette)
        await here.sees("Open a new session", "Ctrl+N", "another session of this agent")
        await here.press(*"inbox", "enter")
        await here.until(lambda: any("Nothing pending" in one.message for one in here.notices))


async def test_r41_text_of_the_agent_is_shown_as_it_is(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        session = here.conversation.session
        assert session is not None
        session.commands = [AvailableCommand(name="init", description=HOSTILE)]
        await here.press("ctrl+p")
        await here.is_before(Palette)
        await here.press(*"/init")
        await here.sees("[@click=app.quit]now[/]")

        await here.press("enter")
        await here.until(lambda: here.draft == "/init ")


async def test_an_agents_command_with_a_word_of_ours_stays_the_agents(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        session = here.conversation.session
        assert session is not None
        session.commands = [AvailableCommand(name="clear", description="wipes the slate")]
        await here.press("ctrl+p")
        await here.is_before(Palette)
        await here.press(*"slate", "enter")

        await here.until(lambda: here.draft == "/agent:clear ")
