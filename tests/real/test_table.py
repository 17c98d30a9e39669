"""The table of what works with which agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.agents import known
from tests.real.checks import CHECKS
from tests.real.matrix import Cell
from tests.real.table import write

EMPTY = "before\n<!-- real agents -->\n<!-- end of real agents -->\nafter\n"


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    file = tmp_path / "README.md"
    file.write_text(EMPTY)
    return file


def results(**others: Cell) -> dict[str, Cell]:
    return {check.name: others.get(check.name, Cell("yes")) for check in CHECKS}


def test_a_row_says_what_came_of_each_check(readme: Path) -> None:
    write(known()["pi"], results(reject=Cell("no", "it never asks"), stop=Cell("fails", "a trace")), readme)

    before, *table, after = readme.read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert table[1].startswith("| agent | prompt |")
    rest = " | ".join(["yes"] * 7)
    assert (
        table[3] == f"| pi 0.0.34 | yes | yes | yes | yes | no: it never asks | yes | yes | fails | {rest} |"
    )


def test_a_new_row_replaces_its_own_earlier_one_only(readme: Path) -> None:
    agents = known()
    write(agents["qwen"], results(), readme)
    write(agents["claude-zed"], results(), readme)
    write(agents["claude"], results(), readme)

    write(agents["qwen"], results(quit=Cell("fails")), readme)

    names = [line.split()[1] for line in readme.read_text().splitlines()[4:-2]]
    assert names == ["claude", "claude-zed", "qwen"]
    assert readme.read_text().count("fails") == 1


def test_a_file_without_a_place_for_it_is_left_alone(readme: Path) -> None:
    readme.write_text("nothing\n")

    with pytest.raises(ValueError, match="no markers"):
        write(known()["pi"], results(), readme)

    assert readme.read_text() == "nothing\n"
