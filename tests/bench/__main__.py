"""Measures what the program costs, beside what its tasks cost at least.

    python -m tests.bench [--quick] [ROWS …]
    python -m tests.bench stream --minutes 60

ROWS are names of parts; all but `stream`, which is long, by default. Floors are measured in the same run:
ratios hold on any machine. Nothing here is asserted: the figures depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

from tests.bench import (
    chat,
    decoding,
    flood,
    keys,
    memory,
    mentions,
    reviewing,
    scrolling,
    snapshots,
    start,
    stream,
    streaming,
    terminals,
)
from tests.bench.installed import installed
from tests.bench.table import Row, table

PARTS = {
    "start": start.rows,
    "chat": chat.rows,
    "keys": keys.rows,
    "flood": flood.rows,
    "decoding": decoding.rows,
    "terminals": terminals.rows,
    "scrolling": scrolling.rows,
    "snapshots": snapshots.rows,
    "reviewing": reviewing.rows,
    "memory": memory.rows,
    "streaming": streaming.rows,
    "mentions": mentions.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs and smaller sizes")
    parser.add_argument("--minutes", type=float, default=5, help="how long `stream` goes on (default: 5)")
    parser.add_argument("parts", nargs="*", metavar="ROWS", help=", ".join((*PARTS, "stream")))
    options = parser.parse_args()
    known: dict[str, Callable[..., Iterator[Row]]] = {
        **PARTS,
        "stream": partial(stream.rows, minutes=options.minutes),
    }
    unknown = set(options.parts) - set(known)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    began = time.monotonic()
    found: list[Row] = []
    with installed() as env:
        for part in options.parts or PARTS:
            print(f"{part} …", flush=True)
            found += known[part](env, options.quick)
    print(f"\n{table(found)}\n\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
