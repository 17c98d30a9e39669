"""Commands are completed while they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.session_screen.parts import SessionParts
from acp_tui.ui.session_screen.prompt.completions import SlashCommand
from tests.ui.agent_commands import COMMANDS
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


async def test_commands_are_completed_with_keys(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[COMMANDS]) as here:
        await here.until(lambda: here.session.parts.agent_commands.printable)
        await here.press("slash", "p", "l")
        await here.sees("/plan", "make a plan", "/play <what>")
        assert "/stop" not in here.text

        await here.press("down", "tab")
        assert here.draft == "/play "
        assert "/plan" not in here.text

        here.session.prompt.clear()
        await here.press("slash", "escape")
        assert "/plan" not in here.text
        assert here.draft == "/"
        await here.press("s", "enter")
        assert here.draft == "/stop", "it is taken first"
        await here.press("enter")
        await here.until(lambda: here.said[:1] == ["/stop"])


async def test_enter_sends_a_command_that_is_whole_although_others_begin_so_or_it_came_at_once(
    tmp_path: Path,
) -> None:
    more = {
        **COMMANDS,
        "availableCommands": [*COMMANDS["availableCommands"], {"name": "stop-all", "description": ""}],
    }
    async with seat(tmp_path, updates=[more]) as here:
        await here.until(lambda: here.session.parts.agent_commands.printable)
        await here.write("/stop")
        await here.sees("/stop-all")
        await here.press("enter")
        await here.until(lambda: here.said[:1] == ["/stop"])
        await here.write("/review")
        await here.sees("/review <agent>", "/review-changes")
        await here.press("enter")
        await here.until(lambda: any("No changes to review" in one.message for one in here.notices))

        here.press_together(*"/plan", "enter")
        await here.until(lambda: "/plan" in here.said)
        assert here.draft == ""


async def test_commands_are_not_collected_for_a_text_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def collected(parts: SessionParts) -> list[SlashCommand]:
        calls.append(parts)
        return [SlashCommand("plan")]

    monkeypatch.setattr("acp_tui.ui.session_screen.slash_commands.offered", collected)
    async with seat(tmp_path) as here:
        await here.press("a", "space", "/", "b")
        assert here.draft == "a /b"
        assert not calls

        here.session.prompt.clear()
        await here.press("/")
        await here.sees("/plan")


async def test_the_list_takes_half_of_the_screen_and_shows_the_command_moved_to(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[COMMANDS]) as here:
        height = here.app.size.height
        await here.press("slash")
        rows = height // 2 - 2
        await here.until(lambda: sum(row.startswith(" /") for row in here.text.splitlines()) == rows)
        last = next(row for row in reversed(here.text.splitlines()) if row.startswith(" /"))

        await here.press(*["down"] * (rows - 1), "tab")
        assert here.draft.split()[0] == last.split()[0]
