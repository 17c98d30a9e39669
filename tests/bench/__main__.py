"""Measures what the program costs, beside what its tasks cost at least.

    python -m tests.bench [--quick] [ROWS …]
    python -m tests.bench stream --minutes 60
    python -m tests.bench --against 'COMMAND {agent}' [ROWS …]

`--against` measures another terminal client beside ours, as far as its terminal shows: start, text, rest,
leaving. The agent's command takes the place of `{agent}`, as words of their own or, within a word, as one.

ROWS are names of parts; all but `stream`, which is long, by default. Floors are measured in the same run:
ratios hold on any machine. Nothing is asserted, unless by `--within`: the figures depend on what else the
machine does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from tests.bench import (
    blaming,
    chat,
    decoding,
    flood,
    keys,
    memory,
    mentions,
    paced,
    previews,
    rest,
    reviewing,
    sandbox,
    scrolling,
    searching,
    snapshots,
    start,
    stderr,
    stream,
    streaming,
    terminals,
)
from tests.bench.client import Client, Part, beside, other
from tests.bench.installed import installed
from tests.bench.table import Row, table

PARTS = {
    "start": start.rows,
    "paced": paced.rows,
    "rest": rest.rows,
    "leaving": rest.rows_of_leaving,
    "chat": chat.rows,
    "keys": keys.rows,
    "flood": flood.rows,
    "stderr": stderr.rows,
    "previews": previews.rows,
    "decoding": decoding.rows,
    "terminals": terminals.rows,
    "sandbox": sandbox.rows,
    "scrolling": scrolling.rows,
    "snapshots": snapshots.rows,
    "reviewing": reviewing.rows,
    "memory": memory.rows,
    "streaming": streaming.rows,
    "mentions": mentions.rows,
    "searching": searching.rows,
    "blaming": blaming.rows,
}
OUTSIDE: dict[str, tuple[Part, ...]] = {
    "start": (start.first_keys,),
    "paced": (paced.texts,),
    "rest": (rest.at_rest,),
    "leaving": (rest.leaving,),
}
"""The rows that any client has."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs and smaller sizes")
    parser.add_argument("--minutes", type=float, default=5, help="how long `stream` goes on (default: 5)")
    parser.add_argument("parts", nargs="*", metavar="ROWS", help=", ".join((*PARTS, "stream")))
    parser.add_argument("--against", metavar="COMMAND", help="another terminal client to measure beside ours")
    parser.add_argument("--within", type=float, help="fail if a target is missed by more than this factor")
    options = parser.parse_args()
    known: dict[str, Callable[..., Iterator[Row]]] = {
        **PARTS,
        "stream": partial(stream.rows, minutes=options.minutes),
    }
    if options.against:
        others = other(options.against)
        known = {name: partial(_beside, OUTSIDE[name], others) for name in OUTSIDE}
    unknown = set(options.parts) - set(known)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    began = time.monotonic()
    found: list[Row] = []
    lost: list[str] = []
    with suppress(KeyboardInterrupt), installed() as env:
        for part in options.parts or (OUTSIDE if options.against else PARTS):
            print(f"{part} …", flush=True)
            try:
                found += known[part](env, options.quick)
            except TimeoutError as error:
                lost.append(part)
                print(f"{part}: {error}", flush=True)
    print(f"\n{table(found, 'other' if options.against else 'floor')}\n\n{time.monotonic() - began:.0f} s")
    if options.within is not None:
        lost += [row.name for row in found if not row.is_within(options.within)]
        if lost:
            sys.exit(f"not within {options.within:g} × the target: {'; '.join(lost)}")


def _beside(parts: Sequence[Part], others: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    for part in parts:
        yield from beside(part, others, env, quick)


if __name__ == "__main__":
    main()
