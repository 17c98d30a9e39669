"""Bytes of a terminal, also one without the Kitty keyboard protocol, as keys and pastes."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from textual import constants
from textual.binding import Binding, BindingType
from textual.events import Key, MouseMove, Paste, Resize
from textual.message import Message

from acp_tui.ui.application import terminal_input
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.terminal_input import (
    PATIENCE,
    QUIET,
    Frames,
    InputParser,
    PasteDropped,
    teach_alt_keys,
)
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.prompt_box import PromptBox
from tests.tables import each

START, END = "\x1b[200~", "\x1b[201~"

NASTY = (
    "a\x1bb",
    "\x1b\r!touch x\r",
    "\x1b\x1b\x1b",
    "\r\n\r",
    "\x00\x03\x04\x1a",
    "\x9b31m\x9d0;title\x9c",
    "\x1b[200~again\x1b[200~",
    "\x1b[201",
    "\x1b[201\x1b[201",
    "\x1b[<0;5;5M\x1b[<0;5;5m",
    "\x1b[I\x1b[O",
    "\x1b[13u\x1b[27u\x1b[97;5u",
    "\x1b[48;24;80;100;100t",
    "\x1b[?2026;1$y",
    "\x1b[5;5R",
    "\x1bOP\x1b[15~",
    "\x1b]52;c;aGk=\x07",
    "\u202e\u200b\ufeff",
    "",
)
"""Texts of pastes."""


def keys_with_alt(bindings: Iterable[BindingType]) -> list[str]:
    keys = [key for one in bindings if isinstance(one, Binding) for key in one.key.split(",")]
    return [key for key in keys if key.startswith("alt+") and (len(key) == 5 or key == "alt+enter")]


KEYS = keys_with_alt([*AcpApp.BINDINGS, *SessionScreen.BINDINGS, *PromptBox.BINDINGS])


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(messages: Iterable[Message]) -> list[str]:
    """Return messages in short: keys by name, pastes in quotes."""
    return [
        repr(one.text) if isinstance(one, Paste) else one.key if isinstance(one, Key) else type(one).__name__
        for one in messages
    ]


def read(sequence: str) -> list[Key]:
    """Return the keys that the parser makes of a sequence, also those that it waits with."""
    parser = InputParser()
    found = list(parser.feed(sequence))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    return [event for event in (*found, *parser.tick()) if isinstance(event, Key)]


# ------------------------------------------------------------------ keys


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_ours_with_alt_arrives_as_itself(key: str) -> None:
    teach_alt_keys()
    last = key.removeprefix("alt+")

    assert [event.key for event in read("\x1b" + ("\r" if last == "enter" else last))] == [key]


def test_the_keys_are_those_of_tabs_and_of_a_new_line_too() -> None:
    assert {"alt+1", "alt+9", "alt+a", "alt+enter"} <= set(KEYS)


@pytest.mark.parametrize("letter", ["h", "H", "z", "é", ".", "!", "\u0416"])
def test_a_letter_with_alt_is_no_text(letter: str) -> None:
    assert [event.is_printable for event in read(f"\x1b{letter}")] == [False]


def test_a_letter_without_alt_is_text() -> None:
    assert [event.character for event in read("hé")] == ["h", "é"]


def test_a_lone_escape_is_a_key() -> None:
    assert [event.key for event in read("\x1b")] == ["escape"]


@pytest.mark.parametrize(
    "broken",
    ["\x1b[97:65;2u", "\x1b[99999999999u", "\x1b[55296u", "\x1b[;;u", "\x1b[97;;999999999u", "\x1b[1:2:3R"],
)
def test_a_sequence_that_means_nothing_costs_no_key_behind_it(broken: str) -> None:
    parser = InputParser()

    assert shown(parser.feed(f"{broken}ok"))[-2:] == ["o", "k"]


@pytest.mark.parametrize("size", ["999999999;80", "24;999999999", "0;0"])
def test_a_size_that_no_terminal_has_is_none(size: str) -> None:
    parser = InputParser()

    found = list(parser.feed(f"\x1b[48;{size};1;1t\x1b[48;24;80;1;1t"))

    assert [one.size for one in found if isinstance(one, Resize)] == [(80, 24)]


def test_after_a_broken_sequence_the_mouse_is_where_it_was() -> None:
    parser = InputParser()
    list(parser.feed("\x1b[<35;10;10M\x1b[99999999999u"))

    moved = next(one for one in parser.feed("\x1b[<35;12;11M") if isinstance(one, MouseMove))

    assert (moved.delta_x, moved.delta_y) == (2, 1)


# ------------------------------------------------------------------ pastes


@each("text", NASTY)
def test_a_paste_is_text_whatever_it_holds(text: str) -> None:
    parser = InputParser()

    assert shown(parser.feed(f"{START}{text}{END}")) == [repr(text)]
    assert shown(parser.feed("y\r")) == ["y", "enter"]


@pytest.mark.slow
@each("text", NASTY)
def test_a_paste_may_come_in_two_parts_cut_anywhere(text: str) -> None:
    whole = f"x{START}{text}{END}y"

    for cut in range(len(whole) + 1):
        parser = InputParser()
        found = [*parser.feed(whole[:cut]), *parser.tick(), *parser.feed(whole[cut:])]
        assert shown(found) == ["x", repr(text), "y"], cut


@each("text", NASTY)
def test_a_paste_may_come_character_by_character(text: str) -> None:
    parser = InputParser()

    found = [message for one in f"x{START}{text}{END}\r" for message in parser.feed(one)]

    assert shown(found) == ["x", repr(text), "enter"]


def test_several_pastes_and_keys_in_one_read_keep_their_order() -> None:
    parser = InputParser()

    found = parser.feed(f"a{START}one\x1b{END}{START}two{END}\r{START}{END}b")

    assert shown(found) == ["a", repr("one\x1b"), repr("two"), "enter", repr(""), "b"]


def test_an_escape_before_a_paste_stays_a_key() -> None:
    parser = InputParser()

    assert shown(parser.feed(f"\x1b{START}y\r{END}n"))[-2:] == [repr("y\r"), "n"]


def test_a_mark_that_comes_so_slowly_that_keys_were_made_of_it_still_begins_a_paste() -> None:
    parser = InputParser()
    list(parser.feed("\x1b"))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    list(parser.tick())

    found = list(parser.feed(f"{START[1:]}!rm\r{END}k"))

    assert shown(found) == [repr("!rm\r"), "k"], "nothing of the mark is typed"


@pytest.mark.parametrize("cut", range(1, len(START) - 1))
def test_nothing_of_such_a_mark_is_typed_where_it_comes_in_three_pieces(cut: int) -> None:
    parser = InputParser()
    list(parser.feed("\x1b"))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    assert shown(parser.tick()) == ["escape"]

    found = [*parser.feed(START[1 : cut + 1]), *parser.feed(f"{START[cut + 1 :]}y{END}")]

    assert shown(found) == [repr("y")]


def test_what_is_typed_after_an_escape_is_typed() -> None:
    clock = Clock()
    parser = InputParser(clock)
    list(parser.feed("\x1b"))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    assert shown(parser.tick()) == ["escape"]

    assert shown(parser.feed("[")) == []
    assert parser.wait is not None
    clock.now += 1
    assert shown(parser.tick()) == ["left_square_bracket"]
    assert parser.wait is None
    assert shown(parser.feed("2x")) == ["2", "x"]

    list(parser.feed("\x1b"))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    list(parser.tick())
    assert shown(parser.feed("[20x")) == ["left_square_bracket", "2", "0", "x"]


def test_a_large_paste_arrives_whole() -> None:
    parser = InputParser()
    text = "0123456789abcde\x1b" * (5 * 1024 * 1024 // 16)
    whole = f"{START}{text}{END}"

    found = [message for at in range(0, len(whole), 4096) for message in parser.feed(whole[at : at + 4096])]

    assert isinstance(found[0], Paste)
    assert found[0].text == text


def test_a_paste_that_is_too_long_is_dropped_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_input, "MOST", 100)
    parser = InputParser()

    found = [*parser.feed(START), *(one for _ in range(100) for one in parser.feed("\ry")), *parser.feed(END)]

    assert shown(found) == ["PasteDropped"]
    assert shown(parser.feed("k")) == ["k"]


def test_a_paste_that_never_ends_is_dropped_and_nothing_of_it_is_a_key() -> None:
    clock = Clock()
    parser = InputParser(clock)
    list(parser.feed(f"{START}rm\r"))
    clock.now += PATIENCE + 1

    dropped = list(parser.tick())

    assert [(one.size, one.ended) for one in dropped if isinstance(one, PasteDropped)] == [(3, False)]
    assert shown(parser.feed("y\r")) == []  # the rest of it may come late
    assert shown(parser.tick()) == []
    clock.now += QUIET + 0.1
    assert shown(parser.tick()) == []
    assert shown(parser.feed("n")) == ["n"]


def test_a_paste_that_was_dropped_may_end_late() -> None:
    clock = Clock()
    parser = InputParser(clock)
    list(parser.feed(f"{START}rm\r"))
    clock.now += PATIENCE + 1
    list(parser.tick())

    assert shown(parser.feed(f"!rm\r{END}n")) == ["n"]


def test_a_frame_is_written_as_one_piece_and_all_else_at_once() -> None:
    frames = Frames()

    pieces = ["a", "\x1b[?2026h", "b", "\x1b]2;title\x07", "c", "\x1b[?2026l", "d"]
    assert [piece for piece in map(frames.joined, pieces) if piece] == ["a", "".join(pieces[1:-1]), "d"]


def test_nobody_looks_at_the_input_while_nothing_in_it_is_open() -> None:
    clock = Clock()
    parser = InputParser(clock)
    assert parser.wait is None

    list(parser.feed("a\x1b"))  # it may be a key, or begin another
    assert parser.wait is not None
    list(parser.tick())
    assert parser.wait is not None
    clock.now += 1
    list(parser.tick())
    assert parser.wait is None

    list(parser.feed(START))
    clock.now += 1
    list(parser.tick())
    assert parser.wait is not None


def test_a_slow_paste_is_no_lost_one() -> None:
    clock = Clock()
    parser = InputParser(clock)
    found: list[Message] = list(parser.feed(START))
    for letter in "slow":
        clock.now += PATIENCE - 1
        found += [*parser.tick(), *parser.feed(letter)]

    assert shown([*found, *parser.feed(END)]) == [repr("slow")]
