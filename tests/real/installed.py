"""Real agents for tests, or a loud word that there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.agents import NotInstalled, RealAgent, known


def installed(name: str) -> tuple[RealAgent, Path]:
    """Return an agent and the folder of its programs; skip the test where it cannot be installed."""
    agent = known()[name]
    try:
        return agent, agent.install()
    except NotInstalled as error:
        # `.ci/run` names it in its summary.
        pytest.skip(f"NO REAL AGENT WAS TESTED: {name}: {error}")  # its package is not to be had
