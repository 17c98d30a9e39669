"""Puts real agents through the checks: `python -m tests.real [agent …]`, all of them if none is named."""

from __future__ import annotations

import sys
import time

from tests.real.agents import NotInstalled, known
from tests.real.checks import Check
from tests.real.matrix import Cell, put_through
from tests.real.table import write


def main(names: list[str]) -> int:
    """Put the named agents through, write the table into docs/agents.md, and return 1 if any has failed."""
    agents = known()
    if unknown := [name for name in names if name not in agents]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(agents)}", file=sys.stderr)
        return 2
    failed = False
    for name in names or agents:
        print(f"{name} {agents[name].version}", flush=True)
        began = time.monotonic()
        try:
            cells = put_through(agents[name], _say)
        except NotInstalled as error:
            print(f"  NOT TESTED: {error}", flush=True)
            continue
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
        failed |= any(cell.result == "fails" for cell in cells.values())
        write(agents[name], cells)
    return int(failed)


def _say(check: Check, cell: Cell) -> None:
    why = f": {cell.why}" if cell.why else ""
    print(f"  {check.name:9} {cell.result}{why}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
