"""Tests of `ui/session_screen/frame_pacer.py`."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.screen import Screen

from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.session_screen import frame_pacer as module
from acp_tui.ui.session_screen.frame_pacer import FramePacer


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
