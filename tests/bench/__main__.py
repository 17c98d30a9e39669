"""Measures what the program costs, beside what its tasks cost at least.

    python -m tests.bench [--quick] [ROWS …]

ROWS are names of parts; all by default. Floors are measured in the same run: ratios hold on any machine.
Nothing here is asserted: the figures depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import time

from tests.bench import chat, decoding, flood, keys, scrolling, start, terminals
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
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs and smaller sizes")
    parser.add_argument("parts", nargs="*", metavar="ROWS", help=", ".join(PARTS))
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    began = time.monotonic()
    found: list[Row] = []
    with installed() as env:
        for part in options.parts or PARTS:
            print(f"{part} …", flush=True)
            found += PARTS[part](env, options.quick)
    print(f"\n{table(found)}\n\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
