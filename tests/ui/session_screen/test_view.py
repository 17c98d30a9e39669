"""Tests of `ui/session_screen/view.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import ComposeResult

from acp_tui.agent.connection import GROWTH
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.session_screen import frame_pacer as module
from acp_tui.ui.session_screen.frame_pacer import FramePacer
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.screens.stage import drawn
from tests.ui.seats import Seat, seat


@pytest.mark.slow
async def test_a_notice_is_seen_once_when_a_dialog_comes_over_it(tmp_path: Path) -> None:
    async with seat(tmp_path, notices=True) as here:
        here.session.notify("told only once", timeout=600)
        await here.sees("told only once")

        here.app.push_screen(Menu("Well?", [MenuItem("y", "Yes")], None, here.session.theme_styles))
        await here.is_before(Menu)

        await here.sees("told only once", "Well?")
        assert here.text.count("told only once") == 1
        assert _drawn_below(here).count("told only once") == 0
        await here.press("escape")
        await here.until(lambda: _drawn_below(here).count("told only once") == 1)


def _drawn_below(here: Seat) -> str:
    """Return the text of the session screen, also below a dialog."""
    strips = drawn(here.session)
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def repeating(here: Seat) -> list[str]:
    """Return the timers of the interface that go on and on, by what they call."""
    nodes = [here.app, *(node for screen in here.app.screen_stack for node in screen.walk_children())]
    timers = [timer for node in [*nodes, *here.app.screen_stack] for timer in node._timers]
    return [str(timer._callback) for timer in timers if timer._repeat is None and timer._active.is_set()]


async def test_no_timer_goes_on_while_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.ui.widgets.prompt_box.BLINKING", 0.0)
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.until(lambda: not here.conversation.is_busy and len(here.said) > 1)

        await here.until(lambda: not repeating(here))


async def test_the_clock_goes_on_while_a_turn_runs(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)

        assert any("tick" in timer for timer in repeating(here))
        here.session.view.tick()
        assert any("tick" in timer for timer in repeating(here))


async def test_a_look_at_the_files_is_shown_while_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seat(tmp_path) as here:
        await here.until(lambda: not any("tick" in timer for timer in repeating(here)))
        ticks: list[float] = []
        monkeypatch.setattr(here.session.parts.unresponsive_agent, "tick", ticks.append)

        here.session.view.comparison_changed()

        await here.until(lambda: ticks)


def test_text_that_grows_is_drawn_when_it_is_read_and_waits_for_no_frame() -> None:
    assert module.PACE < GROWTH


async def test_a_session_is_drawn_seldom_while_nobody_looks_at_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(module, "after", lambda _, seconds, act: waits.append(seconds))
    async with seat(tmp_path) as here:
        session = here.conversation.session
        assert session is not None
        await here.until(lambda: here.conversation.phase == "ready")
        for focus, least, most in ((True, 0, module.PACE), (False, module.PACE, module.SLOW_PACE)):
            here.app.seat.focus = focus
            pacer = FramePacer(here.session, lambda _: None, lambda *_: None, here.session.view.can_wait)
            pacer.add(session, SessionChange((), ("plan",)))
            pacer.flush()
            pacer.add(session, SessionChange((), ("plan",)))

            assert least < waits[-1] <= most


async def test_a_session_that_begins_before_the_screen_has_its_parts_is_drawn_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = Session("early", str(tmp_path))
    compose = SessionScreen.compose

    def answered_meanwhile(screen: SessionScreen) -> ComposeResult:
        screen.conversation.session = early
        screen.view.session_changed(early.everything())
        screen.view.queue_changed()
        screen.conversation.session = None
        yield from compose(screen)

    monkeypatch.setattr(SessionScreen, "compose", answered_meanwhile)
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.sees("› hello", "heard hello")
