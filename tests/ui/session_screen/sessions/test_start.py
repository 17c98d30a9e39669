"""Tests of `ui/session_screen/sessions/start.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.ui.application.app import AcpApp
from tests.conversation.talks import start as plain_start
from tests.ui.seats import Seat


@pytest.mark.slow
async def test_options_that_went_to_the_agent_are_named(tmp_path: Path) -> None:
    began = replace(plain_start(tmp_path), misplaced=("--prompt", "--cwd"))
    app = AcpApp(began)
    try:
        async with app.run_test() as pilot:
            here = Seat(app, pilot)
            await here.until(lambda: here.notices)
            assert [notice.message for notice in here.notices] == [
                "--prompt, --cwd were passed to the agent. Options of acp-tui go before --agent."
            ]
            await here.until(lambda: app.is_complete)
            await app.tabs.end()
    finally:
        began.guard.close()
