"""The end of what the interface does in the background."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.worker_manager import WorkerManager

_PATIENCE: Final = 2.0  # seconds


async def all_over(workers: WorkerManager) -> None:
    """Wait a moment for workers that were cancelled: a program that one of them runs is to end before us."""
    ending = asyncio.gather(*(worker.wait() for worker in list(workers)), return_exceptions=True)
    await asyncio.wait([ending], timeout=_PATIENCE)
