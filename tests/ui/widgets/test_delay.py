"""Delays on a busy machine. Private name: the clock of Textual's timers, which is made late."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from functools import partial
from typing import Any, ClassVar

import pytest
from textual import timer
from textual.app import App

from acp_tui.ui.widgets.delay import after
from tests.waiting import PATIENCE


class Quiet(App[None]):
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False


class LateClock:
    """A clock on a machine so busy that each timer is late by a second when it looks for the first times."""

    def __init__(self) -> None:
        self._looks: Counter[asyncio.Task[Any] | None] = Counter()

    def get_time(self) -> float:
        task = asyncio.current_task()
        self._looks[task] += 1
        return time.monotonic() + min(self._looks[task], 3)


async def test_what_is_put_off_is_done_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Quiet().run_test() as pilot:
        monkeypatch.setattr(timer, "_time", LateClock())
        done = asyncio.Event()

        after(pilot.app.screen, 0.001, done.set)

        await asyncio.wait_for(done.wait(), PATIENCE)


async def test_what_is_put_off_is_done_in_the_order_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Quiet().run_test() as pilot:
        done: list[str] = []
        all_done = asyncio.Event()
        loop = asyncio.get_running_loop()
        with monkeypatch.context() as at_one_time:
            at_one_time.setattr(loop, "time", partial(float, loop.time()))
            after(pilot.app.screen, 0.03, all_done.set)
            after(pilot.app.screen, 0.02, lambda: done.append("late"))
            after(pilot.app.screen, 0.001, lambda: done.append("soon"))

        await asyncio.wait_for(all_done.wait(), PATIENCE)

        assert done == ["soon", "late"]


async def test_what_is_put_off_by_nothing_is_done_in_the_next_turn_and_never_in_this_one() -> None:
    async with Quiet().run_test() as pilot:
        done = asyncio.Event()

        after(pilot.app.screen, -1.0, done.set)

        assert not done.is_set()
        await asyncio.wait_for(done.wait(), PATIENCE)
