"""Files of a large workspace by a few letters, as behind `@`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Final

from acp_tui.conversation.file_search import PathIndex
from tests.bench.prose import WORDS
from tests.bench.table import Row, at_most

FILES: Final = 80_000
MANY: Final = 100_000
SHOWN: Final = 10
TYPED: Final = ("w", "wh", "who", "whot", "whote", "what/te", "test_that_", "9_so.p")


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    listing = PathIndex()
    listing.add(_paths(FILES))
    found = [_cost(listing, needle) for _ in range(3) for needle in TYPED]
    yield Row("@ on 80,000 files, a key", "ms", median(found), None, at_most(8))
    yield Row("@ on 80,000 files, the dearest key", "ms", max(found), None, at_most(8))
    before = time.process_time()
    many = PathIndex()
    many.add(_paths(MANY))
    yield Row("@ on 100,000 files, the list", "ms", (time.process_time() - before) * 1e3)
    yield Row(
        "@ on 100,000 files, the dearest key",
        "ms",
        max(_cost(many, one) for one in TYPED),
        None,
        at_most(100),
    )


def _cost(listing: PathIndex, needle: str) -> float:
    before = time.process_time()
    listing.best(needle, SHOWN)
    return (time.process_time() - before) * 1e3


def _paths(count: int) -> list[str]:
    return [f"{_word(k)}/{_word(k // 7)}/part_{k // 200}/{_word(k // 3)}_{k}.py" for k in range(count)]


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]
