"""Escape leads back to the session from every screen, also if a question is over it, and answers nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_tui.session.entries import ToolCall
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.start import FailureScreen
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow

SCREENS = (
    *("f1", "f10", "ctrl+p", "ctrl+r", "ctrl+f", "ctrl+backslash"),
    *("alt+s", "alt+i", "alt+l", "alt+d", "alt+q", "alt+p", "alt+e", "alt+r"),
)
"""Keys that open lists, menus, texts and dialogs."""


async def leave(here: Seat, *, together: bool) -> None:
    """Press Escape often, all at once or one after the other, until the session is in view."""
    for _ in range(10):
        here.press_together(*(["escape"] * 25 if together else ["escape"]))
        await here.pilot.pause()
        if here.app.screen is here.session:
            return
        await asyncio.sleep(0.1)  # less than the time after which one press no longer follows the other
    raise AssertionError(here.text)


def decisions(here: Seat) -> list[str]:
    """Return how the tool calls were decided."""
    session = here.conversation.session
    assert session is not None
    return [entry.decision for entry in session.entries if isinstance(entry, ToolCall)]


async def stop(here: Seat) -> None:
    here.conversation.stop()
    await here.until(lambda: not here.conversation.questions and not here.conversation.is_active)


@pytest.mark.parametrize("together", [True, False])
async def test_escape_leaves_every_screen_and_the_question_over_it(tmp_path: Path, together: bool) -> None:
    async with seat(tmp_path) as here:
        for key in SCREENS:
            await here.press(key)
            await here.pilot.pause()
            here.conversation.say(f"ask {key.replace('+', '-')}")
            await here.until(lambda: here.conversation.questions)
            await leave(here, together=together)
            await stop(here)
            await leave(here, together=together)

        assert len(decisions(here)) == len(SCREENS)
        assert not [said for said in decisions(here) if "Allow" in said]


@pytest.mark.parametrize("together", [True, False])
async def test_escape_leaves_a_question_that_is_looked_at_and_a_failure(
    tmp_path: Path, together: bool
) -> None:
    async with seat(tmp_path) as here:
        here.conversation.say("ask one")
        await here.until(lambda: isinstance(here.app.screen, PermissionDialog))
        await leave(here, together=together)
        await here.press("ctrl+o")
        await here.press("ctrl+y")
        await leave(here, together=together)
        await stop(here)
        assert not [said for said in decisions(here) if "Allow" in said]

        here.conversation.say("die")
        await here.until(lambda: isinstance(here.app.screen, FailureScreen))
        await leave(here, together=together)
