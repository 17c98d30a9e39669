"""Growing text: reads from an offset, limits, surrogate halves."""

from __future__ import annotations

import tracemalloc

import pytest

from acp_tui.session.text_buffer import TextBuffer


@pytest.mark.parametrize("offset", range(9))
def test_what_is_new_since_an_offset_is_the_rest_of_the_text(offset: int) -> None:
    text = TextBuffer()
    for piece in ("ab", "", "cde", "f", "gh"):
        text.append(piece)

    assert text.since(offset) == "abcdefgh"[offset:]


def test_halves_wait_for_each_other_and_a_lonely_one_is_marked_at_the_end() -> None:
    text = TextBuffer("a\ud83d")
    assert str(text) == "a"

    text.append("\ude00\ud83d")
    assert str(text) == "a😀"

    text.finish()
    assert (str(text), text.length) == ("a😀\ufffd", 3)
    assert text.since(2) == "\ufffd"


def test_a_second_half_alone_is_marked_at_once() -> None:
    assert str(TextBuffer("\ude00x")) == "\ufffdx"


def test_a_bound_text_keeps_its_end_and_counts_all() -> None:
    text = TextBuffer(limit=10)
    for number in range(100):
        text.append(f"{number:02}")

    whole = "".join(f"{number:02}" for number in range(100))
    kept = str(text)
    assert text.length == len(whole)
    assert whole.endswith(kept)
    assert 10 <= len(kept) <= 20
    assert text.dropped == len(whole) - len(kept)
    assert text.since(len(whole) - 3) == whole[-3:]
    assert text.since(0) == kept


def test_a_view_that_has_seen_nothing_gets_all_that_is_kept() -> None:
    text = TextBuffer(limit=10)
    text.append("a" * 21)
    text.append("b" * 10)

    assert text.since(0) == "a" * 10 + "b" * 10


def test_one_long_piece_is_cut_as_well() -> None:
    text = TextBuffer(limit=10)

    text.append("x" * 1000)

    assert (len(str(text)), text.dropped) == (10, 990)


def test_a_part_of_what_is_new_can_be_asked_for() -> None:
    text = TextBuffer("abc")
    text.append("defg")

    assert [text.since(offset, 2) for offset in (0, 2, 6, 7)] == ["ab", "cd", "g", ""]


def test_thousands_of_small_pieces_take_hardly_more_room_than_their_text() -> None:
    tracemalloc.start()
    text = TextBuffer()
    for number in range(30_000):
        text.append(f"{number:06}")
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert taken < 2 * text.length


def test_thousands_of_small_pieces_are_read_as_one_text() -> None:
    text = TextBuffer()
    pieces = [f"{number} " for number in range(3_000)]

    for piece in pieces:
        text.append(piece)
    assert text.since(len("".join(pieces[:2_990]))) == "".join(pieces[2_990:])
    assert text == "".join(pieces)
