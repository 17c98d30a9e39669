"""What waits until the person comes to a session."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_tui.ui.screens.menu import Item, Menu
from tests.ui.seats import Seat, seat


async def test_a_dialog_of_a_session_waits_until_the_session_is_seen(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = here.session
        await here.app.tabs.open(running=here.conversation.running)
        await here.until(lambda: here.session is not first and here.conversation.phase == "ready")
        assert not first.presence.is_seen

        asking = asyncio.create_task(first.presence.ask(Menu("Well?", [Item("y", "Yes")], None, first.look)))
        await here.pilot.pause()
        assert not isinstance(here.app.screen, Menu)
        await here.press("alt+1")
        await here.is_before(Menu)
        await here.press("enter")

        assert await asking == "y"
        await here.app.tabs.end()


async def test_of_what_waits_only_the_newest_is_done_and_only_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first, done = here.session, list[str]()
        first.presence.when_seen(lambda: done.append("at once"))
        assert done == ["at once"]
        await here.app.tabs.open(running=here.conversation.running)
        await here.until(lambda: not first.presence.is_seen)
        first.presence.when_seen(lambda: done.append("older"))
        first.presence.when_seen(lambda: done.append("newer"))

        await here.press("alt+1")
        await here.until(lambda: first.presence.is_seen and len(done) > 1)
        await here.press("alt+2", "alt+1")
        await here.until(lambda: first.presence.is_seen)

        assert done == ["at once", "newer"]
        await here.app.tabs.end()


async def test_a_notice_is_seen_once_when_a_dialog_comes_over_it(tmp_path: Path) -> None:
    async with seat(tmp_path, notices=True) as here:
        here.session.notify("told only once", timeout=600)
        await here.sees("told only once")

        here.app.push_screen(Menu("Well?", [Item("y", "Yes")], None, here.session.look))
        await here.is_before(Menu)

        await here.sees("told only once", "Well?")
        assert here.text.count("told only once") == 1
        assert _drawn_below(here).count("told only once") == 0
        await here.press("escape")
        await here.until(lambda: _drawn_below(here).count("told only once") == 1)


def _drawn_below(here: Seat) -> str:
    """Return what the screen of the session shows, also while a dialog is over it."""
    strips = here.session._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
