from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_tui.host.programs import over
from acp_tui.ui import winding_up
from tests.ui.seats import seat


async def test_what_runs_for_somebody_ends_before_the_interface_does(tmp_path: Path) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def run_a_program() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await over(asyncio.ensure_future(asyncio.sleep(0.2)))  # as long as it takes to end it
            ended.set()

    async with seat(tmp_path) as here:
        here.session.run_worker(run_a_program())
        await begun.wait()

    assert ended.is_set()


async def test_what_does_not_end_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winding_up, "_PATIENCE", 0.05)
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def take_its_time() -> None:
        begun.set()
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                continue

    async with seat(tmp_path) as here:
        worker = here.session.run_worker(take_its_time())
        await begun.wait()

    assert not worker.is_finished
    may_end.set()
