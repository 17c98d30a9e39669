"""Slash commands."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.session_screen.slash_commands import offered, run_slash
from tests.ui.agent_commands import COMMANDS
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow


async def test_a_command_with_words_that_it_does_not_take_is_said_to_the_agent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        assert not await run_slash(here.session.parts, "/keys of the house")
        assert not await run_slash(here.session.parts, "keys")
        assert not await run_slash(here.session.parts, "/unheard-of")


async def test_an_agents_command_with_a_word_of_ours_is_reached_by_another_name(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        parts, session = here.session.parts, here.conversation.session
        assert session is not None
        ours = {command.name: command for command in offered(parts)}
        assert {"new", "rename", "exit"} <= ours.keys()

        session.commands = [AvailableCommand(name="new", description="of the agent")]

        assert {command.name for command in offered(parts)} == ours.keys() | {"agent:new"}
        await here.write("/agent:new and more")
        await here.press("enter")
        await here.until(lambda: "/new and more" in here.said)


async def test_compact_is_the_agents_command_where_it_has_one(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        session = here.conversation.session
        assert session is not None
        await here.write("/compact")
        await here.press("enter")
        await here.until(
            lambda: any("no command to compact the context" in one.message for one in here.notices)
        )
        assert here.said == []

        session.commands = [AvailableCommand(name="compress")]
        await here.write("/compact")
        await here.press("enter")
        await here.until(lambda: "/compress" in here.said)


async def test_the_details_begin_with_the_section_that_a_word_asks_for(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for word, first in (("status", "Agent"), ("mcp", "MCP servers"), ("cost", "Usage")):
            await here.say(f"/{word}")
            await here.sees("session details", "Capabilities")
            headings = [row.strip() for row in here.text.splitlines()[1:4]]
            assert first in headings, here.text
            await here.press("escape")


async def test_an_unknown_word_is_sent_only_after_a_question(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[COMMANDS]) as here:
        await here.until(lambda: here.session.parts.agent_commands.printable)
        for text in ("/stpo", "/foo bar"):
            await here.write(text)
            await here.press("enter")
            await here.is_before(Menu)
            await here.press("enter")
            await here.until(partial(_is_draft, here, text))
            here.session.prompt.clear()
        assert here.said == []

        await here.write("/foo bar")
        await here.press("enter")
        await here.is_before(Menu)
        await here.press(*"send", "enter")
        await here.until(lambda: "/foo bar" in here.said)


async def test_a_path_and_an_agents_command_are_no_unknown_words(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[COMMANDS]) as here:
        await here.until(lambda: here.session.parts.agent_commands.printable)
        for text in ("/etc/hosts is wrong", "/play a song"):
            await here.write(text)
            await here.press("enter")
            await here.until(partial(_is_said, here, text))


def _is_draft(here: Seat, text: str) -> bool:
    return here.draft == text


def _is_said(here: Seat, text: str) -> bool:
    return text in here.said
