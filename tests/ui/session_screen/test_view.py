"""Tests of `ui/session_screen/view.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import ComposeResult
from textual.screen import Screen

from acp_tui.agent.connection import GROWTH
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.session_screen import view as module
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.view import FramePacer
from tests.ui.screens.stage import drawn
from tests.ui.seats import Seat, seat


class Loop:
    """A double of a screen, with its callbacks."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []
        self.timed = 0
        self.delay = 0.0
        self.is_running = True
        self.app = self
        self.is_headless = True
        self.screen_stack: list[Any] = [self]
        self.is_replay = False

    def after(self, _: object, delay: float, callback: Callable[[], None]) -> None:
        if delay > 0:
            self.timed += 1
            self.delay = delay
        self.waiting.append(callback)

    def turn(self) -> None:
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    loop = Loop()
    monkeypatch.setattr(module, "after", loop.after)
    return loop


def drawing(loop: Loop) -> tuple[FramePacer, list[Any]]:
    told = list[Any]()
    made = FramePacer(
        cast("Screen[None]", loop),
        lambda session: told.append(session.id),
        lambda session, change, _: told.append((session.id, change.entries, sorted(change.fields))),
        lambda: loop.is_replay,
    )
    return made, told


def begun(loop: Loop) -> tuple[FramePacer, list[Any], Session]:
    """Return (a drawing, what it told, its session), past the first change, which is drawn at once."""
    made, told = drawing(loop)
    session = Session("a")
    made.add(session, SessionChange((0,)))
    loop.turn()
    return made, told, session


def test_very_much_is_drawn_in_parts_between_which_keys_have_their_turn(loop: Loop) -> None:
    made, told = drawing(loop)
    session = Session("a")
    made.add(session, SessionChange(tuple(range(1_200)), ("turn",)))
    loop.turn()
    assert told[1:] == [("a", tuple(range(500)), [])]

    made.add(session, SessionChange((1_200,), ("plan",)))
    assert len(loop.waiting) == 1, "what comes meanwhile is drawn with the rest"
    loop.turn()
    loop.turn()
    assert told[2:] == [
        ("a", tuple(range(500, 1_000)), []),
        ("a", tuple(range(1_000, 1_201)), ["plan", "turn"]),
    ]
    assert not loop.waiting


def test_what_is_left_of_a_session_is_drawn_whole_before_the_next_one(loop: Loop) -> None:
    made, told = drawing(loop)
    made.add(Session("a"), SessionChange(tuple(range(1_200))))
    loop.turn()

    made.add(Session("b"), SessionChange((0,)))
    assert told[2:] == [("a", tuple(range(500, 1_200)), []), "b"]


def test_the_first_change_after_a_pause_is_drawn_at_once_and_the_next_ones_together(loop: Loop) -> None:
    made, told = drawing(loop)
    session = Session("a")

    made.add(session, SessionChange((0,), ("turn",)))
    loop.turn()
    assert (told, loop.timed) == (["a", ("a", (0,), ["turn"])], 0)

    for change in (SessionChange((2,)), SessionChange((1,), ("plan",)), SessionChange((2,))):
        made.add(session, change)
    assert loop.timed == 1
    assert 0 < loop.delay < 0.1
    loop.turn()

    assert told[2:] == [("a", (1, 2), ["plan"])]
    loop.turn()
    assert len(told) == 3, "nothing new, nothing drawn"


def test_below_a_dialog_it_is_drawn_seldom_and_after_it_at_once(loop: Loop) -> None:
    made, told, session = begun(loop)

    loop.screen_stack.append(SimpleNamespace(is_modal=True))
    made.add(session, SessionChange((1,)))
    assert 0.1 < loop.delay < 0.3
    assert told[2:] == []

    loop.screen_stack.pop()
    made.flush()
    assert told[2:] == [("a", (1,), [])]


def test_the_end_of_a_turn_is_shown_soon_even_below_a_dialog(loop: Loop) -> None:
    made, told, session = begun(loop)

    loop.screen_stack.append(SimpleNamespace(is_modal=True))
    made.add(session, SessionChange((1,)))
    made.add(session, SessionChange((2,), ("questions",)))  # there may be thousands
    assert 0.1 < loop.delay < 0.3

    made.add(session, SessionChange((), ("turn",)))
    assert 0 < loop.delay < 0.1
    loop.turn()
    assert told[2:] == [("a", (1, 2), ["questions", "turn"])]


def test_a_replay_of_an_earlier_session_takes_few_drawings(loop: Loop) -> None:
    loop.is_replay = True
    made, told, session = begun(loop)

    for number in range(1, 100):
        made.add(session, SessionChange((number,)))

    assert (loop.timed, told[2:]) == (1, [])
    assert 0.1 < loop.delay < 0.3


def test_below_a_screen_that_hides_it_its_news_go_on_at_the_pace_of_that(loop: Loop) -> None:
    made, _, session = begun(loop)

    loop.screen_stack.append(SimpleNamespace(is_modal=False))
    made.add(session, SessionChange((1,)))

    assert 0 < loop.delay < 0.1


def test_what_is_left_of_a_session_is_drawn_before_the_next_one_begins(loop: Loop) -> None:
    made, told = drawing(loop)
    made.add(Session("a"), SessionChange((5,), ("connection",)))

    made.add(Session("b"), SessionChange((0,)))
    loop.turn()

    assert told == ["a", ("a", (5,), ["connection"]), "b", ("b", (0,), [])]


def test_nothing_is_drawn_once_the_application_ends(
    loop: Loop,
) -> None:
    made, told = drawing(loop)
    made.add(Session("a"), SessionChange((0,), ()))
    loop.is_running = False

    loop.turn()

    assert told == ["a"]


def test_a_drawing_that_fails_costs_a_frame_and_a_line_in_the_log(
    loop: Loop, caplog: pytest.LogCaptureFixture
) -> None:
    loop.is_headless = False
    drawn: list[SessionChange] = []

    def draw(session: Session, change: SessionChange, more: bool) -> None:
        drawn.append(change)
        if len(drawn) < 4:
            raise LookupError("no #hints")

    made = FramePacer(cast("Screen[None]", loop), lambda _: None, draw, lambda: False)
    for entry in range(5):
        made.add(session := Session("s"), SessionChange((entry,)))
        made.add(session, SessionChange((entry,)))
        made.flush()

    assert len(drawn) == 5
    assert [record.message for record in caplog.records] == ["a drawing failed"], "once for one mistake"
    assert "no #hints" in caplog.text


def test_a_drawing_that_fails_in_a_test_fails_the_test(loop: Loop) -> None:
    def draw(session: Session, change: SessionChange, more: bool) -> None:
        raise LookupError("no #hints")

    made = FramePacer(cast("Screen[None]", loop), lambda _: None, draw, lambda: False)
    made.add(Session("s"), SessionChange((0,)))

    with pytest.raises(LookupError):
        made.flush()


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
