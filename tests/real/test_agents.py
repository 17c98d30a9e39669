"""Real agents through all the checks; those that are quick to install and to start."""

from __future__ import annotations

import pytest

from tests.real.checks import CHECKS
from tests.real.installed import installed
from tests.real.matrix import put_through

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize("name", ["gemini", "opencode", "codex-zed", "copilot", "claude"])
def test_a_real_agent_does_all_that_it_can_do(name: str) -> None:
    agent, _ = installed(name)

    cells = put_through(agent, lambda check, cell: None)

    assert {check: cell for check, cell in cells.items() if cell.result == "fails"} == {}
    assert len(cells) == len(CHECKS)
