from __future__ import annotations

import random
import time
import tracemalloc

import pytest

from acp_tui.host.output import LineEnds, Tail

TEXT = "añ漢😀é" * 30


def filled(limit: int, *pieces: bytes) -> Tail:
    tail = Tail(limit)
    for piece in pieces:
        tail.append(piece)
    return tail


def test_a_tail_keeps_all_that_fits() -> None:
    assert filled(6, b"abc", b"def").read() == ("abcdef", False)


def test_r5_a_tail_keeps_the_newest_bytes() -> None:
    assert filled(4, b"abc", b"def").read() == ("cdef", True)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5, 100])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_r5_a_tail_is_cut_at_a_character_and_within_its_limit(limit: int, size: int) -> None:
    data = TEXT.encode()
    tail = filled(limit, *(data[at : at + size] for at in range(0, len(data), size)))

    text, truncated = tail.read()

    assert truncated
    assert TEXT.endswith(text)
    assert limit - 3 <= len(text.encode()) <= limit


def test_random_pieces_give_the_same_as_one_piece() -> None:
    chance = random.Random(7)
    data = TEXT.encode()
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(data)), 5))
        limit = chance.randrange(len(data) + 5)
        pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]

        assert filled(limit, *pieces).read() == filled(limit, data).read()


def test_a_limit_of_nothing_keeps_nothing() -> None:
    assert filled(0).read() == ("", False)
    assert filled(0, b"x").read() == ("", True)


def test_half_a_character_waits_for_its_other_half() -> None:
    tail = filled(100, b"a\xf0\x9f")
    assert tail.text() == "a"

    tail.append("😀".encode()[2:])

    assert tail.text() == "a😀"


def test_half_a_character_at_the_end_of_the_stream_is_shown_as_lost() -> None:
    tail = filled(100, b"a\xf0\x9f")
    tail.ended = True
    assert tail.text() == "a\ufffd"


def test_bytes_that_are_no_text_do_not_make_it_longer_than_the_limit() -> None:
    text, truncated = filled(10, b"\xff" * 10).read()
    assert text == "\ufffd" * 3
    assert truncated


def test_at_most_three_bytes_are_skipped_at_the_cut() -> None:
    assert filled(5, b"xx", b"\x80" * 5).kept() == b"\x80\x80"


def test_a_flood_costs_little_memory() -> None:
    chunk = b"x" * 65536
    limit = 1 << 20
    tracemalloc.start()
    try:
        tail = Tail(limit)
        for _ in range(400):
            tail.append(chunk)
        assert tracemalloc.get_traced_memory()[1] < 3.5 * limit
    finally:
        tracemalloc.stop()
    assert tail.kept() == b"x" * limit


def test_a_flood_costs_as_much_per_byte_as_a_trickle() -> None:
    def seconds(pieces: int) -> float:
        tail = Tail(1 << 20)
        start = time.process_time()
        for _ in range(pieces):
            tail.append(b"0123456789abcdef" * 4)
        return time.process_time() - start

    def least(pieces: int) -> float:
        return min(seconds(pieces) for _ in range(3))  # a garbage collection is not of our making

    assert least(400_000) < 10 * least(100_000)


def test_line_ends_of_a_terminal_become_those_of_the_command() -> None:
    ends = LineEnds()
    pieces = [b"a\r\nb\r", b"\nc\r", b"d\r\r", b"\n", b"\r"]
    assert b"".join(map(ends.feed, pieces)) + ends.rest() == b"a\nb\nc\rd\r\n\r"
