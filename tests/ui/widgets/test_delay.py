from __future__ import annotations

import asyncio
import time
from typing import ClassVar

import pytest
from textual import timer
from textual.app import App

from acp_tui.ui.widgets.delay import after


class Quiet(App[None]):
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False


class LateClock:
    """A clock on a machine so busy for a while that a second passes between any two looks at it."""

    def __init__(self) -> None:
        self._late = 0

    def get_time(self) -> float:
        self._late = min(self._late + 1, 20)
        return time.monotonic() + self._late


async def test_what_is_put_off_is_done_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Quiet().run_test() as pilot:
        monkeypatch.setattr(timer, "_time", LateClock())
        done = asyncio.Event()

        after(pilot.app.screen, 0.001, done.set)

        await asyncio.wait_for(done.wait(), 10)


async def test_what_is_put_off_is_done_in_the_order_of_its_time() -> None:
    async with Quiet().run_test() as pilot:
        done: list[str] = []
        all_done = asyncio.Event()
        after(pilot.app.screen, 0.03, all_done.set)
        after(pilot.app.screen, 0.02, lambda: done.append("late"))
        after(pilot.app.screen, 0.001, lambda: done.append("soon"))

        await asyncio.wait_for(all_done.wait(), 10)

        assert done == ["soon", "late"]
