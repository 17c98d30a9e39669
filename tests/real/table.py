"""The table of docs/agents.md that says what works with which real agent; each row as it was measured."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tests.real.agents import RealAgent
from tests.real.checks import CHECKS
from tests.real.matrix import Cell

PAGE: Final = Path(__file__).parents[2] / "docs" / "agents.md"

_BETWEEN: Final = re.compile(r"(?<=<!-- real agents -->\n).*?(?=<!-- end of real agents -->)", re.S)


def write(agent: RealAgent, cells: dict[str, Cell], page: Path = PAGE) -> None:
    """Put the results of an agent into the table, in the place of its earlier ones.

    Raises:
        ValueError: the file has no place for the table.
    """
    text = page.read_text("utf-8")
    found = _BETWEEN.search(text)
    if found is None:
        raise ValueError(f"{page} has no markers for the table of real agents")
    rows = {_name(line): line for line in found[0].splitlines() if line.startswith("| ")}
    for of_the_head in ("agent", "---"):
        rows.pop(of_the_head, None)
    rows[agent.name] = _row(f"{agent.name} {agent.version}", [_shown(cells[check.name]) for check in CHECKS])
    head = [_row("agent", [check.name for check in CHECKS]), _row("---", ["---"] * len(CHECKS))]
    lines = [*head, *(rows[name] for name in sorted(rows))]
    table = "".join(f"{line}\n" for line in lines)
    page.write_text(text[: found.start()] + table + text[found.end() :], "utf-8")


def _row(first: str, others: list[str]) -> str:
    return f"| {' | '.join([first, *others])} |"


def _name(line: str) -> str:
    return line.split()[1]


def _shown(cell: Cell) -> str:
    return f"no: {cell.why}" if cell.result == "no" else cell.result
