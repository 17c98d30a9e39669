"""Real agents through all the checks once more, in version 2 of the protocol."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.real.checks import CHECKS
from tests.real.installed import installed
from tests.real.matrix import put_through

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_real_agent_does_the_same_in_version_2(name: str) -> None:
    agent, _ = installed(name)

    cells = put_through(replace(agent, protocol=2), lambda check, cell: None)

    assert {check: cell for check, cell in cells.items() if cell.result == "fails"} == {}
    assert len(cells) == len(CHECKS)
