"""Tries many times what must never happen, in the real program.

    python -m tests.reliability [--small | --full | --count N] [--seed N] [ROWS …]

Each row prints what was tried and what went wrong. The exit status is 1 if anything did.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time

from tests.reliability.row import Result, Row

ROWS: tuple[str, ...] = (
    # one module a line
    "repository",
    "escapes",
    "fields",
    "fuzz",
    "floods",
    "permissions",
    "rules",
    "kills",
    "edits",
    "deaths",
    "hands",
    "keys",
    "terminals",
    "attacks",
    "soak",
)
"""The modules of the rows, in the order in which they run; each has a `ROW`."""
_SHOWN = 20
"""Wrong cases that are printed; the rest are counted."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__.splitlines()[0])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="the counts of .ci/run (the default)")
    size.add_argument("--full", action="store_true", help="the counts before a release")
    size.add_argument("--count", type=int, help="this count for each row")
    parser.add_argument("--seed", type=int, default=1, help="cases are made from it (default: 1)")
    parser.add_argument("rows", nargs="*", metavar="ROWS", help=", ".join(ROWS))
    options = parser.parse_args()
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    ended: list[tuple[Row, Result, float]] = []
    for name in options.rows or ROWS:
        row: Row = importlib.import_module(f"tests.reliability.{name}").ROW
        count = options.count or (row.full if options.full else row.small)
        print(f"{name}: {row.promise} …", flush=True)
        began = time.monotonic()
        result = row.run(count, options.seed)
        ended.append((row, result, time.monotonic() - began))
        for wrong in result.wrong[:_SHOWN]:
            print(f"    WRONG: {wrong}", flush=True)
        if len(result.wrong) > _SHOWN:
            print(f"    … and {len(result.wrong) - _SHOWN} more")
        for note in result.notes:
            print(f"    {note}", flush=True)
    print()
    for row, result, seconds in ended:
        print(
            f"{row.name:16} {result.tried:>9,} {result.unit:12} {len(result.wrong):>5} wrong {seconds:7.0f} s"
        )
    return 1 if any(result.wrong or not result.tried for _, result, _ in ended) else 0


if __name__ == "__main__":
    sys.exit(main())
