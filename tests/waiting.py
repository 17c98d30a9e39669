"""Waiting for conditions, never for a fixed time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 30.0
"""Seconds after which a condition counts as never met."""


async def until(condition: Callable[[], object], what: str = "condition") -> None:
    """Return once a condition holds.

    Raises:
        TimeoutError: it does not come to hold.
    """
    deadline = time.monotonic() + PATIENCE
    looked = time.monotonic()
    while not condition():
        now = time.monotonic()
        if now > deadline:
            raise TimeoutError(f"never: {what}")
        await asyncio.sleep(max(0.001, 3 * (now - looked)))  # after a long look, others get the processor
        looked = time.monotonic()


async def settled() -> None:
    """Return once all that is ready to run has run."""
    for _ in range(10):
        await asyncio.sleep(0)
